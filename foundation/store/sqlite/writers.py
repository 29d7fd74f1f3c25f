"""Connections to the SQLite file, readable messages for its errors, and group commit: the threads of a process queue
up, and the first commits for all."""

from __future__ import annotations

import errno
import fcntl
import math
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import quote

from ..parallel import copy_of
from ..table import StoreError, Unavailable, Unwritable

WRITING_FAILED = {  # SQLite's own names for errors whose message is only "disk I/O error"
    *("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC", "SQLITE_IOERR_TRUNCATE"),
    *("SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_SHMMAP", "SQLITE_IOERR_DELETE"),
}
WRITER_TIMEOUT_SECONDS = 5.0  # until a writer can begin: for its turn, for other processes and for SQLite
CHECK_INTERVAL_SECONDS = 0.01  # between two checks whether the store is free
NORMAL = 1  # of SQLite's sync modes: syncs the journal before it is moved into the file, not at every commit
JOURNAL_TIMEOUT_SECONDS = 0.2  # to wait for readers before the journal is emptied; writers wait as long
REWRITE_SECONDS = 1.0  # for copying the file, less than half of rewriting it; writers can wait longer than that
INSTRUCTIONS_BETWEEN_CHECKS = 10_000  # of SQLite's virtual machine
TOO_BUSY = "The store is too busy to write just now."


# --- connections ---


def connect(path: str, *, create: bool = False) -> sqlite3.Connection:
    address = f"file:{quote(path)}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(
        address, uri=True, timeout=WRITER_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")  # deleted bytes are overwritten; builds of SQLite differ in this
    return connection


class readable_errors:  # noqa: N801 - used as a function is
    """Turn errors of SQLite and the system into messages that a person can act on."""

    __slots__ = ("path",)

    def __init__(self, path: str):
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        if isinstance(error, sqlite3.Error | OSError):
            raise unavailable(self.path, error) from error


def unavailable(path: str, error: sqlite3.Error | OSError) -> Unavailable:
    if isinstance(error, OSError):  # of the queue's file
        return Unwritable(f"The store {path} cannot be written: {error.strerror}.")
    message, name = str(error), getattr(error, "sqlite_errorname", "")
    if "unable to open" in message or "no such table" in message:
        folder = os.path.dirname(path)
        if os.path.exists(path) and os.path.getsize(path):
            return Unavailable(f"The store {path} cannot be opened: {_obstacle(path) or message}.")
        if os.path.isdir(folder) and (obstacle := _obstacle(folder)):
            return Unavailable(f"The store {path} is not there, and its folder cannot be written: {obstacle}.")
        return Unavailable(f"The store {path} is not there yet; run: python manage.py create_tables")
    if name == "SQLITE_FULL":
        return Unwritable(f"The store {path} cannot be written: its disk is full.")
    if name.startswith("SQLITE_READONLY") or name in WRITING_FAILED:
        why = f"{obstacle}." if (obstacle := _obstacle(path)) else f"{message}. Check who owns the file and its folder."
        return Unwritable(f"The store {path} cannot be written: {why}")
    return Unavailable(f"The store {path} cannot be used: {message}.")


def _obstacle(path: str) -> str:
    """What prevents writing there, in the system's words, or nothing.

    The file is not opened to find out: closing it would release the locks that SQLite holds in this process.
    """
    for place in (path, os.path.dirname(path)):
        if not os.access(place, os.W_OK):
            is_read_only = os.statvfs(place).f_flag & os.ST_RDONLY
            return os.strerror(errno.EROFS if is_read_only else errno.EACCES)
    return ""


# --- the threads of a process ---


class Writers:
    def __init__(self, path: str):
        self.path = path
        self.turn = threading.Lock()
        self.waiting: deque[PendingWrite] = deque()
        self.writer: Writer | None = None

    def commit(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Do the work in a transaction, together with everything else that is waiting."""
        write = PendingWrite(work, time.monotonic() + WRITER_TIMEOUT_SECONDS)
        self.waiting.append(write)
        try:
            while not write.is_done:
                if self.turn.acquire(blocking=False):
                    try:
                        if not write.is_done:
                            self._commit_or_queue(write)
                    finally:
                        self.turn.release()
                        self.wake_next()
                elif not write.wait(_left(write.until)):
                    self._give_up(write)
                    write.wait()
        except BaseException:
            with suppress(ValueError):
                self.waiting.remove(write)
            self.wake_next()
            raise
        if write.error is not None:
            raise write.error
        return write.answer

    def wake_next(self) -> None:
        """Wake the longest-waiting thread to see whether it is its turn; one that arrives just then may be quicker and
        commit its write too."""
        with suppress(IndexError):
            self.waiting[0].wake()

    def _give_up(self, write: PendingWrite) -> None:
        """Give up waiting, unless another thread is already committing the write; then its outcome comes soon."""
        with suppress(ValueError):
            self.waiting.remove(write)
            raise Unavailable(TOO_BUSY)

    def _commit_or_queue(self, write: PendingWrite) -> None:
        """Commit all waiting writes; if another process is writing, let a thread wait for its lock."""
        queue = self.opened_writer().queue
        if queue.enter():
            try:
                self._commit_all_waiting(write.until)
            finally:
                queue.leave()
            return
        queue.write_after_waiting(self._commit_all_waiting, lambda: bool(self.waiting))
        if not queue.wait(lambda: write.is_done, _left(write.until)):
            self._give_up(write)
            queue.wait(lambda: write.is_done)

    def opened_writer(self) -> Writer:
        with readable_errors(self.path):
            self.writer = self.writer or Writer(self.path)
        return self.writer

    def _commit_all_waiting(self, until: float = math.inf) -> None:
        """Writes are taken only once we hold the write lock, because until then they may still be given up. Those that
        arrive while we write are taken too."""
        taken: list[PendingWrite] = []
        failure: StoreError | None = Unavailable("The store was stopped in the middle of a write; nothing was written.")
        try:
            with readable_errors(self.path), self.opened_writer().transaction(until) as connection:
                while some := self._take_waiting(taken):
                    for write in some:
                        write.perform(connection)
            failure = None
        except StoreError as error:
            failure = error
            self._take_waiting(taken)
        finally:
            for write in taken:
                write.finish(failure)

    def _take_waiting(self, taken: list[PendingWrite]) -> list[PendingWrite]:
        """Add all that are waiting by now."""
        before = len(taken)
        with suppress(IndexError):
            while True:
                taken.append(self.waiting.popleft())
        return taken[before:]

    @contextmanager
    def alone(self) -> Iterator[Writer]:
        """Exclusive use of the store, after all waiting writers."""
        until = time.monotonic() + WRITER_TIMEOUT_SECONDS
        if not self.turn.acquire(timeout=WRITER_TIMEOUT_SECONDS):
            raise Unavailable(TOO_BUSY)
        try:
            writer = self.opened_writer()
            while not writer.queue.enter():
                if not _left(until):
                    raise Unavailable(TOO_BUSY)
                time.sleep(CHECK_INTERVAL_SECONDS)
            try:
                yield writer
            finally:
                writer.queue.leave()
        finally:
            self.turn.release()
            self.wake_next()

    def close(self) -> None:
        """If a write is under way, the connection is closed after it."""
        if self.turn.acquire(blocking=False):
            try:
                writer, self.writer = self.writer, None
                if writer is not None and writer.queue.close():
                    writer.connection.close()
            finally:
                self.turn.release()
                self.wake_next()

    def close_inherited_lock(self) -> None:
        """In a forked child: give up the parent's place in the queue."""
        if self.writer is not None:
            self.writer.queue.file.close()  # else our copy would keep a lock of the parent's alive


class PendingWrite:
    """The work of one thread that is waiting to be committed, and its outcome."""

    __slots__ = ("_asleep", "answer", "error", "is_done", "until", "work")

    def __init__(self, work: Callable[[sqlite3.Connection], Any], until: float):
        self.work = work
        self.until = until  # by `time.monotonic`
        self.is_done = False
        self.answer: Any = None
        self.error: Exception | None = None
        self._asleep = threading.Lock()  # held until the thread is woken
        self._asleep.acquire()

    def wait(self, seconds: float = -1) -> bool:
        """Wait to be woken, because it is done or no thread is writing; whether that happened in time."""
        return self._asleep.acquire(timeout=seconds)

    def wake(self) -> None:
        with suppress(RuntimeError):  # it is awake already
            self._asleep.release()

    def perform(self, connection: sqlite3.Connection) -> None:
        """Work that is refused, or fails before it has written anything, fails alone: the rest of the commit goes
        on."""
        before = connection.total_changes
        try:
            self.answer = self.work(connection)
        except sqlite3.Error:
            raise
        except Exception as error:
            if connection.total_changes != before:
                raise
            self.error = error

    def finish(self, failure: StoreError | None) -> None:
        self.error = copy_of(failure) if failure else self.error
        self.is_done = True
        self.wake()


class Writer:
    """The one writing connection of a process, and its place in the queue of processes."""

    def __init__(self, path: str):
        self.connection = connect(path)
        self.queue = Queue(f"{path}-queue")
        self._busy_timeout = -1  # SQLite's current busy timeout in milliseconds

    @contextmanager
    def transaction(self, until: float) -> Iterator[sqlite3.Connection]:
        """No other process is writing by now, unless it bypassed the queue."""
        self._set_timeout(min(WRITER_TIMEOUT_SECONDS, _left(until)))
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def _set_timeout(self, seconds: float) -> None:
        """In tenths of a second, so that a timeout that has hardly changed need not be set again."""
        milliseconds = 100 * math.ceil(10 * seconds)
        if milliseconds != self._busy_timeout:
            self.connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
            self._busy_timeout = milliseconds

    @contextmanager
    def hurried(self) -> Iterator[sqlite3.Connection]:
        """A transaction that a power cut may undo until the next ordinary one syncs the whole journal. Neither a power
        cut nor `kill -9` leaves part of it."""
        (usual,) = self.connection.execute("PRAGMA synchronous").fetchone()
        self.connection.execute(f"PRAGMA synchronous = {min(usual, NORMAL)}")
        try:
            with self.transaction(math.inf) as connection:
                yield connection
        finally:
            self.connection.execute(f"PRAGMA synchronous = {usual}")

    def empty_journal(self) -> None:
        """Gives up soon if a long read, such as a backup, is in the way, because other writers would have to wait
        too."""
        self._set_timeout(JOURNAL_TIMEOUT_SECONDS)
        _, frames, moved = self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if moved < frames or self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise Unavailable("Somebody has been reading for long, so that the journal could not be emptied.")

    def rewrite(self) -> bool:
        """Rewrite the whole file, unless writers would have to wait for too long; whether it was done."""
        stop = time.monotonic() + REWRITE_SECONDS
        self._set_timeout(JOURNAL_TIMEOUT_SECONDS)
        self.connection.set_progress_handler(lambda: time.monotonic() > stop, INSTRUCTIONS_BETWEEN_CHECKS)
        try:
            self.connection.execute("VACUUM")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return False
            raise
        finally:
            self.connection.set_progress_handler(None, 0)
        self.empty_journal()
        self.connection.execute("PRAGMA shrink_memory")  # frees what rewriting used
        return True


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())


# --- the queue of processes ---


class Queue:
    """A file lock, which the kernel hands on to waiting processes in turn.

    The kernel offers no timeout for this wait. So if another process holds the lock, a thread waits for it and then
    writes everything that is pending; the thread that asked for that may give up meanwhile.
    """

    def __init__(self, path: str):
        self.file = open(path, "w")  # noqa: SIM115 - held as long as the connection
        self._change = threading.Condition()
        self._is_waiting = False

    def enter(self) -> bool:
        """Whether we got the lock without waiting; not if a thread of ours is already waiting for it."""
        with self._change:
            if self._is_waiting:
                return False
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    def leave(self) -> None:
        fcntl.flock(self.file, fcntl.LOCK_UN)

    def write_after_waiting(self, write: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        """Start a thread that waits for the lock and writes, repeatedly while there is more to do; unless one is
        waiting already."""
        with self._change:
            if not self._is_waiting:
                threading.Thread(target=self._wait_and_write, args=(write, is_wanted), daemon=True).start()
                self._is_waiting = True

    def wait(self, is_done: Callable[[], bool], seconds: float | None = None) -> bool:
        with self._change:
            return self._change.wait_for(is_done, seconds)

    def close(self) -> bool:
        """Whether it is closed, which it is not while a thread of ours is waiting for the lock."""
        with self._change:
            if not self._is_waiting:
                self.file.close()
            return self.file.closed

    def _wait_and_write(self, write: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        goes_on = True
        while goes_on:
            fcntl.flock(self.file, fcntl.LOCK_EX)
            goes_on = False
            try:
                if is_wanted():
                    write()
                goes_on = True
            finally:  # if writing failed unexpectedly, the next writer starts a new thread
                self.leave()
                with self._change:
                    self._is_waiting = goes_on = goes_on and is_wanted()
                    self._change.notify_all()
