"""The graph of Schulze's chains: who beat whom, the chains by which the winner is above everyone else, and the
strongest ways back."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise as steps
from math import cos, hypot, pi, sin

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from foundation.tally.result import Result

from .drawing import Picture, Table, in_order, isolated, listed, short, sized, tag, text, text_lines, width, wrapped

MAX_CANDIDATES_DRAWN = 8
MAX_CHAINS_LISTED = 500  # chains in the table
WIDTH_PX, MARGIN_PX = 400, 62
NODE_RADIUS_PX = 15
MAX_LINE_CHARS, MAX_LINES = 15, 3  # letters on a line of a name, and how many lines
LINE_HEIGHT_PX = 17
LABEL_CHAR_WIDTH_PX = 6.8  # how wide one is, about, in a label
NAME_CHAR_WIDTH_PX = 7.8  # and in a name

NOTHING = "\N{EN DASH}"

Edge = tuple[int, int]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Graph:
    """The candidates drawn, where they lie, and which contests matter."""

    places: dict[int, Point]
    above: frozenset[Edge]  # of chains from the winners to the others
    back: frozenset[Edge]  # of chains from the others back to the winners
    height: float
    names: dict[int, list[str]]  # in lines


def beat_paths(result: Result) -> Picture | None:
    if len(result.candidates) < 3:
        return None
    graph = _graph(result)
    title, chains = _("Chains of won contests"), list(_chains(result))
    named = "; ".join(f"{there.named(result)}, {there}" for there, _back in chains[:MAX_CANDIDATES_DRAWN] if there.path)
    desc = _("The strongest chains and their weakest contests: %(chains)s.") % {"chains": named or NOTHING}
    drawn = sized(WIDTH_PX, graph.height, title, desc, *_edges(result, graph), *_nodes(result, graph), kind="graph")
    head = _("Strongest chain"), _("Its weakest contest"), _("Strongest chain back"), _("Its weakest contest")
    rows = tuple((there.named(result), str(there), back.named(result), str(back)) for there, back in chains)
    return Picture(title, drawn, _note(result, graph), Table(head, rows), "narrow")


def _graph(result: Result) -> Graph:
    """Of the first by the result, as many as fit together with all candidates on the chains to them."""
    numbers = {name: number for number, name in enumerate(result.candidates)}
    order, paths, winner = in_order(result), result.reasons["paths"], numbers[result.winners[0]]
    among = {winner}
    for name in order:
        more = among | {numbers[name], *paths[winner][numbers[name]]}
        if len(more) <= MAX_CANDIDATES_DRAWN:
            among = more
    drawn = sorted(among, key=lambda number: order.index(result.candidates[number]))
    first = [each for each in drawn if result.candidates[each] in result.winners]
    ways = [paths[i][j] for i in first for j in drawn]
    returns = [paths[j][i] for i in first for j in drawn if j not in first]
    above = _inside(ways, drawn)
    names = {each: wrapped(result.candidates[each], MAX_LINE_CHARS, MAX_LINES) for each in drawn}
    tall = 140 if len(drawn) == 3 else 220 if len(drawn) < 6 else 340
    edge = 29 + LINE_HEIGHT_PX * max(map(len, names.values()))  # above the highest and below the lowest
    return Graph(_circle(drawn, tall, edge), above, _inside(returns, drawn) - above, tall + 2 * edge, names)


def _inside(ways: list[list[int]], drawn: list[int]) -> frozenset[Edge]:
    """The contests on those chains whose candidates are all drawn."""
    return frozenset(edge for way in ways if set(way) <= set(drawn) for edge in steps(way))


def _circle(drawn: list[int], tall: float, edge: float) -> dict[int, Point]:
    """Around a circle, the first on top, then clockwise."""
    across = WIDTH_PX / 2 - MARGIN_PX
    angles = [2 * pi * at / len(drawn) - pi / 2 for at in range(len(drawn))]
    lowest = max(sin(angle) for angle in angles)  # of three or five, none is at the very bottom
    return {
        each: (WIDTH_PX / 2 + across * cos(angle), edge + tall * (sin(angle) + 1) / (lowest + 1))
        for each, angle in zip(drawn, angles, strict=True)
    }


# --- contests ---


def _edges(result: Result, graph: Graph) -> list[SafeString]:
    """Arrows, the important ones on top, with their votes."""
    assert result.pairwise is not None
    won = [(i, j) for i in graph.places for j in graph.places if result.pairwise[i][j] > result.pairwise[j][i]]
    arrows = [_arrow(graph, edge) for edge in sorted(won, key=lambda edge: _rank(graph, edge))]
    labelled = [edge for edge in won if edge in graph.above | graph.back]
    occupied = [(x, y, 2.0 * NODE_RADIUS_PX, 2.0 * NODE_RADIUS_PX) for x, y in graph.places.values()]
    for each in graph.places:
        (x, y), tall = _label_position(graph, each), LINE_HEIGHT_PX * len(graph.names[each])
        occupied.append((x, y - 13 + tall / 2, _wide(graph, each), tall))
    labels = []
    for edge in sorted(labelled, key=lambda edge: -_rank(graph, edge)):
        votes = f"{result.pairwise[edge[0]][edge[1]]} : {result.pairwise[edge[1]][edge[0]]}"
        if (box := _free(graph, edge, LABEL_CHAR_WIDTH_PX * len(votes) + 6, occupied)) is not None:
            occupied.append(box)
            x, y, w, h = box
            frame = {"x": short(x - w / 2), "y": short(y - h / 2), "width": short(w), "height": short(h)}
            label = text(votes, short(x), y + 4.5, text_anchor="middle")
            labels.append(tag("g", tag("rect", **frame, class_="paper"), label, class_=f"label {_kind(graph, edge)}"))
    return [*arrows, *labels]


def _kind(graph: Graph, edge: Edge) -> str:
    return "above" if edge in graph.above else "back" if edge in graph.back else "aside"


def _rank(graph: Graph, edge: Edge) -> int:
    return ("aside", "back", "above").index(_kind(graph, edge))


def _arrow(graph: Graph, edge: Edge) -> SafeString:
    (x1, y1), (x2, y2) = graph.places[edge[0]], graph.places[edge[1]]
    far = hypot(x2 - x1, y2 - y1) or 1
    dx, dy = (x2 - x1) / far, (y2 - y1) / far
    start = x1 + dx * (NODE_RADIUS_PX + 1), y1 + dy * (NODE_RADIUS_PX + 1)
    tip = x2 - dx * (NODE_RADIUS_PX + 2), y2 - dy * (NODE_RADIUS_PX + 2)
    size = 6 if _kind(graph, edge) == "aside" else 10
    neck, half = (tip[0] - dx * size, tip[1] - dy * size), size / 2
    head = [tip, (neck[0] - dy * half, neck[1] + dx * half), (neck[0] + dy * half, neck[1] - dx * half)]
    line = tag("line", x1=short(start[0]), y1=short(start[1]), x2=short(neck[0]), y2=short(neck[1]))
    return tag(
        "g", line, tag("polygon", points=" ".join(f"{short(x)},{short(y)}" for x, y in head)), class_=_kind(graph, edge)
    )


def _free(
    graph: Graph, edge: Edge, wide: float, occupied: list[tuple[float, float, float, float]]
) -> tuple[float, float, float, float] | None:
    """A free place for a label on its arrow; where there is none, the table has the votes."""
    (x1, y1), (x2, y2) = graph.places[edge[0]], graph.places[edge[1]]
    boxes = [
        (x1 + (x2 - x1) * at, y1 + (y2 - y1) * at, wide, 18.0)
        for at in (0.5, 0.44, 0.56, 0.38, 0.62, 0.33, 0.67, 0.28, 0.72)
    ]
    return next(
        (
            (x, y, w, h)
            for x, y, w, h in boxes
            if not any(abs(x - x2) * 2 < w + w2 and abs(y - y2) * 2 < h + h2 for x2, y2, w2, h2 in occupied)
        ),
        None,
    )


# --- candidates ---


def _nodes(result: Result, graph: Graph) -> list[SafeString]:
    places = dict(result.places)
    nodes = []
    for each, (x, y) in graph.places.items():
        name = result.candidates[each]
        at, top = _label_position(graph, each)
        nodes.append(
            tag(
                "g",
                tag("title", name),
                tag("circle", cx=short(x), cy=short(y), r=NODE_RADIUS_PX),
                text(places[name], short(x), y + 5, "place", text_anchor="middle"),
                text_lines(graph.names[each], short(at), top, LINE_HEIGHT_PX, text_anchor="middle"),
                class_="node won" if name in result.winners else "node",
            )
        )
    return nodes


def _label_position(graph: Graph, each: int) -> tuple[float, float]:
    """The middle of the name's first line: above the upper half, below the lower, and not beyond the edge."""
    x, y = graph.places[each]
    half = _wide(graph, each) / 2
    under = y > graph.height / 2 + 1
    top = (
        y + NODE_RADIUS_PX + LINE_HEIGHT_PX
        if under
        else y - NODE_RADIUS_PX - 8 - LINE_HEIGHT_PX * (len(graph.names[each]) - 1)
    )
    return min(max(x, half + 2), WIDTH_PX - half - 2), top


def _wide(graph: Graph, each: int) -> float:
    return NAME_CHAR_WIDTH_PX * max(map(width, graph.names[each]))


# --- words ---


@dataclass(frozen=True, slots=True)
class Chain:
    """A strongest chain, and votes for and against in its weakest contest."""

    path: list[int]
    votes: list[int]

    def named(self, result: Result) -> str:
        return " > ".join(isolated(result.candidates[each]) for each in self.path) or NOTHING

    def __str__(self) -> str:
        return f"{self.votes[0]} : {self.votes[1]}" if self.path else NOTHING


def _chains(result: Result) -> list[tuple[Chain, Chain]]:
    """From each winner to everyone else, and back."""
    numbers = [result.candidates.index(name) for name in in_order(result)]
    paths, strongest = result.reasons["paths"], result.reasons["strongest"]
    first = len(result.winners)
    pairs = [(i, j) for at, i in enumerate(numbers[:first]) for j in numbers[at + 1 :]][:MAX_CHAINS_LISTED]
    return [(Chain(paths[i][j], strongest[i][j]), Chain(paths[j][i], strongest[j][i])) for i, j in pairs]


def _note(result: Result, graph: Graph) -> str:
    notes = _(
        "Each arrow points from the winner of a contest to the loser. Thick: the strongest chains from "
        "%(names)s to everybody else; dashed: the strongest chains back. The circles show the places."
    )
    note = notes % {"names": listed(result.winners)}
    if len(graph.places) == len(result.candidates):
        return note
    rest = _("Showing %(shown)s of %(every)s.")
    return f"{note} " + rest % {"shown": len(graph.places), "every": len(result.candidates)}
