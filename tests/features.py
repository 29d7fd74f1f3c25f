"""Switching a part off and on, for tests that are about something else than the page Features."""

from __future__ import annotations

from foundation.acts import features
from foundation.acts.storage import table
from foundation.parts import on_if, parts


def switch(name: str, *, on: bool) -> None:
    """This part alone."""
    wanted = {each.label for each in parts()} - (set() if on else {name})
    table().write(features.writing(features.read_features(table()), on_if(wanted), wanted))
    features.cache.forget()
