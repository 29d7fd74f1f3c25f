"""Measures several contenders in alternating short turns, so that a noisy machine is noisy for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
Action = Callable[[], object]
Turn = Callable[[], float]  # returns the figure that was measured


def alternate(turns: Sequence[Callable[[], T]], rounds: int, *, warm_up: bool = True) -> list[list[T]]:
    """Each contender's results, after one turn that does not count; the order is reversed every other round."""
    if warm_up:
        for turn in turns:
            turn()
    results: list[list[T]] = [[] for _ in turns]
    for number in range(rounds):
        for position in range(len(turns))[:: -1 if number % 2 else 1]:
            results[position].append(turns[position]())
    return results


def rate(action: Action, seconds: float) -> float:
    """How often per second one thread can do it."""
    start = now = perf_counter()
    done = 0
    while now < start + seconds:
        action()
        done += 1
        now = perf_counter()
    return done / (now - start)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Threads that begin each turn together. They stay, so that each opens its connections once."""

    size: int
    _pool: ThreadPoolExecutor
    _start: threading.Barrier

    def rate(self, action: Action, seconds: float) -> float:
        """How often per second all of them together do it."""
        return sum(self._pool.map(lambda _: self._rate_of_one(action, seconds), range(self.size)))

    def _rate_of_one(self, action: Action, seconds: float) -> float:
        self._start.wait()
        return rate(action, seconds)


@contextmanager
def crowd(size: int) -> Iterator[Crowd]:
    with ThreadPoolExecutor(size) as pool:
        yield Crowd(size, pool, threading.Barrier(size))
