"""Methods that look at places on ballots: Borda's points, and first preferences."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from .ballots import Ballots
from .result import Result, exact_text, group_by_score, result_of


def borda(ballots: Ballots) -> Result:
    """Borda: of N candidates the first on a ballot gets N-1 points, the next N-2, and so on.

    Jean-Charles de Borda, "Mémoire sur les élections au scrutin", Histoire de l'Académie royale des sciences (1781).
    Equals share the points of the places they take together; so do all whom a ballot leaves unranked, who take the last
    places (Duncan Black's rule). A blank ballot gives no points. Put as contests, which needs no second pass: a
    point for everybody below, half a point for everybody equal.

    `reasons`:
    - `points`: by name, exact, as text.
    """
    names = ballots.normal.candidates
    summary = ballots.normal.summary
    pairwise = summary.pairwise("below")
    everyone = range(len(names))
    voters = summary.total - summary.blank
    # A ballot that prefers neither i nor j gives half a point for the two.
    points = {
        name: Fraction(sum(voters + pairwise[i][j] - pairwise[j][i] for j in everyone if j != i), 2)
        for i, name in enumerate(names)
    }
    return result_of(ballots, "borda", group_by_score(points), pairwise=pairwise, reasons={"points": _texts(points)})


def plurality(ballots: Ballots) -> Result:
    """First preferences: the candidate ranked first on most ballots wins, as with a single cross.

    The oldest rule there is; see for instance H. Nurmi, "Comparing Voting Systems" (1987), chapter 4. Equal firsts
    share the vote exactly: of three, each gets a third. A blank ballot votes for no one; whom a ballot leaves unranked
    makes no difference.

    `reasons`:
    - `votes`: by name, exact, as text.
    """
    normal = ballots.normal
    firsts: dict[str, int] = defaultdict(int)
    for ranking, number in normal.counts.items():
        firsts[ranking.partition(">")[0]] += number
    votes = dict.fromkeys(normal.candidates, Fraction(0))
    for group, number in firsts.items():
        equals = group.split("=") if group else []
        for each in equals:
            votes[normal.candidates[int(each)]] += Fraction(number, len(equals))
    return result_of(ballots, "plurality", group_by_score(votes), reasons={"votes": _texts(votes)})


def _texts(scores: dict[str, Fraction]) -> dict[str, str]:
    return {name: exact_text(score) for name, score in scores.items()}
