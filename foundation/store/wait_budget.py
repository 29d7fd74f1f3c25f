"""The time budget of one request for waiting on a distant store that is slow, throttled or silent.

It is spent by each pause between two attempts and each attempt that took longer than usual. Prompt replies cost
nothing, so that long work on a healthy store is never cut off. The embedded store needs no budget.

Voters must not lock out the organiser. An organiser's request *insists*: where the store throttles or conflicts, it
retries until `INSIST_SECONDS` have passed. On a silent store it waits no longer than others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

INSIST_SECONDS = 20.0  # for which an organiser's request retries when throttled or in conflict


class WaitBudget:
    """The seconds a request has left. Each parallel branch has its own."""

    def __init__(self, seconds: float, request: WaitBudget | None = None) -> None:
        self.seconds = seconds
        self.left = seconds
        self._request = request or self
        self._was_unanswered = False
        self._insists_until: float | None = None  # by the store's clock; set at the first refusal
        self._insists = False
        self._lock = Lock()

    @property
    def was_unanswered(self) -> bool:
        """Whether it has been reported for this request that the store never replied."""
        return self._request._was_unanswered

    @was_unanswered.setter
    def was_unanswered(self, so: bool) -> None:
        self._request._was_unanswered = so

    def insist(self) -> None:
        self._request._insists = True

    def insists(self, now: float) -> bool:
        """Whether to retry now, however often that has failed."""
        request = self._request
        if request._insists and request._insists_until is None:
            request._insists_until = now + INSIST_SECONDS
        return request._insists_until is not None and now < request._insists_until

    def part(self, lost: float) -> WaitBudget:
        """The budget of one parallel branch, when earlier ones have spent `lost`."""
        return WaitBudget(self.left - lost, self._request)

    def spend(self, seconds: float) -> None:
        with self._lock:
            self.left -= seconds


_current: ContextVar[WaitBudget | None] = ContextVar("budget", default=None)


@contextmanager
def of_request(seconds: float) -> Iterator[WaitBudget]:
    """Limit what is spent waiting inside."""
    budget = WaitBudget(seconds)
    token = _current.set(budget)
    try:
        yield budget
    finally:
        _current.reset(token)


def current() -> WaitBudget | None:
    """The budget of the current request; the worker's jobs have none and wait as long as it takes."""
    return _current.get()


def insist() -> None:
    """Let the current request, an organiser's, insist."""
    if (budget := _current.get()) is not None:
        budget.insist()


def left() -> float:
    return math.inf if (budget := _current.get()) is None else budget.left


def spend(seconds: float) -> None:
    if (budget := _current.get()) is not None:
        budget.spend(seconds)


@contextmanager
def parallel_branch(lost: list[float]) -> Iterator[None]:
    """The budget of one of several parallel branches, of which only the longest is waited for. Each adds what it has
    spent to `lost`; one that starts after others have finished starts with what they left."""
    if (shared := _current.get()) is None:
        yield
        return
    own = shared.part(max(lost, default=0.0))
    token = _current.set(own)
    try:
        yield
    finally:
        _current.reset(token)
        lost.append(shared.left - own.left)
