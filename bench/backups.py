"""Part `backups`: a backup of the embedded store written, checked and restored, beside bare inserts of its rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import count
from pathlib import Path
from time import perf_counter

from store.backup import backup, check, restore
from store.sqlite import SqliteTable, connections, rows
from store.table import DATA, LOG, TABLES, Item

from .report import ITEMS, Report
from .rounds import Turn, compare

ENTRIES = 60_000
ROUNDS = 5
AT_LEAST = 0.4  # of bare inserts: a restore also reads, unpacks and holds every line against the digest


def measure(report: Report, scale: float = 1.0) -> None:
    entries = list(_entries(max(200, int(ENTRIES * scale))))
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        new = (Path(folder) / f"{number}.sqlite3" for number in count())
        source, file = _store(next(new)), BytesIO()
        source.load(entries)
        backup(source, file)
        sha256 = check(BytesIO(file.getvalue()))
        bare = _timed(lambda: _bare(next(new), entries), len(entries))
        acts: dict[str, Callable[[], object]] = {
            "backup": lambda: backup(source, BytesIO()),
            "check": lambda: check(BytesIO(file.getvalue())),
            "restore": lambda: restore(_store(next(new)), BytesIO(file.getvalue()), sha256),
        }
        report.heading(f"Backups of {len(entries):,} items")
        for name, act in acts.items():
            compared = compare(_timed(act, len(entries)), bare, ROUNDS)
            report.compare(name, name, compared, ITEMS, at_least=AT_LEAST if name == "restore" else None)


def _entries(number: int) -> Iterator[tuple[str, Item]]:
    """As many as there are in a log, a third of the rest in the index."""
    for n in range(number):
        item: Item = {"PK": f"ELECTION#{n % 50:03}", "SK": f"VOTER#{n:07}", "voter_name": f"person{n}@example.org"}
        item |= {"voted": n % 2 == 0, "invited": f"{n:032x}", "invited_at": "2026-11-15T20:00:00.000Z"}
        item |= {"GSI1PK": "PEOPLE", "GSI1SK": f"{n * 7919 % number:09}"} if n % 3 == 0 else {}
        yield (DATA if n % 4 else LOG), item


def _store(path: Path) -> SqliteTable:
    table = SqliteTable(str(path))
    table.create()
    return table


def _bare(path: Path, entries: list[tuple[str, Item]]) -> None:
    """One transaction, in the order of the keys: as fast as SQLite takes rows that somebody has ready."""
    _store(path).close()
    connection = connections.connect(str(path))
    connection.execute("BEGIN")
    for table in TABLES:
        some = sorted((item for name, item in entries if name == table), key=lambda item: (item["PK"], item["SK"]))
        connection.executemany(rows.PUT[table], (rows.insertion(item, table)[1] for item in some))
    connection.execute("COMMIT")
    connection.close()


def _timed(act: Callable[[], object], items: int) -> Turn:
    def turn() -> float:
        start = perf_counter()
        act()
        return items / (perf_counter() - start)

    return turn
