"""Parts of the site under test, switched off and on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from foundation.acts import features
from foundation.acts.features import Features
from foundation.acts.storage import table, write
from foundation.parts import parts


@contextmanager
def switched_off(*names: str) -> Iterator[None]:
    _switch(Features(frozenset(part.label for part in parts()) - set(names)))
    try:
        yield
    finally:
        _switch(Features(frozenset(part.label for part in parts())))


def _switch(after: Features) -> None:
    write(features.writing(after, features.read_features(table())))
    features.cache.forget()
