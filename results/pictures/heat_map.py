"""Every contest one to one as a field of numbers: rows and columns in the order of the result, darker where the row won
more clearly. Rows have names, and numbers by which the columns are called."""

from __future__ import annotations

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tally.result import Result

from .drawing import Picture, in_order, joined, short, sized, tag, text, text_lines, voters, width, wrapped

MAX_CANDIDATES_DRAWN = 16
ROW_HEIGHT_PX, TWO_LINE_ROW_HEIGHT_PX = 32, 42  # of a row whose name takes one line, or two
CHAR_WIDTH_PX = 7.4  # how wide one is, about
LINE_HEIGHT_PX = 17
MAX_LINE_CHARS = 20  # letters on a line
NUMBER_WIDTH_PX = 26  # room for the number of a row
HEAD_PX = 26
HALF_WIDTH_PX, FULL_WIDTH_PX = 500, 660  # one less wide than this may have another beside it; or else its words
STEPS = (0.05, 0.15, 0.3, 0.5)  # margins, as parts of the ballots that prefer one, from which on it is darker


def heat_map(result: Result) -> Picture | None:
    if len(result.candidates) < 3:
        return None
    order = in_order(result)[:MAX_CANDIDATES_DRAWN]
    names = {name: wrapped(name, MAX_LINE_CHARS) for name in order}
    tall = TWO_LINE_ROW_HEIGHT_PX if any(len(notes) > 1 for notes in names.values()) else ROW_HEIGHT_PX
    across = max(40, 9 * len(str(voters(result))) + 12)
    label = NUMBER_WIDTH_PX + 20 + CHAR_WIDTH_PX * max(width(line) for notes in names.values() for line in notes)
    heads = joined(_head(at, label + across * (at - 0.5)) for at in range(1, len(order) + 1))
    rows = joined(
        [
            *(_label(result, name, names[name], at, tall) for at, name in enumerate(order)),
            *(
                _cell(result, name, other, (label + across * column, HEAD_PX + tall * at), (across, tall))
                for at, name in enumerate(order)
                for column, other in enumerate(order)
            ),
        ]
    )
    title = _("All head-to-head contests")
    size = label + across * len(order) + 2, HEAD_PX + tall * len(order) + 2
    drawn = sized(*size, title, _desc(), heads, rows, kind="heat")
    is_wide = size[0] >= HALF_WIDTH_PX
    return Picture(
        title,
        drawn,
        _note(result, len(order)),
        kind="wide" if is_wide else "matrix",
        alone=HALF_WIDTH_PX <= size[0] < FULL_WIDTH_PX,
    )


def _desc() -> str:
    return _("Each number is how many ballots rank the name in the row above the one in the column.")


def _head(at: int, x: float) -> SafeString:
    return text(at, short(x), HEAD_PX - 8, "small", text_anchor="middle")


def _label(result: Result, name: str, notes: list[str], at: int, tall: float) -> SafeString:
    """The number of the row, and the name on one line or two, in the middle of the row."""
    middle = HEAD_PX + tall * (at + 0.5) + 5
    y = middle - LINE_HEIGHT_PX * (len(notes) - 1) / 2
    chosen = "won" if name in result.winners else None
    number = text(at + 1, NUMBER_WIDTH_PX - 8, middle, "small", text_anchor="end")
    return tag("g", tag("title", name), number, text_lines(notes, NUMBER_WIDTH_PX, y, LINE_HEIGHT_PX, chosen))


def _cell(result: Result, name: str, other: str, corner: tuple[float, float], size: tuple[float, float]) -> SafeString:
    (x, y), (wide, tall) = corner, size
    box = {"x": short(x + 1), "y": short(y + 1), "width": short(wide - 2), "height": short(tall - 2)}
    if name == other:
        return tag("rect", class_="none", **box)
    assert result.pairwise is not None
    i, j = result.candidates.index(name), result.candidates.index(other)
    ayes, noes = result.pairwise[i][j], result.pairwise[j][i]
    notes = text(f"={ayes}" if ayes == noes else ayes, short(x + wide / 2), y + tall / 2 + 5, text_anchor="middle")
    return tag("g", tag("rect", **box), notes, class_=f"cell {shade(ayes, noes)}")


def shade(ayes: int, noes: int) -> str:
    if ayes == noes:
        return "drawn"
    if ayes < noes:
        return "lost"
    return f"beat-{sum(ayes - noes >= step * (ayes + noes) for step in STEPS)}"


def _note(result: Result, shown: int) -> str:
    notes = _(
        "Number of ballots that rank the name in the row above the one in the column; columns are numbered like "
        "the rows. Shaded and bold where the row won, darker for a clearer win; = for a draw."
    )
    if shown == len(result.candidates):
        return notes
    return f"{notes} " + _("Showing the first %(shown)s of %(every)s.") % {
        "shown": shown,
        "every": len(result.candidates),
    }
