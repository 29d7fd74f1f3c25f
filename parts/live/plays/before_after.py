"""The same ranking before and after: who moved where, in numbers, and how close it was each time.

Between the two closes an item holds everybody's first choice under pseudonyms with a salt of their own. The second
close counts the movements and deletes the item in the same transaction; so does anything else that ends the comparison.

| `result["moved"]` | what it says |
|---|---|
| `round` | the number of the earlier one |
| `earlier` | its `count`, `winners`, `firsts` (votes in its first round), `close` |
| `close` | of this one: `ballots` that would have changed who wins, if known, and whether fewer could not (`exact`) |
| `both` | how many gave both; `came` only the second, `went` only the first |
| `flows` | lists of from, to, how many: an option, "several" at once, or "nobody" |
| `untold` | instead of these: "few" if they would reveal what a few chose, "lost" if the link between both is lost |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.purging import purge_mark
from foundation.store.table import Delete, Missing, Put, Write
from foundation.tally.ballots import Ballots, groups_of
from foundation.tally.closeness import measure_closeness
from foundation.tally.methods import count
from parts.live import repository, rounds
from parts.live.rounds import MIN_ANONYMOUS_ANSWERS, GivenAnswer, Round, pseudonym
from parts.live.rules import Game, Phase, State
from parts.live.symbols import symbol
from parts.questions.question import Question
from results.pictures.drawing import isolated, short, tag

NOBODY, SEVERAL = "nobody", "several"

FirstChoice = int | str  # an option, or one of the two words above


@dataclass(frozen=True, slots=True)
class Before:
    """First choices of the first round, under pseudonyms that can be derived only with this salt."""

    salt: bytes
    firsts: Mapping[str, FirstChoice]


def first_of(ranking: str) -> FirstChoice:
    groups = groups_of(ranking)
    if not groups:
        return NOBODY
    return groups[0][0] if len(groups[0]) == 1 else SEVERAL


def firsts(
    given: Iterable[GivenAnswer], players: Mapping[str, str], question: Question, salt: bytes
) -> dict[str, FirstChoice]:
    """Uses different pseudonyms from the answers, so that the two cannot be linked."""
    found = {each.player: first_of(rounds.ranking_of(each.value, question)) for each in given}
    return {pseudonym(salt, players[name]): first for name, first in found.items() if first != NOBODY}


# --- who moved where ---


def flows(
    before: Mapping[str, FirstChoice], after: Mapping[str, FirstChoice], robots: Collection[str] = frozenset()
) -> dict[str, Any]:
    """Counts movements, but only if each group (gave both, only one, only the other) has no people or several, because
    everybody sees who came and left, and each option's totals. `robots` do not count: they give no anonymity."""
    both, came, went = before.keys() & after.keys(), after.keys() - before.keys(), before.keys() - after.keys()
    people = [len(each - set(robots)) for each in (both, came, went)]
    if len(both) < MIN_ANONYMOUS_ANSWERS or any(0 < each < MIN_ANONYMOUS_ANSWERS for each in people):
        return {"untold": "few"}
    ways = Counter((before.get(name, NOBODY), after.get(name, NOBODY)) for name in before.keys() | after.keys())
    moves = sorted(([one, other, number] for (one, other), number in ways.items()), key=_flow_order)
    return {"both": len(both), "came": len(came), "went": len(went), "flows": moves}


def _flow_order(flow: Sequence[Any]) -> tuple[tuple[bool, str], ...]:
    """Options by their number, then several, then nobody."""
    return tuple((isinstance(each, str), "" if each == SEVERAL else f"{each:>3}") for each in flow[:2])


def compared(round_: Round, question: Question, earlier: Round | None, moved: Mapping[str, Any]) -> Round:
    """Adds the comparison to the second of two rounds."""
    if round_.result.get("too_few"):
        return round_
    comparison = {
        "round": earlier.number if earlier else 0,
        "earlier": _summary(earlier, question),
        "close": closeness(round_, question),
    }
    return replace(round_, result={**round_.result, "moved": {**comparison, **moved}})


def _summary(round_: Round | None, question: Question) -> dict[str, Any]:
    if round_ is None or round_.result.get("too_few"):
        return {}
    return {
        "count": round_.count,
        "winners": round_.result["winners"],
        "firsts": round_.result["rounds"][0]["tally"],
        "close": closeness(round_, question),
    }


def closeness(round_: Round, question: Question) -> dict[str, Any]:
    """How many ballots would have had to differ for another option to win."""
    ballots = Ballots.of(rounds.names_of(question), [entry.value for entry in round_.entries])
    found = measure_closeness(ballots, count(ballots, "irv"))
    return {"ballots": found.ballots, "exact": found.exact}


# --- storage ---


def linked_round(state: State) -> int:
    """The round whose first choices are stored for comparison with the next one; 0 if there is none."""
    if state.phase == Phase.QUESTION:
        return state.before
    waits = state.phase == Phase.RESULTS and state.twice and not state.before and state.counts(state.round)
    return state.round if waits else 0


def find(game_id: str, round_: int) -> Before | None:
    item = table().get(keys.game_before(game_id, round_))
    return Before(item["salt"], item["firsts"]) if item else None


def linking(game: Game, round_: int, before: Before) -> list[Write]:
    data = {"salt": before.salt, "firsts": dict(before.firsts)}
    return [Put(repository.item_at(keys.game_before(game.id, round_), game, data), when=Missing())]


def unlinking(game: Game, round_: int) -> list[Write]:
    """Deletes the link between anyone's two answers, and purges it from the store's files as well."""
    return [Delete(keys.game_before(game.id, round_)), purge_mark()] if round_ else []


# --- the picture: a band for each movement, as thick as its number of people ---

# All sizes are relative to the font size, so that one picture suits both a phone and a wall: heights and positions are
# shares of the picture, whose own height is a number of lines.


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
