"""The trail of an election in the log: which events are about it, found through the index, under every name it had.

What is sealed is found by the numbers that the index lists (foundation/store/log/search.py), a few blocks at a time;
what is not sealed yet is read as it comes. So it costs what happened to the election, not what the site did meanwhile.
An entry too many does no harm: whether an event belongs here, it says itself. One that is missing is named by `verify`.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import chain, groupby, islice
from operator import itemgetter

from elections.rules import Election
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.limits import BATCH_KEYS
from foundation.store.log import EventLog, layout
from foundation.store.log.search import BALLOTS, BLOCK_EVENTS, ELECTION, Query, first_of, moment_at, search
from foundation.store.table import Item

BATCH_BLOCKS = 20  # of the index, looked through at once
# if more than one in so many events is listed, all between them are read: many come in one reply
DENSE_EVENTS_PER_HIT = 20


class EventFilter:
    """Knows which events are about one election: from its making, under every name it had, to its sealed result.

    That is the result with this digest; where none is named, the first that was sealed.
    """

    def __init__(self, election: Election, report_digest: str = ""):
        self.election, self.report_digest = election, report_digest
        self.names = _names(election)
        self.name = ""
        self.done = False

    def matches(self, event: Item) -> bool:
        kind, event_data = event["event_type"], event["event_data"]
        name = event_data.get("election_name")
        if not self.name and kind == "ElectionCreated" and event_data.get("created_at") == self.election.created_at:
            # An election of the same name may have been deleted before, and others been made at the same moment.
            self.name = name if keys.fold(name) in map(keys.fold, self.names) else ""
        if not self.name or self.done or name is None:
            return False
        if name != self.name and keys.fold(name) != keys.fold(self.name):
            return False
        if kind == "ElectionRenamed":
            self.name = event_data["new_name"]
        is_last = kind == "ResultSealed" and "question" not in event_data  # that of the first question
        self.done = is_last and self.report_digest in ("", event_data["report_digest"])
        return True


def events_of(election: Election) -> Iterator[Item]:
    """The log's events about an election up to its sealed result, without checking checkpoints."""
    follower = EventFilter(election)
    for event in _possible_events(follower.names):
        if follower.matches(event):
            yield event
        if follower.done:
            return


def sealed_numbers(names: list[str]) -> Iterator[int]:
    """The numbers of all sealed events that may be about an election of these names, in order."""
    return chain.from_iterable(_blocks(names, _sealed()))


def _possible_events(names: list[str]) -> Iterator[Item]:
    """The events that may be about an election of these names, in order, and some that are not."""
    sealed = _sealed()
    blocks = _blocks(names, sealed)
    while some := list(islice(blocks, BATCH_BLOCKS)):
        yield from _read(list(chain.from_iterable(some)))
    yield from layout.each(table(), sealed + 1)


def _sealed() -> int:
    newest = EventLog(table()).newest_checkpoint()
    return newest["event_id"] if newest else 0


def _blocks(names: list[str], sealed: int) -> Iterator[list[int]]:
    """The numbers that the index lists under any of these names, in order, block by block."""
    places = ((kind, name) for name in names for kind in (ELECTION, BALLOTS))
    spans = [keys.log_index_blocks(kind, name, first_of(sealed)) for kind, name in places] if sealed else []
    in_block = itemgetter("SK")
    for _block, items in groupby(merge(*map(table().each, spans), key=in_block), key=in_block):
        yield sorted({number for item in items for number in item["numbers"] if number <= sealed})


def _names(election: Election) -> list[str]:
    """Every name that the election may have had: its current one, those renamed to it, and so on."""
    names = [election.name]
    for name in names:  # which grows meanwhile
        known = set(map(keys.fold, names))
        renames = (event["event_data"] for event in _renames(name))
        older = {
            keys.fold(event_data["election_name"])
            for event_data in renames
            if keys.fold(event_data["new_name"]) == keys.fold(name)
        }
        names += sorted(older - known)
    return names


def _renames(name: str) -> Iterator[Item]:
    wanted, before = Query(election=name, event_type="ElectionRenamed", ballots=False), None
    while True:
        found = search(table(), wanted, before=before)
        yield from found.events
        if (before := found.before) is None:
            return


def _read(numbers: list[int]) -> Iterator[Item]:
    """The events with these numbers; where they stand close together, also those between them."""
    if len(numbers) * DENSE_EVENTS_PER_HIT > numbers[-1] - numbers[0]:
        yield from layout.each(table(), numbers[0], numbers[-1])
        return
    blocks = {first_of(number): keys.moments(first_of(number)) for number in numbers}
    known = table().get_many(blocks.values())
    moments = {first: known.get(place, {}).get("moments", b"") for first, place in blocks.items()}
    # When they happened is part of their keys.
    found = ((number, moment_at(moments[first_of(number)], (number - 1) % BLOCK_EVENTS)) for number in numbers)
    places = ((number, when) for number, when in found if when)
    while some := list(islice(places, BATCH_KEYS)):
        yield from layout.get_many(table(), some)
