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
    kind: str = "other"  # "won", "seated", "other", "gone"; "against", "nobody" without the line; "several" has no bar
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
    if needed is not None and bar.kind not in ("against", "nobody"):
        at = share(needed, whole)
        parts += [
            tag("line", x1=at, x2=at, y1=0, y2=BAR_HEIGHT_PX + 6, class_=kind) for kind in ("needed gap", "needed")
        ]
    return strip(BAR_HEIGHT_PX + 6, *parts)


def strip(height: float, *parts: SafeString) -> SafeString:
    """A drawing beside words that say the same."""
    return tag("svg", *parts, width="100%", height=short(height), aria_hidden="true", class_="strip")


def notes(spoken: Iterable[str]) -> SafeString:
    """Lines of small writing below."""
    return joined(tag("p", line, class_="small") for line in spoken)
