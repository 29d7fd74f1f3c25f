"""Caches in a process's memory: of values by size, of parsed items, of one value of the site, of recent items."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from django.conf import settings

from foundation.store import round_trips
from foundation.store.connect import connect
from foundation.store.limits import check_item
from foundation.store.table import Item, Key, StoreError, Table

from .storage import table

T = TypeVar("T")


class SizedCache(Generic[T]):
    """An LRU cache bounded by the total weight of its values. A value of more than a quarter of that is not cached,
    because it would push out all the others."""

    def __init__(self, most: int, weigh: Callable[[T], int]):
        self.most, self.weigh, self.weight = most, weigh, 0
        self._lock, self._entries = threading.Lock(), OrderedDict[Hashable, tuple[T, int]]()

    def get(self, key: Hashable, find: Callable[[], T]) -> T:
        """The cached value, else what `find` returns; two threads at the same moment may both call it."""
        with self._lock:
            if (entry := self._entries.get(key)) is not None:
                self._entries.move_to_end(key)
                return entry[0]
        value = find()
        self.put(key, value)
        return value

    def peek(self, key: Hashable) -> T | None:
        """The cached value, if any."""
        with self._lock:
            if (entry := self._entries.get(key)) is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: T) -> None:
        weight = self.weigh(value)
        with self._lock:
            _before, freed = self._entries.pop(key, (value, 0))
            self.weight -= freed
            if weight > self.most // 4:
                return
            self._entries[key] = value, weight
            self.weight += weight
            while self.weight > self.most:
                _key, (_value, freed) = self._entries.popitem(last=False)
                self.weight -= freed


class ParseCache(Generic[T]):
    """Parses items, but not one equal to the last one under its key. An election takes 2 per cent of its page in Django
    to parse, and a twentieth of that to compare; a list has fifty of them."""

    def __init__(self, read: Callable[[Item], T], most: int = 1000):
        self.read, self.most = read, most
        self._seen: dict[tuple[str, str], tuple[Item, T]] = {}

    def __call__(self, item: Item) -> T:
        place = item.get("PK", ""), item.get("SK", "")
        seen = self._seen.get(place)
        if seen is None or seen[0] != item:
            if len(self._seen) >= self.most:
                self._seen.clear()
            seen = self._seen[place] = dict(item), self.read(item)
        return seen[1]


class SiteCache(Generic[T]):
    """One value that every request needs, read from the store every few seconds: one read serves all requests of a
    process. Code that changes the value calls `forget`."""

    def __init__(
        self, read: Callable[[Table], T], unknown: T, seconds: float, ticking: Callable[[], float] = time.monotonic
    ):
        self.seconds = seconds
        self._read, self._unknown, self.ticking = read, unknown, ticking
        self._reading = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Drop the value, and the result of a read under way, which may be stale."""
        self._seen: tuple[str, float, T] = ("", 0.0, self._unknown)
        self._failed: tuple[str, float] = ("", 0.0)

    @property
    def last_read(self) -> T:
        """The value as it was read last, for whoever knows that this request has asked for it before."""
        return self._seen[2]

    def refresh(self) -> T:
        """The value as it is now, in a round trip of whoever asks."""
        url, moment = settings.STORE_URL, self.ticking()
        value = self._read(connect(url))
        self._seen = (url, moment, value)
        return value

    def current(self) -> T:
        """The value; raises the store's error if it cannot be read."""
        url, moment, value = self._seen
        if url == settings.STORE_URL and self.ticking() - moment < self.seconds:
            return value
        with self._reading:
            return self._seen[2] if self._is_fresh(self._seen) else self._read_now()

    def last_known(self) -> T:
        """The value, or the previous one while the store is down or another thread reads it."""
        url, moment, value = self._seen
        is_this_site = url == settings.STORE_URL
        if is_this_site and self.ticking() - moment < self.seconds:
            return value
        known = value if is_this_site else self._unknown
        if self._is_fresh(self._failed) or not self._reading.acquire(blocking=not is_this_site):
            return known
        try:
            return self._seen[2] if self._is_fresh(self._seen) else self._read_now()
        except StoreError:
            self._failed = (settings.STORE_URL, self.ticking())  # so that not every request waits
            return known
        finally:
            self._reading.release()

    def _is_fresh(self, seen: tuple[str, float, T] | tuple[str, float]) -> bool:
        return seen[0] == settings.STORE_URL and self.ticking() - seen[1] < self.seconds

    def _read_now(self) -> T:
        url, moment, before = settings.STORE_URL, self.ticking(), self._seen
        with round_trips.uncounted():
            value = self._read(connect(url))
        if self._seen is before:
            self._seen = (url, moment, value)
        return value


# --- items of a distant store, at most a second old, for pages that many people look at ---

# One read serves all requests of a process for a second. Decisions do not rely on it: closing and changing read the
# store, and a vote also reads a mark that vouches for what is cached (`elections.repository.open_marks`). Reads of the
# embedded store are cheap and not cached.

MAX_AGE_SECONDS = 1.0
CACHE_BYTES = 8_000_000
ENTRY_OVERHEAD_BYTES = 1_000

CachedItem = tuple[float, Item | None]  # when it was asked for, and what was there

clock: ContextVar[Callable[[], float]] = ContextVar("clock", default=time.monotonic)
_caches: WeakKeyDictionary[Table, SizedCache[CachedItem]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Cacheable:
    """Items that may be a second old, if `is_good` accepts what is cached; else all of them are read."""

    keys: Sequence[Key]
    is_good: Callable[[Mapping[Key, Item]], bool] = lambda found: True


def get_cached(recently: Cacheable, fresh: Iterable[Key] = ()) -> dict[Key, Item]:
    """These items, and `fresh` ones read now, in one round trip at most."""
    here, now = table(), clock.get()()
    if not here.is_distant:
        every = dict.fromkeys([*recently.keys, *fresh])
        return here.get_many(every) if every else {}
    cache = _caches.setdefault(here, SizedCache(CACHE_BYTES, _bytes_of))
    seen = {key: last for key in recently.keys if (last := cache.peek(key)) and now - last[0] < MAX_AGE_SECONDS}
    if not recently.is_good({key: item for key, (_when, item) in seen.items() if item is not None}):
        seen = {}
    asked = [key for key in recently.keys if key not in seen]
    places = dict.fromkeys([*asked, *fresh])
    found = here.get_many(places) if places else {}
    for key in asked:
        if (known := cache.peek(key)) is None or known[0] <= now:  # else another thread has read it later
            cache.put(key, (now, found.get(key)))
    return found | {key: item for key, (_when, item) in seen.items() if item is not None}


def _bytes_of(seen: CachedItem) -> int:
    _moment, item = seen
    return ENTRY_OVERHEAD_BYTES + 3 * (check_item(item) if item else 0)
