"""Copeland: a point for every other candidate beaten one to one, half a point for every draw.

A. H. Copeland, "A reasonable social welfare function", seminar on applications of mathematics to social sciences,
University of Michigan (1951); Ramon Llull counted this way in 1299. Half points for draws order candidates as wins less
losses do.

`reasons`:
- `condorcet_winner`: the name of the candidate who beats everybody else one to one, or None.
- `scores`: by name {score, won, lost, drawn}; the score exact, as text.
"""

from __future__ import annotations

from fractions import Fraction

from .ballots import Ballots
from .numbers import as_text
from .pairwise import condorcet_winner, ranked_by
from .result import Result, header, standing


def count(ballots: Ballots, *, unranked: str = "below") -> Result:
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    everyone = range(len(names))
    won = [sum(pairwise[i][j] > pairwise[j][i] for j in everyone) for i in everyone]
    lost = [sum(pairwise[i][j] < pairwise[j][i] for j in everyone) for i in everyone]
    drawn = [len(names) - 1 - won[i] - lost[i] for i in everyone]
    first = condorcet_winner(pairwise)

    def said(i: int) -> dict[str, str | int]:
        return {"score": as_text(won[i] + Fraction(drawn[i], 2)), "won": won[i], "lost": lost[i], "drawn": drawn[i]}

    return Result(
        method="copeland",
        seats=1,
        unranked=unranked,
        seed="",
        pairwise=pairwise,
        reasons={
            "condorcet_winner": None if first is None else names[first],
            "scores": {names[i]: said(i) for i in everyone},
        },
        **header(ballots),
        **standing(ranked_by(names, [2 * won[i] + drawn[i] for i in everyone])),
    )
