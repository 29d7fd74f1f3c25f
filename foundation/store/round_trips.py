"""Counts round trips to the store, for the current request and for metrics.

Listeners learn of every round trip, meters of the capacity used and of retries. Guards are called before each round
trip and prevent it by raising.
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
class RoundTrips:
    """The round trips of one request so far."""

    count: int = 0
    in_a_row: int = 0  # one after the other; those in parallel count once
    seconds: float = 0.0


_current: ContextVar[RoundTrips | None] = ContextVar("trips", default=None)
_listeners: list[Listener] = []
_meters: list[Meter] = []
_guards: list[Guard] = []


def on_round_trip(listener: Listener) -> None:
    _listeners.append(listener)


def on_cost(meter: Meter) -> None:
    _meters.append(meter)


def add_guard(guard: Guard) -> None:
    _guards.append(guard)


@contextmanager
def count_round_trips() -> Iterator[RoundTrips]:
    """Count the round trips made inside, in this thread or task."""
    trips = RoundTrips()
    token = _current.set(trips)
    try:
        yield trips
    finally:
        _current.reset(token)


@contextmanager
def uncounted() -> Iterator[None]:
    """Exclude reads inside, because they serve many requests."""
    token = _current.set(None)
    try:
        yield
    finally:
        _current.reset(token)


def add_parallel(branches: Iterable[RoundTrips]) -> None:
    """Add what ran in parallel: all of it counts, but only the longest branch was waited for."""
    if (trips := _current.get()) is not None:
        each = list(branches)
        trips.count += sum(branch.count for branch in each)
        trips.in_a_row += max((branch.in_a_row for branch in each), default=0)
        trips.seconds += max((branch.seconds for branch in each), default=0.0)


class round_trip:  # noqa: N801 - used as a function is
    """Around each request that an adapter sends, retries included. A class, because a generator would be too slow."""

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
    _report_cost(CAPACITY, kind, units)


def retried(reason: str) -> None:
    _report_cost(RETRIES, reason, 1)


def _report_cost(what: str, kind: str, amount: float) -> None:
    for on_cost in _meters:
        on_cost(what, kind, amount)


def outcome_of(error: StoreError) -> str:
    if isinstance(error, Refused):
        return "refused"
    if isinstance(error, Invalid):
        return "invalid"
    return "conflict" if isinstance(error, Conflict) else "unavailable"
