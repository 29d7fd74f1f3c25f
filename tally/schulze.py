"""Schulze: of two candidates, the one with the stronger chain of won contests to the other is better.

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
- `beats`: [better, worse] by name for every two candidates where one is better by these chains.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise as steps
from operator import ge

from .ballots import Ballots
from .pairwise import Reachability, bits, condorcet_winner, rank_by_beats, strengths
from .result import Result, ballot_fields, outcome_fields


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
        links = [(contests[i][j], pairwise[i][j], pairwise[j][i]) for i, j in steps(path)]
        return list(min(links, default=(0, 0, 0))[1:])

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
        **ballot_fields(ballots),
        **outcome_fields(rank_by_beats(names, beats)),
    )


def winners(ballots: Ballots, *, unranked: str = "below") -> tuple[str, ...]:
    """Only the winners, as by `count`: without the chains this takes a fraction of the time."""
    names = ballots.normal.candidates
    widest = widths(strengths(ballots.normal.summary.pairwise(unranked)))
    back = zip(*widest, strict=True)
    unbeaten = (all(map(ge, there, here)) for there, here in zip(widest, back, strict=True))
    return tuple(name for name, first in zip(names, unbeaten, strict=True) if first)


def widths(contests: Sequence[Sequence[int]]) -> list[list[int]]:
    """[i][j]: how strong the strongest chain from i to j is, 0 where there is none.

    Contests are added one by one, the strongest first: that of the contest which first makes a chain from i to j is how
    strong it is.
    """
    widest = [[0] * len(contests) for _ in contests]
    reach = Reachability(len(contests))
    for strength, i, j in _won(contests):
        for start, ends in reach.add(i, j):
            for end in bits(ends):
                widest[start][end] = strength
    return widest


def _won(contests: Sequence[Sequence[int]]) -> list[tuple[int, int, int]]:
    """The strength, winner and loser of each won contest, the strongest first."""
    won = [(strength, i, j) for i, row in enumerate(contests) for j, strength in enumerate(row) if strength]
    return sorted(won, reverse=True)


def chains(contests: Sequence[Sequence[int]], widest: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """[i][j]: a strongest chain itself: their own contest, or the shortest way over contests that are strong enough."""
    paths: list[list[list[int]]] = [[[] for _ in contests] for _ in contests]
    indirect: dict[int, dict[int, int]] = {}  # by strength and start, to whom such a way is looked for
    for i, row in enumerate(widest):
        for j, width in enumerate(row):
            if width and width == contests[i][j]:
                paths[i][j] = [i, j]
            elif width:
                starts = indirect.setdefault(width, {})
                starts[i] = starts.get(i, 0) | 1 << j
    beaten = [0] * len(contests)  # by whom, at least so strongly
    won = _won(contests)
    at = 0
    for width in sorted(indirect, reverse=True):
        while at < len(won) and won[at][0] >= width:
            beaten[won[at][1]] |= 1 << won[at][2]
            at += 1
        for start, ends in indirect[width].items():
            found = _walk(beaten, start, ends)
            for end in bits(ends):
                paths[start][end] = _trace(found, start, end)
    return paths


def _walk(beaten: Sequence[int], start: int, ends: int) -> dict[int, int]:
    """Whom each candidate is first reached from, nearest first, until all the ends are."""
    found, unmet = {start: start}, ~(1 << start)
    queue = [start]
    for here in queue:
        new = beaten[here] & unmet
        if not new:
            continue
        unmet ^= new
        for there in bits(new):
            found[there] = here
            queue.append(there)
        if not ends & unmet:
            break
    return found


def _trace(found: dict[int, int], start: int, end: int) -> list[int]:
    path = [end]
    while end != start:
        end = found[end]
        path.append(end)
    path.reverse()
    return path
