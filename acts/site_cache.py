"""A cache for one site-wide value that every request needs, read from the store every few seconds.

One read serves all requests of a process; code that changes the value calls `forget`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from django.conf import settings

from store import round_trips
from store.connect import connect
from store.table import StoreError, Table

T = TypeVar("T")


class SiteCache(Generic[T]):
    def __init__(
        self,
        read: Callable[[Table], T],
        unknown: T,
        seconds: float,
        ticking: Callable[[], float] = time.monotonic,
    ):
        self.seconds = seconds
        self._read, self._unknown, self.ticking = read, unknown, ticking
        self._turn = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Drop the value, and the result of a read under way, which may be stale."""
        self._seen: tuple[str, float, T] = ("", 0.0, self._unknown)
        self._failed: tuple[str, float] = ("", 0.0)

    def current(self) -> T:
        """The value; raises the store's error if it cannot be read."""
        if self._is_fresh(self._seen):
            return self._seen[2]
        with self._turn:
            return self._seen[2] if self._is_fresh(self._seen) else self._look()

    def last_known(self) -> T:
        """The value, or the previous one while the store is down or another thread reads it."""
        url, _moment, value = seen = self._seen
        is_this_site = url == settings.STORE_URL
        known = value if is_this_site else self._unknown
        if self._is_fresh(seen) or self._is_fresh(self._failed) or not self._turn.acquire(blocking=not is_this_site):
            return known
        try:
            return self._seen[2] if self._is_fresh(self._seen) else self._look()
        except StoreError:
            self._failed = (settings.STORE_URL, self.ticking())  # so that not every request waits
            return known
        finally:
            self._turn.release()

    def _is_fresh(self, seen: tuple[str, float, T] | tuple[str, float]) -> bool:
        return seen[0] == settings.STORE_URL and self.ticking() - seen[1] < self.seconds

    def _look(self) -> T:
        url, moment, before = settings.STORE_URL, self.ticking(), self._seen
        with round_trips.uncounted():
            known = self._read(connect(url))
        if self._seen is before:
            self._seen = (url, moment, known)
        return known
