"""Every contest one to one as a field of numbers: rows and columns in the order of the result, darker where the row won
more clearly."""

from __future__ import annotations

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tally.result import Result

from .drawing import fit, in_order, joined, short, sized, tag, voters
from .picture import Picture

MOST = 16
TALL = 32
ROOM = 480  # a picture less wide may have another beside it
STEPS = (0.05, 0.15, 0.3, 0.5)  # margins, as parts of the ballots that prefer one, from which on it is darker


def heat_map(result: Result) -> Picture | None:
    if len(result.candidates) < 3:
        return None
    order = in_order(result)[:MOST]
    title = _("Everybody against everybody")
    across = max(40, 9 * len(str(voters(result))) + 12)
    label = 22 + 7.6 * max(min(len(name), 20) for name in order)
    head = 14 + 5.2 * max(min(len(name), 16) for name in order)
    rows = joined(_row(result, order, name, label, head + TALL * at, across) for at, name in enumerate(order))
    heads = joined(_head(name, label + across * (at + 0.5), head) for at, name in enumerate(order))
    size = label + across * len(order) + head, head + TALL * len(order) + 2
    return Picture(
        title, sized(*size, title, _desc(), heads, rows, kind="heat"), _note(result, len(order)), kind=_kind(size[0])
    )


def _kind(wide: float) -> str:
    return "matrix" if wide < ROOM else "wide"


def _desc() -> str:
    return _(
        "Each number is how many ballots rank the candidate of the row above the one of the column; "
        "the table below has the same numbers."
    )


def _head(name: str, x: float, y: float) -> SafeString:
    turned = f"translate({short(x + 4)} {short(y - 8)}) rotate(-45)"
    return tag("text", tag("title", name), fit(name, 16), transform=turned, class_="small")


def _row(result: Result, order: list[str], name: str, label: float, y: float, across: float) -> SafeString:
    chosen = "won" if name in result.winners else None
    head = tag(
        "text",
        tag("title", name),
        fit(name, 20),
        x=short(label - 10),
        y=short(y + 21),
        text_anchor="end",
        class_=chosen,
    )
    cells = (_cell(result, name, other, label + across * at, y, across) for at, other in enumerate(order))
    return joined([head, *cells])


def _cell(result: Result, name: str, other: str, x: float, y: float, across: float) -> SafeString:
    box = {"x": short(x + 1), "y": short(y + 1), "width": short(across - 2), "height": TALL - 2}
    if name == other:
        return tag("rect", class_="none", **box)
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    ayes, noes = result.pairwise[i][j], result.pairwise[j][i]
    kind = shade(ayes, noes)
    said = tag(
        "text", f"={ayes}" if ayes == noes else ayes, x=short(x + across / 2), y=short(y + 21), text_anchor="middle"
    )
    return tag("g", tag("rect", **box), said, class_=f"cell {kind}")


def shade(ayes: int, noes: int) -> str:
    if ayes == noes:
        return "drawn"
    if ayes < noes:
        return "lost"
    return f"beat-{sum(ayes - noes >= step * (ayes + noes) for step in STEPS)}"


def _note(result: Result, shown: int) -> str:
    said = _(
        "Ballots that rank the candidate of the row above the one of the column. Shaded and bold where the row won, "
        "the darker the more clearly; = where it was a draw."
    )
    if shown == len(result.candidates):
        return said
    return f"{said} " + _("Shown are the first %(shown)s of %(every)s candidates.") % {
        "shown": shown,
        "every": len(result.candidates),
    }
