"""Searching the log, newest first, by actor, type, election and time.

Sealed events are found through the index: one list leads, the others and the times narrow it block by block, and only
the matching events are read. Unsealed events are read in order, as are all events if there is no filter. The cost of
one search is bounded whatever the filter: it returns how far it came, and the next one continues from there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, groupby, islice

from .. import keys, sharded_reads
from ..parallel import run_parallel
from ..splitting import by_count
from ..table import Item, Table
from . import layout
from .events import EventLog, as_text
from .index import ACTOR, BALLOTS, BLOCK_EVENTS, ELECTION, TYPE, first_of, moment_at, names_of

MAX_BATCHES_PER_LOOK = 20  # batches of events, or of index blocks, that one search reads at most
BATCH_BLOCKS = 10  # index blocks read at once
BATCH_UNSEALED_EVENTS = 1000  # read at once; far fewer are unsealed unless the site is busy
MAX_CLOCK_SKEW = timedelta(minutes=10)  # between several machines, and so between the order of numbers and of times
ABOVE_EVERY_NUMBER = 10**keys.EVENT_NUMBER_DIGITS

Name = tuple[str, str]  # a kind of list, and a name of that kind
Block = tuple[int, set[int]]  # the first number of an index block, and numbers in it


@dataclass(frozen=True, slots=True)
class Query:
    """The filter; empty fields match everything. Times are in the format of events, both included."""

    actor: str = ""
    event_type: str = ""
    election: str = ""
    since: str = ""
    until: str = ""
    ballots: bool = True  # for an election, include events about its ballots

    @property
    def lists(self) -> list[list[Name]]:
        """An event must be in each of these lists, under any of its names. The first is probably the shortest."""
        of_election = [(ELECTION, self.election), (BALLOTS, self.election)][: 2 if self.ballots else 1]
        lists = ((self.actor, [(ACTOR, self.actor)]), (self.election, of_election))
        return [names for name, names in (*lists, (self.event_type, [(TYPE, self.event_type)])) if name]

    def fits(self, event: Item) -> bool:
        names = {(kind, keys.part(name)) for kind, name in names_of(event)}
        return self.in_time(event["when_occurred"]) and all(
            any((kind, keys.part(name)) in names for kind, name in each) for each in self.lists
        )

    def in_time(self, when: str) -> bool:
        return self.since <= when and (not self.until or when <= self.until)

    def ends_before(self, when: str) -> bool:
        """Whether everything older than this is out of range."""
        return bool(self.since) and when < _moved(self.since, -MAX_CLOCK_SKEW)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The events found, and the number before which the next search continues; `None` if nothing is left."""

    events: list[Item]
    before: int | None


def search(table: Table, wanted: Query, *, before: int | None = None, limit: int = 50) -> SearchResult:
    """The newest matching events before this number."""
    top = before - 1 if before else _last_by(table, wanted.until) if wanted.until else ABOVE_EVERY_NUMBER - 1
    found: list[Item] = []
    for looks, (lowest, events) in enumerate(_batches(table, wanted, top, limit), 1):
        found += (event for event in events if wanted.fits(event))
        if len(found) > limit:
            return SearchResult(found[:limit], found[limit - 1]["event_id"])
        if lowest <= 1 or (events and wanted.ends_before(events[-1]["when_occurred"])):
            break
        if len(found) == limit or looks == MAX_BATCHES_PER_LOOK:
            return SearchResult(found, lowest)
    return SearchResult(found, None)


def _batches(table: Table, wanted: Query, top: int, size: int) -> Iterator[tuple[int, list[Item]]]:
    """Candidate events in batches, each with the number down to which all have been searched."""
    if wanted == Query():
        yield from _read(table, 1, top, size)
        return
    if top < 1:
        return
    leading = by_count(_leading(table, wanted, top), BATCH_BLOCKS) if wanted.lists else iter(())
    newest, last, first = run_parallel(
        table,
        EventLog(table).newest_checkpoint,
        lambda: layout.last_number(table),
        lambda: next(leading, []),
    )
    sealed, top = newest["event_id"] if newest else 0, min(top, last)
    known = min(top, sealed)
    blocks = chain([first], leading) if wanted.lists else by_count(_leading(table, wanted, known), BATCH_BLOCKS)
    unsealed, listed = _read(table, sealed + 1, top, BATCH_UNSEALED_EVENTS), _listed(table, wanted, blocks)
    newer, older = run_parallel(table, lambda: next(unsealed, None), lambda: next(listed, None) if known else None)
    if newer:
        yield newer
        yield from unsealed
    if older:
        yield from _through_index(table, wanted, chain([older], listed), known, size)


def _read(table: Table, first: int, top: int, size: int) -> Iterator[tuple[int, list[Item]]]:
    cursor = None
    while first <= top:
        page = layout.page(table, first, top, limit=size, cursor=cursor, backwards=True)
        if (cursor := page.cursor) is None:
            yield first, page.items
            return
        if page.items:
            yield page.items[-1]["event_id"], page.items


Listed = tuple[list[Block], list[set[int]], "_Moments"]  # some blocks, the candidates in each, and the times of all


def _listed(table: Table, wanted: Query, batches: Iterable[list[Block]]) -> Iterator[Listed]:
    for blocks in filter(None, batches):
        left, moments = run_parallel(
            table,
            partial(_narrowed, table, dict(blocks), wanted.lists[1:]),
            partial(_Moments, table, [first for first, _ in blocks]),
        )
        yield blocks, left, moments


def _through_index(
    table: Table, wanted: Query, listed: Iterable[Listed], top: int, size: int
) -> Iterator[tuple[int, list[Item]]]:
    for blocks, left, moments in listed:
        numbers = sorted((number for block in left for number in block if number <= top), reverse=True)
        places = ((number, when) for number, when in moments.of(numbers) if wanted.in_time(when))
        for some in by_count(places, size):
            yield some[-1][0], layout.get_many(table, some)
        lowest = blocks[-1][0]
        yield lowest, []
        if any(wanted.ends_before(when) for _, when in islice(moments.of(range(lowest, lowest + BLOCK_EVENTS)), 1)):
            return


class _Moments:
    """When the sealed events of some blocks happened."""

    def __init__(self, table: Table, blocks: list[int]):
        places = {first: keys.moments(first) for first in blocks}
        known = table.get_many(places.values())
        self.blocks = {first: known.get(place, {}).get("moments", b"") for first, place in places.items()}

    def of(self, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Those of the numbers that are not void, each with its time."""
        for number in numbers:
            if when := moment_at(self.blocks.get(first_of(number), b""), (number - 1) % BLOCK_EVENTS):
                yield number, when


def _leading(table: Table, wanted: Query, top: int) -> Iterator[Block]:
    """The first candidates, block by block, newest first: those of a list, or all numbers if only a time is given."""
    if wanted.lists:
        return _blocks(table, wanted.lists[0], top)
    return ((first, set(range(first, first + BLOCK_EVENTS))) for first in range(first_of(top), 0, -BLOCK_EVENTS))


def _blocks(table: Table, names: list[Name], top: int) -> Iterator[Block]:
    """The numbers found under any of the names, block by block, newest first."""
    spans = [keys.log_index_blocks(kind, name, first_of(top)) for kind, name in names]
    items = sharded_reads.each(table, spans, backwards=True, page_size=BATCH_BLOCKS)
    for first, same in groupby(items, key=lambda item: int(item["SK"])):
        yield first, {number for item in same for number in item["numbers"]}


def _narrowed(table: Table, blocks: dict[int, set[int]], lists: list[list[Name]]) -> list[set[int]]:
    """For each block, the numbers that are in all lists."""
    places = {keys.log_index(kind, name, first) for each in lists for kind, name in each for first in blocks}
    known = table.get_many(places) if places else {}
    for names in lists:
        for first, numbers in blocks.items():
            items = (known.get(keys.log_index(kind, name, first), {}) for kind, name in names)
            numbers &= {number for item in items for number in item.get("numbers", ())}
    return list(blocks.values())


def _last_by(table: Table, until: str) -> int:
    """A number after which every event is later, found by bisection, because numbers and times grow together."""
    last = layout.last_number(table)

    def when(number: int) -> str:
        there = layout.first_of_all(table, number)
        return str(there["when_occurred"]) if there else "~"

    return BLOCK_EVENTS * bisect_right(range(1, last + 1, BLOCK_EVENTS), _moved(until, MAX_CLOCK_SKEW), key=when)


def _moved(when: str, by: timedelta) -> str:
    return as_text(datetime.fromisoformat(when) + by)
