"""Around any table: the faults of a distant store that no local engine shows, as often as asked for.

What is left of a batch or of a conflict after its retries is
the adapter's own business; here is what reaches the application all the same.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from foundation.store import cursors
from foundation.store.table import (
    DATA,
    Check,
    Conflict,
    Crowded,
    Item,
    Key,
    Numbered,
    Page,
    Span,
    Table,
    Unavailable,
    Unwritable,
    Value,
    Write,
    opened,
)

Answer = TypeVar("Answer")
INDEX_LAG_SECONDS = 60.0  # seconds that an index which is some writes old is said to lag
Place = tuple[str, str, str]  # where an item stands in the index: its sort key there, then its own key


class Chaos(Table):
    """A table under bad weather. Rates go from 0, never, to 1, always; unless told otherwise nothing goes wrong.

    Stale index pages are made from what the table held before the last writes that went through this wrapper.
    """

    def __init__(
        self,
        table: Table,
        random: Random,
        *,
        conflicts: float = 0.0,  # other transactions are in the way: nothing is written
        throttling: float = 0.0,  # the store is too busy: nothing is read or written
        lost_replies: float = 0.0,  # the write happens, and nobody hears of it
        slowness: float = 0.0,  # the answer takes `seconds` longer
        seconds: float = 0.2,
        lag: int = 0,  # an index page is up to so many writes old
        out: Callable[[str], bool] | None = None,  # which partitions do not answer at all
        read_only: bool = False,  # whether writes fail and reads do not
    ):
        self.table = table
        self.random = random
        self.conflicts = conflicts
        self.throttling = throttling
        self.lost_replies = lost_replies
        self.slowness = slowness
        self.seconds = seconds
        self.lag = lag
        self.out = out
        self.read_only = read_only
        self._past: deque[dict[Key, Item | None]] = deque(maxlen=lag)
        self._one_at_a_time = threading.Lock()

    # --- the port ---

    def create(self) -> None:
        self.table.create()

    def close(self) -> None:
        self.table.close()

    def sweep(self, limit: int = 1000) -> int:
        return self.table.sweep(limit)

    def everything(self) -> Iterator[tuple[str, Item]]:
        self._trouble()
        return self.table.everything()

    @property
    def index_lag(self) -> float:
        return INDEX_LAG_SECONDS if self.lag else self.table.index_lag

    @property
    def is_distant(self) -> bool:  # type: ignore[override]
        return self.table.is_distant

    @property
    def log_partitions(self) -> int:  # type: ignore[override]
        return self.table.log_partitions

    def run_parallel(self, asks: Sequence[Callable[[], Any]]) -> list[Any]:
        return self.table.run_parallel(asks)

    def purge_journal(self) -> None:
        self.table.purge_journal()

    def size(self) -> int:
        return self.table.size()

    def unused_share(self) -> float:
        return self.table.unused_share()

    def compact(self) -> bool:
        return self.table.compact()

    def quiet(self) -> float:
        return self.table.quiet()

    def get(self, key: Key) -> Item | None:
        self._trouble(key.pk)
        return self.table.get(key)

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        wanted = list(keys)
        self._trouble(*(key.pk for key in wanted))
        return self.table.get_many(wanted)

    def page(
        self,
        span: Span,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> Page:
        self._trouble(span.pk)
        if span.index and self.lag:
            return _page_of(self._stale(span), span, limit, cursor, backwards)
        return self.table.page(span, limit=limit, cursor=cursor, backwards=backwards)

    def count(self, span: Span) -> int:
        self._trouble(span.pk)
        if span.index and self.lag:
            return len(self._stale(span))
        return self.table.count(span)

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        keys = [write.key for write in opened(writes) if not isinstance(write, Check)]
        self._write(keys, lambda: self.table.write(*writes, token=token))

    def put_all(self, items: Sequence[Item]) -> None:
        self._write([Key(item["PK"], item["SK"]) for item in items], lambda: self.table.put_all(items), clash=False)

    def increment(self, key: Key, name: str, by: int = 1, *, setting: Mapping[str, Value] | None = None) -> int:
        return self._write([key], lambda: self.table.increment(key, name, by, setting=setting))

    # --- faults ---

    def _happens(self, rate: float) -> bool:
        return rate > 0 and self.random.random() < rate

    def _trouble(self, *partitions: str) -> None:
        if self._happens(self.slowness):
            time.sleep(self.seconds)
        if self._happens(self.throttling):
            raise Crowded("The store is too busy just now.")
        if self.out is not None and any(map(self.out, partitions)):
            raise Unavailable("A part of the store does not answer.")

    def _write(self, keys: list[Key], act: Callable[[], Answer], clash: bool = True) -> Answer:
        self._trouble(*(key.pk for key in keys))
        if self.read_only:
            raise Unwritable("The store takes no writes just now.")
        if clash and self._happens(self.conflicts):
            raise Conflict("Other changes kept getting in the way.")
        answer = self._remembering(keys, act)
        if self._happens(self.lost_replies):
            raise Unavailable("The store did not answer in time.")
        return answer

    def _remembering(self, keys: list[Key], act: Callable[[], Answer]) -> Answer:
        """Keep what the items were before, so that the index can be shown as it was."""
        if not self.lag:
            return act()
        with self._one_at_a_time:
            before = self.table.get_many(keys)
            answer = act()
            self._past.append({key: before.get(key) for key in keys})
            return answer

    def _stale(self, span: Span) -> dict[Place, Item]:
        """What the span held some writes ago."""
        with self._one_at_a_time:
            items = {Key(item["PK"], item["SK"]): item for item in self.table.each(span)}
            ago = self.random.randint(0, len(self._past))
            for before in reversed(list(self._past)[len(self._past) - ago :]):
                for key, item in before.items():
                    items.pop(key, None)
                    if item is not None and key.table == DATA and _is_in(span, item):
                        items[key] = item
        return {(item["GSI1SK"], item["PK"], item["SK"]): item for item in items.values()}


def _is_in(span: Span, item: Item) -> bool:
    sort_key = item.get("GSI1SK")
    return item.get("GSI1PK") == span.pk and sort_key is not None and span.holds(sort_key)


def _page_of(items: dict[Place, Item], span: Span, limit: int | None, cursor: str | None, backwards: bool) -> Page:
    places = sorted(items, reverse=backwards)
    if cursor is not None:
        start = tuple(cursors.decode(span, cursor).values())[1:]
        places = [place for place in places if (place < start if backwards else place > start)]
    shown = [items[place] for place in places[:limit]]
    return Page(shown, cursors.encode(span, shown[-1]) if len(shown) < len(places) else None)
