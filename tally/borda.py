"""Borda: of N candidates the first on a ballot gets N-1 points, the next N-2, and so on.

Jean-Charles de Borda, "Mémoire sur les élections au scrutin", Histoire de l'Académie royale des sciences (1781). Equals
share the points of the places they take together; so do all whom a ballot leaves unranked, who take the last places
(Duncan Black's rule). A blank ballot gives nobody points. Put as contests, which needs no second pass: a point for
everybody below, half a point for everybody equal.

`reasons`:
- `points`: by name, exact, as text.
"""

from __future__ import annotations

from fractions import Fraction

from .ballots import Ballots
from .numbers import as_text
from .pairwise import ranked_by
from .result import Result, header, standing


def count(ballots: Ballots) -> Result:
    names = ballots.normal.candidates
    summary = ballots.normal.summary
    pairwise = summary.pairwise("below")
    everyone = range(len(names))
    voters = summary.total - summary.blank
    # Of the voters that say neither i nor j, half count for i: 2 points for a win and 1 for a draw, halved when shown.
    doubled = [sum(voters + pairwise[i][j] - pairwise[j][i] for j in everyone if j != i) for i in everyone]
    return Result(
        method="borda",
        seats=1,
        unranked="below",
        seed="",
        pairwise=pairwise,
        reasons={"points": {name: as_text(Fraction(two, 2)) for name, two in zip(names, doubled, strict=True)}},
        **header(ballots),
        **standing(ranked_by(names, doubled)),
    )
