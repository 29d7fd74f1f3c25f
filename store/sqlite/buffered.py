"""An embedded store for a single process that buffers writes in memory and commits them in large batches.

For rebuilding a state from its log: thousands of small transactions in a row, no concurrent readers, and after a crash
it starts over. Recently read or written items are found in memory, so few reads reach SQLite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from .. import limits
from ..table import DATA, Check, Delete, Item, Key, Numbered, Put, Refused, Span, Update, Value, Write, holds
from . import rows
from .table import SqliteTable
from .writers import connect, sentences

UNEXPIRED = "(SELECT pk, sk, body FROM {table} WHERE ttl IS NULL OR ttl > :{now})"
HERE = UNEXPIRED.format(table=f"main.{DATA}", now="here")
THERE = UNEXPIRED.format(table=f"other.{DATA}", now="there")
DIFFERING = f"""
SELECT pk, sk, h.body, t.body FROM {HERE} h LEFT JOIN {THERE} t USING (pk, sk) WHERE h.body IS NOT t.body
UNION ALL SELECT pk, sk, h.body, t.body FROM {THERE} t LEFT JOIN {HERE} h USING (pk, sk) WHERE h.body IS NULL
ORDER BY 1, 2
"""
COPY = "INSERT INTO main.{table} ({columns}) SELECT {columns} FROM source.{table} WHERE {where} ORDER BY pk, sk"
CACHE_KILOBYTES = 64_000
UNKNOWN: Item = {}  # an item that was not read or written recently
BUFFERED_ITEMS = 50_000  # about 100 MB of them


class BufferedTable(SqliteTable):
    """Only single items are checked against the store's limits: the writes come from a log that was written within
    them."""

    def __init__(self, path: str, **options: Any):
        super().__init__(path, **options)
        self._items: dict[Key, Item | None] = {}
        self._changed: set[Key] = set()
        self._written: set[int] | None = None  # hashes of all keys that were ever in the file, if known

    def create(self) -> None:
        """The file is discarded as a whole, so deleted bytes need not be overwritten."""
        super().create()
        self._written = set() if next(self.everything(), None) is None else None
        connection = self._writers.opened_writer().connection
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KILOBYTES}")

    # --- reading ---

    def get(self, key: Key) -> Item | None:
        item = self._current(key)
        return dict(item) if item is not None and item.get("ttl", self.clock() + 1) > self.clock() else None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        return {key: item for key in keys if (item := self.get(key)) is not None}

    def _current(self, key: Key) -> Item | None:
        """The stored item, even if it has expired."""
        item = self._items.get(key, UNKNOWN)
        if item is UNKNOWN:
            if self._written is not None and hash(key) not in self._written:
                return None
            item = self._items[key] = rows.read(self._reader(), [key]).get(key)
        return item

    def _bodies(self, span: Span, *options: Any, **named: Any) -> tuple[list[bytes], bool]:
        self.flush()
        return super()._bodies(span, *options, **named)

    def count(self, span: Span) -> int:
        self.flush()
        return super().count(span)

    def everything(self) -> Iterator[tuple[str, Item]]:
        self.flush()
        return super().everything()

    def differing(self, other: BufferedTable) -> Iterator[tuple[Item | None, Item | None]]:
        """Items whose text differs between the two stores, in key order: ours and the other's. Most equal items need
        not be read, but equal items may still differ as text."""
        self.flush()
        other.flush()
        with sentences(self.path), closing(connect(self.path)) as reader:
            reader.execute("ATTACH ? AS other", (other.path,))
            for _pk, _sk, here, there in reader.execute(DIFFERING, {"here": self.clock(), "there": other.clock()}):
                yield here and rows.unpack(here), there and rows.unpack(there)

    # --- writing ---

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        after: dict[Key, Item | None] = {}
        refused: list[int] = []
        for at, write in enumerate(limits.unnumbered(writes)):
            key, when = write.key, write.when
            stored = None if when is None and not isinstance(write, Update) else self._current(key)
            if when is not None and not holds(when, stored):
                refused.append(at)
            elif not isinstance(write, Check):
                after[key] = _after(write, stored)
        if refused:
            raise Refused(refused)
        self._change(after)

    def put_all(self, items: Sequence[Item]) -> None:
        self._change({Key(item["PK"], item["SK"]): item for item in items})

    def increment(self, key: Key, name: str, by: int = 1, *, also: Mapping[str, Value] | None = None) -> int:
        self.write(Update(key, set=also or {}, add={name: by}))
        return int((self._current(key) or {})[name])

    def load(self, entries: Sequence[tuple[str, Item]]) -> None:
        loaded = [Key(item["PK"], item["SK"], name) for name, item in entries]
        self._note_written(loaded)
        if self._items:
            self._changed.difference_update(loaded)
            for key in loaded:
                self._items.pop(key, None)
        super().load(entries)

    def copy(self, source: SqliteTable, is_copied: Callable[[str, str], bool], also: Span) -> int:
        """Copy the data whose keys `is_copied` selects, and this span, from a snapshot of the other file; returns how
        many items. None of them passes through Python, which would take five times as long."""
        self._written = None
        now = source.clock()
        span, values = rows.where(also, now)
        chosen = (
            (DATA, "(ttl IS NULL OR ttl > ?) AND is_copied(pk, sk)", [now]),
            (also.table, span, values),
        )
        with sentences(self.path), closing(connect(self.path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("ATTACH ? AS source", (source.path,))
            connection.create_function("is_copied", 2, is_copied, deterministic=True)
            connection.execute("BEGIN")  # not IMMEDIATE, which would keep others from writing to the source
            for table, where, of_where in chosen:
                connection.execute(COPY.format(table=table, columns=rows.COLUMNS, where=where), of_where)
            connection.execute("COMMIT")
            return connection.total_changes

    def _change(self, after: Mapping[Key, Item | None]) -> None:
        self._items.update(after)
        self._changed.update(after)
        if len(self._items) > BUFFERED_ITEMS:
            self.flush()

    def _note_written(self, keys: Iterable[Key]) -> None:
        if self._written is not None:
            self._written.update(map(hash, keys))

    def flush(self) -> None:
        """Commit the buffered writes. They stay cached until there are too many."""
        changed = [_statement(key, self._items[key]) for key in sorted(self._changed)]
        self._note_written(self._changed)
        self._changed = set()
        if len(self._items) > BUFFERED_ITEMS:
            self._items = {}
        if changed:
            with sentences(self.path), self._writers.alone() as writer, writer.hurried() as connection:
                rows.carry_out(connection, changed)


def _after(write: Put | Update | Delete, stored: Item | None) -> Item | None:
    """The stored item after this write."""
    if isinstance(write, Put):
        return write.item
    return rows.updated(stored, write) if isinstance(write, Update) else None


def _statement(key: Key, item: Item | None) -> tuple[str, tuple[Value, ...]]:
    return rows.insertion(item, key.table) if item is not None else (rows.DELETE[key.table], (key.pk, key.sk))
