"""Finds published ballots by their codes without reading all of them: they are stored in parts, sorted by code."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a ballot in the list."""

    part: int = 0
    row: int = 0


def part(election_name: str, number: int) -> list[Item]:
    item = table().get(keys.published(election_name, number))
    return item["ballots"] if item else []


def parts(election_name: str) -> int:
    """The number of parts, from the last one."""
    last = table().page(keys.all_published(election_name), limit=1, backwards=True).items
    return int(last[0]["SK"].rpartition("#")[2]) + 1 if last else 0


def find_prefix(election_name: str, beginning: str) -> Position:
    """The first ballot whose code begins like this or comes after it."""
    if not beginning:
        return Position()
    later = range(1, parts(election_name))
    at = bisect_right(later, beginning, key=lambda number: _code(part(election_name, number)[0]))
    return Position(at, bisect_left(part(election_name, at), beginning, key=_code))


def _code(ballot: Item) -> str:
    return ballot["confirmation"]


def ballots_from(election_name: str, place: Position) -> Iterator[tuple[Position, Item]]:
    """Every ballot from this place on, with its own."""
    number, first = place.part, place.row
    while ballots := part(election_name, number):
        for row, ballot in enumerate(ballots[first:], first):
            yield Position(number, row), ballot
        number, first = number + 1, 0


def ballots_with_prefix(election_name: str, beginning: str) -> Iterator[Item]:
    ballots = (ballot for _, ballot in ballots_from(election_name, find_prefix(election_name, beginning)))
    return takewhile(lambda ballot: _code(ballot).startswith(beginning), ballots)
