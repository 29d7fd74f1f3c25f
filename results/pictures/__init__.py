"""Pictures of a result, drawn on the server: pure functions of the result, each with a table that says the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from foundation.tally.result import Result

from .bars import OF_ELECTIONS, OF_POLLS, Marks, levels, points, vote
from .beat_paths import beat_paths
from .contests import contest_rows, duels, locked, runoff
from .drawing import Picture, voters
from .rounds import rounds
from .transfers import transfers
from .turnout import turnout_pictures

__all__ = ["OF_POLLS", "Picture", "arrange_pictures", "contest_rows", "pictures_of", "turnout_pictures"]

Draw = Callable[..., Picture | None]
DRAWN: dict[str, tuple[Draw, ...]] = {
    "schulze": (duels, beat_paths),
    "ranked-pairs": (duels, locked),
    "irv": (rounds, transfers),
    "borda": (points,),
    "copeland": (points, duels),
    "minimax": (points, duels),
    "plurality": (points,),
    "stv-scottish": (rounds, transfers),
    "stv-meek": (rounds,),
    "majority": (vote,),
    "most-votes": (points,),
    "approval": (points,),
    "cumulative": (points,),
    "score": (levels,),
    "star": (levels, runoff),
}

MARKED: tuple[Callable[[Result, Marks], Picture | None], ...] = (
    rounds,
    points,
    levels,
)  # which say who is ahead, or out


def pictures_of(result: Result, marks: Marks = OF_ELECTIONS) -> list[Picture]:
    """In display order; none if there is nothing to count."""
    if not voters(result) or len(result.candidates) < 2:
        return []
    drawn = (draw(result, marks) if draw in MARKED else draw(result) for draw in DRAWN[result.method])
    return [picture for picture in drawn if picture is not None]


def arrange_pictures(pictures: Iterable[Picture]) -> list[Picture]:
    """In an order that leaves no holes where two have room beside each other: one that would stand alone in half a row
    is joined by the next that takes half a row, and the last, if it has none, takes a whole one."""
    left, found = list(pictures), []
    while left:
        first = left.pop(0)
        if first.is_whole:
            found.append(first)
            continue
        at = next((at for at, each in enumerate(left) if not each.is_whole), None)
        found += [replace(first, alone=True)] if at is None else [first, left.pop(at)]
    return found
