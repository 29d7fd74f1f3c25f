"""How every two candidates compare on a set of ballots: one pass over the distinct rankings serves every method.

The pass counts three things: A[i][j], the ballots that rank both and i above j; E[i][j], those that rank both as
equals; T[i], those that rank i at all. From these both rules for unranked candidates follow without another pass:
"below" (unranked candidates are below all ranked ones) and "no-opinion" (a ballot says nothing on pairs it does not
rank in full). Summaries can be added and subtracted, so a running count changes by one ballot at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add, sub

from .ballots import BadBallot, Ballots
from .vectorised import PairCounts, count_in_batches, is_faster

Matrix = tuple[tuple[int, ...], ...]

UNRANKED = ("below", "no-opinion")
STRENGTHS = ("winning2", "winning", "margins")


@dataclass(frozen=True)
class PairwiseSummary:
    """All that pairwise methods need to know of a set of ballots. Equal ballots give an equal summary."""

    candidates: tuple[str, ...]
    total: int
    blank: int
    above: Matrix
    equal: Matrix
    ranked: tuple[int, ...]

    @classmethod
    def of(cls, ballots: Ballots) -> PairwiseSummary:
        """Counted from all ballots."""
        return cls(ballots.candidates, ballots.total, ballots.blank, *matrices(ballots))

    @property
    def weight(self) -> int:
        """About how many bytes it takes up: two matrices of numbers, each an object and its place in a row."""
        return 72 * len(self.candidates) ** 2

    def __add__(self, other: PairwiseSummary) -> PairwiseSummary:
        return self._joined(other, add)

    def __sub__(self, other: PairwiseSummary) -> PairwiseSummary:
        left = self._joined(other, sub)
        numbers = (left.total, left.blank, *left.ranked, *(n for row in (*left.above, *left.equal) for n in row))
        if min(numbers) < 0:
            raise BadBallot("More is taken back than was cast.")
        return left

    def _joined(self, other: PairwiseSummary, act: Callable[[int, int], int]) -> PairwiseSummary:
        if self.candidates != other.candidates:
            raise BadBallot("These are ballots for different candidates.")
        return PairwiseSummary(
            self.candidates,
            act(self.total, other.total),
            act(self.blank, other.blank),
            tuple(tuple(map(act, mine, theirs)) for mine, theirs in zip(self.above, other.above, strict=True)),
            tuple(tuple(map(act, mine, theirs)) for mine, theirs in zip(self.equal, other.equal, strict=True)),
            tuple(map(act, self.ranked, other.ranked)),
        )

    def pairwise(self, unranked: str = "below") -> Matrix:
        """[i][j]: the ballots that put i above j, by this rule for unranked candidates."""
        if unranked not in UNRANKED:
            raise ValueError(f"An unranked candidate can be {' or '.join(UNRANKED)}, not {unranked!r}.")
        if unranked == "no-opinion":
            return self.above
        everyone = range(len(self.candidates))
        # Of the ballots that rank i, all but those that rank j above it or equal to it put i above j.
        return tuple(
            tuple(0 if i == j else self.ranked[i] - self.above[j][i] - self.equal[i][j] for j in everyone)
            for i in everyone
        )


def matrices(ballots: Ballots) -> tuple[Matrix, Matrix, tuple[int, ...]]:
    """A, E and T: where many rankings were cast equally often, of thousands at once; of the others one by one."""
    size, by_count = len(ballots.candidates), _by_count(ballots)
    many = {count: rankings for count, rankings in by_count.items() if is_faster(rankings, size)}
    few = {count: rankings for count, rankings in by_count.items() if count not in many}
    counted = [(times, each) for times, rankings in many.items() for each in count_in_batches(rankings, size)]
    return _sum_counts([*counted, (1, count_one_by_one(few, size))], size)


def _by_count(ballots: Ballots) -> dict[int, list[str]]:
    rankings: dict[int, list[str]] = defaultdict(list)
    for ranking, count in ballots.counts.items():
        rankings[count].append(ranking)
    return rankings


def _sum_counts(counted: Iterable[tuple[int, PairCounts]], size: int) -> tuple[Matrix, Matrix, tuple[int, ...]]:
    sums = [0] * (2 * size + 1) * size
    for times, found in counted:
        sums = [total + times * more for total, more in zip(sums, found, strict=True)]
    *rows, ranked = (tuple(sums[start : start + size]) for start in range(0, len(sums), size)) if size else [()]
    return tuple(rows[:size]), tuple(rows[size:]), ranked


def count_one_by_one(by_count: Mapping[int, Sequence[str]], size: int) -> PairCounts:
    """A, E and T of rankings that are read one by one.

    A row of counters is one long integer with a field of bits for every candidate, wide enough for all ballots, so
    that one addition counts a group against everybody it is above. Walking up a ballot from its last group, `met`
    has a 1 in the field of everybody met so far, the group itself included: there its row counts how often it was
    cast, which is what E and T need. Rankings cast equally often are walked together and multiplied once.
    """
    width = sum(count * len(rankings) for count, rankings in by_count.items()).bit_length()
    fields = _Fields(size, width)
    rows: dict[str, int] = defaultdict(int)
    for count, rankings in by_count.items():
        part: dict[str, int] = defaultdict(int)
        for ranking in rankings:
            met = 0
            for group in reversed(ranking.split(">")):
                met += fields[group]
                part[group] += met
        for group, row in part.items():
            rows[group] += row * count
    return _unpack_rows(rows, size, width)


class _Fields(dict[str, int]):
    """A 1 in the field of each candidate of a group, worked out when the group is first met."""

    def __init__(self, candidates: int, width: int) -> None:
        self._units = {str(number): 1 << number * width for number in range(candidates)} | {"": 0}

    def __missing__(self, group: str) -> int:
        try:
            self[group] = sum(self._units[number] for number in group.split("="))
        except KeyError:
            raise BadBallot("A candidate is ranked who does not stand.") from None
        return self[group]


def _unpack_rows(rows: dict[str, int], candidates: int, width: int) -> PairCounts:
    """Unpack the long integers: a group's own fields give E and T, the rest A."""
    above, equal = ([[0] * candidates for _ in range(candidates)] for _ in range(2))
    ranked = [0] * candidates
    field = (1 << width) - 1
    for group, row in rows.items():
        members = {int(number) for number in group.split("=")} if group else set()
        numbers = [row >> number * width & field for number in range(candidates)]
        for i in members:
            ranked[i] += numbers[i]
            for j, number in enumerate(numbers):
                if j not in members:
                    above[i][j] += number
                elif j != i:
                    equal[i][j] += number
    return [number for row in (*above, *equal, ranked) for number in row]


def strengths(pairwise: Sequence[Sequence[int]], strength: str = "winning2") -> list[list[int]]:
    """How strong each won contest is, as one number to compare; 0 where i does not beat j.

    winning2: votes for the winner, of equals the one with fewer votes against; winning: votes for the winner alone;
    margins: votes for the winner less those against.
    """
    if strength not in STRENGTHS:
        raise ValueError(f"A contest can be as strong as {', '.join(STRENGTHS)}, not {strength!r}.")
    base = 1 + max((number for row in pairwise for number in row), default=0)
    won: dict[str, Callable[[int, int], int]] = {
        "winning2": lambda ayes, noes: ayes * base + base - 1 - noes,
        "winning": lambda ayes, noes: ayes,
        "margins": lambda ayes, noes: ayes - noes,
    }
    of = won[strength]
    against = zip(*pairwise, strict=True)
    return [
        [of(ayes, noes) if ayes > noes else 0 for ayes, noes in zip(row, column, strict=True)]
        for row, column in zip(pairwise, against, strict=True)
    ]


def condorcet_winner(pairwise: Sequence[Sequence[int]]) -> int | None:
    """The candidate who beats everyone else one to one, if there is one."""
    everyone = range(len(pairwise))
    for i in everyone:
        if all(pairwise[i][j] > pairwise[j][i] for j in everyone if j != i):
            return i
    return None


def rank_by_beats(candidates: Sequence[str], beats: Callable[[int, int], bool]) -> list[list[str]]:
    """Groups of equals, best first: repeatedly those that no one left beats. There must be no cycle."""
    everyone = range(len(candidates))
    better = [sum(1 << j for j in everyone if beats(j, i)) for i in everyone]  # than i, as sets of bits
    left, bits_left = list(everyone), (1 << len(candidates)) - 1
    groups = []
    while left:
        top = [i for i in left if not better[i] & bits_left]
        groups.append([candidates[i] for i in top])
        left = [i for i in left if better[i] & bits_left]
        bits_left = sum(1 << i for i in left)
    return groups


def rank_by_score(candidates: Sequence[str], scores: Sequence[int]) -> list[list[str]]:
    """Groups of equals by score, the highest first."""
    return [
        [name for name, score in zip(candidates, scores, strict=True) if score == level]
        for level in sorted(set(scores), reverse=True)
    ]


# --- Reachability ---


def bits(number: int) -> Iterator[int]:
    """Which bits are set, the lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


class Reachability:
    """The reachability of a graph to which edges are added; every node reaches itself.

    Both directions are stored, so that an edge only visits candidates for whom it changes something: all edges together
    cost at most one step for every two candidates, however many edges there are.
    """

    def __init__(self, size: int) -> None:
        self.forward = [1 << i for i in range(size)]  # [i]: whom i reaches
        self.back = list(self.forward)  # [j]: who reaches j

    def copy(self) -> Reachability:
        same = Reachability(0)
        same.forward, same.back = list(self.forward), list(self.back)
        return same

    def has(self, start: int, end: int) -> bool:
        return bool(self.forward[start] >> end & 1)

    def add(self, start: int, end: int) -> list[tuple[int, int]]:
        """Add an edge; returns who reaches more than before, and which candidates are new to them."""
        if self.has(start, end):
            return []
        # A node that reaches the end already reaches all that lies beyond it; the same holds the other way round.
        sources, targets = self.back[start] & ~self.back[end], self.forward[end] & ~self.forward[start]
        ahead, behind = self.forward[end], self.back[start]
        new = [(each, ahead & ~self.forward[each]) for each in bits(sources)]
        for each in bits(sources):
            self.forward[each] |= ahead
        for each in bits(targets):
            self.back[each] |= behind
        return new
