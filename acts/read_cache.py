"""A cache of items of a distant store, at most a second old, for pages that many people look at.

One read serves all requests of a process for a second. Decisions never rely on it: voting, closing and changing read
the store. Reads of the embedded store are cheap and not cached.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from store.caches import SizedCache
from store.capacity_units import item_bytes
from store.table import Item, Key, Table

from .storage import table

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
    return ENTRY_OVERHEAD_BYTES + 3 * item_bytes(seen[1])
