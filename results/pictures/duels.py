"""The winner one to one against everybody else, each contest a bar from both ends; several winners among themselves."""

from __future__ import annotations

from itertools import combinations, islice

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tally.result import Result

from .bars import split
from .drawing import TICK, clipped, fit, fluid, in_order, isolated, joined, sign, tag, voters, words
from .picture import Picture, Table

MOST = 12
LISTED = 500  # in the table
ROW = 58


def duels(result: Result) -> Picture | None:
    pairs = contests(result)
    shown = [(name, other, *votes(result, name, other)) for name, other in pairs[:MOST]]
    said = [
        _("%(name)s %(votes)s, %(other)s %(against)s")
        % {"name": isolated(name), "votes": ayes, "other": isolated(other), "against": noes}
        for name, other, ayes, noes in shown
    ]
    title = _title(result)
    drawn = joined(_row(result, *contest, y=ROW * position) for position, contest in enumerate(shown))
    return Picture(
        title,
        fluid(ROW * len(shown), title, "; ".join(said), drawn, kind="duels"),
        _note(result, len(shown), len(pairs)),
        _table(result, pairs),
    )


def contests(result: Result) -> list[tuple[str, str]]:
    if len(result.winners) == 1:
        first = result.winners[0]
        return [(first, other) for other in in_order(result) if other != first]
    return list(islice(combinations(result.winners, 2), LISTED))


def votes(result: Result, name: str, other: str) -> tuple[int, int]:
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    return result.pairwise[i][j], result.pairwise[j][i]


def _title(result: Result) -> str:
    if len(result.winners) > 1:
        return _("Those in first place, one to one")
    return _("%(name)s against everybody else, one to one") % {"name": isolated(result.winners[0])}


def _row(result: Result, name: str, other: str, ayes: int, noes: int, *, y: float) -> SafeString:
    left = words(fit(name, 15), 18 if ayes > noes else 0, 15, "won" if ayes > noes else None)
    right = words(fit(other, 15), "100%", 15, "won" if noes > ayes else None, text_anchor="end")
    return tag(
        "g",
        clipped(y, 21, 52, *([sign(TICK, 0, 3, "elected")] if ayes > noes else []), left),
        clipped(y, 21, 46, right, x=54),
        split(ayes, noes, voters(result), y + 22),
    )


def _note(result: Result, shown: int, every: int) -> str:
    counted = _("Ballots that rank anybody: %(count)s; blank: %(blank)s.")
    between = _("What is left between the two are ballots that prefer neither.")
    note = f"{between} {counted % {'count': voters(result), 'blank': result.blank}}"
    if shown == every:
        return note
    return f"{note} " + _("Shown are %(shown)s contests of %(every)s.") % {"shown": shown, "every": every}


def _table(result: Result, pairs: list[tuple[str, str]]) -> Table:
    rows = []
    for name, other in pairs:
        ayes, noes = votes(result, name, other)
        rows.append((name, str(ayes), other, str(noes), str(voters(result) - ayes - noes)))
    head = _("Candidate"), _("Ballots"), _("Against"), _("Ballots"), _("Neither")
    return Table(head, tuple(rows))
