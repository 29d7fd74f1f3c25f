"""An embedded store for one process alone that gathers its writes in memory and commits them in large batches.

For rebuilding a state from its log: thousands of small transactions in a row, nobody else looks meanwhile, and after a
crash one begins again. What was read or written lately is found in memory, so few of them reach SQLite.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .. import limits
from ..conditions import holds
from ..table import Check, Condition, Delete, Item, Key, Numbered, Put, Refused, Span, Update, Value, Write
from . import rows
from .connections import sentences
from .table import SqliteTable

BUFFERED_ITEMS = 20_000


class BufferedTable(SqliteTable):
    """Of writes only single items are checked against the store's limits: they come from a log, which was written
    within them."""

    def __init__(self, path: str, **options: Any):
        super().__init__(path, **options)
        self._items: dict[Key, Item | None] = {}
        self._changed: set[Key] = set()

    # --- reading ---

    def get(self, key: Key) -> Item | None:
        item = self._current(key)
        return dict(item) if item is not None and item.get("ttl", self.clock() + 1) > self.clock() else None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        return {key: item for key in keys if (item := self.get(key)) is not None}

    def _current(self, key: Key) -> Item | None:
        """As it is stored, even if it has expired."""
        if key not in self._items:
            self._items[key] = rows.read(self._reader(), [key]).get(key)
        return self._items[key]

    def _bodies(self, span: Span, *options: Any, **named: Any) -> tuple[list[bytes], bool]:
        self.flush()
        return super()._bodies(span, *options, **named)

    def count(self, span: Span) -> int:
        self.flush()
        return super().count(span)

    def everything(self) -> Iterator[tuple[str, Item]]:
        self.flush()
        return super().everything()

    # --- writing ---

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = limits.unnumbered(writes)
        before = [None if _is_blind(write) else self._current(write.key) for write in parts]
        refused = [at for at, write in enumerate(parts) if write.when is not None and not holds(write.when, before[at])]
        if refused:
            raise Refused(refused)
        self._change({write.key: _after(write, before[at]) for at, write in enumerate(parts)})

    def put_all(self, items: Sequence[Item]) -> None:
        self._change({Key(item["PK"], item["SK"]): item for item in items})

    def increment(
        self,
        key: Key,
        name: str,
        by: int = 1,
        *,
        also: Mapping[str, Value] | None = None,
        when: Condition | None = None,
    ) -> int:
        self.write(Update(key, set=also or {}, add={name: by}, when=when))
        return int((self._current(key) or {})[name])

    def load(self, entries: Sequence[tuple[str, Item]]) -> None:
        self.flush()
        super().load(entries)

    def _change(self, after: Mapping[Key, Item | None]) -> None:
        self._items.update(after)
        self._changed.update(after)
        if len(self._items) > BUFFERED_ITEMS:
            self.flush()

    def flush(self) -> None:
        """Commit what was gathered, and begin again with nothing in memory."""
        changed = [_statement(key, self._items[key]) for key in self._changed]
        self._items, self._changed = {}, set()
        if changed:
            with sentences(self.path), self._writers.alone() as writer, writer.hurried() as connection:
                rows.carry_out(connection, changed)


def _is_blind(write: Write) -> bool:
    """Whether the write is the same whatever is stored."""
    return write.when is None and not isinstance(write, Update)


def _after(write: Write, stored: Item | None) -> Item | None:
    """What is stored after this write."""
    if isinstance(write, Check):
        return stored
    if isinstance(write, Delete):
        return None
    return write.item if isinstance(write, Put) else rows.updated(stored, write)


def _statement(key: Key, item: Item | None) -> tuple[str, tuple[Value, ...]]:
    return rows.insertion(item, key.table) if item is not None else (rows.DELETE[key.table], (key.pk, key.sk))
