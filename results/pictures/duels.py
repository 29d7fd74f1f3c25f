"""The winner one to one against everyone else, each contest a bar from both ends; several winners among themselves."""

from __future__ import annotations

from itertools import combinations, islice

from django.utils.translation import gettext as _

from tally.result import Result

from .bars import Contest, contest
from .drawing import Picture, Table, in_order, isolated, tag, voters

MAX_CONTESTS_DRAWN = 12
MAX_CONTESTS_LISTED = 500  # in the table


def duels(result: Result) -> Picture | None:
    pairs = contests(result)
    shown = [_contest(result, name, other) for name, other in pairs[:MAX_CONTESTS_DRAWN]]
    rows = (contest(each, voters(result)) for each in shown)
    return Picture(
        _title(result),
        tag("ul", *rows, class_="picture contests", role="list"),
        _note(result, len(shown), len(pairs)),
        _table(result, pairs),
    )


def _contest(result: Result, name: str, other: str) -> Contest:
    ayes, noes = votes(result, name, other)
    return Contest(name, ayes, other, noes, is_named=len(result.winners) > 1)


def contests(result: Result) -> list[tuple[str, str]]:
    if len(result.winners) == 1:
        first = result.winners[0]
        return [(first, other) for other in in_order(result) if other != first]
    return list(islice(combinations(result.winners, 2), MAX_CONTESTS_LISTED))


def votes(result: Result, name: str, other: str) -> tuple[int, int]:
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    return result.pairwise[i][j], result.pairwise[j][i]


def _title(result: Result) -> str:
    if len(result.winners) > 1:
        return _("The candidates in first place, head to head")
    return _("%(name)s against each of the others, head to head") % {"name": isolated(result.winners[0])}


def _note(result: Result, shown: int, every: int) -> str:
    counted = _("Ballots with a ranking: %(count)s; blank: %(blank)s.")
    between = _("The gap between the two is ballots that prefer neither.")
    note = f"{between} {counted % {'count': voters(result), 'blank': result.blank}}"
    if shown == every:
        return note
    return f"{note} " + _("Showing %(shown)s of %(every)s contests.") % {"shown": shown, "every": every}


def _table(result: Result, pairs: list[tuple[str, str]]) -> Table:
    rows = []
    for name, other in pairs:
        ayes, noes = votes(result, name, other)
        rows.append((name, str(ayes), other, str(noes), str(voters(result) - ayes - noes)))
    head = _("Name"), _("Ballots"), _("Against"), _("Ballots"), _("Neither")
    return Table(head, tuple(rows))
