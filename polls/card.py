"""A poll's current result as a picture to embed, in SVG."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from acts.branding import site_name
from results.pictures.drawing import fit, in_order, isolated, joined, short, tag
from results.pictures.points import labels, score
from results.wording import join_names

from .counting import MethodComparison, MethodResult, heading
from .rules import Poll

WIDTH_PX, ROW_PX, TOP_PX, FOOT_PX = 600, 34, 118, 44
MAX_BARS = 5
INK, SOFT, GREY, PAPER = "#1c1a22", "#57525f", "#857d93", "#f6f5f3"  # as in static/css/tokens.css
ACCENT, PALE, SEAT = "#56278a", "#dcd0e9", "#cdc8d2"
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    share: float  # of the room there is, from 0 to 1
    shown: str
    won: bool


@dataclass(frozen=True, slots=True)
class Card:
    title: str
    heading: str
    names: str
    caption: str
    bars: tuple[Bar, ...]
    turnout: str


# --- what it says ---


def card_of(poll: Poll, comparison: MethodComparison) -> Card:
    votes = ngettext("%(count)d vote", "%(count)d votes", comparison.total) % {"count": comparison.total}
    if not comparison.total:
        return Card(poll.title, "", _("Nobody has voted yet."), "", (), votes)
    leaders = dict.fromkeys(name for counted in comparison.counted for name in counted.leaders)
    caption = _("Points (Borda)") if comparison.kind == "ranked" else labels(comparison.charted.method)[0]
    return Card(poll.title, heading(comparison), join_names(tuple(leaders)), caption, _bars(comparison.charted), votes)


def _bars(counted: MethodResult) -> tuple[Bar, ...]:
    scores = [score(counted.result, name) for name in in_order(counted.result)[:MAX_BARS]]
    most = max(each.length for each in scores) or 1
    return tuple(Bar(each.name, float(each.length / most), each.shown, each.name in counted.leaders) for each in scores)


# --- drawing it ---


def as_svg(card: Card) -> str:
    """With its own colours, because it is shown on other sites."""
    height = TOP_PX + ROW_PX * len(card.bars) + FOOT_PX
    lines = [
        _text(fit(card.title, 52), 24, 36, 20, INK, bold=True),
        _text(card.heading, 24, 62, 14, SOFT),
        _text(fit(card.names, 58), 24, 88, 20, ACCENT, bold=True),
        _text(card.caption, 24, TOP_PX - 6, 12, SOFT),
    ]
    bars = [_bar(bar, TOP_PX + ROW_PX * at) for at, bar in enumerate(card.bars)]
    name = _text(fit(site_name(), 24), 576, height - 18, 14, SOFT, anchor="end")
    foot = [_text(card.turnout, 24, height - 18, 14, SOFT), name]
    text = f"{isolated(card.title)}. {card.heading}: {isolated(card.names)}. {card.turnout}"
    return _picture(height, text, *lines, *bars, *foot)


def sentence_svg(title: str, sentence: str) -> str:
    """For a poll whose result may not be shown now."""
    lines = [_text(fit(title, 52), 24, 40, 20, INK, bold=True), _text(fit(sentence, 72), 24, 72, 15, SOFT)]
    return _picture(100, f"{title}. {sentence}", *lines)


def _picture(height: int, text: str, *children: object) -> str:
    ground = tag("rect", width=WIDTH_PX, height=height, rx=8, fill=PAPER)
    size = {"width": WIDTH_PX, "height": height, "viewBox": f"0 0 {WIDTH_PX} {height}"}
    named = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font_family": SANS}
    return str(tag("svg", tag("title", text), ground, *children, **named, **size))


def _text(text: str, x: int, y: int, size: int, fill: str, *, bold: bool = False, anchor: str | None = None) -> object:
    weight = "700" if bold else None
    return tag("text", text, x=x, y=y, font_size=size, font_weight=weight, fill=fill, text_anchor=anchor)


def _bar(bar: Bar, y: int) -> object:
    room, start = 240, 250
    track = tag("rect", x=start, y=y + 8, width=room, height=18, rx=4, fill=PALE if bar.won else SEAT)
    length = short(room * bar.share)
    filled = tag("rect", x=start, y=y + 8, width=length, height=18, rx=4, fill=ACCENT if bar.won else GREY)
    label = _text(fit(bar.label, 25), 24, y + 22, 15, INK)
    return joined([label, track, filled, _text(bar.shown, 576, y + 22, 15, INK, anchor="end")])
