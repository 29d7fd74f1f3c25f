"""Ballots as values. A ballot is a short text, and a ballot set says how often each text was cast.

`3>1=4>0` ranks candidate 3 first, then 1 and 4 as equals, then 0; candidates are numbers into a tuple of names, and a
candidate that is not in it is unranked. A blank ballot is the empty text. Written canonically (the numbers of a group
ascending, nothing else), equal rankings are equal texts, so that a million ballots are a few thousand counted texts.

Other kinds of ballot are written alike. Marks (yes or no, choose, approval) are one group of equals: `0=3=4`. Values
(scores, points) are groups by value, the highest first, each followed by it: `0=4@5>1@3`; a candidate who is not in it
has 0. Without `@5` and `@3` that is the ranking by value.
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

MAX_SCORE = 5

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


# --- marks and values ---


def ratings_of(text: str) -> dict[int, int]:
    """The candidates on a ballot of any kind, each with its value; a mark without one is worth 1."""
    return {number: value for group in (text.split(">") if text else ()) for number, value in rated(group).items()}


@lru_cache(maxsize=4096)
def rated(group: str) -> Mapping[int, int]:
    """The candidates of one group with their value. Remembered, because many ballots share few groups."""
    numbers, _at, value = group.partition("@")
    return dict.fromkeys(group_of(numbers), int(value or 1))


def text_of(ratings: Mapping[int, int]) -> str:
    """The canonical text of values; a candidate with 0 is left out."""
    groups: dict[int, list[int]] = {}
    for number, value in sorted(ratings.items()):
        groups.setdefault(value, []).append(number)
    return ">".join(f"{ranking_of([groups[value]])}@{value}" for value in sorted(groups, reverse=True) if value)


def check_marks(text: str, candidates: int, kind: str, fewest: int = 0, most: int = 0) -> None:
    """Refuse a text that is not a canonical ballot of this kind. `most` limits marks to choose, or points; 0 does not.

    A vote on yes or no has one mark. A ballot of any other kind may be blank, unless it asks for marks.
    """
    if kind == "ranked":
        check(text, candidates)
        return
    has_values = kind in ("score", "points")
    try:
        ratings = ratings_of(text)
    except ValueError:
        raise BadBallot("This is not a ballot.") from None
    if text != (text_of(ratings) if has_values else ranking_of([ratings])):
        raise BadBallot("This ballot is not in canonical form.")
    if any(number >= candidates for number in ratings):
        raise BadBallot("This marks somebody who is not a candidate.")
    if any(value < 1 or (kind == "score" and value > MAX_SCORE) for value in ratings.values()):
        raise BadBallot("This value cannot be given.")
    least, limit = (1, 1) if kind == "yes-no" else (fewest, most) if kind in ("choose", "points") else (0, 0)
    given = sum(ratings.values())  # a mark is worth 1
    if given < least or (limit and given > limit):
        raise BadBallot("This is too little or too much.")


def values_in(counts: Mapping[str, int]) -> Counter[tuple[int, int]]:
    """By candidate and value, except 0, how many ballots give it. Such sums can be added and subtracted.

    Groups of equals are added up before they are read: there are far fewer of them than different ballots.
    """
    groups: Counter[str] = Counter()
    for text, count in counts.items():
        for group in text.split(">") if text else ():
            groups[group] += count
    values: Counter[tuple[int, int]] = Counter()
    for group, count in groups.items():
        for given in rated(group).items():
            values[given] += count
    return values


def renumbered(counts: Mapping[str, int], new: Mapping[int, int]) -> Counter[str]:
    """The same ballots with new numbers for the candidates; those without one are left out of every ballot."""
    groups = _Renumbered({str(old): number for old, number in new.items()})
    ballots: Counter[str] = Counter()
    for text, count in counts.items():
        ballots[">".join([group for old in text.split(">") if (group := groups[old])])] += count
    return ballots


class _Renumbered(dict[str, str]):
    """Caches groups of equals with the candidates' new numbers, and their value; empty if none of them is left."""

    def __init__(self, new: Mapping[str, int]) -> None:
        self._new = new

    def __missing__(self, group: str) -> str:
        equals, at, value = group.partition("@")
        numbers = sorted(self._new[old] for old in equals.split("=") if old in self._new)
        new = "=".join(map(str, numbers))
        self[group] = new + at + value if new else ""
        return self[group]


@dataclass(frozen=True)
class Ballots:
    """The candidates, and how often each ballot was cast."""

    candidates: tuple[str, ...]
    counts: Mapping[str, int]

    @classmethod
    def of(cls, candidates: Sequence[str], rankings: Iterable[str]) -> Ballots:
        """From single rankings, counted as they come."""
        return cls(tuple(candidates), Counter(rankings))

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
        new = {old: places[name] for old, name in enumerate(self.candidates) if name in places}
        return Ballots(tuple(candidates), renumbered(self.counts, new))

    @cached_property
    def normal(self) -> Ballots:
        """The one form that all orders of candidates and ballots share; every count starts from it."""
        ordered = self.in_order(sorted(self.candidates))
        rankings = sorted(ordered.counts)
        numbers = map(ordered.counts.__getitem__, rankings)
        normal = Ballots(ordered.candidates, {each: n for each, n in zip(rankings, numbers, strict=True) if n})
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
    def values(self) -> Counter[tuple[int, int]]:
        """How many ballots give each candidate each value; added up once for all methods that ask."""
        return values_in(self.counts)

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
