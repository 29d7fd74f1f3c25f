"""Votes, points or first preferences as bars; for minimax the worst defeat of each, where less is better."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result

from .bars import OF_ELECTIONS, Bar, Marks, draw
from .drawing import Picture, Table, exact, in_order, number, voters

MAX_CANDIDATES_DRAWN = 16


@dataclass(frozen=True, slots=True)
class Score:
    name: str
    length: Fraction
    shown: str
    exact: tuple[str, ...]


def points(result: Result, marks: Marks = OF_ELECTIONS) -> Picture:
    title, head, note = labels(result.method)
    scores = [score(result, name) for name in in_order(result)]
    whole = Fraction(result.total) if result.method == "approval" else max(score.length for score in scores)
    bars = [_bar(result, score, marks) for score in scores[:MAX_CANDIDATES_DRAWN]]
    rows = tuple((score.name, *score.exact) for score in scores)
    return Picture(
        title, draw(bars, whole or Fraction(1)), _note(result, note), Table((_("Name"), *head), rows), "narrow"
    )


def labels(method: str) -> tuple[str, tuple[str, ...], str]:
    if method in ("borda", "score", "star", "cumulative"):
        return _("Points"), (_("Points"),), ""
    if method == "approval":
        return _("Approvals"), (_("Votes"),), _("A bar as long as its row would be the approval of every vote.")
    if method in ("most-votes", "majority"):
        return _("Votes"), (_("Votes"),), ""
    if method == "copeland":
        note = _("A win counts one, a draw a half.")
        return _("Contests won"), (_("Score"), _("Won"), _("Drawn"), _("Lost")), note
    if method == "minimax":
        note = _("Shorter is better: a candidate who was never beaten has no bar.")
        return _("Worst defeats"), (_("Worst defeat by"), _("For"), _("Against")), note
    return _("First preferences"), (_("Votes"),), ""


def score(result: Result, name: str) -> Score:
    if result.method == "copeland":
        found = result.reasons["scores"][name]
        every = tuple(exact(found[each]) for each in ("score", "won", "drawn", "lost"))
        return Score(name, Fraction(found["score"]), number(found["score"]), every)
    if result.method == "minimax":
        return _defeat(name, result.reasons["worst"][name])
    if result.method == "majority":
        counted = result.reasons[name.lower()]
    else:
        counted = result.reasons["points" if "points" in result.reasons else "votes"][name]
    return Score(name, Fraction(counted), number(counted), (exact(counted),))


def _defeat(name: str, worst: dict[str, int | str] | None) -> Score:
    if worst is None:
        return Score(name, Fraction(0), _("never beaten"), ("\N{EN DASH}",) * 3)
    ayes, noes = worst["for"], worst["against"]
    return Score(name, Fraction(ayes), f"{noes} : {ayes}", (str(worst["by"]), str(ayes), str(noes)))


def _bar(result: Result, score: Score, marks: Marks) -> Bar:
    won = score.name in result.winners
    mark, kind = ("elected", "won") if won else ("", "other")
    return Bar(score.name, score.length, score.shown, mark, kind, spoken=str(marks.elected))


def _note(result: Result, note: str) -> str:
    return " ".join(filter(None, [note, counted_note(result), shown_note(result)]))


def shown_note(result: Result) -> str:
    if len(result.candidates) <= MAX_CANDIDATES_DRAWN:
        return ""
    shown = _("Showing the first %(shown)s of %(every)s.")
    return shown % {"shown": MAX_CANDIDATES_DRAWN, "every": len(result.candidates)}


def counted_note(result: Result) -> str:
    is_ranked = KIND_OF[result.method] == "ranked"
    counted = (
        _("With a ranking: %(count)s; blank: %(blank)s.") if is_ranked else _("Votes: %(count)s; blank: %(blank)s.")
    )
    return counted % {"count": voters(result) if is_ranked else result.total, "blank": result.blank}
