"""Around any table: items that are in somebody's transaction are held for a while, and whoever wants one of them
meanwhile is refused, as DynamoDB does it and no local engine does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from random import Random
from typing import Any

from foundation.store.table import Conflict, Key, Table, Write
from tests.chaos import Chaos

MAX_ATTEMPTS = 8  # as often as the adapter asks again before the application hears of it
PAUSE_SECONDS = 0.004


class Held(Chaos):
    """A distant table. `most` is how many gates one transaction may touch, if it is not to fail in any case: the more
    it wants, the less likely all of them are free, and while many vote a few are too many."""

    is_distant = True

    def __init__(self, table: Table, seconds: float = 0.002, most: int = 1000, **weather: Any):
        super().__init__(table, Random(), **weather)
        self.hold = seconds
        self.most = most
        self.said = float("inf")  # when it was acknowledged that something is being closed
        self._held: set[Key] = set()
        self._lock = threading.Lock()

    def write(self, *writes: Write, token: str | None = None) -> None:
        self._trouble()
        _persist(lambda: self._written(writes, token))
        if any(getattr(write, "set", {}).get("closing") for write in writes):
            self.said = min(self.said, time.monotonic())

    def _written(self, writes: tuple[Write, ...], token: str | None) -> None:
        if sum(write.key.sk.startswith("GATE#") for write in writes) > self.most or self._happens(self.conflicts):
            raise Conflict("Other changes kept getting in the way.")
        with self._holding({write.key for write in writes}):
            time.sleep(self.hold)
            self.table.write(*writes, token=token)

    @contextmanager
    def _holding(self, keys: set[Key]) -> Any:
        with self._lock:
            if keys & self._held:
                raise Conflict("Other changes kept getting in the way.")
            self._held |= keys
        try:
            yield
        finally:
            with self._lock:
                self._held -= keys


def _persist(act: Callable[[], None]) -> None:
    for _tried in range(MAX_ATTEMPTS - 1):
        try:
            return act()
        except Conflict:
            time.sleep(PAUSE_SECONDS * Random().random())
    return act()
