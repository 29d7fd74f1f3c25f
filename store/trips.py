"""Counts the round trips to the store: those of the request at hand, and all of them for whoever listens.

What a store that is paid for says they cost, and how often something was asked again, is told to whoever meters it.
Whoever guards is asked before each, and keeps it from happening by raising.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter

from .table import Conflict, Invalid, Refused, StoreError

Listener = Callable[[str, str, float], None]  # operation, outcome, seconds
Meter = Callable[[str, str, float], None]  # CAPACITY or RETRIES, of which kind or for which reason, how much
Guard = Callable[[str], None]  # operation

CAPACITY, RETRIES = "capacity", "retries"


@dataclass(slots=True)
class Trips:
    """What one request asked of the store so far."""

    count: int = 0
    in_a_row: int = 0  # of which so many had to wait for one before them
    seconds: float = 0.0


_current: ContextVar[Trips | None] = ContextVar("trips", default=None)
_listeners: list[Listener] = []
_meters: list[Meter] = []
_guards: list[Guard] = []


def listen(listener: Listener) -> None:
    """Be told of every round trip of this process from now on."""
    _listeners.append(listener)


def meter(meter: Meter) -> None:
    """Be told of all that round trips of this process cost from now on."""
    _meters.append(meter)


def ask_first(guard: Guard) -> None:
    """Be asked before every round trip of this process from now on."""
    _guards.append(guard)


@contextmanager
def counted() -> Iterator[Trips]:
    """Count the round trips made inside, in this thread or task."""
    trips = Trips()
    token = _current.set(trips)
    try:
        yield trips
    finally:
        _current.reset(token)


@contextmanager
def beside() -> Iterator[None]:
    """What is asked inside serves many requests, and is counted as none of theirs."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


def side_by_side(branches: Iterable[Trips]) -> None:
    """What was asked at the same time: all of it counts, but only the longest row was waited for."""
    if (trips := _current.get()) is not None:
        each = list(branches)
        trips.count += sum(branch.count for branch in each)
        trips.in_a_row += max((branch.in_a_row for branch in each), default=0)
        trips.seconds += max((branch.seconds for branch in each), default=0.0)


class trip:  # noqa: N801 - used as a function is
    """One round trip. Adapters put it around each request they send, retries included.

    A class, because a generator would take as long as some of what it counts.
    """

    __slots__ = ("operation", "start")

    def __init__(self, operation: str):
        self.operation = operation

    def __enter__(self) -> None:
        for guard in _guards:
            guard(self.operation)
        self.start = perf_counter()

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        outcome = outcome_of(error) if isinstance(error, StoreError) else "ok"
        record(self.operation, outcome, perf_counter() - self.start)


def record(operation: str, outcome: str, seconds: float) -> None:
    if (trips := _current.get()) is not None:
        trips.count += 1
        trips.in_a_row += 1
        trips.seconds += seconds
    for listener in _listeners:
        listener(operation, outcome, seconds)


def consumed(kind: str, units: float) -> None:
    """A round trip was charged so many units of capacity: `read` or `write`."""
    _tell(CAPACITY, kind, units)


def retried(reason: str) -> None:
    """Something is asked once more."""
    _tell(RETRIES, reason, 1)


def _tell(what: str, kind: str, amount: float) -> None:
    for meter in _meters:
        meter(what, kind, amount)


def outcome_of(error: StoreError) -> str:
    if isinstance(error, Refused):
        return "refused"
    if isinstance(error, Invalid):
        return "invalid"
    return "conflict" if isinstance(error, Conflict) else "unavailable"
