"""How long one request waits for a distant store that is slow, busy or silent, all its tries together.

What counts is each pause between two tries, and each try that took longer than an answer usually does. Whatever is
answered at once costs nothing, so that a long piece of work on a store that is well is never cut off. Nobody waits like
this for the embedded store.

Voters must not keep out whoever runs a vote. An organiser's request *insists*: where the store is throttled or others
hold an item, it asks again until `INSIST_SECONDS` have passed. A store that is silent keeps it waiting no longer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

INSIST_SECONDS = 20.0  # that an organiser's request asks again where it was refused for being one of many


class Patience:
    """What is left of a request's seconds. Of questions asked at the same time each has its own part of it."""

    def __init__(self, seconds: float, whole: Patience | None = None) -> None:
        self.seconds = seconds
        self.left = seconds
        self._whole = whole or self
        self._was_in_vain = False
        self._insists_until: float | None = None  # by the store's clock; set at the first refusal
        self._insists = False
        self._lock = Lock()

    @property
    def was_in_vain(self) -> bool:
        """Whether the store never answered, and that is known already: once for each request."""
        return self._whole._was_in_vain

    @was_in_vain.setter
    def was_in_vain(self, so: bool) -> None:
        self._whole._was_in_vain = so

    def insist(self) -> None:
        self._whole._insists = True

    def insists(self, now: float) -> bool:
        """Whether to ask again now, however often that was refused."""
        whole = self._whole
        if whole._insists and whole._insists_until is None:
            whole._insists_until = now + INSIST_SECONDS
        return whole._insists_until is not None and now < whole._insists_until

    def part(self, lost: float) -> Patience:
        """For one question among several, when so much was lost by those before it."""
        return Patience(self.left - lost, self._whole)

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


def insist() -> None:
    """The request at hand is an organiser's."""
    if (patience := _current.get()) is not None:
        patience.insist()


def left() -> float:
    return math.inf if (patience := _current.get()) is None else patience.left


def lose(seconds: float) -> None:
    if (patience := _current.get()) is not None:
        patience.lose(seconds)


@contextmanager
def side_by_side(lost: list[float]) -> Iterator[None]:
    """Of one of several questions asked at the same time: who waits for them waits only for the longest. Each tells in
    `lost` what was gone when it had its answer; one that begins when others are done begins with what they left."""
    if (whole := _current.get()) is None:
        yield
        return
    own = whole.part(max(lost, default=0.0))
    token = _current.set(own)
    try:
        yield
    finally:
        _current.reset(token)
        lost.append(whole.left - own.left)
