"""Who is measured, and at what: the same five operations, whoever does them."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from store.table import LOG, Item, Key, Missing, Put, Span, Table

from .. import rounds
from ..report import Report
from . import ballots

GOAL = 0.6
THREADS = 8


class Reader(Protocol):
    def each(self) -> Iterator[Any]:
        """Every ballot of the large election."""


class Contender(Reader, Protocol):
    """Something that can do the five operations; numbers say which ballot."""

    def get(self, number: int) -> Item: ...

    def put(self, number: int) -> None: ...

    def transact(self, number: int) -> None:
        """A ballot, the mark that it was cast (only if there is none), and the event: one transaction, two tables."""

    def query(self) -> list[Item]:
        """The thousand ballots of the small election."""


@dataclass(frozen=True, slots=True)
class Plenum:
    """One of our adapters, used as the application uses it."""

    table: Table

    def get(self, number: int) -> Item:
        item = self.table.get(Key(ballots.LARGE, ballots.sort_key(number)))
        assert item is not None
        return item

    def put(self, number: int) -> None:
        self.table.write(Put(ballots.ballot(ballots.CAST, number)))

    def transact(self, number: int) -> None:
        self.table.write(
            Put(ballots.ballot(ballots.CAST, number)),
            Put(ballots.mark(number), when=Missing()),
            Put(ballots.event(number), table=LOG),
        )

    def query(self) -> list[Item]:
        return self.table.page(Span(ballots.SMALL)).items

    def each(self) -> Iterator[Item]:
        return self.table.each(Span(ballots.LARGE))


class NotTheSame(AssertionError):
    """Two contenders that do not deliver the same are not worth comparing."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Our adapter, the bare engine under it, and how many ballots the large election has."""

    name: str
    ours: Contender
    bare: Contender
    size: int
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def check(self) -> None:
        """See that both deliver the same items before anything is timed."""
        same = self.ours.get(0) == self.bare.get(0) and self.ours.query() == self.bare.query()
        if not same or len(self.ours.query()) != ballots.SMALL_ITEMS:
            raise NotTheSame(f"{self.name}: our adapter and the bare engine do not deliver the same items.")
        if not read_all(self.ours) == read_all(self.bare) == self.size:
            raise NotTheSame(f"{self.name}: our adapter and the bare engine do not read the same {self.size} items.")

    def acts(self) -> dict[str, tuple[str, Callable[[Contender], object], float | None]]:
        """Of every operation: its label, what to do, and the goal."""
        return {
            "get": ("get", lambda who: who.get(next(self._numbers) % self.size), GOAL),
            "put": ("put", lambda who: who.put(next(self._numbers)), None),
            "transaction": ("transaction of 3 items", lambda who: who.transact(next(self._numbers)), GOAL),
            "query": ("query of 1,000 items", lambda who: who.query(), None),
        }


@dataclass(frozen=True, slots=True)
class Pace:
    """How many rounds, and how long a turn is."""

    rounds: int
    seconds: float


def read_all(reader: Reader) -> int:
    return sum(1 for _ in reader.each())


def compare_operations(report: Report, pair: Pair, pace: Pace) -> None:
    """Every operation but the bulk read, by one thread and by eight."""
    with rounds.crowd(THREADS) as crowd:
        for key, (label, act, goal) in pair.acts().items():
            alone = _turns(pair, act, pace.rounds, lambda work: rounds.rate(work, pace.seconds))
            report.compare(f"{pair.name}.{key}", label, alone, at_least=goal)
            together = _turns(pair, act, pace.rounds, lambda work: crowd.rate(work, pace.seconds))
            report.compare(
                f"{pair.name}.{key}_{THREADS}_threads", f"  {label}, {THREADS} threads", together, at_least=goal
            )


def bulk_turn(reader: Reader) -> rounds.Turn:
    """Reading the large election once, as items a second."""

    def turn() -> float:
        gc.collect()  # what the one before left behind is not ours to pay for
        start = perf_counter()
        return read_all(reader) / (perf_counter() - start)

    return turn


def _turns(
    pair: Pair, act: Callable[[Contender], object], turns: int, rate: Callable[[rounds.Act], float]
) -> rounds.Comparison:
    ours, bare = pair.ours, pair.bare
    return rounds.compare(lambda: rate(lambda: act(ours)), lambda: rate(lambda: act(bare)), turns)
