"""The embedded adapter: both tables in one SQLite file that survives `kill -9`, shared by threads and processes.

Readers have a connection per thread and never wait. Writers of one process queue up; whoever's turn it is commits for
all who wait, so that one sync to disk serves many (group commit). Between processes a file lock keeps the queue fair:
SQLite's own busy handler sleeps and retries, which let some writers starve for more than a second. Nobody waits longer
than `PATIENCE` for all of it together, and whoever is told that the store is too busy has written nothing.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import math
import os
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from . import cursors, limits, trips
from . import sqlite_rows as rows
from .conditions import holds
from .table import (
    DATA,
    TABLES,
    Invalid,
    Item,
    Key,
    Page,
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

PATIENCE = 5.0  # seconds a writer waits until it may begin: for its turn, for other processes, and for SQLite
A_NAP = 0.01  # seconds between two looks whether the store is free
TOO_BUSY = "The store is too busy to write just now."
TOKEN_SECONDS = 600  # as long as DynamoDB remembers an idempotency token


class SqliteTable(Table):
    _writer: _Writer | None

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
            connection.executescript(rows.SCHEMA)
            connection.close()

    def get(self, key: Key, *, consistent: bool = True) -> Item | None:
        limits.check_key(key)
        start = time.perf_counter()
        try:  # the busiest call of all: written out, because two context managers cost as much as the read itself
            row = self._reader().execute(rows.GET[key.table], (key.pk, key.sk, self.clock())).fetchone()
        except sqlite3.Error as error:
            trips.record("get", "unavailable", time.perf_counter() - start)
            raise _unavailable(self.path, error) from error
        trips.record("get", "ok", time.perf_counter() - start)
        return None if row is None else rows.unpack(row[0])

    def get_many(self, keys: Iterable[Key], *, consistent: bool = True) -> dict[Key, Item]:
        found = {}
        with trips.trip("get_many"), _sentences(self.path):
            reader, now = self._reader(), self.clock()
            for key in dict.fromkeys(keys):
                limits.check_key(key)
                if row := reader.execute(rows.GET[key.table], (key.pk, key.sk, now)).fetchone():
                    found[key] = rows.unpack(row[0])
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
        bodies, more = self._bodies(span, limit, cursor, backwards)
        items = rows.unpack_all(bodies)
        return Page(items, cursors.encode(span, items[-1]) if more else None)

    def values(self, span: Span, *names: str) -> Iterator[tuple[Value, ...]]:
        cursor, more = None, True
        while more:
            bodies, more = self._bodies(span, cursor=cursor)
            cursor = cursors.encode(span, rows.unpack(bodies[-1])) if more else None
            yield from rows.values_of(bodies, names)

    def count(self, span: Span, *, consistent: bool = True) -> int:
        where, values = rows.where(span, self.clock())
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

    def everything(self) -> Iterator[tuple[str, Item]]:
        """Both tables in one read transaction, on a connection of its own: nobody waits for it."""
        with _sentences(self.path), closing(_open(self.path)) as reader:
            reader.execute("PRAGMA query_only = ON")
            reader.execute("BEGIN")
            now = self.clock()
            for table in TABLES:
                for (body,) in reader.execute(rows.EVERYTHING[table], (now,)):
                    yield table, rows.unpack(body)

    def forget_deleted(self) -> None:
        """Rewrite the file in the order of its keys, and empty the journal.

        Within a page SQLite keeps rows in the order they came, and a freed place keeps its bytes until it is needed.
        """
        with trips.trip("forget_deleted"), _sentences(self.path), self._alone() as writer:
            writer.rewrite()

    @contextmanager
    def _alone(self) -> Iterator[_Writer]:
        """With the store to oneself. Whoever asks for that is in no hurry, and lets others go first."""
        until = time.monotonic() + PATIENCE
        if not self._turn.acquire(timeout=PATIENCE):
            raise Unavailable(TOO_BUSY)
        try:
            writer = self._opened_writer()
            while not writer.queue.enter():
                if not _left(until):
                    raise Unavailable(TOO_BUSY)
                time.sleep(A_NAP)
            try:
                yield writer
            finally:
                writer.queue.leave()
        finally:
            self._turn.release()

    def quiet(self) -> float:
        """As the files say: the journal, or the store itself if there is nothing in the journal."""
        journal = Path(f"{self.path}-wal")
        written = journal if journal.exists() and journal.stat().st_size else Path(self.path)
        return max(0.0, time.time() - written.stat().st_mtime)

    def close(self) -> None:
        self._start_afresh()

    # --- connections, and reading ---

    def _start_afresh(self) -> None:
        """Forget every connection; threads open new ones. Also what a forked child does with those of its parent."""
        self._threads = threading.local()
        self._turn = threading.Lock()
        self._waiting: deque[_Act] = deque()
        self._writer = None

    def _reader(self) -> sqlite3.Connection:
        try:
            return self._threads.reader  # type: ignore[no-any-return]
        except AttributeError:
            reader = _open(self.path)
            reader.execute("PRAGMA query_only = ON")
            self._threads.reader = reader
            return reader

    def _bodies(
        self, span: Span, limit: int | None = None, cursor: str | None = None, backwards: bool = False
    ) -> tuple[list[bytes], bool]:
        """The items of a page as they lie in the file, and whether something comes after them."""
        where, values = rows.where(span, self.clock(), cursor, backwards)
        direction = "DESC" if backwards else "ASC"
        order = ", ".join(f"{name.lower()} {direction}" for name in cursors.key_names(span)[1:])
        with trips.trip("page"), _sentences(self.path):
            found = self._reader().execute(f"SELECT body FROM {span.table} WHERE {where} ORDER BY {order}", values)
            return rows.fill_page(found, limit)

    # --- writing ---

    def _commit(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Do the work in a transaction, together with whatever else waits for its turn."""
        act = _Act(work, time.monotonic() + PATIENCE)
        self._waiting.append(act)
        if not self._turn.acquire(timeout=PATIENCE):
            self._give_up(act)
            self._turn.acquire()
        try:
            if not act.done:
                self._see_to(act)
        except BaseException:
            with suppress(ValueError):
                self._waiting.remove(act)
            raise
        finally:
            self._turn.release()
        if act.error is not None:
            raise act.error
        return act.answer

    def _give_up(self, act: _Act) -> None:
        """Say that nothing was written; unless somebody has taken it along, and then it is decided in a moment."""
        with suppress(ValueError):
            self._waiting.remove(act)
            raise Unavailable(TOO_BUSY)

    def _see_to(self, act: _Act) -> None:
        """Commit all that waits; where other processes are at it, let somebody stand in line behind them."""
        queue = self._opened_writer().queue
        if queue.enter():
            try:
                self._commit_all_waiting(act.until)
            finally:
                queue.leave()
            return
        queue.send(self._commit_all_waiting, lambda: bool(self._waiting))
        if not queue.wait(lambda: act.done, _left(act.until)):
            self._give_up(act)
            queue.wait(lambda: act.done)

    def _opened_writer(self) -> _Writer:
        with _sentences(self.path):
            self._writer = self._writer or _Writer(self.path)
        return self._writer

    def _commit_all_waiting(self, until: float = math.inf) -> None:
        """Who waits is taken along once we may really write: until then each of them may still give up."""
        acts: list[_Act] = []
        failure: StoreError | None = Unavailable("The store was stopped in the middle of a write; nothing was written.")
        try:
            with _sentences(self.path), self._opened_writer().transaction(until) as connection:
                self._take_along(acts)
                for act in acts:
                    act.perform(connection)
            failure = None
        except StoreError as error:
            failure = error
            self._take_along(acts)
        finally:
            for act in acts:
                act.finish(failure)

    def _take_along(self, acts: list[_Act]) -> None:
        with suppress(IndexError):
            while True:
                acts.append(self._waiting.popleft())

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
        changes = [rows.change(write, item) for write, item in zip(writes, stored, strict=True)]
        for statement, values in filter(None, changes):
            connection.execute(statement, values)
        if token is not None:
            self._remember(connection, writes, token)

    def _stored(self, connection: sqlite3.Connection, write: Write) -> Item | None:
        """The item a write is about, where it needs to be known."""
        if write.when is None and not isinstance(write, Update):
            return None
        key = write.key
        row = connection.execute(rows.GET_ALSO_EXPIRED[key.table], (key.pk, key.sk)).fetchone()
        return None if row is None else rows.unpack(row[0])

    def _increment(self, connection: sqlite3.Connection, update: Update) -> Item:
        item = rows.updated(self._stored(connection, update), update)
        connection.execute(*rows.insertion(item, update.key.table))
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

    __slots__ = ("answer", "done", "error", "until", "work")

    def __init__(self, work: Callable[[sqlite3.Connection], Any], until: float):
        self.work = work
        self.until = until  # as `time.monotonic` tells it
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
        self.queue = _Queue(f"{path}-queue")

    @contextmanager
    def transaction(self, until: float) -> Iterator[sqlite3.Connection]:
        """Nobody but us writes by now, unless somebody has come past the queue."""
        self.connection.execute(f"PRAGMA busy_timeout = {min(PATIENCE, _left(until)) * 1000:.0f}")
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def rewrite(self) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000:.0f}")
        self.connection.execute("VACUUM")
        if self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise Unavailable("Somebody has been reading for long, so that the journal could not be emptied.")


class _Queue:
    """The queue of processes: a lock on a file, which the kernel hands on to those who have waited for it.

    It cannot be waited for with patience that ends. So where another process holds it, a thread stands in line, and
    writes what waits when it gets there; whoever asked for that may go away meanwhile.
    """

    def __init__(self, path: str):
        self.file = open(path, "w")  # noqa: SIM115 - held as long as the connection
        self._change = threading.Condition()
        self._stands_in_line = False

    def enter(self) -> bool:
        """Whether it is ours, because nobody else was there; one of us who stands in line is somebody else."""
        with self._change:
            if self._stands_in_line:
                return False
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    def leave(self) -> None:
        fcntl.flock(self.file, fcntl.LOCK_UN)

    def send(self, act: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        """Let somebody stand in line and act, and again as long as there is more to do; unless somebody does so."""
        with self._change:
            if not self._stands_in_line:
                threading.Thread(target=self._stand_in_line, args=(act, is_wanted), daemon=True).start()
                self._stands_in_line = True

    def wait(self, is_done: Callable[[], bool], seconds: float | None = None) -> bool:
        with self._change:
            return self._change.wait_for(is_done, seconds)

    def _stand_in_line(self, act: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        goes_on = True
        while goes_on:
            fcntl.flock(self.file, fcntl.LOCK_EX)
            goes_on = False
            try:
                if is_wanted():
                    act()
                goes_on = True
            finally:  # should acting have failed in some unforeseen way, then whoever comes next sends somebody else
                self.leave()
                with self._change:
                    self._stands_in_line = goes_on = goes_on and is_wanted()
                    self._change.notify_all()


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())


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
        if table._writer is not None:
            table._writer.queue.file.close()  # or a lock that the parent holds would outlive it in us
        _inherited.append((table._threads, table._writer))
        table._start_afresh()


os.register_at_fork(after_in_child=_after_fork)
