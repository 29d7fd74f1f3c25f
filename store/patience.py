"""How long one request waits for a distant store that is slow, busy or silent, all its tries together.

What counts is each pause between two tries, and each try that took longer than an answer usually does. Whatever is
answered at once costs nothing, so that a long piece of work on a store that is well is never cut off. Nobody waits like
this for the embedded store.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock


class Patience:
    """What is left of a request's seconds. Questions asked at the same time share it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left = seconds
        self.was_in_vain = False  # whether the store never answered, and that is known already
        self._lock = Lock()

    def lose(self, seconds: float) -> None:
        with self._lock:
            self.left -= seconds


_current: ContextVar[Patience | None] = ContextVar("patience", default=None)


@contextmanager
def of_request(seconds: float) -> Iterator[Patience]:
    """Whatever is asked inside waits no longer than this."""
    patience = Patience(seconds)
    token = _current.set(patience)
    try:
        yield patience
    finally:
        _current.reset(token)


def current() -> Patience | None:
    """That of the request at hand; a job of the worker has none, and waits as long as it takes."""
    return _current.get()


def left() -> float:
    return math.inf if (patience := _current.get()) is None else patience.left


def lose(seconds: float) -> None:
    if (patience := _current.get()) is not None:
        patience.lose(seconds)
