"""First preferences: whoever is ranked first on most ballots wins. What a ballot with one cross would have elected.

The oldest rule there is; see for instance H. Nurmi, "Comparing Voting Systems" (1987), chapter 4. Equal firsts share
the vote exactly: of three, each gets a third. A blank ballot votes for nobody; whom a ballot leaves unranked makes no
difference.

`reasons`:
- `votes`: by name, exact, as text.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from .ballots import Ballots
from .numbers import as_text
from .result import Result, header, standing


def count(ballots: Ballots) -> Result:
    normal = ballots.normal
    firsts: dict[str, int] = defaultdict(int)
    for ranking, number in normal.counts.items():
        firsts[ranking.partition(">")[0]] += number
    votes = [Fraction(0)] * len(normal.candidates)
    for group, number in firsts.items():
        equals = group.split("=") if group else []
        for each in equals:
            votes[int(each)] += Fraction(number, len(equals))
    groups = [
        [name for name, each in zip(normal.candidates, votes, strict=True) if each == level]
        for level in sorted(set(votes), reverse=True)
    ]
    return Result(
        method="plurality",
        seats=1,
        unranked="below",
        seed="",
        reasons={"votes": {name: as_text(each) for name, each in zip(normal.candidates, votes, strict=True)}},
        **header(ballots),
        **standing(groups),
    )
