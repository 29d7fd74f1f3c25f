"""Finds published ballots by their codes without reading all of them: they are stored in parts, sorted by code."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from elections.rules import Election
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a ballot in the list."""

    part: int = 0
    row: int = 0


def part(election: Election, number: int) -> list[Item]:
    item = table().get(keys.published(election.name, number, election.number))
    return item["ballots"] if item else []


def parts(election: Election) -> int:
    """The number of parts, from the last one."""
    last = table().page(keys.all_published(election.name, election.number), limit=1, backwards=True).items
    return int(last[0]["SK"].rpartition("#")[2]) + 1 if last else 0


def find_prefix(election: Election, beginning: str) -> Position:
    """The first ballot whose code begins like this or comes after it."""
    if not beginning:
        return Position()
    later = range(1, parts(election))
    at = bisect_right(later, beginning, key=lambda number: _code(part(election, number)[0]))
    return Position(at, bisect_left(part(election, at), beginning, key=_code))


def _code(ballot: Item) -> str:
    return ballot["confirmation"]


def ballots_from(election: Election, place: Position) -> Iterator[tuple[Position, Item]]:
    """Every ballot from this place on, with its own."""
    number, first = place.part, place.row
    while ballots := part(election, number):
        for row, ballot in enumerate(ballots[first:], first):
            yield Position(number, row), ballot
        number, first = number + 1, 0


def ballots_with_prefix(election: Election, beginning: str) -> Iterator[Item]:
    ballots = (ballot for _, ballot in ballots_from(election, find_prefix(election, beginning)))
    return takewhile(lambda ballot: _code(ballot).startswith(beginning), ballots)
