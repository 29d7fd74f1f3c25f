"""Measures two ways of doing the same in short turns, so that a noisy machine is noisy for both."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
Act = Callable[[], object]
Turn = Callable[[], float]  # one turn, answering its figure


@dataclass(frozen=True, slots=True)
class Comparison:
    """The figures of both, round by round."""

    our_rounds: tuple[float, ...]
    their_rounds: tuple[float, ...]

    @property
    def ours(self) -> float:
        return median(self.our_rounds)

    @property
    def theirs(self) -> float:
        return median(self.their_rounds)

    def ratio(self, *, less_is_better: bool = False) -> tuple[float, float, float]:
        """How many times as good ours is: the median of the rounds, and between what the middle half of them lies."""
        pairs = zip(self.our_rounds, self.their_rounds, strict=True)
        ratios = [theirs / ours if less_is_better else ours / theirs for ours, theirs in pairs]
        if len(ratios) == 1:
            return ratios[0], ratios[0], ratios[0]
        low, middle, high = quantiles(ratios, n=4, method="inclusive")
        return middle, low, high


def take_turns(turns: Sequence[Callable[[], T]], rounds: int) -> list[tuple[T, ...]]:
    """Each one's figures, after a turn that does not count; who goes first changes with every round."""
    figures: list[list[T]] = [[] for _ in turns]
    for turn in turns:
        turn()
    for number in range(rounds):
        order = [(each + number) % len(turns) for each in range(len(turns))]
        for position in order:
            figures[position].append(turns[position]())
    return [tuple(each) for each in figures]


def compare(ours: Turn, theirs: Turn, rounds: int) -> Comparison:
    return Comparison(*take_turns((ours, theirs), rounds))


def rate(act: Act, seconds: float) -> float:
    """How often a second it can be done, by one thread."""
    start = now = perf_counter()
    done = 0
    while now < start + seconds:
        act()
        done += 1
        now = perf_counter()
    return done / (now - start)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Threads that begin each turn together. They stay, so that each opens its connections once."""

    size: int
    _pool: ThreadPoolExecutor
    _start: threading.Barrier

    def rate(self, act: Act, seconds: float) -> float:
        """How often a second it is done by all together."""
        return sum(self._pool.map(lambda _: self._rate_of_one(act, seconds), range(self.size)))

    def _rate_of_one(self, act: Act, seconds: float) -> float:
        self._start.wait()
        return rate(act, seconds)


@contextmanager
def crowd(size: int) -> Iterator[Crowd]:
    with ThreadPoolExecutor(size) as pool:
        yield Crowd(size, pool, threading.Barrier(size))
