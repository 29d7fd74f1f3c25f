"""The engine below the embedded adapter: hand-written `sqlite3` for this one purpose."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator

import orjson

from foundation.store.sqlite import SqliteTable
from foundation.store.table import DATA, LOG, Item

from . import ballots

BUSY_TIMEOUT_SECONDS = 30.0  # SQLite's own busy handler; patient, because an error would end the measurement

INSERT = "INSERT INTO {table} (pk, sk, body) VALUES (?, ?, ?)"
REPLACE = "INSERT OR REPLACE INTO {table} (pk, sk, body) VALUES (?, ?, ?)"
PUT = REPLACE.format(table=DATA)
PUT_ONCE = INSERT.format(table=DATA)  # the primary key is the condition
PUT_EVENT = REPLACE.format(table=LOG)
GET = f"SELECT body FROM {DATA} WHERE pk = ? AND sk = ?"
ALL = f"SELECT body FROM {DATA} WHERE pk = ? ORDER BY sk"


class BareSqlite:
    """A connection for every thread, on a file whose tables, indexes and page size are those of our adapter."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._threads = threading.local()

    def create(self) -> None:
        SqliteTable(self.path).create()

    def load(self, items: Iterable[Item]) -> None:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(PUT, map(_row, items))
        connection.execute("COMMIT")

    def get(self, number: int) -> Item:
        row = self._connection().execute(GET, (ballots.LARGE, ballots.sort_key(number))).fetchone()
        return orjson.loads(row[0])

    def put(self, number: int) -> None:
        self._connection().execute(PUT, _row(ballots.ballot(ballots.CAST, number)))

    def transact(self, number: int) -> None:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        with connection:  # commits, or takes everything back
            connection.execute(PUT, _row(ballots.ballot(ballots.CAST, number)))
            connection.execute(PUT_ONCE, _row(ballots.mark(number)))
            connection.execute(PUT_EVENT, _row(ballots.event(number)))

    def query(self) -> list[Item]:
        return [orjson.loads(body) for (body,) in self._connection().execute(ALL, (ballots.SMALL,))]

    def each(self) -> Iterator[Item]:
        for (body,) in self._connection().execute(ALL, (ballots.LARGE,)):
            yield orjson.loads(body)

    def _connection(self) -> sqlite3.Connection:
        try:
            return self._threads.connection
        except AttributeError:
            connection = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
            connection.execute("PRAGMA synchronous = FULL")
            self._threads.connection = connection
            return connection


def _row(item: Item) -> tuple[str, str, bytes]:
    return item["PK"], item["SK"], orjson.dumps(item)
