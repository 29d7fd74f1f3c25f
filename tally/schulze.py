"""Schulze: whoever has a stronger chain of won contests to the other than the other has back is better.

Markus Schulze, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
election method", Social Choice and Welfare 36 (2011), 267-303. A chain is as strong as its weakest contest; a contest
is as strong as tally.pairwise.strengths says. Only won contests make chains: where neither of two candidates has one
to the other, their own contest is drawn, and the original, which goes on to drawn and lost ones, ties them as well.

`reasons`, where numbers of candidates count into `candidates`:
- `strength`: the measure of strength: winning2, winning or margins.
- `condorcet_winner`: the name of the candidate who beats everybody else one to one, or None.
- `paths`: [i][j] the strongest chain from i to j as numbers of candidates, i first and j last, [] where there is none;
  of several the shortest, of these the one whose candidates come first by name.
- `strongest`: [i][j] votes for and against in the weakest contest of that chain, [0, 0] where there is none.
- `beats`: [better, worse] by name for every two candidates of whom one is better by these chains.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from itertools import pairwise as steps
from operator import or_

from .ballots import Ballots
from .pairwise import condorcet_winner, peel, strengths
from .result import Result, header, standing


def count(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    contests = strengths(pairwise, strength)
    widest = widths(contests)
    paths = chains(contests, widest)
    first = condorcet_winner(pairwise)
    everyone = range(len(names))

    def beats(i: int, j: int) -> bool:
        return widest[i][j] > widest[j][i]

    def weakest(path: list[int]) -> list[int]:
        links = [(contests[i][j], [pairwise[i][j], pairwise[j][i]]) for i, j in steps(path)]
        return min(links, default=(0, [0, 0]))[1]

    return Result(
        method="schulze",
        seats=1,
        unranked=unranked,
        seed="",
        pairwise=pairwise,
        reasons={
            "strength": strength,
            "condorcet_winner": None if first is None else names[first],
            "paths": paths,
            "strongest": [[weakest(path) for path in row] for row in paths],
            "beats": [[names[i], names[j]] for i in everyone for j in everyone if beats(i, j)],
        },
        **header(ballots),
        **standing(peel(names, beats)),
    )


def widths(contests: Sequence[Sequence[int]]) -> list[list[int]]:
    """[i][j]: how strong the strongest chain from i to j is, 0 where there is none.

    Contests are added one by one, the strongest first: that of the contest which first makes a chain from i to j is how
    strong it is. Whom somebody reaches is a set of bits, so that hundreds of candidates take seconds.
    """
    everyone = range(len(contests))
    widest = [[0] * len(contests) for _ in everyone]
    reached = [1 << i for i in everyone]  # by chains, oneself among them
    won = [(strength, i, j) for i, row in enumerate(contests) for j, strength in enumerate(row) if strength]
    for strength, i, j in sorted(won, reverse=True):
        if not reached[i] >> j & 1:
            for k in everyone:
                if reached[k] >> i & 1:
                    for new in _bits(reached[j] & ~reached[k]):
                        widest[k][new] = strength
                    reached[k] |= reached[j]
    return widest


def _bits(number: int) -> Iterator[int]:
    """Which bits are set, the lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def chains(contests: Sequence[Sequence[int]], widest: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """[i][j]: a strongest chain itself: their own contest, or the shortest way over contests that are strong enough."""
    everyone = range(len(contests))
    paths: list[list[list[int]]] = [[[] for _ in everyone] for _ in everyone]
    beaten = [Beaten(row) for row in contests]
    for i in everyone:
        reached: dict[int, dict[int, int]] = {}
        for j, width in enumerate(widest[i]):
            if width and width == contests[i][j]:
                paths[i][j] = [i, j]
            elif width:
                reached[width] = reached.get(width) or _walk(beaten, i, width)
                paths[i][j] = _trace(reached[width], i, j)
    return paths


class Beaten:
    """Whom a candidate beats at least so strongly, as a set of bits."""

    def __init__(self, contests: Sequence[int]):
        won = sorted((-strength, there) for there, strength in enumerate(contests) if strength)
        self.strengths = [strength for strength, _there in won]  # negative, so that the strongest come first
        self.sets = list(accumulate((1 << there for _strength, there in won), or_, initial=0))

    def by(self, width: int) -> int:
        return self.sets[bisect_right(self.strengths, -width)]


def _walk(beaten: Sequence[Beaten], start: int, width: int) -> dict[int, int]:
    """Whom each candidate within reach over contests so strong is first reached from, nearest first."""
    found, seen = {start: start}, 1 << start
    queue = [start]
    for here in queue:
        new = beaten[here].by(width) & ~seen
        seen |= new
        for there in _bits(new):
            found[there] = here
            queue.append(there)
    return found


def _trace(found: dict[int, int], start: int, end: int) -> list[int]:
    path = [end]
    while path[-1] != start:
        path.append(found[path[-1]])
    return path[::-1]
