"""Bars, one below the other: a name and a number on a line, and the bar under it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.safestring import SafeString

from .drawing import CROSS, TICK, at_right, clipped, fit, joined, share, short, sign, tag, words

ROW = 42
THICK = 12
SIGNS = {"elected": TICK, "eliminated": CROSS}


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    length: Fraction
    shown: str
    mark: str = ""  # "elected" or "eliminated"
    kind: str = "other"  # "won", "seated", "other", "gone", "nobody"; "several" has no bar
    is_name: bool = True


def draw(bars: Sequence[Bar], whole: Fraction, top: float, needed: Fraction | None = None) -> SafeString:
    """Bars from the top on; one of the length of the whole goes all the way, and a line says what is needed."""
    return joined(_row(bar, whole, top + ROW * position, needed) for position, bar in enumerate(bars))


def _row(bar: Bar, whole: Fraction, y: float, needed: Fraction | None) -> SafeString:
    label = words(fit(bar.label) if bar.is_name else bar.label, 18 if bar.mark else 0, 15)
    mark = [sign(SIGNS[bar.mark], 0, 3, bar.mark)] if bar.mark else []
    return tag(
        "g",
        tag("title", f"{bar.label}: {bar.shown}"),
        clipped(y, 21, 74, *mark, label),
        at_right(bar.shown, y + 15, "number"),
        *([] if bar.kind == "several" else _strips(bar, whole, y + 22, needed)),
        class_=f"row {bar.kind}",
    )


def _strips(bar: Bar, whole: Fraction, y: float, needed: Fraction | None) -> list[SafeString]:
    across = {"y": short(y), "height": THICK}
    strips = [
        tag("rect", x=0, width="100%", class_="track", **across),
        tag("rect", x=0, width=share(bar.length, whole), class_="bar", **across),
    ]
    if needed is None or bar.kind == "nobody":
        return strips
    at = share(needed, whole)
    return [*strips, tag("line", x1=at, x2=at, y1=short(y - 3), y2=short(y + THICK + 3), class_="needed")]


def notes(said: Iterable[str], y: float) -> SafeString:
    """Lines of small writing below."""
    return joined(words(line, 0, y + 18 * position, "small") for position, line in enumerate(said))


# --- a contest of two ---

SPLIT = 22
DIGIT = 0.035  # of the width, on a phone


def split(ayes: int, noes: int, of: int, y: float) -> SafeString:
    """Those for one from the left, those for the other from the right, between them who prefers neither."""
    across = {"y": short(y), "height": SPLIT}
    strips = [
        tag("rect", x=0, width="100%", class_="track", **across),
        tag("rect", x=0, width=share(ayes, of), class_="bar first", **across),
        tag("rect", x=share(of - noes, of), width=share(noes, of), class_="bar second", **across),
    ]
    return joined([*strips, _ayes(ayes, of, y + 16), _noes(ayes, noes, of, y + 16)])


def _room(number: int, of: int) -> float:
    return (len(str(number)) + 2) * DIGIT * of


def _ayes(ayes: int, of: int, y: float) -> SafeString:
    """On its bar, or right beside one that is too short."""
    if ayes >= _room(ayes, of):
        return tag("text", ayes, x=0, dx=7, y=short(y), class_="number on-bar")
    return tag("text", ayes, x=share(ayes, of), dx=7, y=short(y), class_="number")


def _noes(ayes: int, noes: int, of: int, y: float) -> SafeString:
    """On its bar, or beside one that is too short: between the two, or at the end of the other."""
    ends = {"text_anchor": "end", "dx": -7, "y": short(y)}
    if noes >= _room(noes, of):
        return tag("text", noes, x="100%", class_="number", **ends)
    if of - ayes - noes >= _room(noes, of):
        return tag("text", noes, x=share(of - noes, of), class_="number", **ends)
    return tag("text", noes, x=share(ayes, of), class_="number on-bar", **ends)
