"""Who moved where between two rounds of one question: a band for each movement, as thick as its number of people.

All sizes are relative to the font size, so that one picture suits both a phone and a wall: heights and positions are
shares of the picture, whose own height is a number of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from parts.live.symbols import symbol
from results.pictures.drawing import isolated, short, tag

from .before_after import NOBODY, SEVERAL, FirstChoice

WIDTH, HEIGHT = 1000, 1000  # units of the bands, scaled to the available space
EDGE = 26  # width of the blocks on both sides
GAP = 14
LABEL_HEIGHT_EM = 1.6  # height of a label
MIN_HEIGHT_EM = 12  # minimum height of the picture
MARGIN_PERCENT, MIDDLE_PERCENT = 15, 70  # percent of the width: labels on both sides, bands between them

Flow = tuple[FirstChoice, FirstChoice, int]


@dataclass(frozen=True, slots=True)
class Block:
    """Everybody who chose the same at one of the two times."""

    first: FirstChoice
    number: int
    y: float
    tall: float


def sankey(flows: Sequence[Sequence[Any]], names: Sequence[str]) -> SafeString:
    ways: list[Flow] = [(each[0], each[1], each[2]) for each in flows]
    sides = _side(ways, 0), _side(ways, 1)
    lines = max(MIN_HEIGHT_EM, LABEL_HEIGHT_EM * (max(map(len, sides)) + 2))
    left, right = (_blocks(side, LABEL_HEIGHT_EM / lines * HEIGHT) for side in sides)
    inner = tag(
        "svg",
        *_bands(ways, left, right),
        *(_block(each, 0) for each in left.values()),
        *(_block(each, WIDTH - EDGE) for each in right.values()),
        x=f"{MARGIN_PERCENT}%",
        width=f"{MIDDLE_PERCENT}%",
        height="100%",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
    )
    labels = [
        *(_label(each, "end", MARGIN_PERCENT - 1) for each in left.values()),
        *(_label(each, "start", MARGIN_PERCENT + MIDDLE_PERCENT + 1) for each in right.values()),
    ]
    spoken = tag("title", _("Who moved where")), tag("desc", "; ".join(flow_text(way, names) for way in ways))
    look = {"class_": "sankey", "width": "100%", "height": f"{short(lines)}em"}
    return tag("svg", *spoken, inner, *labels, role="img", direction="ltr", **look)


# --- as text ---


def choice_label(first: FirstChoice, names: Sequence[str]) -> str:
    if first == NOBODY:
        return _("no vote")
    return _("several at once") if first == SEVERAL else isolated(names[int(first)])


def flow_text(way: Flow, names: Sequence[str]) -> str:
    one, other, number = way
    values = {"one": choice_label(one, names), "other": choice_label(other, names), "number": number}
    if one == other:
        return ngettext("%(number)d stayed with %(one)s", "%(number)d stayed with %(one)s", number) % values
    sentence = ngettext(
        "%(number)d went from %(one)s to %(other)s", "%(number)d went from %(one)s to %(other)s", number
    )
    return sentence % values


def _choice_symbol(first: FirstChoice) -> str:
    if isinstance(first, str):
        return "\N{EN DASH}" if first == NOBODY else "="
    found = symbol(first)
    return found.letter if found else str(first + 1)


# --- places ---


def _side(ways: Sequence[Flow], at: int) -> dict[FirstChoice, int]:
    """How many chose what at one time: options in order, then "several", then "nobody"."""
    found: dict[FirstChoice, int] = {}
    for way in ways:
        first: FirstChoice = way[0] if at == 0 else way[1]
        found[first] = found.get(first, 0) + way[2]
    return dict(sorted(found.items(), key=lambda each: (isinstance(each[0], str), each[0] == NOBODY, str(each[0]))))


def _blocks(side: Mapping[FirstChoice, int], least: float) -> dict[FirstChoice, Block]:
    """Stacked blocks; small ones still have room for their label, and all fit the picture."""
    room = HEIGHT - GAP * (len(side) - 1)
    scale = room / sum(side.values())
    while sum(max(least, each * scale) for each in side.values()) > room and scale > 0.01:
        scale *= 0.95
    blocks: dict[FirstChoice, Block] = {}
    y = 0.0
    for first, number in side.items():
        slot = max(least, number * scale)
        blocks[first] = Block(first, number, y + (slot - number * scale) / 2, number * scale)
        y += slot + GAP
    return blocks


# --- the drawing ---


def _bands(
    ways: Sequence[Flow], left: Mapping[FirstChoice, Block], right: Mapping[FirstChoice, Block]
) -> list[SafeString]:
    """Thick bands first, so that thin ones are drawn on top."""
    begins, ends = _starts(ways, left, lambda way: way[0]), _starts(ways, right, lambda way: way[1])
    order = sorted(range(len(ways)), key=lambda at: -ways[at][2])
    return [_band(ways[at], begins[at], ends[at]) for at in order]


def _starts(
    ways: Sequence[Flow], blocks: Mapping[FirstChoice, Block], of: Callable[[Flow], FirstChoice]
) -> list[tuple[float, float]]:
    """Where each band meets its block, and how thick it is."""
    used: dict[FirstChoice, float] = {}
    found = []
    for way in ways:
        block = blocks[of(way)]
        thick = block.tall * way[2] / block.number
        found.append((block.y + used.get(block.first, 0.0), thick))
        used[block.first] = used.get(block.first, 0.0) + thick
    return found


def _band(way: Flow, begin: tuple[float, float], end: tuple[float, float]) -> SafeString:
    (y, thick), (to, thick_to), half = begin, end, WIDTH / 2
    upper = f"M{EDGE} {short(y)}C{short(half)} {short(y)} {short(half)} {short(to)} {WIDTH - EDGE} {short(to)}"
    low, low_to = y + thick, to + thick_to
    lower = (
        f"L{WIDTH - EDGE} {short(low_to)}C{short(half)} {short(low_to)} {short(half)} {short(low)} {EDGE} {short(low)}Z"
    )
    kind = "stays" if way[0] == way[1] else "moves"
    return tag("path", d=upper + lower, class_=f"way {kind} {_colour(way[0])}")


def _block(block: Block, x: float) -> SafeString:
    size = {"y": short(block.y), "width": EDGE, "height": short(max(block.tall, 4))}
    return tag("rect", x=short(x), **size, class_=f"block {_colour(block.first)}")


def _label(block: Block, anchor: str, x: float) -> SafeString:
    middle = (block.y + block.tall / 2) / HEIGHT * 100
    letter = tag("tspan", _choice_symbol(block.first), class_="letter")
    place = {"x": f"{short(x)}%", "y": f"{short(middle)}%", "dy": "0.35em", "text_anchor": anchor}
    return tag("text", letter, f" {block.number}", **place, class_=_colour(block.first))


def _colour(first: FirstChoice) -> str:
    return first if isinstance(first, str) else f"option-{first}"
