"""How far ahead the winner, or the winner of the last seat, was: two names and two numbers, drawn as one bar.

Where "ahead" has several senses, the closest counts: the one-to-one contest that was nearest to being lost, or the last
round in which a seat was still open. Of a winner who lost a contest, it is the two wins by whose strength the cycle was
decided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.tally import star
from foundation.tally.condorcet import Graph
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result

from .pictures.bars import score
from .pictures.contests import votes as votes_of
from .pictures.drawing import fluid, in_order, isolated, number, rounded, share, tag, voters

HEIGHT_PX = 22
CYCLE, CONTEST, ROUND, SEAT, POINTS, VOTES = "cycle", "contest", "round", "seat", "points", "votes"
RUNOFF, MARKS = "runoff", "marks"


class Win(NamedTuple):
    """Who beat whom, and the ballots for each."""

    name: str
    other: str
    votes: int
    against: int


@dataclass(frozen=True, slots=True)
class Margin:
    """The votes of a winner and of the closest rival."""

    name: str
    votes: Fraction
    other: str
    against: Fraction
    kind: str
    win: Win | None = None  # in a cycle, the two that decided: the weakest on the way to the rival,
    back: Win | None = None  # and the weakest on the way back

    @property
    def title(self) -> str:
        return {
            CYCLE: _("The contests that decided"),
            CONTEST: _("The closest contest"),
            ROUND: _("The last round"),
            SEAT: _("The last seat"),
            POINTS: _("Points"),
            VOTES: _("First preferences"),
            RUNOFF: _("Runoff"),
            MARKS: _("Votes"),
        }[self.kind]

    @property
    def labels(self) -> list[str]:
        """To whom, or to which contests, the two numbers belong."""
        wins = [" > ".join(map(isolated, (win.name, win.other))) for win in (self.win, self.back) if win]
        return wins or [isolated(self.name), isolated(self.other)]

    @property
    def ayes(self) -> str:
        return number(self.votes, self.against)

    @property
    def noes(self) -> str:
        return number(self.against, self.votes)

    @property
    def ahead(self) -> Fraction:
        """The difference of the numbers as they are shown."""
        return rounded(self.votes) - rounded(self.against) or self.votes - self.against

    @property
    def sentence(self) -> str:
        if self.win and self.back:
            return _(
                "The chain of wins from %(first)s to %(rival)s is only as strong as its weakest win, %(name)s over "
                "%(other)s, %(votes)s to %(against)s. The way back is weaker: %(back)s over %(to)s, %(for)s to "
                "%(less)s."
            ) % {
                **{"first": self.name, "rival": self.other, **self.win._asdict()},
                **dict(zip(("back", "to", "for", "less"), self.back, strict=True)),
            }
        template = _ahead(self.kind, 1 if self.ahead == 1 else 2) if self.ahead else _level(self.kind)
        return template % {"name": self.name, "other": self.other, "votes": number(self.ahead, 0)}

    @property
    def svg(self) -> SafeString:
        """One bar, parted where the two meet; a line marks the half."""
        whole, across = self.votes + self.against, {"y": 5, "height": HEIGHT_PX}
        description = f"{self.labels[0]} {self.ayes} : {self.noes} {self.labels[1]}"
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
    """None if no one is ahead: without votes, in a tie, with a seat for everyone, or in a vote on yes or no."""
    if result.method == "majority" or not voters(result) or len(result.candidates) < 2 or not result.winners:
        return None
    if result.rounds:
        return _of_rounds(result)
    if result.method in ("borda", "plurality"):
        return _of_points(result)
    if result.method == "star":
        return _of_runoff(result)
    return _of_marks(result) if KIND_OF[result.method] != "ranked" else _of_contests(result)


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


def _of_marks(result: Result) -> Margin | None:
    """The last of those elected, and the first of the others."""
    scores = {name: score(result, name).length for name in in_order(result)}
    others = [name for name in scores if name not in result.winners]
    if not others:
        return None
    last = min(result.winners, key=lambda name: scores[name])
    kind = POINTS if "points" in result.reasons else MARKS
    return Margin(last, scores[last], others[0], scores[others[0]], kind)


def _of_runoff(result: Result) -> Margin | None:
    """STAR: of the last seat."""
    last = star.rounds_of(result)[-1]
    if not last["runoff"]:
        return None
    name, other = sorted(last["finalists"], key=lambda each: each != result.winners[-1])
    return Margin(name, Fraction(last["runoff"][name]), other, Fraction(last["runoff"][other]), RUNOFF)


def _of_contests(result: Result) -> Margin | None:
    assert result.pairwise is not None
    if len(result.winners) > 1:
        return None
    winner = result.winners[0]
    contests = {other: votes_of(result, winner, other) for other in in_order(result) if other != winner}
    if any(ayes < noes for ayes, noes in contests.values()):
        return _of_cycle(result)
    other = min(contests, key=lambda each: contests[each][0] - contests[each][1])
    return Margin(winner, Fraction(contests[other][0]), other, Fraction(contests[other][1]), CONTEST)


def _of_cycle(result: Result) -> Margin | None:
    """The rival who came closest: what is compared are the ballots for a win and, of equals, those against it."""
    ways = _chains(result) if result.method == "schulze" else _left_out(result)
    closest = min(ways, key=lambda way: (way[1].votes - way[2].votes, way[2].against - way[1].against), default=None)
    if closest is None:
        return None
    rival, win, back = closest
    return Margin(result.winners[0], Fraction(win.votes), rival, Fraction(back.votes), CYCLE, win, back)


def _chains(result: Result) -> Iterator[tuple[str, Win, Win]]:
    """Schulze: the weakest win of the strongest chain to each rival, and of the strongest chain back."""
    names, paths = result.candidates, result.reasons["paths"]
    winner = names.index(result.winners[0])

    def weakest(path: list[int]) -> Win:
        links = (Win(name, other, *votes_of(result, name, other)) for name, other in pairwise(names[i] for i in path))
        return min(links, key=lambda win: (win.votes, -win.against))

    for rival in sorted(
        range(len(names)), key=lambda each: len(paths[each][winner])
    ):  # first those who beat the winner
        if paths[winner][rival] and paths[rival][winner]:
            yield names[rival], weakest(paths[winner][rival]), weakest(paths[rival][winner])


def _left_out(result: Result) -> Iterator[tuple[str, Win, Win]]:
    """Ranked pairs: each win over the winner that was left out, and the locked one that completed the way to the rival
    before it. A win that only equally strong ones contradict has none, and neither have other methods."""
    numbers = {name: at for at, name in enumerate(result.candidates)}
    winner = result.winners[0]
    skipped = result.reasons.get("skipped", ())
    for left in (each for each in skipped if each["loser"] == winner and not each["equals"]):
        graph, rival = Graph(len(numbers)), left["winner"]
        for each in result.reasons["locked"]:
            graph.add(numbers[each["winner"]], numbers[each["loser"]])
            if graph.reaches(numbers[winner], numbers[rival]):
                yield rival, _win(each), _win(left)
                break


def _win(contest: dict[str, Any]) -> Win:
    return Win(contest["winner"], contest["loser"], contest["for"], contest["against"])


# --- in words ---


def _level(kind: str) -> str:
    if kind == CONTEST:
        return _("%(name)s and %(other)s tied head to head.")
    if kind == RUNOFF:
        return _("The runoff between %(name)s and %(other)s was a draw.")
    if kind in (POINTS, MARKS):
        return _("%(name)s and %(other)s were tied; a lot decided.")
    return _("%(name)s and %(other)s were tied; an earlier round or a lot decided.")


def _ahead(kind: str, many: int) -> str:
    if kind in (CONTEST, RUNOFF):
        return ngettext(
            "%(name)s beat %(other)s by %(votes)s vote.", "%(name)s beat %(other)s by %(votes)s votes.", many
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
