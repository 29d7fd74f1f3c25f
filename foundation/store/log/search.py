"""The index of the log: events by actor, type and election, in blocks of a thousand numbers; and the search through it.

The sealer writes the index for every batch, before the checkpoint that covers the batch, so it is complete for
everything sealed and no writer waits for it. An item lists the numbers found under one name in one block and grows
until the block is full; `upto` is how far the log was read, and of two sealers the one that has read further wins. The
times of all events of a block are stored beside it, because an event's key contains its time as well as its number.

The index is derived from the log alone and can be rebuilt from it. A surplus entry does no harm, because readers check
the event itself; a missing one is reported by `verify`.

A search goes from the newest event back. Sealed events are found through the index: one list leads, the others and the
times narrow it block by block, and only the matching events are read. Unsealed events are read in order, as are all
events if there is no filter. The cost of one search is bounded whatever the filter: it returns how far it came, and the
next one continues from there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain, groupby, islice

from .. import keys, sharded_reads
from ..limits import MAX_TRANSACTION_ITEMS
from ..parallel import run_parallel
from ..splitting import by_count
from ..table import LOG, Item, Key, Less, Missing, Put, Refused, Table
from . import layout
from .events import EventLog, as_text

BLOCK_EVENTS = 1000
ACTOR, TYPE, ELECTION, BALLOTS = "actor", "type", "election", "ballots"
# So numerous that organisers' acts have a list of their own; anybody can send requests.
OF_BALLOTS = ("BallotCast", "BallotChanged", "BallotWithdrawn", "BallotsSealed", "RequestSent")
TIMESTAMP_BYTES = 6  # milliseconds since 1970
NEVER = bytes(TIMESTAMP_BYTES)  # of a void number
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

NumberedEvent = tuple[int, Item | None]  # an event by its number; None for a void one


def first_of(number: int) -> int:
    """The first number of the block that contains this number."""
    return (number - 1) // BLOCK_EVENTS * BLOCK_EVENTS + 1


# --- what is found where ---


def essence(event: Item) -> Item:
    """All that the index needs of an event; some events are large."""
    names = {name: event["event_data"][name] for name in ("election_name", "new_name") if name in event["event_data"]}
    return {name: event[name] for name in ("actor", "event_type", "when_occurred")} | {"event_data": names}


def names_of(event: Item) -> Iterator[tuple[str, str]]:
    """The kinds and names under which an event is found; a rename under both names."""
    yield ACTOR, event["actor"]
    yield TYPE, event["event_type"]
    event_data = event["event_data"]
    kind = BALLOTS if event["event_type"] in OF_BALLOTS else ELECTION
    both = ("election_name", "new_name") if event["event_type"] == "ElectionRenamed" else ("election_name",)
    for name in both:
        if isinstance(event_data.get(name), str):
            yield kind, event_data[name]


def found_in(first: int, entries: Iterable[NumberedEvent]) -> dict[Key, list[int]]:
    """The index items for events of one block, and the numbers that belong in each."""
    found: dict[Key, list[int]] = {}
    for number, event in entries:
        places = (keys.log_index(kind, name, first) for kind, name in names_of(event)) if event else ()
        for place in dict.fromkeys(places):
            found.setdefault(place, []).append(number)
    return found


def moment_bytes(event: Item | None) -> bytes:
    if event is None:
        return NEVER
    since = datetime.fromisoformat(event["when_occurred"]) - EPOCH
    return (since // timedelta(milliseconds=1)).to_bytes(TIMESTAMP_BYTES, "big")


def moment_at(moments: bytes, position: int) -> str | None:
    """When the event at that position of its block happened, as stored; `None` if there is none."""
    stored = moments[position * TIMESTAMP_BYTES : (position + 1) * TIMESTAMP_BYTES]
    return as_text(EPOCH + timedelta(milliseconds=int.from_bytes(stored, "big"))) if stored.strip(b"\0") else None


# --- writing ---


def extend_index(table: Table, before: int, entries: list[NumberedEvent]) -> None:
    """Add the events after the number `before`, all of one block. Idempotent and safe to run concurrently."""
    for batch in by_count(_items(table, before, entries), MAX_TRANSACTION_ITEMS):
        left = batch
        while left:
            try:
                table.write(*(Put(item, when=Missing() | Less("upto", item["upto"]), table=LOG) for item in left))
                break
            except Refused as refused:  # another sealer has read as far as we have
                left = [item for part, item in enumerate(left) if part not in refused.parts]


def _items(table: Table, before: int, entries: list[NumberedEvent]) -> list[Item]:
    upto = entries[-1][0]
    first = first_of(upto)
    earlier = max(0, before - first + 1)  # numbers of this block that are already indexed
    found, moments = found_in(first, entries), keys.moments(first)
    known = table.get_many([*found, moments]) if earlier else {}
    items: list[Item] = []
    for place, numbers in found.items():
        earlier_ones = [number for number in known.get(place, {}).get("numbers", ()) if number <= before]
        items.append({**place.item, "upto": upto, "numbers": [*earlier_ones, *numbers]})
    passed = (
        known.get(moments, {}).get("moments", b"")[: earlier * TIMESTAMP_BYTES].ljust(earlier * TIMESTAMP_BYTES, b"\0")
    )
    added = b"".join(moment_bytes(event) for _, event in entries)
    return [*items, {**moments.item, "upto": upto, "moments": passed + added}]


def rebuild(table: Table, sealed: int) -> Iterator[int]:
    """Rebuild the whole index, overwriting what is there; yields the last number of each block. No sealer may run."""
    for first in range(1, sealed + 1, BLOCK_EVENTS):
        last = min(first + BLOCK_EVENTS - 1, sealed)
        there = {event["event_id"]: event for event in layout.each(table, first, last)}
        items = _items(table, first - 1, [(number, there.get(number)) for number in range(first, last + 1)])
        for batch in by_count(items, MAX_TRANSACTION_ITEMS):
            table.write(*(Put(item, table=LOG) for item in batch))
        yield last


def as_of(item: Item, sealed: int) -> Item | None:
    """An index item as it was when the log was sealed up to this number, `None` if it did not exist; other items
    unchanged.

    A backup copies the sealed log as of its start, and so must copy the index as of then.
    """
    first = int(item["SK"]) if (is_moments := item["PK"] == keys.moments(1).pk) else 0
    if item.get("upto", 0) <= sealed or not (is_moments or item["PK"].startswith(keys.LOG_INDEX)):
        return item
    if is_moments:
        left: bytes | list[int] = item["moments"][: max(0, sealed - first + 1) * TIMESTAMP_BYTES]
    else:
        left = [number for number in item["numbers"] if number <= sealed]
    return {**item, "upto": sealed, "moments" if is_moments else "numbers": left} if left else None


# --- verifying ---

AGAIN = "“plenum seal --reindex” makes the index again from the log."


def flaw_in(table: Table, entries: list[NumberedEvent]) -> str | None:
    """The first error in the index for a block's sealed events, all of which are given; or nothing."""
    last = entries[-1][0]
    first = first_of(last)
    expected, moments = found_in(first, entries), keys.moments(first)
    known = table.get_many([*expected, moments])
    for place, numbers in expected.items():
        listed = {number for number in known.get(place, {}).get("numbers", ()) if number <= last}
        if wrong := listed ^ set(numbers):
            number, kind = min(wrong), place.pk.split("#")[1]
            if number in listed:
                return f"The index by {kind} names event {number}, which does not belong there. {AGAIN}"
            return f"Event {number} is missing from the index by {kind}. {AGAIN}"
    stored = known.get(moments, {}).get("moments", b"")
    for position, (number, event) in enumerate(entries):
        if stored[position * TIMESTAMP_BYTES : (position + 1) * TIMESTAMP_BYTES] != moment_bytes(event):
            return f"The index has another time for event {number}. {AGAIN}"
    return None


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
    """The first candidates, block by block, newest first: those of a list, under any of its names, or all numbers if
    only a time is given."""
    if not wanted.lists:
        yield from (
            (first, set(range(first, first + BLOCK_EVENTS))) for first in range(first_of(top), 0, -BLOCK_EVENTS)
        )
        return
    spans = [keys.log_index_blocks(kind, name, first_of(top)) for kind, name in wanted.lists[0]]
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
