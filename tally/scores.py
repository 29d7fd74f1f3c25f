"""Methods that give each candidate a score: Borda, Copeland, minimax and first preferences."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from .ballots import Ballots
from .pairwise import condorcet_winner, rank_by_score, strengths
from .result import Result, ballot_fields, exact_text, outcome_fields


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
    # Of the voters that say neither i nor j, half count for i: 2 points for a win and 1 for a draw, halved when shown.
    doubled = [sum(voters + pairwise[i][j] - pairwise[j][i] for j in everyone if j != i) for i in everyone]
    return Result(
        method="borda",
        seats=1,
        unranked="below",
        seed="",
        pairwise=pairwise,
        reasons={"points": {name: exact_text(Fraction(two, 2)) for name, two in zip(names, doubled, strict=True)}},
        **ballot_fields(ballots),
        **outcome_fields(rank_by_score(names, doubled)),
    )


def copeland(ballots: Ballots, *, unranked: str = "below") -> Result:
    """Copeland: a point for every other candidate beaten one to one, half a point for every draw.

    A. H. Copeland, "A reasonable social welfare function", seminar on applications of mathematics to social sciences,
    University of Michigan (1951); Ramon Llull counted this way in 1299. Half points for draws order candidates as wins
    less losses do.

    `reasons`:
    - `condorcet_winner`: the name of the candidate who beats everybody else one to one, or None.
    - `scores`: by name {score, won, lost, drawn}; the score exact, as text.
    """
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    everyone = range(len(names))
    won = [sum(pairwise[i][j] > pairwise[j][i] for j in everyone) for i in everyone]
    lost = [sum(pairwise[i][j] < pairwise[j][i] for j in everyone) for i in everyone]
    drawn = [len(names) - 1 - won[i] - lost[i] for i in everyone]
    first = condorcet_winner(pairwise)

    def describe(i: int) -> dict[str, str | int]:
        return {"score": exact_text(won[i] + Fraction(drawn[i], 2)), "won": won[i], "lost": lost[i], "drawn": drawn[i]}

    return Result(
        method="copeland",
        seats=1,
        unranked=unranked,
        seed="",
        pairwise=pairwise,
        reasons={
            "condorcet_winner": None if first is None else names[first],
            "scores": {names[i]: describe(i) for i in everyone},
        },
        **ballot_fields(ballots),
        **outcome_fields(rank_by_score(names, [2 * won[i] + drawn[i] for i in everyone])),
    )


def minimax(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    """Minimax: the better candidate is the one whose worst defeat is weaker.

    P. B. Simpson, "On defining areas of voter choice", Quarterly Journal of Economics 83 (1969), and G. H. Kramer, "A
    dynamical model of political equilibrium", Journal of Economic Theory 16 (1977). How strong a defeat is, is how
    strong the contest is for its winner: see tally.pairwise.strengths. A candidate who is never beaten has no defeat.

    `reasons`:
    - `strength`: the measure of strength: winning2, winning or margins.
    - `condorcet_winner`: the name of the candidate who beats everybody else one to one, or None.
    - `worst`: by name the worst defeat {by, for, against}, where `by` names who inflicted it (of equal ones the first
      by name) and `for` are that candidate's votes; None for a candidate who is never beaten.
    """
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    contests = strengths(pairwise, strength)
    everyone = range(len(names))
    defeats = [max((contests[j][i] for j in everyone), default=0) for i in everyone]
    first = condorcet_winner(pairwise)

    def describe(i: int) -> dict[str, Any] | None:
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
            "worst": {names[i]: describe(i) for i in everyone},
        },
        **ballot_fields(ballots),
        **outcome_fields(rank_by_score(names, [-defeat for defeat in defeats])),
    )


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
        reasons={"votes": {name: exact_text(each) for name, each in zip(normal.candidates, votes, strict=True)}},
        **ballot_fields(ballots),
        **outcome_fields(groups),
    )
