"""The DynamoDB adapter against boto3's plain client and against PynamoDB's models, on a local engine."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import perf_counter, process_time

from foundation.store.dynamodb import DynamoDbTable
from foundation.store.table import Item, Span
from tests.store import engines

from ..report import Report, ratio_at_least, ratio_at_most
from ..rounds import Turn, alternate
from . import ballots, replies
from .bare_dynamodb import BareDynamoDb
from .contenders import Pair, Plenum, bulk_turn, read_all
from .models import Models, models

ROUNDS, BULK_ROUNDS = 5, 3
TURN_SECONDS = 0.4
PAGES_PER_TURN = 5  # in a turn, so that each way pays for its own garbage collections and for no other's
MAX_ITEMS = 100_000
FIRST_ITEMS = 4_000
# Not twice as many items again, once loading has taken this long, or one reading:
MAX_LOAD_SECONDS = 20.0
MAX_READ_SECONDS = 1.0
FASTER_THAN_MODELS = 5.0


@dataclass(frozen=True, slots=True)
class Ways:
    """The three ways to the same tables."""

    ours: DynamoDbTable
    bare: BareDynamoDb
    models: Models


def measure(report: Report, scale: float) -> None:
    with _engine() as engine:
        table = engine.fresh()
        where = (engines.REGION, str(engine.endpoint), table.prefix)
        report.table(f"DynamoDB adapter, against boto3's client (engine: {engine.name})", "bare")
        _measure(report, Ways(table, BareDynamoDb(*where), models(*where)), scale)
        table.close()


def _engine() -> AbstractContextManager[engines.Engine]:
    return engines.dynamodb_local() if os.environ.get(engines.JAR_DIR) else engines.ministack()


def _measure(report: Report, ways: Ways, scale: float) -> None:
    size, rounds = _load(ways, scale), BULK_ROUNDS if scale >= 1 else 1
    pair = Pair(Plenum(ways.ours), ways.bare, size)
    pair.check()
    pair.compare(report, ROUNDS if scale >= 1 else 1, TURN_SECONDS * scale)
    ours, bare, theirs = alternate([bulk_turn(each) for each in (pair.ours, ways.bare, ways.models)], rounds)
    our_cpu, bare_cpu, their_cpu = _decoding(ways, rounds)
    read, decode = (f"read {size:,} items", "items/s"), ("client's CPU for a page of 1 MB", "µs/item")
    report.row(*read, [ours, bare])
    report.row(*decode, [our_cpu, bare_cpu])
    report.table("The same bulk read, against PynamoDB's models", "PynamoDB")
    report.row(*read, [ours, theirs], ratio_at_least(FASTER_THAN_MODELS))
    report.row(*decode, [our_cpu, their_cpu], ratio_at_most(1 / FASTER_THAN_MODELS))


def _load(ways: Ways, scale: float) -> int:
    """Load the small election, and as much of the large one as can be loaded and read in the time there is."""
    few, most = (max(ballots.SMALL_ITEMS, int(count * scale)) for count in (FIRST_ITEMS, MAX_ITEMS))
    ways.bare.load(ballots.ballot(ballots.SMALL, number) for number in range(ballots.SMALL_ITEMS))
    size, start = 0, perf_counter()
    for wanted in _growing(few, most):
        ways.bare.load(_ballots(size, wanted))
        size = wanted
        reading = min(_seconds(lambda: read_all(ways.bare)) for _ in range(2))  # the first time is a cold engine's
        if perf_counter() > start + MAX_LOAD_SECONDS or reading > MAX_READ_SECONDS:
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


def _decoding(ways: Ways, rounds: int) -> list[list[float]]:
    """The client's side alone: a page of the large election, recorded once and played back without a server."""
    reply = replies.record(ways.bare.client, lambda: ways.bare.page(ballots.LARGE))
    with replies.played_back(reply, ways.ours._connection.client(), ways.bare.client, ways.models.client):
        size = len(ways.ours.page(Span(ballots.LARGE)).items)
        pages: list[Callable[[], object]] = [
            lambda: ways.ours.page(Span(ballots.LARGE)),
            lambda: ways.bare.page(ballots.LARGE),
            lambda: ways.models.page(size),
        ]
        return alternate([_microseconds_each(page, size) for page in pages], rounds)


def _microseconds_each(act: Callable[[], object], size: int) -> Turn:
    def turn() -> float:
        gc.collect()
        start = process_time()
        for _ in range(PAGES_PER_TURN):
            act()
        return (process_time() - start) / PAGES_PER_TURN / size * 1e6

    return turn


def _seconds(act: Callable[[], object]) -> float:
    start = perf_counter()
    act()
    return perf_counter() - start
