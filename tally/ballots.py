"""Ranked ballots as values. A ranking is a short text, and a ballot set says how often each ranking was cast.

`3>1=4>0` ranks candidate 3 first, then 1 and 4 as equals, then 0; candidates are numbers into a tuple of names, and a
candidate that is not in it is unranked. A blank ballot is the empty text. Written canonically (the numbers of a group
ascending, nothing else), equal rankings are equal texts, so that a million ballots are a few thousand counted texts.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

from .pairwise import PairwiseSummary

Group = tuple[int, ...]  # of equals
Groups = tuple[Group, ...]


class BadBallot(ValueError):
    """A text that is not a valid ranking."""


def groups_of(ranking: str) -> Groups:
    """The groups of equals of a canonical ranking, best first."""
    return tuple(map(group_of, ranking.split(">"))) if ranking else ()


@lru_cache(maxsize=4096)
def group_of(text: str) -> Group:
    """One group of equals. Remembered, because many rankings share few groups: most are of one candidate."""
    return tuple(map(int, text.split("=")))


def ranking_of(groups: Iterable[Iterable[int]]) -> str:
    """The canonical ranking of groups of equals, best first. Empty groups are left out."""
    ordered = [sorted(group) for group in groups]
    numbers = [number for group in ordered for number in group]
    if len(set(numbers)) != len(numbers):
        raise BadBallot("A candidate is ranked twice.")
    if any(number < 0 for number in numbers):
        raise BadBallot("A candidate has a negative number.")
    return ">".join("=".join(map(str, group)) for group in ordered if group)


def check(ranking: str, candidates: int) -> None:
    """Refuse a text that is not a canonical ranking of this many candidates."""
    try:
        groups = groups_of(ranking)
    except ValueError:
        raise BadBallot("This is not a ranking.") from None
    if ranking_of(groups) != ranking:
        raise BadBallot("This ranking is not in canonical form.")
    if any(number >= candidates for group in groups for number in group):
        raise BadBallot("This ranks somebody who is not a candidate.")


class _Renumbered(dict[str, str]):
    """Caches groups of equals with the candidates' new numbers; empty if none of them is left."""

    def __init__(self, new: Mapping[str, int | None]) -> None:
        self._new = new

    def __missing__(self, group: str) -> str:
        numbers = [self._new.get(old) for old in group.split("=")] if group else []
        self[group] = "=".join(map(str, sorted(number for number in numbers if number is not None)))
        return self[group]


def _arranged(counts: Mapping[str, int]) -> dict[str, int]:
    """Sorted by ranking, without those cast zero times."""
    rankings = sorted(counts)
    numbers = list(map(counts.__getitem__, rankings))
    return {each: n for each, n in zip(rankings, numbers, strict=True) if n}


@dataclass(frozen=True)
class Ballots:
    """The candidates, and how often each ranking was cast."""

    candidates: tuple[str, ...]
    counts: Mapping[str, int]

    @classmethod
    def of(cls, candidates: Sequence[str], rankings: Iterable[str]) -> Ballots:
        """From single rankings, counted as they come."""
        return cls(tuple(candidates), Counter(rankings))

    @classmethod
    def summed(cls, summary: PairwiseSummary) -> Ballots:
        """Ballots known only by how every two candidates compare: enough for pairwise methods."""
        known = cls(summary.candidates, {})
        vars(known).update(normal=known, summary=summary, total=summary.total, blank=summary.blank, digest="")
        return known

    @cached_property
    def total(self) -> int:
        return sum(self.counts.values())

    @cached_property
    def blank(self) -> int:
        return self.counts.get("", 0)

    @cached_property
    def has_equals(self) -> bool:
        """Whether any ballot ranks two as equals."""
        return any("=" in ranking for ranking, count in self.counts.items() if count)

    def in_order(self, candidates: Sequence[str]) -> Ballots:
        """The same ballots with the candidates numbered in another order; those not named are left out of every one."""
        if tuple(candidates) == self.candidates:
            return self
        places = {name: number for number, name in enumerate(candidates)}
        groups = _Renumbered({str(old): places.get(name) for old, name in enumerate(self.candidates)})
        counts: Counter[str] = Counter()
        for ranking, count in self.counts.items():
            counts[">".join([new for group in ranking.split(">") if (new := groups[group])])] += count
        return Ballots(tuple(candidates), counts)

    @cached_property
    def normal(self) -> Ballots:
        """The one form that all orders of candidates and ballots share; every count starts from it."""
        ordered = self.in_order(sorted(self.candidates))
        normal = Ballots(ordered.candidates, _arranged(ordered.counts))
        normal.__dict__["normal"] = normal  # it is its own normal form: no need to sort again
        return normal

    def without(self, names: Iterable[str]) -> Ballots:
        """As if these candidates had not stood."""
        gone = set(names)
        return self.in_order([name for name in self.candidates if name not in gone])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the candidates and the counted rankings in normal form, as JSON without spaces."""
        names = json.dumps(self.normal.candidates, ensure_ascii=False, separators=(",", ":"))
        # A ranking has nothing in it to escape, and most are cast as often as many others: so what comes after them is
        # written once for each number, and putting it all together takes a quarter of the time.
        counts = self.normal.counts
        after = {count: f'",{count}],["' for count in set(counts.values())}
        pieces = [""] * (2 * len(counts))
        pieces[::2], pieces[1::2] = counts, map(after.__getitem__, counts.values())
        listed = f'["{"".join(pieces)}'.removesuffix(',["') if counts else ""
        return hashlib.sha256(f"[{names},[{listed}]]".encode()).hexdigest()

    @cached_property
    def summary(self) -> PairwiseSummary:
        """How every two candidates compare; counted once for all methods that ask."""
        return PairwiseSummary.of(self.candidates, self.counts)


# --- Rankings with a common prefix ---


AFTER_SEPARATOR = chr(ord(">") + 1)  # sorts after whatever goes on


class Prefix(NamedTuple):
    """Rankings with a common prefix that ends with a group of equals: either all of them go on, or it is one that ends.

    It counts for the same candidates as long as one of that last group is in; only then is it split by the next group.
    """

    ballots: int  # how many
    group: Group
    start: int  # which of the sorted rankings they are
    end: int
    length: int  # of what they share, in letters


class PrefixIndex:
    """The ballots by prefix. Normal ballots are sorted, so those with a prefix lie side by side, and moving
    thousands of them from pile to pile is one step; what is ranked below the candidates who stay is never read."""

    def __init__(self, ballots: Ballots) -> None:
        counts = ballots.normal.counts
        self._rankings = list(counts)
        self._before = [0, *accumulate(counts.values())]
        blank = 1 if "" in counts else 0
        self.all = Prefix(ballots.total - ballots.blank, (), blank, len(counts), -1)  # before the first group

    def split_next(self, prefixes: Iterable[Prefix], still_in: AbstractSet[int]) -> list[Prefix]:
        """Split prefixes by their next group until each contains a candidate who is still in; those with none left are
        dropped."""
        rankings, before, new = self._rankings, self._before, tuple.__new__  # quicker than Prefix(...)
        found = []
        apart = [prefix[2:] for prefix in prefixes]
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
                    last = bisect_left(rankings, ranking[:cut] + AFTER_SEPARATOR, start + 1, end)
                group = group_of(ranking[length + 1 : cut])
                if still_in.isdisjoint(group):
                    apart.append((start, last, cut))
                else:
                    found.append(new(Prefix, (before[last] - before[start], group, start, last, cut)))
                start = last
        return found
