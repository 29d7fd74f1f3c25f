"""Estimates the cost of a count before it begins, so that no request waits for one that would not end.

A cost is a number of steps, of which a processor does about a million a second. The figures below were measured with
every method: 5 to 100 candidates, 20 to 10,000 different rankings, random and in camps, complete and short, with and
without equals, for one seat up to nine in ten; each is close to the most expensive of them. They are estimates: Meek's
rule iterates until it converges, and the number of iterations cannot be predicted. The caller must enforce any hard
limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import e, factorial
from typing import Self

from .ballots import Ballots
from .methods import KINDS


@dataclass(frozen=True, slots=True)
class Size:
    """What the work grows with."""

    candidates: int
    rankings: int  # that differ
    marks: int  # names on all of them
    tied: int = 0  # of these, names that are equal to another
    squares: int = 0  # of the sizes of all groups of equals, added up
    seats: int = 1

    @classmethod
    def of(cls, ballots: Ballots, seats: int = 1) -> Self:
        marks = sum(ranking.count(">") + ranking.count("=") + 1 for ranking in ballots.counts)
        groups = [
            group.count("=") + 1
            for ranking in ballots.counts
            if "=" in ranking
            for group in ranking.split(">")
            if "=" in group
        ]
        squares = sum(size * size for size in groups)
        return cls(len(ballots.candidates), len(ballots.counts), marks, sum(groups), squares, seats)


def of_methods(size: Size, methods: Iterable[str] = KINDS["ranked"]) -> int:
    """Of a count by each of these methods, from the ballots to the results."""
    wanted = tuple(methods)
    contests = _contests(size) if any(method in BY_CONTESTS for method in wanted) else 0
    return int(size.marks + contests + sum(COSTS[method](size) for method in wanted))


def of_contests(size: Size) -> int:
    """Of comparing every two candidates on all ballots."""
    return int(size.rankings + _contests(size))


def limiting_factor(size: Size, allowed: int, cost: Callable[[Size], int]) -> str | None:
    """Why it costs more than is allowed: the seats, the equals, or its overall size; None if it does not."""
    if cost(size) <= allowed:
        return None
    if cost(replace(size, seats=1)) <= allowed:
        return "seats"
    return "equals" if cost(replace(size, seats=1, tied=0, squares=0)) <= allowed else "rankings"


# --- the methods ---


def _contests(size: Size) -> float:
    """One pass over the rankings, in which a row of counters grows with the candidates."""
    return size.marks * (0.3 + 0.006 * size.candidates) + 0.12 * size.tied * size.candidates + size.candidates**2


def _meek(size: Size) -> float:
    """The ballots are read in each round, and dealt out in it until the elected keep what they need and no more.

    A deal goes as far down a ballot as people are elected; ballots that are alike so far are dealt out together. What
    equals get takes products of all their keep values, once one of them is elected.
    """
    seats = min(size.seats, size.candidates)  # that can be filled
    deals = size.candidates + (min(4 * seats**2, 40 * seats) if seats > 1 else 0)
    alike = size.candidates * e * factorial(min(seats, 10) - 1)
    down = min(size.marks, (size.rankings if size.tied else min(size.rankings, alike)) * seats)
    equals = 0.1 * size.squares if seats > 1 else 0.1 * size.tied
    return 2 * size.candidates * size.rankings + deals * (0.9 * down + equals) + 0.1 * size.candidates**3


COSTS: dict[str, Callable[[Size], float]] = {
    "schulze": lambda size: 0.2 * size.candidates**3 + 6 * size.candidates**2,
    "ranked-pairs": lambda size: 0.2 * size.candidates**3 + size.candidates**2,
    # Each mark moves once, equals share anew at each elimination, and ties look back over all rounds.
    "irv": lambda size: size.marks + 0.3 * size.squares + 0.4 * size.candidates**3,
    "borda": lambda size: size.candidates**2,
    "copeland": lambda size: size.candidates**2,
    "minimax": lambda size: size.candidates**2,
    "plurality": lambda size: size.rankings + size.tied,
    "stv-scottish": lambda size: 1.2 * size.marks + 0.3 * size.squares + 0.08 * size.candidates**3,
    "stv-meek": _meek,
    "star": lambda size: size.marks + _contests(size),
} | dict.fromkeys(("majority", "most-votes", "approval", "score", "cumulative"), lambda size: size.marks)
BY_CONTESTS = ("schulze", "ranked-pairs", "borda", "copeland", "minimax")
