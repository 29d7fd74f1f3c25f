"""Parts switched off and on, for tests that are about something else than the page Features."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foundation.acts import features
from foundation.acts.storage import table, write
from foundation.parts import on_if, parts


@contextmanager
def switched_off(*names: str) -> Iterator[None]:
    """These alone."""
    switch(*names, on=False)
    try:
        yield
    finally:
        switch(on=True)


def switch(*names: str, on: bool) -> None:
    wanted = {part.label for part in parts()} - (set() if on else {*names})
    write(features.writing(features.read_features(table()), on_if(wanted), wanted))
    features.cache.forget()
