"""Bars, one below the other: a name and a number on a line, and the bar under it.

Names and numbers are text of the page, which wraps as it must at every width and in every script; only the bars are
drawn. So nothing can overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from .drawing import CROSS, TICK, joined, share, short, sign, tag

BAR_HEIGHT_PX = 12


class Marks(NamedTuple):
    """What a tick and a cross mean in a count."""

    elected: str | Promise
    eliminated: str | Promise


OF_ELECTIONS = Marks(_("elected"), _("eliminated"))
OF_POLLS = Marks(_("ahead"), _("out"))
SIGNS = {"elected": TICK, "eliminated": CROSS}


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    length: Fraction
    shown: str
    mark: str = ""  # "elected" or "eliminated"
    kind: str = "other"  # "won", "seated", "other", "gone", "nobody"; "several" has no bar
    is_name: bool = True
    spoken: str = ""  # what the mark means, for those who listen


def draw(bars: Sequence[Bar], whole: Fraction, needed: Fraction | None = None) -> SafeString:
    """Bars below each other; one of the length of the whole goes all the way, and a line says what is needed."""
    rows = (_row(bar, whole, needed) for bar in bars)
    return tag("ul", *rows, class_="picture bar-rows", role="list")


def _row(bar: Bar, whole: Fraction, needed: Fraction | None) -> SafeString:
    label = tag("bdi", bar.label) if bar.is_name else tag("span", bar.label)
    strip = [] if bar.kind == "several" else [_strip(bar, whole, needed)]
    return tag(
        "li",
        tag("span", *marked(bar.mark, bar.spoken), label, class_="bar-label"),
        tag("b", bar.shown, class_="number"),
        *strip,
        class_=f"bar-row {bar.kind}",
    )


def marked(mark: str, spoken: str) -> list[SafeString]:
    """A tick or a cross, and the word for it, for those who listen: only who draws it knows what it means."""
    if not mark:
        return []
    drawn = tag("svg", sign(SIGNS[mark], 0, 1, mark), width=14, height=14, aria_hidden="true", class_="bar-sign")
    return [drawn, tag("span", f"{spoken}: ", class_="out-of-sight")]


def _strip(bar: Bar, whole: Fraction, needed: Fraction | None) -> SafeString:
    across = {"y": 3, "height": BAR_HEIGHT_PX}
    parts = [
        tag("rect", x=0, width="100%", class_="track", **across),
        tag("rect", x=0, width=share(bar.length, whole), class_="bar", **across),
    ]
    if needed is not None and bar.kind != "nobody":
        at = share(needed, whole)
        parts.append(tag("line", x1=at, x2=at, y1=0, y2=BAR_HEIGHT_PX + 6, class_="needed"))
    return strip(BAR_HEIGHT_PX + 6, *parts)


def strip(height: float, *parts: SafeString) -> SafeString:
    """A drawing beside words that say the same."""
    return tag("svg", *parts, width="100%", height=short(height), aria_hidden="true", class_="strip")


def notes(spoken: Iterable[str]) -> SafeString:
    """Lines of small writing below."""
    return joined(tag("p", line, class_="small") for line in spoken)


# --- a contest of two ---


@dataclass(frozen=True, slots=True)
class Contest:
    """Two names, and how many are for each."""

    name: str
    ayes: int
    other: str
    noes: int
    mark: str = ""
    spoken: str = ""  # what the mark means
    rank: str = ""
    is_named: bool = True  # whether the first is named to those who see; else the title names them


def contest(each: Contest, of: int, *below: SafeString, kind: str = "") -> SafeString:
    """Those for one from the left, those for the other from the right, and between them those who prefer neither."""
    across = {"y": 2, "height": 14}
    drawn = strip(
        18,
        tag("rect", x=0, width="100%", class_="track", **across),
        tag("rect", x=0, width=share(each.ayes, of), class_="bar first", **across),
        tag("rect", x=share(of - each.noes, of), width=share(each.noes, of), class_="bar second", **across),
    )
    first = [*marked(each.mark, each.spoken), *([tag("span", each.rank, class_="contest-rank")] if each.rank else [])]
    left = [*first, _votes(each.ayes), _name(each.name, each.ayes > each.noes, each.is_named)]
    right = [_name(each.other, each.noes > each.ayes), _votes(each.noes)]
    ends = tag("span", *left, class_="end"), tag("span", *right, class_="end")
    return tag("li", *ends, drawn, *below, class_=f"contest {kind}{'' if each.is_named else ' of-one'}".rstrip())


def _votes(votes: int) -> SafeString:
    """At the outer end, where the bar begins."""
    return tag("b", votes, class_="number")


def _name(name: str, won: bool, is_named: bool = True) -> SafeString:
    return tag("bdi", name, class_=" ".join(["won"] * won + ["out-of-sight"] * (not is_named)) or None)
