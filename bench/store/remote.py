"""The DynamoDB adapter against boto3's plain client and against PynamoDB's models, on an engine of this machine."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter, process_time

from store.dynamodb import DynamoDbTable
from store.table import Item, Span
from tests.store import engines

from ..report import ITEMS, MICROSECONDS, Report
from ..rounds import Comparison, Turn, take_turns
from . import ballots, replies
from .bare_dynamodb import BareDynamoDb
from .contenders import Pace, Pair, Plenum, bulk_turn, compare_operations, read_all
from .models import Models, models

ROUNDS = 5
SECONDS = 0.4
BULK_ROUNDS = 3
REPLY_ROUNDS = 3
PAGES = 5  # in a turn, so that each way pays for its own garbage collections and for no other's
MOST_ITEMS = 100_000
FIRST_ITEMS = 4_000
# Not twice as many items again, once loading has taken this long, or one reading:
SECONDS_TO_LOAD = 20.0
SECONDS_TO_READ = 1.0
FASTER_THAN_MODELS = 5.0


@dataclass(frozen=True, slots=True)
class Ways:
    """The three ways to the same tables."""

    ours: DynamoDbTable
    bare: BareDynamoDb
    models: Models


@dataclass(frozen=True, slots=True)
class Three:
    """The figures of all three, round by round."""

    ours: tuple[float, ...]
    bare: tuple[float, ...]
    models: tuple[float, ...]

    @property
    def against_bare(self) -> Comparison:
        return Comparison(self.ours, self.bare)

    @property
    def against_models(self) -> Comparison:
        return Comparison(self.ours, self.models)


def measure(report: Report, scale: float) -> None:
    with _engine() as engine:
        table = engine.fresh()
        where = (engines.REGION, str(engine.endpoint), table.prefix)
        ways = Ways(table, BareDynamoDb(*where), models(*where))
        report.fact("dynamodb.engine", engine.name)
        report.heading(f"DynamoDB adapter, against boto3's client by hand (engine: {engine.name})")
        _measure_on(report, ways, scale)
        table.close()


def _engine() -> AbstractContextManager[engines.Engine]:
    return engines.dynamodb_local() if os.environ.get(engines.JAR_DIR) else engines.ministack()


def _measure_on(report: Report, ways: Ways, scale: float) -> None:
    size = _load(ways, scale)
    pair = Pair("dynamodb", Plenum(ways.ours), ways.bare, size)
    pair.check()
    compare_operations(report, pair, Pace(ROUNDS if scale >= 1 else 2, SECONDS * scale))
    reads = _bulk_reads(ways, BULK_ROUNDS if scale >= 1 else 1)
    decodings = _decodings(ways, REPLY_ROUNDS if scale >= 1 else 2)
    _report_reads(report, size, reads, decodings)
    report.fact("dynamodb.bulk_read.items", size)
    if size < MOST_ITEMS:
        report.say(f"  {size:,} items and not {MOST_ITEMS:,}, so that loading and reading them here stays short.")


def _load(ways: Ways, scale: float) -> int:
    """Load the small election, and as much of the large one as can be loaded and read in the time there is."""
    few, most = (max(ballots.SMALL_ITEMS, int(count * scale)) for count in (FIRST_ITEMS, MOST_ITEMS))
    ways.bare.load(ballots.ballot(ballots.SMALL, number) for number in range(ballots.SMALL_ITEMS))
    size, start = 0, perf_counter()
    for wanted in _growing(few, most):
        ways.bare.load(_ballots(size, wanted))
        size = wanted
        reading = min(_seconds(lambda: read_all(ways.bare)) for _ in range(2))  # the first time is a cold engine's
        if perf_counter() > start + SECONDS_TO_LOAD or reading > SECONDS_TO_READ:
            break
    return size


def _ballots(first: int, end: int) -> Iterator[Item]:
    return (ballots.ballot(ballots.LARGE, number) for number in range(first, end))


def _growing(few: int, most: int) -> Iterator[int]:
    """Twice as many each time: some engines take four times as long for twice the items."""
    while few < most:
        yield few
        few *= 2
    yield most


def _bulk_reads(ways: Ways, rounds: int) -> Three:
    turns = [bulk_turn(reader) for reader in (Plenum(ways.ours), ways.bare, ways.models)]
    return Three(*take_turns(turns, rounds))


def _decodings(ways: Ways, rounds: int) -> Three:
    """The client's side alone: a page of the large election, recorded once and played back without a server."""
    reply = replies.record(ways.bare.client, lambda: ways.bare.page(ballots.LARGE))
    with replies.played_back(reply, ways.ours._connection.client(), ways.bare.client, ways.models.client):
        size = len(ways.ours.page(Span(ballots.LARGE)).items)
        pages: list[Callable[[], object]] = [
            lambda: ways.ours.page(Span(ballots.LARGE)),
            lambda: ways.bare.page(ballots.LARGE),
            lambda: ways.models.page(size),
        ]
        return Three(*take_turns([_microseconds_each(page, size) for page in pages], rounds))


def _report_reads(report: Report, size: int, reads: Three, decodings: Three) -> None:
    rows = (
        ("dynamodb.bulk_read", f"read {size:,} items", reads, ITEMS),
        ("dynamodb.decode", "client's side of a 1 MB page", decodings, MICROSECONDS),
    )
    for key, label, three, unit in rows:
        report.compare(key, label, three.against_bare, unit)
    report.heading("The same bulk read, against PynamoDB's models", "PynamoDB")
    for key, label, three, unit in rows:
        report.compare(key, label, three.against_models, unit, peer="PynamoDB", at_least=FASTER_THAN_MODELS)
    share = decodings.against_bare.ours * reads.against_bare.ours / 1e6 * 100
    report.figure("dynamodb.bulk_read.percent_on_our_side", "our side's share of that read", share, "%")
    report.say(
        "  The client's side is a recorded reply, played back: no server. The rest of the read is the engine's time."
    )


def _microseconds_each(act: Callable[[], object], size: int) -> Turn:
    """In processor time of our own: nobody is waited for, so what else the machine does need not count."""

    def turn() -> float:
        gc.collect()
        start = process_time()
        for _ in range(PAGES):
            act()
        return (process_time() - start) / PAGES / size * 1e6

    return turn


def _seconds(act: Callable[[], object]) -> float:
    start = perf_counter()
    act()
    return perf_counter() - start
