"""What several threads of a process want at the same moment is done by one of them, and all have what came of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Flight(Generic[T]):
    def __init__(self) -> None:
        self.landed = threading.Event()
        self.result: T
        self.error: BaseException | None = None


class Flights(Generic[T]):
    def __init__(self) -> None:
        self._lock, self._under_way = threading.Lock(), dict[Hashable, _Flight[T]]()

    def join(self, key: Hashable, act: Callable[[], T]) -> T:
        """What the act answers, or raises: done here, unless a thread is at work on the same key already. Whoever joins
        gets what was found before they came, so `act` must be about something that only ever goes forwards."""
        with self._lock:
            leads = key not in self._under_way
            flight = self._under_way.setdefault(key, _Flight())
        if leads:
            self._fly(key, flight, act)
        flight.landed.wait()
        if flight.error is not None:
            raise flight.error
        return flight.result

    def _fly(self, key: Hashable, flight: _Flight[T], act: Callable[[], T]) -> None:
        try:
            flight.result = act()
        except BaseException as error:
            flight.error = error
        finally:
            with self._lock:
                del self._under_way[key]
            flight.landed.set()
