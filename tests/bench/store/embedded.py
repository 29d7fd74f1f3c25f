"""The embedded adapter against plain `sqlite3`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from foundation.store.sqlite import SqliteTable
from foundation.store.table import Item

from ..report import Report
from ..rounds import alternate
from . import ballots
from .bare_sqlite import BareSqlite
from .contenders import Pair, Plenum, bulk_turn

ROUNDS = 15
TURN_SECONDS = 0.12
STORE_ITEMS = 100_000


def measure(report: Report, folder: Path, scale: float) -> None:
    pair = _loaded_pair(folder, max(ballots.SMALL_ITEMS, int(STORE_ITEMS * scale)))
    pair.check()
    rounds = ROUNDS if scale >= 1 else 2
    report.table(f"Embedded store, against sqlite3 (SQLite {sqlite3.sqlite_version}, WAL, synchronous=FULL)", "bare")
    pair.compare(report, rounds, TURN_SECONDS * scale)
    bulk_read = alternate([bulk_turn(pair.ours), bulk_turn(pair.bare)], rounds)
    report.row(f"read {pair.size:,} items", "items/s", bulk_read)


def _loaded_pair(folder: Path, size: int) -> Pair:
    """Our adapter and the bare engine on a file each, with the same items in it."""
    for name in ("ours", "bare"):
        loader = BareSqlite(f"{folder}/{name}.sqlite3")
        loader.create()
        loader.load(_items(size))
    return Pair(Plenum(SqliteTable(f"{folder}/ours.sqlite3")), BareSqlite(f"{folder}/bare.sqlite3"), size)


def _items(size: int) -> Iterator[Item]:
    for number in range(ballots.SMALL_ITEMS):
        yield ballots.ballot(ballots.SMALL, number)
    for number in range(size):
        yield ballots.ballot(ballots.LARGE, number)
