"""Ranked pairs: contests from the strongest to the weakest, each locked, or left out with the cycle it would close."""

from __future__ import annotations

from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tally.result import Result

from .bars import Contest, contest
from .drawing import Picture, Table, in_order, isolated, tag, voters

MAX_CANDIDATES_DRAWN = 8  # candidates; they have 28 contests
COLUMN_CONTESTS = 8  # contests below each other; more stand in several columns


def locked(result: Result) -> Picture | None:
    among = set(in_order(result)[:MAX_CANDIDATES_DRAWN])
    every = sorted(result.reasons["locked"] + result.reasons["skipped"], key=_place)
    shown = [contest for contest in every if {contest["winner"], contest["loser"]} <= among]
    if not shown:
        return None  # every contest is a draw
    title = _("Contests, strongest first")
    rows = (_row(each, voters(result)) for each in shown)
    drawn = tag("ul", *rows, class_="picture contests", role="list")
    return Picture(
        title, drawn, _note(result, among), _table(every), "rows" if len(shown) > COLUMN_CONTESTS else "narrow"
    )


def _place(contest: dict[str, Any]) -> tuple[Any, ...]:
    return contest["rank"], "cycle" in contest, contest["winner"], contest["loser"]


def _fate(contest: dict[str, Any]) -> str:
    return _("left out") if "cycle" in contest else _("locked")


def _row(each: dict[str, Any], of: int) -> SafeString:
    out = "cycle" in each
    mark = "eliminated" if out else "elected"
    shown = Contest(each["winner"], each["for"], each["loser"], each["against"], mark, _fate(each), f"{each['rank']}.")
    return contest(shown, of, *_why(each), kind="out" if out else "")


def _why(each: dict[str, Any]) -> list[SafeString]:
    if "cycle" not in each:
        return []
    notes = (
        _("left out: together with equally strong contests it would close the cycle")
        if each["equals"]
        else _("left out: it would close the cycle")
    )
    return [tag("p", f"{notes} " + " > ".join(map(isolated, each["cycle"])), class_="small")]


def _note(result: Result, among: set[str]) -> str:
    notes = _(
        "Ballots for the winner of each contest on the left, for the loser on the right; a tick means locked,"
        " a cross left out. Contests with the same number are equally strong."
    )
    if len(among) == len(result.candidates):
        return notes
    rest = _("Showing the contests among the first %(shown)s of %(every)s; the table has the strongest.")
    return f"{notes} " + rest % {"shown": len(among), "every": len(result.candidates)}


def _table(every: list[dict[str, Any]], most: int = 300) -> Table:
    head = _("Strength"), _("Winner"), _("Loser"), _("For"), _("Against"), _("Locked?"), _("Cycle")
    rows = (
        (
            str(each["rank"]),
            each["winner"],
            each["loser"],
            str(each["for"]),
            str(each["against"]),
            _fate(each),
            " > ".join(each.get("cycle", ())),
        )
        for each in every[:most]
    )
    return Table(head, tuple(rows))
