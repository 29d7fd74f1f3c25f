"""Rankings that begin alike, in one hand: what methods with rounds move from pile to pile.

The rankings of a normal set of ballots are sorted, so that all that begin with `3>1>` lie one after the other, and how
many ballots they are is the difference of two sums. A bundle of them counts for the same candidates as long as one of
the last group that they share is in; only when nobody of it is, it is taken apart by the group that comes next. So what
is below the candidates who stay is never read, and one move is a move of thousands.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import accumulate
from typing import NamedTuple

from .ballots import Ballots, Group, group_of

AFTER = chr(ord(">") + 1)  # sorts after whatever goes on


class Bundle(NamedTuple):
    """Rankings that are alike up to a group of equals. Either all of them go on after it, or it is one that ends."""

    ballots: int  # how many
    group: Group
    start: int  # which of the sorted rankings they are
    end: int
    length: int  # of what they share, in letters


class Bundles:
    """All ballots that rank somebody."""

    def __init__(self, ballots: Ballots) -> None:
        counts = ballots.normal.counts
        self._rankings = list(counts)
        self._before = [0, *accumulate(counts.values())]
        blank = 1 if "" in counts else 0
        self.all = Bundle(ballots.total - ballots.blank, (), blank, len(counts), -1)  # before anybody's first group

    def next_in(self, bundles: Iterable[Bundle], still_in: AbstractSet[int]) -> list[Bundle]:
        """The same rankings, taken apart by what comes next until each has somebody who is still in. Those that have
        nobody any more are nowhere."""
        rankings, before, new = self._rankings, self._before, tuple.__new__  # quicker than Bundle(...), and the same
        found = []
        apart = [bundle[2:] for bundle in bundles]
        for at, end, length in apart:
            start = at
            while start < end and length < len(rankings[start]):
                ranking = rankings[start]
                cut = ranking.find(">", length + 1)
                if cut < 0:
                    cut, last = len(ranking), start + 1
                elif start + 1 == end:
                    last = end
                else:
                    last = bisect_left(rankings, ranking[:cut] + AFTER, start + 1, end)
                group = group_of(ranking[length + 1 : cut])
                if still_in.isdisjoint(group):
                    apart.append((start, last, cut))
                else:
                    found.append(new(Bundle, (before[last] - before[start], group, start, last, cut)))
                start = last
        return found
