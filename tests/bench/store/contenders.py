"""The contenders and the five operations that each of them is measured at."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol

from foundation.store.table import LOG, Item, Key, Missing, Put, Span, Table

from ..report import Report, ratio_at_least
from ..rounds import Turn, alternate, crowd, rate
from . import ballots

GOAL = ratio_at_least(0.6)
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
        """The ballots of the small election."""


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

    ours: Contender
    bare: Contender
    size: int
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def check(self) -> None:
        """See that both deliver the same items before anything is timed."""
        same = self.ours.get(0) == self.bare.get(0) and self.ours.query() == self.bare.query()
        if not same or not read_all(self.ours) == read_all(self.bare) == self.size:
            raise NotTheSame("Our adapter and the bare engine do not deliver the same items.")

    def compare(self, report: Report, rounds: int, seconds: float) -> None:
        """Every operation but the bulk read, by one thread and by eight."""
        with crowd(THREADS) as threads:
            for label, act, goal in (
                ("get", lambda who: who.get(next(self._numbers) % self.size), GOAL),
                ("put", lambda who: who.put(next(self._numbers)), None),
                ("transaction of 3 items", lambda who: who.transact(next(self._numbers)), GOAL),
                ("query of 1,000 items", lambda who: who.query(), None),
            ):
                alone = self._alternate(act, rounds, lambda work: rate(work, seconds))
                report.row(label, "ops/s", alone, goal)
                together = self._alternate(act, rounds, lambda work: threads.rate(work, seconds))
                report.row(f"{label}, {THREADS} threads", "ops/s", together, goal)

    def _alternate(
        self, act: Callable[[Contender], object], rounds: int, measured: Callable[[Callable[[], object]], float]
    ) -> list[list[float]]:
        turns = [lambda: measured(lambda: act(self.ours)), lambda: measured(lambda: act(self.bare))]
        return alternate(turns, rounds)


def read_all(reader: Reader) -> int:
    return sum(1 for _ in reader.each())


def bulk_turn(reader: Reader) -> Turn:
    """Reading the large election once, as items per second."""

    def turn() -> float:
        gc.collect()  # garbage of the turn before is not ours to pay for
        start = perf_counter()
        return read_all(reader) / (perf_counter() - start)

    return turn
