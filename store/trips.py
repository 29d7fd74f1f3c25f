"""Counts the round trips to the store: those of the request at hand, and all of them for whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter

from .table import Conflict, Invalid, Refused, StoreError

Listener = Callable[[str, str, float], None]  # operation, outcome, seconds


@dataclass(slots=True)
class Trips:
    """What one request asked of the store so far."""

    count: int = 0
    seconds: float = 0.0


_current: ContextVar[Trips | None] = ContextVar("trips", default=None)
_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Be told of every round trip of this process from now on."""
    _listeners.append(listener)


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
def trip(operation: str) -> Iterator[None]:
    """One round trip. Adapters put it around each request they send, retries included."""
    start = perf_counter()
    outcome = "ok"
    try:
        yield
    except StoreError as error:
        outcome = outcome_of(error)
        raise
    finally:
        record(operation, outcome, perf_counter() - start)


def record(operation: str, outcome: str, seconds: float) -> None:
    if (trips := _current.get()) is not None:
        trips.count += 1
        trips.seconds += seconds
    for listener in _listeners:
        listener(operation, outcome, seconds)


def outcome_of(error: StoreError) -> str:
    if isinstance(error, Refused):
        return "refused"
    if isinstance(error, Invalid):
        return "invalid"
    return "conflict" if isinstance(error, Conflict) else "unavailable"
