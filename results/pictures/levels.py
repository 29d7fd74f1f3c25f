"""Scores: how many ballots gave each candidate each score, from the best to the worst; and STAR's runoff."""

from __future__ import annotations

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from foundation.tally import star
from foundation.tally.ballots import MAX_SCORE
from foundation.tally.result import Result

from .bars import (
    BAR_HEIGHT_PX,
    MAX_CANDIDATES_DRAWN,
    OF_ELECTIONS,
    Marks,
    counted_note,
    marked,
    score,
    shown_note,
    strip,
)
from .contests import Contest, contest
from .drawing import Picture, Table, in_order, joined, share, tag

SCORES = range(MAX_SCORE, -1, -1)


def levels(result: Result, marks: Marks = OF_ELECTIONS) -> Picture:
    names = in_order(result)
    rows = (_row(result, name, marks) for name in names[:MAX_CANDIDATES_DRAWN])
    swatches = [
        tag("svg", _part(value, "0", "100%"), width=14, height=14, aria_hidden="true", class_="picture")
        for value in SCORES
    ]
    keys = [tag("li", swatch, tag("span", value)) for swatch, value in zip(swatches, SCORES, strict=True)]
    legend = tag("ul", *keys, class_="level-keys", role="list", aria_label=_("Scores"))
    drawn = joined([legend, tag("ul", *rows, class_="picture bar-rows levels", role="list")])
    note = _("How many votes gave each score. The number is the total of all scores.")
    head = _("Name"), _("Points"), *map(str, SCORES)
    table = tuple((name, score(result, name).shown, *reversed(result.reasons["levels"][name])) for name in names)
    return Picture(
        _("Scores"), drawn, f"{note} {counted_note(result)} {shown_note(result)}".strip(), Table(head, table), "narrow"
    )


def _row(result: Result, name: str, marks: Marks) -> SafeString:
    won = name in result.winners
    sign = marked("elected" if won else "", str(marks.elected))
    given = [int(number) for number in reversed(result.reasons["levels"][name])]
    starts = [sum(given[:at]) for at in range(len(given))]  # side by side, the best first
    parts = [
        _part(value, share(start, result.total), share(number, result.total), height=BAR_HEIGHT_PX, y=3)
        for value, start, number in zip(SCORES, starts, given, strict=True)
        if number
    ]
    return tag(
        "li",
        tag("span", *sign, tag("bdi", name), class_="bar-label"),
        tag("b", score(result, name).shown, class_="number"),
        strip(BAR_HEIGHT_PX + 6, *parts),
        class_=f"bar-row {'won' if won else 'other'}",
    )


def _part(value: int, x: str, width: str, *, height: int = 14, y: int = 0) -> SafeString:
    return tag("rect", x=x, y=y, width=width, height=height, class_=f"level level-{value}")


def runoff(result: Result) -> Picture | None:
    """The two finalists, by whom more ballots score higher; with several seats, those of each."""
    rounds = star.rounds_of(result)
    held = [(seat, each) for seat, each in enumerate(rounds, 1) if each["runoff"]]
    if not held:
        return None
    several = len(rounds) > 1
    duels = []
    for seat, each in held:
        one, other = sorted(each["finalists"], key=lambda name: name != result.winners[seat - 1])
        rank = f"{seat}." if several else ""
        duels.append(Contest(one, int(each["runoff"][one]), other, int(each["runoff"][other]), rank=rank))
    rows = (contest(duel, result.total) for duel in duels)
    table = tuple(
        (*([duel.rank] if several else []), duel.name, str(duel.ayes), duel.other, str(duel.noes), each["equal"])
        for duel, (_seat, each) in zip(duels, held, strict=True)
    )
    head = *([_("Seat")] if several else []), _("Name"), _("Ballots"), _("Against"), _("Ballots"), _("Both the same")
    note = _("How many votes score one higher than the other. The gap between the two: both the same.")
    drawn = tag("ul", *rows, class_="picture contests", role="list")
    return Picture(_("Runoffs") if several else _("Runoff"), drawn, note, Table(head, table), "narrow")
