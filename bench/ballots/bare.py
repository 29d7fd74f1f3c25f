"""The store alone, with transactions of the parts of a cast through the port and nothing around; and the disk alone."""

from __future__ import annotations

import itertools
import os
import random
import secrets
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import IO

from store.sqlite import SqliteTable
from store.table import LOG, Check, Equals, Exists, Greater, Key, Less, Missing, Put, Update, Value, Write

from .. import rounds
from ..report import Report
from ..rounds import Comparison
from . import day as days
from .day import NAME, Day
from .sustained import CASTS

THREADS, ROUNDS, SECONDS = 8, 5, 0.5
VOTERS = 4000
GATES, USERS = 16, 100
SYNCS = 200
NOON, NIGHT, TTL = "2026-11-15T12:00:00.000Z", "2026-11-15T23:00:00.000Z", 1_800_000_000
EVENT = {"actor": "ada", "when_occurred": NOON, "event_type": "BallotCast", "nonce": "0" * 32}


def measure(report: Report, folder: Path, sustained: float, scale: float) -> None:
    day, table = days.prepare(folder / "alone.sqlite3", max(100, int(VOTERS * scale))), _table(folder)
    casting, numbers = _casting(day), itertools.count()
    with rounds.crowd(THREADS) as crowd:
        comparison = rounds.compare(
            lambda: crowd.rate(casting, SECONDS * scale),
            lambda: crowd.rate(lambda: table.write(*_parts(next(numbers))), SECONDS * scale),
            ROUNDS if scale >= 1 else 1,
        )
    table.close()
    report.heading(f"Beside bare transactions of a cast's eight parts, {THREADS} threads of one process", "store")
    served = Comparison((sustained,) * len(comparison.their_rounds), comparison.their_rounds)
    report.compare("sustained_beside_store", "casts sustained by the server", served, CASTS, peer="store")
    report.compare("cast_beside_store", f"casts without pages, {THREADS} threads", comparison, CASTS, peer="store")
    _report_disk(report, folder)


def _report_disk(report: Report, folder: Path) -> None:
    """How long the disk takes to make 4 KB safe: what no cast can be faster than."""
    with (folder / "synced").open("wb", buffering=0) as file:
        times = sorted(_sync(file) for _ in range(SYNCS))
    for share in (50, 99):
        within = times[SYNCS * share // 100] * 1000
        report.figure(f"disk.p{share}.milliseconds", f"the disk alone, {share} of 100 syncs within", within, "ms")


def _sync(file: IO[bytes]) -> float:
    file.write(bytes(4096))
    start = perf_counter()
    os.fsync(file.fileno())
    return perf_counter() - start


def _casting(day: Day) -> Callable[[], object]:
    """Somebody casts a ballot; after the last voter, the first changes theirs."""
    from ballots import services

    chance = random.Random(0)
    forms = itertools.cycle([(user, days.ranks(chance)) for user in day.voters])

    def cast() -> None:
        user, ranks = next(forms)
        with days.on(day):
            services.cast(user, NAME, ranks, secrets.token_urlsafe(16))

    return cast


def _table(folder: Path) -> SqliteTable:
    table = SqliteTable(str(folder / "bare.sqlite3"))
    table.create()
    for key in (*map(_gate, range(GATES)), *map(_user, range(USERS))):
        table.write(Put({"PK": key.pk, "SK": key.sk, "open": True, "until": NIGHT}))
    return table


def _parts(number: int) -> list[Write]:
    is_open = Equals("open", True) & (Equals("until", None) | Greater("until", NOON))
    said = {"election_name": "Board", "voter_name": f"voter {number}", "changed": False}
    event = {"PK": "EVENTS", "SK": f"{number:012}#{NOON}", "event_id": number, "event_data": said, **EVENT}
    form = {"PK": f"ONCE#{number:022}", "SK": "METADATA", "event_id": number, "ttl": TTL}
    return [
        Update(_gate(number % GATES), add={"voted": 1, "h500000": 1}, when=is_open),
        Update(
            Key("ELECTION#board", f"VOTER#voter {number}"),
            set={"voted": True, "lineage": "0" * 32},
            add={"acts": 1},
            when=Missing(),
        ),
        Put(_ballot(number), when=Missing()),
        Check(_user(number % USERS), Exists()),
        Put(event, when=Missing(), table=LOG),
        Check(Key(f"VOID#{number:012}", "METADATA", LOG), Missing()),
        Put(form, when=Missing() | Less("ttl", TTL)),
        Put(_mail(number)),
    ]


def _gate(number: int) -> Key:
    return Key("ELECTION#board", f"GATE#{number:02}")


def _user(number: int) -> Key:
    return Key(f"USER#{number}", "METADATA")


def _mail(number: int) -> dict[str, Value]:
    """What the voter is told, waiting in the outbox."""
    place = f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"
    index = {"GSI1PK": "MAIL#queued", "GSI1SK": f"{NOON}#{place}", "state": "queued", "tries": 0, "not_before": 0}
    said = {"number": place, "kind": "ballot_cast", "to": f"voter.{number}@example.org", "language": "en"}
    about = {"election_name": "Board", "organiser": "ada"}
    return {"PK": f"MAIL#{place}", "SK": "METADATA", **index, **said, "about": about, "queued_at": NOON}


def _ballot(number: int) -> dict[str, str]:
    """Under a pseudonym, and so at a random place."""
    place = number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128
    said = {"rankings": "3>1>4>0>2>5>6>7>8>9", "confirmation": "7Q4M-XK2P-9T5C-WBHD"}
    return {"PK": "ELECTION#board", "SK": f"BALLOT#{place:064x}", **said}
