"""The embedded adapter: both tables in one SQLite file that survives `kill -9`, shared by threads and processes.

Readers have a connection per thread and never wait. Writers of one process queue up; whoever's turn it is commits for
all who wait, so that one sync to disk serves many (group commit). Between processes a file lock keeps the queue fair:
SQLite's own busy handler sleeps and retries, which let some writers starve for more than a second.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import hmac
import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson

from . import cursors, limits, trips
from .conditions import holds
from .table import (
    DATA,
    LOG,
    TABLES,
    Check,
    Delete,
    Invalid,
    Item,
    Key,
    Page,
    Put,
    Refused,
    Span,
    StoreError,
    Table,
    TokenReused,
    Unavailable,
    Update,
    Value,
    Write,
)

PATIENCE = 5.0  # seconds a writer waits for its turn before it gives up
TOKEN_SECONDS = 600  # as long as DynamoDB remembers an idempotency token
ROWS_AT_A_TIME = 256

# Clustered by key and without row ids, so that the file keeps no order of arrival.
TABLE = """
CREATE TABLE IF NOT EXISTS {table} (
    pk TEXT NOT NULL, sk TEXT NOT NULL, gsi1pk TEXT, gsi1sk TEXT, ttl INTEGER, body BLOB NOT NULL,
    PRIMARY KEY (pk, sk)
) WITHOUT ROWID;
"""
SCHEMA = f"""
{TABLE.format(table=DATA)}
{TABLE.format(table=LOG)}
CREATE INDEX IF NOT EXISTS gsi1 ON {DATA} (gsi1pk, gsi1sk) WHERE gsi1pk IS NOT NULL AND gsi1sk IS NOT NULL;
CREATE INDEX IF NOT EXISTS ttl ON {DATA} (ttl) WHERE ttl IS NOT NULL;
CREATE TABLE IF NOT EXISTS token (
    name BLOB PRIMARY KEY, meaning BLOB NOT NULL, expires INTEGER NOT NULL
) WITHOUT ROWID;
"""
GET = {table: f"SELECT body FROM {table} WHERE pk = ? AND sk = ? AND (ttl IS NULL OR ttl > ?)" for table in TABLES}
GET_ALSO_EXPIRED = {table: f"SELECT body FROM {table} WHERE pk = ? AND sk = ?" for table in TABLES}
PUT = {
    table: f"INSERT INTO {table} (pk, sk, gsi1pk, gsi1sk, ttl, body) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (pk, sk) DO UPDATE SET gsi1pk = excluded.gsi1pk, gsi1sk = excluded.gsi1sk, "
    "ttl = excluded.ttl, body = excluded.body"
    for table in TABLES
}
DELETE = {table: f"DELETE FROM {table} WHERE pk = ? AND sk = ?" for table in TABLES}


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
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))  # nobody else's to read; SQLite keeps the mode
        except OSError as error:
            raise Unavailable(f"The store {self.path} cannot be made: {error.strerror}.") from error
        with _sentences(self.path):
            connection = _open(self.path, create=True)
            connection.execute("PRAGMA page_size = 8192")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(SCHEMA)
            connection.close()

    def get(self, key: Key, *, consistent: bool = True) -> Item | None:
        limits.check_key(key)
        start = time.perf_counter()
        try:  # the busiest call of all: written out, because two context managers cost as much as the read itself
            row = self._reader().execute(GET[key.table], (key.pk, key.sk, self.clock())).fetchone()
        except sqlite3.Error as error:
            trips.record("get", "unavailable", time.perf_counter() - start)
            raise _unavailable(self.path, error) from error
        trips.record("get", "ok", time.perf_counter() - start)
        return None if row is None else unpack(row[0])

    def get_many(self, keys: Iterable[Key], *, consistent: bool = True) -> dict[Key, Item]:
        found = {}
        with trips.trip("get_many"), _sentences(self.path):
            reader, now = self._reader(), self.clock()
            for key in dict.fromkeys(keys):
                limits.check_key(key)
                if row := reader.execute(GET[key.table], (key.pk, key.sk, now)).fetchone():
                    found[key] = unpack(row[0])
        return found

    def page(
        self,
        span: Span,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        backwards: bool = False,
        consistent: bool = True,
    ) -> Page:
        if limit is not None and limit < 1:
            raise Invalid("A page holds at least one item.")
        where, values = _where(span, self.clock(), cursor, backwards)
        direction = "DESC" if backwards else "ASC"
        order = ", ".join(f"{name.lower()} {direction}" for name in cursors.key_names(span)[1:])
        with trips.trip("page"), _sentences(self.path):
            rows = self._reader().execute(f"SELECT body FROM {span.table} WHERE {where} ORDER BY {order}", values)
            bodies, more = _fill_page(rows, limit)
        items = [unpack(body) for body in bodies]
        return Page(items, cursors.encode(span, items[-1]) if more else None)

    def count(self, span: Span, *, consistent: bool = True) -> int:
        where, values = _where(span, self.clock())
        with trips.trip("count"), _sentences(self.path):
            row = self._reader().execute(f"SELECT count(*) FROM {span.table} WHERE {where}", values).fetchone()
        return int(row[0])

    def write(self, *writes: Write, token: str | None = None) -> None:
        limits.check_writes(writes, token)
        with trips.trip("write"):
            self._commit(lambda connection: self._apply(connection, writes, token))

    def increment(self, key: Key, name: str, by: int = 1, *, also: Mapping[str, Value] | None = None) -> int:
        update = Update(key, set=also or {}, add={name: by})
        limits.check_writes([update])
        with trips.trip("increment"):
            item = self._commit(lambda connection: self._increment(connection, update))
        return int(item[name])

    def sweep(self, limit: int = 1000) -> int:
        with trips.trip("sweep"):
            return int(self._commit(lambda connection: self._sweep(connection, limit)))

    def close(self) -> None:
        self._start_afresh()

    # --- connections ---

    def _start_afresh(self) -> None:
        """Forget every connection; threads open new ones. Also what a forked child does with those of its parent."""
        self._threads = threading.local()
        self._turn = threading.Lock()
        self._waiting: deque[_Act] = deque()
        self._writer: _Writer | None = None

    def _reader(self) -> sqlite3.Connection:
        try:
            return self._threads.reader  # type: ignore[no-any-return]
        except AttributeError:
            reader = _open(self.path)
            reader.execute("PRAGMA query_only = ON")
            self._threads.reader = reader
            return reader

    # --- writing ---

    def _commit(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Do the work in a transaction, together with whatever else waits for its turn."""
        act = _Act(work)
        self._waiting.append(act)
        if not self._turn.acquire(timeout=PATIENCE):
            with suppress(ValueError):
                self._waiting.remove(act)
            raise Unavailable("The store is too busy to write just now.")
        try:
            if not act.done:
                self._commit_all_waiting()
        finally:
            self._turn.release()
        if act.error is not None:
            raise act.error
        return act.answer

    def _commit_all_waiting(self) -> None:
        acts = []
        while self._waiting:
            acts.append(self._waiting.popleft())
        failure: StoreError | None = Unavailable("The store was stopped in the middle of a write; nothing was written.")
        try:
            with _sentences(self.path):
                self._writer = self._writer or _Writer(self.path)
                with self._writer.transaction() as connection:
                    for act in acts:
                        act.perform(connection)
            failure = None
        except StoreError as error:
            failure = error
        finally:
            for act in acts:
                act.finish(failure)

    def _apply(self, connection: sqlite3.Connection, writes: Sequence[Write], token: str | None) -> None:
        """Judge every part first, then write: a refused transaction touches nothing and needs no rollback."""
        if token is not None and self._is_repeated(connection, writes, token):
            return
        stored = [self._stored(connection, write) for write in writes]
        refused = [
            position
            for position, (write, item) in enumerate(zip(writes, stored, strict=True))
            if write.when is not None and not holds(write.when, item)
        ]
        if refused:
            raise Refused(refused)
        changes = [_change(write, item) for write, item in zip(writes, stored, strict=True)]
        for statement, values in filter(None, changes):
            connection.execute(statement, values)
        if token is not None:
            self._remember(connection, writes, token)

    def _stored(self, connection: sqlite3.Connection, write: Write) -> Item | None:
        """The item a write is about, where it needs to be known."""
        if write.when is None and not isinstance(write, Update):
            return None
        key = write.key
        row = connection.execute(GET_ALSO_EXPIRED[key.table], (key.pk, key.sk)).fetchone()
        return None if row is None else unpack(row[0])

    def _increment(self, connection: sqlite3.Connection, update: Update) -> Item:
        item = _updated(self._stored(connection, update), update)
        connection.execute(*_insertion(item, update.key.table))
        return item

    def _sweep(self, connection: sqlite3.Connection, limit: int) -> int:
        now = self.clock()
        connection.execute("DELETE FROM token WHERE expires <= ?", (now,))
        expired = f"SELECT pk, sk FROM {DATA} WHERE ttl <= ? ORDER BY ttl LIMIT ?"
        return connection.execute(f"DELETE FROM {DATA} WHERE (pk, sk) IN ({expired})", (now, limit)).rowcount

    # --- idempotency tokens ---

    def _is_repeated(self, connection: sqlite3.Connection, writes: Sequence[Write], token: str) -> bool:
        row = connection.execute(
            "SELECT meaning FROM token WHERE name = ? AND expires > ?", (_token_name(token), self.clock())
        ).fetchone()
        if row is not None and row[0] != _token_meaning(token, writes):
            raise TokenReused("This token already stands for another write.")
        return row is not None

    def _remember(self, connection: sqlite3.Connection, writes: Sequence[Write], token: str) -> None:
        values = (_token_name(token), _token_meaning(token, writes), int(self.clock()) + TOKEN_SECONDS)
        connection.execute("INSERT OR REPLACE INTO token VALUES (?, ?, ?)", values)


class _Act:
    """One transaction that waits for its turn, and what became of it."""

    __slots__ = ("answer", "done", "error", "work")

    def __init__(self, work: Callable[[sqlite3.Connection], Any]):
        self.work = work
        self.done = False
        self.answer: Any = None
        self.error: StoreError | None = None

    def perform(self, connection: sqlite3.Connection) -> None:
        try:
            self.answer = self.work(connection)
        except StoreError as error:  # this one is refused; the others of the same commit go on
            self.error = error

    def finish(self, failure: StoreError | None) -> None:
        self.error = failure or self.error
        self.done = True


class _Writer:
    """The one connection of a process that writes, and its place in the queue of processes."""

    def __init__(self, path: str):
        self.connection = _open(path)
        self.queue = open(f"{path}-queue", "w")  # noqa: SIM115 - held as long as the connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        fcntl.flock(self.queue, fcntl.LOCK_EX)
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
        finally:
            fcntl.flock(self.queue, fcntl.LOCK_UN)


# --- rows ---


def pack(item: Item) -> bytes:
    """The item as JSON; one that holds bytes in a tagged form, told apart by its first character."""
    try:
        return orjson.dumps(item)
    except TypeError:
        return b"~" + orjson.dumps({name: _tag(value) for name, value in item.items()})


def unpack(body: bytes) -> Item:
    if body[:1] == b"~":
        return {name: _untag(value) for name, value in orjson.loads(body[1:]).items()}
    return orjson.loads(body)  # type: ignore[no-any-return]


def _tag(value: Value) -> Value:
    if type(value) is bytes:
        return {"B": base64.b64encode(value).decode()}
    if type(value) is list:
        return [_tag(each) for each in value]
    if type(value) is dict:
        return {"M": {name: _tag(each) for name, each in value.items()}}
    return value


def _untag(value: Value) -> Value:
    if type(value) is list:
        return [_untag(each) for each in value]
    if type(value) is dict:
        if "B" in value:
            return base64.b64decode(value["B"])
        return {name: _untag(each) for name, each in value["M"].items()}
    return value


def _change(write: Write, stored: Item | None) -> tuple[str, tuple[Value, ...]] | None:
    """The statement a write comes down to; a check comes down to none."""
    if isinstance(write, Check):
        return None
    if isinstance(write, Delete):
        return DELETE[write.key.table], (write.key.pk, write.key.sk)
    item = write.item if isinstance(write, Put) else _updated(stored, write)
    return _insertion(item, write.key.table)


def _insertion(item: Item, table: str) -> tuple[str, tuple[Value, ...]]:
    values = (item["PK"], item["SK"], item.get("GSI1PK"), item.get("GSI1SK"), item.get("ttl"), pack(item))
    return PUT[table], values


def _updated(stored: Item | None, update: Update) -> Item:
    item = {**(stored or {"PK": update.key.pk, "SK": update.key.sk}), **update.set}
    for name, amount in update.add.items():
        if type(item.get(name, 0)) is not int:
            raise Invalid(f"{name} is not a number to add to.")
        item[name] = item.get(name, 0) + amount
    for name in update.remove:
        item.pop(name, None)
    limits.check_item(item)
    return item


# --- queries ---


def _where(
    span: Span, now: float, cursor: str | None = None, backwards: bool = False
) -> tuple[str, list[str | bytes | float]]:
    """The condition that picks the span, from the cursor on, without what has expired."""
    limits.check_span(span)
    pk, sk = ("gsi1pk", "gsi1sk") if span.index else ("pk", "sk")
    terms: list[str] = [f"{pk} = ?", f"{sk} IS NOT NULL", "(ttl IS NULL OR ttl > ?)"]
    values: list[str | bytes | float] = [span.pk, now]
    if span.prefix:
        # No UTF-8 text holds the byte FF, so this is the end of everything that begins with the prefix.
        terms += [f"{sk} >= ?", f"{sk} < CAST(? AS TEXT)"]
        values += [span.prefix, span.prefix.encode() + b"\xff"]
    for bound, comparison in ((span.first, ">="), (span.last, "<=")):
        if bound is not None:
            terms.append(f"{sk} {comparison} ?")
            values.append(bound)
    if cursor is not None:
        place = list(cursors.decode(span, cursor).items())[1:]
        names = ", ".join(name.lower() for name, _ in place)
        terms.append(f"({names}) {'<' if backwards else '>'} ({', '.join('?' * len(place))})")
        values += [value for _, value in place]
    return " AND ".join(terms), values


def _fill_page(rows: sqlite3.Cursor, limit: int | None) -> tuple[list[bytes], bool]:
    """The bodies that fit a page, and whether something comes after them."""
    bodies: list[bytes] = []
    size = 0
    for (body,) in chain.from_iterable(iter(lambda: rows.fetchmany(ROWS_AT_A_TIME), [])):
        if size >= limits.PAGE_BYTES or len(bodies) == limit:
            rows.close()
            return bodies, True
        bodies.append(body)
        size += len(body)
    return bodies, False


# --- tokens ---
# Only whoever holds a token can tell which write it stood for. A plain digest of the write, beside the time it expires,
# would let a reader of the file try which voter's event and which ballot were written together.


def _token_name(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _token_meaning(token: str, writes: Sequence[Write]) -> bytes:
    return hmac.digest(token.encode(), repr(writes).encode(), "sha256")


# --- SQLite itself ---


def _open(path: str, *, create: bool = False) -> sqlite3.Connection:
    address = f"file:{quote(path)}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


@contextmanager
def _sentences(path: str) -> Iterator[None]:
    """Turn what SQLite says into what a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise _unavailable(path, error) from error


def _unavailable(path: str, error: sqlite3.Error) -> Unavailable:
    said = str(error)
    if "unable to open" in said or "no such table" in said:
        return Unavailable(f"The store {path} is not there yet; run: python manage.py create_tables")
    if "readonly" in said:
        return Unavailable(f"The store {path} cannot be written; check who owns the file and its folder.")
    return Unavailable(f"The store {path} cannot be used: {said}.")


_tables: weakref.WeakSet[SqliteTable] = weakref.WeakSet()
_inherited: list[Any] = []  # a child must neither use nor close its parent's connections


def _after_fork() -> None:
    for table in _tables:
        _inherited.append((table._threads, table._writer))
        table._start_afresh()


os.register_at_fork(after_in_child=_after_fork)
