"""The writers of one process: they queue up, and whoever's turn it is commits for all who wait."""

from __future__ import annotations

import math
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..table import StoreError, Unavailable
from . import connections
from .connections import sentences
from .queue import Queue

A_NAP = 0.01  # seconds between two looks whether the store is free
NORMAL = 1  # of SQLite's ways to sync: the journal before it is carried over into the file, not at every commit
TOO_BUSY = "The store is too busy to write just now."


class Writers:
    def __init__(self, path: str):
        self.path = path
        self.turn = threading.Lock()
        self.waiting: deque[Act] = deque()
        self.writer: Writer | None = None

    def commit(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Do the work in a transaction, together with whatever else waits for its turn."""
        act = Act(work, time.monotonic() + connections.PATIENCE)
        self.waiting.append(act)
        if not self.turn.acquire(timeout=connections.PATIENCE):
            self._give_up(act)
            self.turn.acquire()
        try:
            if not act.done:
                self._see_to(act)
        except BaseException:
            with suppress(ValueError):
                self.waiting.remove(act)
            raise
        finally:
            self.turn.release()
        if act.error is not None:
            raise act.error
        return act.answer

    def _give_up(self, act: Act) -> None:
        """Say that nothing was written; unless somebody has taken the act along: then it is decided in a moment."""
        with suppress(ValueError):
            self.waiting.remove(act)
            raise Unavailable(TOO_BUSY)

    def _see_to(self, act: Act) -> None:
        """Commit all that waits; where other processes are writing, let somebody stand in line behind them."""
        queue = self.opened_writer().queue
        if queue.enter():
            try:
                self._commit_all_waiting(act.until)
            finally:
                queue.leave()
            return
        queue.send(self._commit_all_waiting, lambda: bool(self.waiting))
        if not queue.wait(lambda: act.done, _left(act.until)):
            self._give_up(act)
            queue.wait(lambda: act.done)

    def opened_writer(self) -> Writer:
        with sentences(self.path):
            self.writer = self.writer or Writer(self.path)
        return self.writer

    def _commit_all_waiting(self, until: float = math.inf) -> None:
        """Who waits is taken along once we may really write: until then each of them may still give up."""
        acts: list[Act] = []
        failure: StoreError | None = Unavailable("The store was stopped in the middle of a write; nothing was written.")
        try:
            with sentences(self.path), self.opened_writer().transaction(until) as connection:
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

    def _take_along(self, acts: list[Act]) -> None:
        with suppress(IndexError):
            while True:
                acts.append(self.waiting.popleft())

    @contextmanager
    def alone(self) -> Iterator[Writer]:
        """With the store to oneself. Whoever asks for that is in no hurry, and lets others go first."""
        until = time.monotonic() + connections.PATIENCE
        if not self.turn.acquire(timeout=connections.PATIENCE):
            raise Unavailable(TOO_BUSY)
        try:
            writer = self.opened_writer()
            while not writer.queue.enter():
                if not _left(until):
                    raise Unavailable(TOO_BUSY)
                time.sleep(A_NAP)
            try:
                yield writer
            finally:
                writer.queue.leave()
        finally:
            self.turn.release()

    def let_go(self) -> None:
        """What a forked child does with its parent's place in the queue."""
        if self.writer is not None:
            self.writer.queue.file.close()  # or a lock that the parent holds would outlive it in us


class Act:
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


class Writer:
    """The one connection of a process that writes, and its place in the queue of processes."""

    def __init__(self, path: str):
        self.connection = connections.connect(path)
        self.queue = Queue(f"{path}-queue")

    @contextmanager
    def transaction(self, until: float) -> Iterator[sqlite3.Connection]:
        """Nobody but us writes by now, unless somebody has come past the queue."""
        self.connection.execute(f"PRAGMA busy_timeout = {min(connections.PATIENCE, _left(until)) * 1000:.0f}")
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    @contextmanager
    def hurried(self) -> Iterator[sqlite3.Connection]:
        """A transaction that a power cut may undo, until the next ordinary one: that syncs the whole journal. Neither a
        power cut nor `kill -9` leaves part of it."""
        (usual,) = self.connection.execute("PRAGMA synchronous").fetchone()
        self.connection.execute(f"PRAGMA synchronous = {min(usual, NORMAL)}")
        try:
            with self.transaction(math.inf) as connection:
                yield connection
        finally:
            self.connection.execute(f"PRAGMA synchronous = {usual}")

    def rewrite(self) -> None:
        """The whole file in the order of its keys, and nothing left in the journal."""
        self.connection.execute(f"PRAGMA busy_timeout = {connections.PATIENCE * 1000:.0f}")
        self.connection.execute("VACUUM")
        if self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise Unavailable("Somebody has been reading for long, so that the journal could not be emptied.")


def _left(until: float) -> float:
    return max(0.0, until - time.monotonic())
