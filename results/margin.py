"""How far ahead the winner, or the winner of the last seat, was: two names and two numbers, drawn as one bar.

Where "ahead" has several senses, the closest counts: the one-to-one contest that was nearest to being lost, or the last
round in which a seat was still open.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tally.result import Result

from .pictures.drawing import fluid, in_order, isolated, number, share, tag, voters

HEIGHT_PX = 22
CHAINS, CONTEST, ROUND, SEAT, POINTS, VOTES = "chains", "contest", "round", "seat", "points", "votes"


@dataclass(frozen=True, slots=True)
class Margin:
    """The votes of a winner and of the closest rival."""

    name: str
    votes: Fraction
    other: str
    against: Fraction
    kind: str

    @property
    def title(self) -> str:
        return {
            CHAINS: _("The closest chains of won contests"),
            CONTEST: _("The closest contest"),
            ROUND: _("The last round"),
            SEAT: _("The last seat"),
            POINTS: _("Points"),
            VOTES: _("First preferences"),
        }[self.kind]

    @property
    def ayes(self) -> str:
        return number(self.votes)

    @property
    def noes(self) -> str:
        return number(self.against)

    @property
    def sentence(self) -> str:
        ahead = self.votes - self.against
        template = _ahead(self.kind, 1 if ahead == 1 else 2) if ahead else _level(self.kind)
        return template % {"name": self.name, "other": self.other, "votes": number(ahead)}

    @property
    def svg(self) -> SafeString:
        """One bar, parted where the two meet; a line marks the half."""
        whole, across = self.votes + self.against, {"y": 5, "height": HEIGHT_PX}
        description = f"{isolated(self.name)} {self.ayes} : {self.noes} {isolated(self.other)}"
        return fluid(
            HEIGHT_PX + 10,
            self.title,
            description,
            tag("rect", x=0, width="100%", class_="bar second", **across),
            tag("rect", x=0, width=share(self.votes, whole), class_="bar first", **across),
            tag("line", x1="50%", x2="50%", y1=0, y2=HEIGHT_PX + 10, class_="needed"),
            kind="margin",
        )


def margin_of(result: Result) -> Margin | None:
    """None if no one is ahead: without votes, in a tie, or with a seat for everyone."""
    if not voters(result) or len(result.candidates) < 2 or not result.winners:
        return None
    if result.rounds:
        return _of_rounds(result)
    if result.method in ("borda", "plurality"):
        return _of_points(result)
    return _of_contests(result)


# --- the ways to be ahead ---


def _of_rounds(result: Result) -> Margin | None:
    """From the last round with both a candidate who was yet to win a seat and one who got none."""
    rounds = result.rounds or ()
    for at in range(len(rounds) - 1, -1, -1):
        seated = {name for before in rounds[:at] for name in before.elected}
        tally = {name: Fraction(votes) for name, votes in rounds[at].tally.items() if name not in seated}
        ahead = [name for name in tally if name in result.winners]
        behind = [name for name in tally if name not in result.winners]
        if ahead and behind:
            name, other = min(ahead, key=lambda each: tally[each]), max(behind, key=lambda each: tally[each])
            kind = SEAT if result.seats > 1 else ROUND
            return Margin(name, tally[name], other, tally[other], kind) if tally[name] >= tally[other] else None
    return None


def _of_points(result: Result) -> Margin | None:
    if len(result.winners) > 1:
        return None
    kind = POINTS if result.method == "borda" else VOTES
    scores = {name: Fraction(votes) for name, votes in result.reasons[kind].items()}
    name, other = in_order(result)[:2]
    return Margin(name, scores[name], other, scores[other], kind)


def _of_contests(result: Result) -> Margin | None:
    assert result.pairwise is not None
    if len(result.winners) > 1:
        return None
    numbers = {name: at for at, name in enumerate(result.candidates)}
    winner = numbers[result.winners[0]]
    contests = {
        other: (result.pairwise[winner][at], result.pairwise[at][winner])
        for other, at in numbers.items()
        if at != winner
    }
    if any(ayes < noes for ayes, noes in contests.values()) and result.method == "schulze":
        return _of_chains(result, winner)
    won = {other: votes for other, votes in contests.items() if votes[0] >= votes[1]}
    if not won:
        return None
    order = in_order(result)
    other = min(won, key=lambda each: (won[each][0] - won[each][1], order.index(each)))
    return Margin(result.winners[0], Fraction(won[other][0]), other, Fraction(won[other][1]), CONTEST)


def _of_chains(result: Result, winner: int) -> Margin | None:
    """Of the winner of a cycle: how much stronger its chains are than those back, where they differ in votes."""
    strongest = result.reasons["strongest"]
    pairs = {
        name: (strongest[winner][at][0], strongest[at][winner][0])
        for at, name in enumerate(result.candidates)
        if at != winner
    }
    order = in_order(result)
    other = min(pairs, key=lambda each: (pairs[each][0] - pairs[each][1], order.index(each)))
    ayes, noes = pairs[other]
    return Margin(result.winners[0], Fraction(ayes), other, Fraction(noes), CHAINS) if ayes > noes else None


# --- in words ---


def _level(kind: str) -> str:
    if kind == CONTEST:
        return _("%(name)s and %(other)s tied head to head.")
    return _("%(name)s and %(other)s were tied; an earlier round or a lot decided.")


def _ahead(kind: str, many: int) -> str:
    if kind == CHAINS:
        return ngettext(
            "The chain from %(name)s to %(other)s is stronger than the one back by %(votes)s ballot.",
            "The chain from %(name)s to %(other)s is stronger than the one back by %(votes)s ballots.",
            many,
        )
    if kind == CONTEST:
        return ngettext(
            "%(name)s beat %(other)s by %(votes)s ballot.", "%(name)s beat %(other)s by %(votes)s ballots.", many
        )
    if kind == SEAT:
        return ngettext(
            "%(name)s won it, %(votes)s vote ahead of %(other)s.",
            "%(name)s won it, %(votes)s votes ahead of %(other)s.",
            many,
        )
    if kind == POINTS:
        return ngettext(
            "%(name)s was %(votes)s point ahead of %(other)s.",
            "%(name)s was %(votes)s points ahead of %(other)s.",
            many,
        )
    return ngettext(
        "%(name)s was %(votes)s vote ahead of %(other)s.", "%(name)s was %(votes)s votes ahead of %(other)s.", many
    )
