"""Both tables in one SQLite file: the embedded implementation of the port."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from .. import cursors, limits, round_trips
from ..table import (
    DATA,
    TABLES,
    Item,
    Key,
    Numbered,
    Page,
    Put,
    Refused,
    Span,
    Table,
    Unavailable,
    Update,
    Value,
    Write,
    holds,
)
from . import rows, writers
from .writers import Writers, readable_errors, unavailable


class SqliteTable(Table):
    def __init__(self, path: str, clock: Callable[[], float] = time.time):
        self.path = path
        self.clock = clock
        self._start_afresh()
        _tables.add(self)

    # --- the port ---

    def create(self) -> None:
        try:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # private to us; SQLite keeps the mode
        except OSError as error:
            raise Unavailable(f"The store {self.path} cannot be made: {error.strerror}.") from error
        with readable_errors(self.path):
            connection = writers.connect(self.path, create=True)
            connection.execute("PRAGMA page_size = 8192")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(rows.SCHEMA)
            connection.close()

    def get(self, key: Key) -> Item | None:
        limits.check_key(key)
        start = time.perf_counter()
        try:  # the most frequent call, so inlined: two context managers cost as much as the read itself
            row = self._reader().execute(rows.GET[key.table], (key.pk, key.sk, self.clock())).fetchone()
        except sqlite3.Error as error:
            round_trips.record("get", "unavailable", time.perf_counter() - start)
            raise unavailable(self.path, error) from error
        round_trips.record("get", "ok", time.perf_counter() - start)
        return None if row is None else rows.unpack(row[0])

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        wanted = dict.fromkeys(keys)
        for key in wanted:
            limits.check_key(key)
        start = time.perf_counter()
        try:  # inlined as above: every page reads the visitor and their session
            found = rows.read(self._reader(), list(wanted), self.clock())
        except sqlite3.Error as error:
            round_trips.record("get_many", "unavailable", time.perf_counter() - start)
            raise unavailable(self.path, error) from error
        round_trips.record("get_many", "ok", time.perf_counter() - start)
        return found

    def page(
        self,
        span: Span,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> Page:
        limits.check_limit(limit)
        bodies, more = self._bodies(span, limit, cursor, backwards)
        items = rows.unpack_all(bodies)
        return Page(items, cursors.encode(span, items[-1]) if more else None)

    def values(self, span: Span, *names: str) -> Iterator[tuple[Value, ...]]:
        return chain.from_iterable(self._batches_of_values(span, names))

    def _batches_of_values(self, span: Span, names: Sequence[str]) -> Iterator[Iterable[tuple[Value, ...]]]:
        cursor, more = None, True
        while more:
            bodies, more = self._bodies(span, cursor=cursor)
            cursor = cursors.encode(span, rows.unpack(bodies[-1])) if more else None
            yield from rows.values_of(bodies, names)

    def count(self, span: Span) -> int:
        where, values = rows.where(span, self.clock())
        with round_trips.round_trip("count"), readable_errors(self.path):
            row = self._reader().execute(f"SELECT count(*) FROM {span.table} WHERE {where}", values).fetchone()
        return int(row[0])

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        if writes and isinstance(writes[-1], Numbered) and token is None:
            numbered, parts = writes[-1], limits.unnumbered(writes[:-1])
            size = limits.check_writes(parts) if parts else 0
            with round_trips.round_trip("write"):
                self._writers.commit(lambda connection: self._apply_numbered(connection, parts, size, numbered))
            return
        parts = limits.unnumbered(writes)
        limits.check_writes(parts, token)
        with round_trips.round_trip("write"):
            self._writers.commit(lambda connection: self._apply(connection, parts, token))

    def put_all(self, items: Sequence[Item]) -> None:
        """In one transaction: SQLite has nothing cheaper."""
        limits.check_puts(items)
        with round_trips.round_trip("put_all"):
            self._writers.commit(lambda connection: self._apply(connection, [*map(Put, items)], None))

    def increment(self, key: Key, name: str, by: int = 1, *, setting: Mapping[str, Value] | None = None) -> int:
        update = Update(key, set=setting or {}, add={name: by})
        limits.check_writes([update])
        with round_trips.round_trip("increment"):
            item = self._writers.commit(lambda connection: self._increment(connection, update))
        return int(item[name])

    def sweep(self, limit: int = 1000) -> int:
        with round_trips.round_trip("sweep"):
            return int(self._writers.commit(lambda connection: self._sweep(connection, limit)))

    def everything(self) -> Iterator[tuple[str, Item]]:
        """Both tables in one read transaction, on a connection of its own, so that it blocks nothing."""
        with readable_errors(self.path), closing(writers.connect(self.path)) as reader:
            reader.execute("PRAGMA query_only = ON")
            reader.execute("BEGIN")
            now = self.clock()
            for table in TABLES:
                for (body,) in reader.execute(rows.EVERYTHING[table], (now,)):
                    yield table, rows.unpack(body)

    most_loaded = (5000, 2 * 1024 * 1024)

    def load(self, entries: Sequence[tuple[str, Item]]) -> None:
        """Large transactions without a sync to disk; the write that ends the filling syncs them all."""
        with (
            round_trips.round_trip("load"),
            readable_errors(self.path),
            self._writers.alone() as writer,
            writer.hurried() as connection,
        ):
            rows.load(connection, entries)

    def purge_journal(self) -> None:
        """Empty the journal. SQLite has overwritten deleted data in the file itself (`secure_delete`), except for
        copies it may have left when it moved rows between pages; `compact` removes those."""
        with round_trips.round_trip("purge_journal"), readable_errors(self.path), self._writers.alone() as writer:
            writer.empty_journal()

    def size(self) -> int:
        return self._pragma("page_count") * self._pragma("page_size")

    def unused_share(self) -> float:
        return self._pragma("freelist_count") / max(1, self._pragma("page_count"))

    def _pragma(self, name: str) -> int:
        return int(self._reader().execute(f"PRAGMA {name}").fetchone()[0])

    def compact(self) -> bool:
        """Rewrite the file in key order."""
        with round_trips.round_trip("compact"), readable_errors(self.path), self._writers.alone() as writer:
            return writer.rewrite()

    def wait_for_no_disk(self) -> None:
        """For a store that need not survive a power cut."""
        with readable_errors(self.path):
            self._writers.opened_writer().connection.execute("PRAGMA synchronous = OFF")

    def sync_later(self) -> None:
        """For what can be loaded again: a power cut may undo the newest writes, but leaves part of none. The next write
        of another process syncs them all.
        """
        with readable_errors(self.path):
            self._writers.opened_writer().connection.execute("PRAGMA synchronous = NORMAL")

    def quiet(self) -> float:
        """From the modification time of the journal, or of the store itself if the journal is empty."""
        journal = Path(f"{self.path}-wal")
        written = journal if journal.exists() and journal.stat().st_size else Path(self.path)
        return max(0.0, time.time() - written.stat().st_mtime)

    def close(self) -> None:
        """Operations under way finish first; each thread then drops its own connection."""
        threads, queued = self._threads, self._writers
        self._start_afresh()
        vars(threads).clear()
        queued.close()

    # --- connections, and reading ---

    def _start_afresh(self) -> None:
        """Drop every connection; threads open new ones. A forked child does the same with those of its parent."""
        self._threads = threading.local()
        self._writers = Writers(self.path)

    def _reader(self) -> sqlite3.Connection:
        try:
            return self._threads.reader  # type: ignore[no-any-return]
        except AttributeError:
            reader = writers.connect(self.path)
            reader.execute("PRAGMA query_only = ON")
            self._threads.reader, self._threads.until = reader, _OfAThread(reader, self._threads)
            return reader

    def _bodies(
        self, span: Span, limit: int | None = None, cursor: str | None = None, backwards: bool = False
    ) -> tuple[list[bytes], bool]:
        """The items of a page as stored, and whether there are more."""
        where, values = rows.where(span, self.clock(), cursor, backwards)
        direction = "DESC" if backwards else "ASC"
        order = ", ".join(f"{name.lower()} {direction}" for name in span.key_names[1:])
        with round_trips.round_trip("page"), readable_errors(self.path):
            found = self._reader().execute(f"SELECT body FROM {span.table} WHERE {where} ORDER BY {order}", values)
            return rows.fill_page(found, limit)

    # --- writing ---

    def _apply(self, connection: sqlite3.Connection, writes: Sequence[Write], token: str | None) -> None:
        if token is not None and rows.is_repeated(connection, writes, token, self.clock()):
            return
        rows.carry_out(connection, _changes(writes, _stored(connection, writes)))
        if token is not None:
            rows.store_token(connection, writes, token, self.clock())

    def _apply_numbered(
        self, connection: sqlite3.Connection, writes: Sequence[Write], size: int, numbered: Numbered
    ) -> None:
        count = Update(numbered.key, add={numbered.name: 1})
        last, *stored = _stored(connection, [count, *writes])
        counter = rows.updated(last, count)
        parts = numbered.parts(counter)
        limits.check_writes([*parts, count], before=writes, size=size)
        changes = _changes([*writes, *parts], [*stored, *_stored(connection, parts)])
        rows.carry_out(connection, [*changes, rows.insertion(counter, numbered.key.table)])

    def _increment(self, connection: sqlite3.Connection, update: Update) -> Item:
        (stored,) = _stored(connection, [update])
        item = rows.updated(stored, update)
        connection.execute(*rows.insertion(item, update.key.table))
        return item

    def _sweep(self, connection: sqlite3.Connection, limit: int) -> int:
        now = self.clock()
        connection.execute("DELETE FROM token WHERE expires <= ?", (now,))
        expired = f"SELECT pk, sk FROM {DATA} WHERE ttl <= ? ORDER BY ttl LIMIT ?"
        return connection.execute(f"DELETE FROM {DATA} WHERE (pk, sk) IN ({expired})", (now, limit)).rowcount


def _stored(connection: sqlite3.Connection, writes: Sequence[Write]) -> list[Item | None]:
    """The items that the writes depend on: those with a condition, and updates."""
    keys = [write.key if write.when is not None or isinstance(write, Update) else None for write in writes]
    found = rows.read(connection, [key for key in keys if key is not None])
    return [found.get(key) if key is not None else None for key in keys]


def _changes(writes: Sequence[Write], stored: Sequence[Item | None]) -> list[tuple[str, tuple[Value, ...]] | None]:
    """Every condition is checked before anything is written: a refused transaction changes nothing and needs no
    rollback."""
    both = list(zip(writes, stored, strict=True))
    refused = [at for at, (write, item) in enumerate(both) if write.when is not None and not holds(write.when, item)]
    if refused:
        raise Refused(refused)
    return [rows.change(write, item) for write, item in both]


_inherited: list[Any] = []  # a child must neither use nor close its parent's connections


class _OfAThread:
    """Closes a reader with its thread. A Python connection and its statements form a reference cycle: without this the
    file would stay open until the next garbage collection."""

    def __init__(self, reader: sqlite3.Connection, threads: threading.local):
        self.reader = reader
        self.threads = threads  # so that closing a table does not take readers from threads that are reading
        self.process = os.getpid()

    def __del__(self, this_process: Callable[[], int] = os.getpid, keep: list[Any] = _inherited) -> None:
        """Everything it needs is bound as a default: at interpreter shutdown, globals may be gone."""
        if self.process == this_process():
            self.reader.close()
        else:
            keep.append(self.reader)


_tables: weakref.WeakSet[SqliteTable] = weakref.WeakSet()


def _after_fork() -> None:
    for table in _tables:
        table._writers.close_inherited_lock()
        _inherited.append((table._threads, table._writers))
        table._start_afresh()


os.register_at_fork(after_in_child=_after_fork)
