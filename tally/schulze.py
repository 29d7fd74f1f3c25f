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

from collections.abc import Sequence
from itertools import pairwise as steps

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
    """[i][j]: how strong the strongest chain from i to j is, 0 where there is none (Floyd and Warshall)."""
    widest = [list(row) for row in contests]
    everyone = range(len(contests))
    for k in everyone:
        onward = widest[k]
        for i in everyone:
            into = widest[i][k]
            if into and i != k:
                row = widest[i]
                widest[i] = [max(old, into if into < on else on) for old, on in zip(row, onward, strict=True)]
                widest[i][i] = 0
    return widest


def chains(contests: Sequence[Sequence[int]], widest: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """[i][j]: a strongest chain itself: their own contest, or the shortest way over contests that are strong enough."""
    everyone = range(len(contests))
    paths: list[list[list[int]]] = [[[] for _ in everyone] for _ in everyone]
    for i in everyone:
        reached: dict[int, dict[int, int]] = {}
        for j, width in enumerate(widest[i]):
            if width and width == contests[i][j]:
                paths[i][j] = [i, j]
            elif width:
                reached[width] = reached.get(width) or _walk(contests, i, width)
                paths[i][j] = _trace(reached[width], i, j)
    return paths


def _walk(contests: Sequence[Sequence[int]], start: int, width: int) -> dict[int, int]:
    """Whom each candidate within reach over contests so strong is first reached from, nearest first."""
    found = {start: start}
    queue = [start]
    for here in queue:
        for there, strength in enumerate(contests[here]):
            if strength >= width and there not in found:
                found[there] = here
                queue.append(there)
    return found


def _trace(found: dict[int, int], start: int, end: int) -> list[int]:
    path = [end]
    while path[-1] != start:
        path.append(found[path[-1]])
    return path[::-1]
