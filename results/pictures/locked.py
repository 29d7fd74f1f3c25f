"""Ranked pairs: contests from the strongest to the weakest, each locked, or left out with the cycle it would close."""

from __future__ import annotations

from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tally.result import Result

from .bars import split
from .drawing import CROSS, TICK, clipped, fit, fluid, in_order, isolated, joined, lines, sign, tag, voters, words
from .picture import Picture, Table

MOST = 8  # candidates; they have 28 contests
ROW = 58
LINE = 18


def locked(result: Result) -> Picture | None:
    among = set(in_order(result)[:MOST])
    every = sorted(result.reasons["locked"] + result.reasons["skipped"], key=_place)
    shown = [contest for contest in every if {contest["winner"], contest["loser"]} <= among]
    if not shown:
        return None  # every contest is a draw
    title = _("Contests in the order of their strength")
    drawn, y = [], 0.0
    for contest in shown:
        drawn.append(_row(contest, voters(result), y))
        y += ROW + LINE * len(_why(contest))
    said = "; ".join(
        f"{isolated(each['winner'])} > {isolated(each['loser'])} {_numbers(each)}, {_fate(each)}" for each in shown
    )
    return Picture(
        title, fluid(y, title, said, joined(drawn), kind="locked"), _note(result, among), _table(every), "narrow"
    )


def _place(contest: dict[str, Any]) -> tuple[Any, ...]:
    return contest["rank"], "cycle" in contest, contest["winner"], contest["loser"]


def _numbers(contest: dict[str, Any]) -> str:
    return f"{contest['for']} : {contest['against']}"


def _fate(contest: dict[str, Any]) -> str:
    return _("left out") if "cycle" in contest else _("locked")


def _row(contest: dict[str, Any], of: int, y: float) -> SafeString:
    out = "cycle" in contest
    mark = sign(CROSS, 0, 3, "eliminated") if out else sign(TICK, 0, 3, "elected")
    names = f"{contest['rank']}. {fit(contest['winner'], 14)} > {fit(contest['loser'], 14)}"
    why = (words(line, 18, y + 60 + LINE * at, "small") for at, line in enumerate(_why(contest)))
    return tag(
        "g",
        clipped(y, 21, 100, mark, words(names, 18, 15)),
        split(contest["for"], contest["against"], of, y + 22),
        *why,
        class_="row out" if out else "row",
    )


def _why(contest: dict[str, Any]) -> list[str]:
    if "cycle" not in contest:
        return []
    said = (
        _("left out: with contests as strong it would close the cycle")
        if contest["equals"]
        else _("left out: it would close the cycle")
    )
    return lines(f"{said} " + " > ".join(fit(name, 12) for name in contest["cycle"]), 34)


def _note(result: Result, among: set[str]) -> str:
    said = _(
        "From the left the ballots for the winner of the contest, from the right those for the loser; a tick says "
        "locked, a cross left out. Contests of the same number are equally strong."
    )
    if len(among) == len(result.candidates):
        return said
    rest = _("Shown are the contests among the first %(shown)s of %(every)s candidates; the table has the strongest.")
    return f"{said} " + rest % {"shown": len(among), "every": len(result.candidates)}


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
