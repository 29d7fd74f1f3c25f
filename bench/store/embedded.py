"""The embedded adapter against plain `sqlite3`; several processes on one file; and what the event log costs."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from store.log import Event, EventLog
from store.sqlite import SqliteTable
from store.table import Item, Put

from .. import rounds
from ..report import ITEMS, Report
from . import ballots, processes
from .bare_sqlite import BareSqlite
from .contenders import THREADS, Pace, Pair, Plenum, bulk_turn, compare_operations

ROUNDS = 15
SECONDS = 0.12
SIZE = 100_000


def measure(report: Report, folder: Path, scale: float) -> None:
    report.heading(f"Embedded store, against sqlite3 by hand (SQLite {sqlite3.sqlite_version}, WAL, synchronous=FULL)")
    pair = _loaded_pair(folder, max(ballots.SMALL_ITEMS, int(SIZE * scale)))
    pair.check()
    pace = Pace(ROUNDS if scale >= 1 else 2, SECONDS * scale)
    compare_operations(report, pair, pace)
    bulk_read = rounds.compare(bulk_turn(pair.ours), bulk_turn(pair.bare), pace.rounds)
    report.compare("sqlite.bulk_read", f"read {pair.size:,} items", bulk_read, ITEMS)
    processes.measure(report, folder, scale)
    _measure_log(report, folder, pace)


def _loaded_pair(folder: Path, size: int) -> Pair:
    """Our adapter and the bare engine on a file each, with the same items in it."""
    for name in ("ours", "bare"):
        loader = BareSqlite(f"{folder}/{name}.sqlite3")
        loader.create()
        loader.load(_items(size))
    ours = Plenum(SqliteTable(f"{folder}/ours.sqlite3"))
    return Pair("sqlite", ours, BareSqlite(f"{folder}/bare.sqlite3"), size)


def _items(size: int) -> Iterator[Item]:
    for number in range(ballots.SMALL_ITEMS):
        yield ballots.ballot(ballots.SMALL, number)
    for number in range(size):
        yield ballots.ballot(ballots.LARGE, number)


def _measure_log(report: Report, folder: Path, pace: Pace) -> None:
    """A recorded act takes a number and then writes three parts; the peer is our own adapter writing three parts."""
    report.heading("Event log: one change recorded, against a plain transaction of 3 items of our adapter", "unlogged")
    table = SqliteTable(f"{folder}/log.sqlite3")
    table.create()
    log, plain, numbers = EventLog(table), Plenum(table), itertools.count()

    def record() -> None:
        log.record(Event("ada", "BallotCast"), Put(ballots.ballot(ballots.LARGE, next(numbers))))

    def write() -> None:
        plain.transact(next(numbers))

    with rounds.crowd(THREADS) as crowd:
        comparison = rounds.compare(
            lambda: crowd.rate(record, pace.seconds), lambda: crowd.rate(write, pace.seconds), pace.rounds
        )
    label = f"recorded changes, {THREADS} threads"
    report.compare(f"sqlite.log_record_{THREADS}_threads", label, comparison, peer="unlogged")
