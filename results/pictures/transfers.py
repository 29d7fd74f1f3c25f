"""Where votes went: a band for every candidate from round to round, as thick as the votes, and branches for those that
moved on or were exhausted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.tally.result import Result, Round

from .drawing import (
    CROSS,
    TICK,
    Picture,
    Table,
    exact,
    fluid,
    in_order,
    isolated,
    joined,
    number,
    short,
    sign,
    tag,
    text,
    text_at_right,
    text_lines,
    voters,
    wrapped,
)

MAX_BANDS = 12
MAX_COLUMNS = 40
MAX_TRANSFERS_LISTED = 1_000  # transfers in the table, the last
WIDTH = 1000  # units across; they are stretched to the width there is
VOTES_HEIGHT_PX = 320  # pixels down for all votes together
# down: for a name, for each more of its lines, below a band, above the first
LABEL_PX, LINE_HEIGHT_PX, GAP_PX, TOP_PX = 24, 18, 12, 40
MAX_LINE_CHARS = 20  # letters on a line, about what fits beside a number on a phone
OTHERS, NOBODY = "others", "nobody"

Flows = dict[tuple[str, str], Fraction]


@dataclass(frozen=True, slots=True)
class Band:
    """One candidate, several together, or none: the votes in each round shown, and its position."""

    key: str
    votes: tuple[Fraction, ...]
    y: float
    scale: float
    label: tuple[str, ...] = ("",)  # what it is called, in lines

    @property
    def top(self) -> float:
        """Of its label."""
        return self.y - LABEL_PX - LINE_HEIGHT_PX * (len(self.label) - 1)

    @property
    def tall(self) -> float:
        return max(2.0, float(max(self.votes)) * self.scale)


def transfers(result: Result) -> Picture | None:
    shown = (result.rounds or ())[-MAX_COLUMNS:]
    if not any(each.transfers for each in shown):
        return None
    lanes = lanes_of(result)
    bands = bands_of(result, shown, lanes)
    moves = [moves_of(each, lanes) for each in shown[:-1]]
    height = max(band.y + band.tall for band in bands.values()) + 6
    title, largest = _("Where the votes went"), []  # the largest part that moved in each round
    for each in (each for each in shown if each.transfers):
        most = max(each.transfers, key=lambda transfer: Fraction(transfer.votes))
        to = isolated(most.destination) if most.destination else _("Exhausted")
        called = _("Round %(number)s") % {"number": each.number}
        largest.append(f"{called}: {isolated(most.source)} > {to} {number(most.votes)}")
    notes = [_("The width of each band shows its votes; branches show votes that moved on, from left to right.")]
    numbers = {"shown": len(shown), "every": len(result.rounds or ())}
    if numbers["shown"] < numbers["every"]:
        notes.append(_("Showing the last %(shown)s of %(every)s rounds.") % numbers)
    return Picture(
        title,
        fluid(height, title, "; ".join(largest), *_drawn(result, shown, bands, moves, height), kind="flow"),
        " ".join(notes),
        _table(result.rounds or ()),
        "full",
    )


def lanes_of(result: Result) -> dict[str | None, str]:
    """The band of each candidate: the first have their own, of very many the rest share one."""
    order = in_order(result)
    own = len(order) if len(order) <= MAX_BANDS else MAX_BANDS - 1
    lanes: dict[str | None, str] = {name: f"={name}" for name in order[:own]}
    lanes |= dict.fromkeys(order[own:], OTHERS)
    return lanes | {None: NOBODY}


def bands_of(result: Result, shown: Sequence[Round], lanes: dict[str | None, str]) -> dict[str, Band]:
    scale = VOTES_HEIGHT_PX / voters(result)
    bands: dict[str, Band] = {}
    y = float(TOP_PX)
    for key in dict.fromkeys(lanes.values()):
        label: tuple[str, ...]
        if key == NOBODY:
            label, votes = (_("Exhausted"),), tuple(Fraction(each.exhausted) for each in shown)
        else:
            own = {name for name, lane in lanes.items() if lane == key}
            held = ([Fraction(votes) for name, votes in each.tally.items() if name in own] for each in shown)
            label, votes = tuple(wrapped(key[1:], MAX_LINE_CHARS)), tuple(sum(each, Fraction(0)) for each in held)
        if key == OTHERS:
            more = len(result.candidates) - MAX_BANDS + 1
            label = (ngettext("%(count)d more, together", "%(count)d more, together", more) % {"count": more},)
        bands[key] = Band(key, votes, y + LABEL_PX + LINE_HEIGHT_PX * (len(label) - 1), scale, label)
        y = bands[key].y + bands[key].tall + GAP_PX
    return bands


def moves_of(each: Round, lanes: dict[str | None, str]) -> Flows:
    """What goes from band to band after the round, in the order of the bands."""
    moved: Flows = defaultdict(Fraction)
    for transfer in each.transfers:
        way = lanes[transfer.source], lanes[transfer.destination]
        if way[0] != way[1]:
            moved[way] += Fraction(transfer.votes)
    order = list(dict.fromkeys(lanes.values()))
    return dict(sorted(moved.items(), key=lambda move: (order.index(move[0][0]), order.index(move[0][1]))))


# --- the drawing ---


def _drawn(
    result: Result, shown: Sequence[Round], bands: dict[str, Band], moves: list[Flows], height: float
) -> list[SafeString]:
    lines = "".join(f"M{short(_x(at, len(shown)))} {TOP_PX - 4}V{short(height)}" for at in range(len(shown)))
    guides = tag("path", d=lines, class_="guide", vector_effect="non-scaling-stroke")
    shapes = [guides, *(_stream(result, band, moves) for band in bands.values())]
    shapes += [_branch(bands, moves, column, way) for column, flows in enumerate(moves) for way in flows]
    box = f"0 0 {WIDTH} {short(height)}"
    stretched = tag("svg", *shapes, viewBox=box, width="100%", height=short(height), preserveAspectRatio="none")
    return [
        text(_("Round"), 0, 13, "small"),
        _heads(shown),
        stretched,
        *(_label(result, band) for band in bands.values()),
    ]


def _x(column: int, columns: int) -> float:
    return WIDTH * column / max(columns - 1, 1)


def _heads(shown: Sequence[Round]) -> SafeString:
    """Numbers of rounds above, as many as there is room for."""
    every = -(-len(shown) // 10)
    last = len(shown) - 1
    visible = [at for at in range(len(shown)) if at == last or (at % every == 0 and last - at >= every)]
    anchors = {0: "start", last: "end"}
    return joined(
        text(
            shown[at].number,
            f"{short(100 * at / max(last, 1))}%",
            30,
            "small",
            text_anchor=anchors.get(at, "middle"),
        )
        for at in visible
    )


def _retained(band: Band, flows: Flows, column: int) -> Fraction:
    """What stays in the band after the round."""
    gone = sum((votes for (source, _to), votes in flows.items() if source == band.key), Fraction(0))
    came = sum((votes for (_from, to), votes in flows.items() if to == band.key), Fraction(0))
    return max(Fraction(0), min(band.votes[column] - gone, band.votes[column + 1] - came))


def _stream(result: Result, band: Band, moves: list[Flows]) -> SafeString:
    """The votes that stay where they are, round after round, and a mark for all there are in each."""
    columns = len(band.votes)
    stays, marks = [], []
    for column, votes in enumerate(band.votes):
        x = short(_x(column, columns))
        if votes:
            marks.append(f"M{x} {short(band.y)}v{short(max(1.0, float(votes) * band.scale))}")
        if column < len(moves) and (votes_kept := _retained(band, moves[column], column)):
            right, thick = short(_x(column + 1, columns)), short(max(0.5, float(votes_kept) * band.scale))
            stays.append(f"M{x} {short(band.y)}H{right}v{thick}H{x}z")
    kind = "nobody" if band.key == NOBODY else "won" if band.key[1:] in result.winners else "other"
    return tag(
        "g",
        tag("path", d="".join(stays), class_="stays"),
        tag("path", d="".join(marks), class_="held", vector_effect="non-scaling-stroke"),
        class_=kind,
    )


def _branch(bands: dict[str, Band], moves: list[Flows], column: int, way: tuple[str, str]) -> SafeString:
    """Votes on their way from one band to another."""
    source, to = bands[way[0]], bands[way[1]]
    flows, thick = moves[column], max(1.0, float(moves[column][way]) * source.scale)
    before = [each for each in flows if each != way and list(flows).index(each) < list(flows).index(way)]
    left = _retained(source, flows, column) + sum((flows[each] for each in before if each[0] == way[0]), Fraction(0))
    right = _retained(to, flows, column) + sum((flows[each] for each in before if each[1] == way[1]), Fraction(0))
    x, end = _x(column, len(source.votes)), _x(column + 1, len(source.votes))
    y1, y2 = source.y + float(left) * source.scale, to.y + float(right) * to.scale
    middle = short((x + end) / 2)
    d = (
        f"M{short(x)} {short(y1)}C{middle} {short(y1)} {middle} {short(y2)} {short(end)} {short(y2)}"
        f"v{short(thick)}C{middle} {short(y2 + thick)} {middle} {short(y1 + thick)} {short(x)} {short(y1 + thick)}z"
    )
    return tag("path", d=d, class_="branch lost" if way[1] == NOBODY else "branch")


def _label(result: Result, band: Band) -> SafeString:
    name = band.key[1:] if band.key.startswith("=") else None
    # A tick and the last votes for the elected, a cross and the last round for who went.
    chosen, mark, ends = "won" if name in result.winners else None, [], number(band.votes[-1])
    kind = "number"
    if chosen:
        mark = [sign(TICK, 0, band.top + 5, "elected")]
    elif out := next((each.number for each in result.rounds or () if name in each.eliminated), None):
        mark, kind = [sign(CROSS, 0, band.top + 5, "eliminated")], "small"
        ends = _("out in round %(number)s") % {"number": out}
    right = text_at_right(ends, band.top + 17, kind)
    label = text_lines(band.label, 18 if mark else 0, band.top + 17, LINE_HEIGHT_PX, chosen)
    return tag("g", *([tag("title", name)] if name else []), *mark, label, right)


# --- words ---


def _table(rounds: Sequence[Round]) -> Table:
    rows = tuple(
        (str(each.number), transfer.source, transfer.destination or _("Exhausted"), exact(transfer.votes))
        for each in rounds[-MAX_COLUMNS:]
        for transfer in each.transfers
    )[-MAX_TRANSFERS_LISTED:]
    return Table((_("Round"), _("From"), _("To"), _("Votes")), rows)
