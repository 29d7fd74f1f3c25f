"""Takes event numbers from a distant store, in one request for all waiting threads of a process.

A thread that finds no request under way sends one for all waiting threads. Those that arrive during a request wait for
the next: replay relies on a number being taken after its act has read what it decides on, so none is taken in advance.
"""

from __future__ import annotations

import os
import threading
import time
from weakref import WeakKeyDictionary

from foundation.store import keys, round_trips

from ..table import Crowded, StoreError, Table

HEADER = keys.EVENT_NUMBER


def ask(table: Table, count: int) -> range:
    """Take `count` numbers in one request."""
    last = table.increment(HEADER, "last", count)
    return range(last - count + 1, last + 1)


# --- the queue of waiting threads ---


class _Place:
    """A waiting act, called when it has a number or an error, or when it is its turn to ask for all."""

    def __init__(self, called: threading.Event | None = None) -> None:
        self.called = called or threading.Event()
        self.number: int | None = None
        self.error: StoreError | None = None

    @property
    def is_answered(self) -> bool:
        return self.number is not None or self.error is not None


class _Line:
    """The threads of this process that are waiting for a number of one table."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Place] = []
        self._is_asking = False

    def take(self, table: Table) -> int:
        with self._lock:
            if others_ask := self._is_asking:
                place = _Place()
                self._waiting.append(place)
            self._is_asking = True
        if others_ask:
            return self._wait(table, place)
        try:
            return ask(table, 1)[0]  # for us alone: with no request under way, no other thread is waiting
        finally:
            with self._lock:
                self._call_the_next()

    def _wait(self, table: Table, place: _Place) -> int:
        began = time.perf_counter()
        try:
            place.called.wait()
        except BaseException:
            self._leave(place)
            raise
        if place.is_answered:  # by another thread's round trip
            round_trips.add_parallel([round_trips.RoundTrips(1, 1, time.perf_counter() - began)])
        else:
            self._ask_for_all(table, place)
        if place.error is not None:
            raise place.error
        assert place.number is not None
        return place.number

    def _leave(self, place: _Place) -> None:
        """An interrupted thread needs no number; if it was its turn to ask, the next one asks."""
        with self._lock:
            if place in self._waiting:
                self._waiting.remove(place)
                if place.called.is_set():
                    self._call_the_next()

    def _ask_for_all(self, table: Table, own: _Place) -> None:
        with self._lock:
            places, self._waiting = self._waiting, []
        try:
            for place, number in zip(places, ask(table, len(places)), strict=True):
                place.number = number
        except StoreError as error:
            for place in places:  # the others may have more wait budget left and can retry: nothing was written
                place.error = error if place is own else Crowded(str(error))
        finally:
            with self._lock:  # if interrupted, the others go on waiting
                self._waiting[:0] = [place for place in places if not place.is_answered and place is not own]
                self._call_the_next()
            for place in places:
                if place.is_answered and place is not own:
                    place.called.set()

    def _call_the_next(self) -> None:
        """The longest-waiting thread asks next, for all that are waiting by then."""
        if self._waiting:
            self._waiting[0].called.set()
        else:
            self._is_asking = False


_lines: WeakKeyDictionary[object, _Line] = WeakKeyDictionary()


def take(table: Table) -> int:
    """The next number. Two queues for one table would do no harm: each number is still given out once."""
    line = _lines.get(table)
    return (line if line is not None else _lines.setdefault(table, _Line())).take(table)


os.register_at_fork(after_in_child=_lines.clear)  # no thread of the parent waits here, and its locks are never released
