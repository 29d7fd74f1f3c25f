"""Changed ballots, and how many of them would have changed a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .ballots import Ballots


@dataclass(frozen=True, slots=True)
class Change:
    """A number of ballots with one ranking replaced by another. Candidates are numbered in the order of their names."""

    count: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Closeness:
    """The smallest number of changed ballots found that changes the winners; None where none can."""

    ballots: int | None
    exact: bool
    winners: tuple[str, ...]
    new_winners: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


def apply(ballots: Ballots, changes: Iterable[Change]) -> Ballots:
    """The ballots with these changes made."""
    counts = Counter(ballots.normal.counts)
    for change in changes:
        counts[change.before] -= change.count
        counts[change.after] += change.count
        if counts[change.before] < 0:
            raise ValueError("There are fewer ballots with this ranking than the change replaces.")
    return Ballots(ballots.normal.candidates, {ranking: number for ranking, number in counts.items() if number})
