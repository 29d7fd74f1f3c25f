"""Minimax: the better candidate is the one whose worst defeat is weaker.

P. B. Simpson, "On defining areas of voter choice", Quarterly Journal of Economics 83 (1969), and G. H. Kramer, "A
dynamical model of political equilibrium", Journal of Economic Theory 16 (1977). How strong a defeat is, is how strong
the contest is for its winner: see tally.pairwise.strengths. Who is never beaten has no defeat at all.

`reasons`:
- `strength`: the measure of strength: winning2, winning or margins.
- `condorcet_winner`: the name of the candidate who beats everybody else one to one, or None.
- `worst`: by name the worst defeat {by, for, against}, where `by` names who inflicted it (of equal ones the first by
  name) and `for` are that candidate's votes; None for whoever is never beaten.
"""

from __future__ import annotations

from typing import Any

from .ballots import Ballots
from .pairwise import condorcet_winner, ranked_by, strengths
from .result import Result, header, standing


def count(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    contests = strengths(pairwise, strength)
    everyone = range(len(names))
    defeats = [max((contests[j][i] for j in everyone), default=0) for i in everyone]
    first = condorcet_winner(pairwise)

    def said(i: int) -> dict[str, Any] | None:
        if not defeats[i]:
            return None
        by = next(j for j in everyone if contests[j][i] == defeats[i])
        return {"by": names[by], "for": pairwise[by][i], "against": pairwise[i][by]}

    return Result(
        method="minimax",
        seats=1,
        unranked=unranked,
        seed="",
        pairwise=pairwise,
        reasons={
            "strength": strength,
            "condorcet_winner": None if first is None else names[first],
            "worst": {names[i]: said(i) for i in everyone},
        },
        **header(ballots),
        **standing(ranked_by(names, [-defeat for defeat in defeats])),
    )
