"""Where events are stored: one partition in an embedded store, sixteen in a distant one, by number, so that no single
partition limits the log.

Each kind of store has its number of partitions (`Table.log_partitions`), so a log never moves within a store. All code
that reads or writes events goes through here and sees them as if they were in `EVENTS`: digests, chain, bundles and
backups are the same in both layouts, and a copy gets the layout of the store it is written into.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from foundation.store import cursors, keys, sharded_reads

from ..table import LOG, Item, Page, Table

NEW_LOG_PARTITIONS = 16  # partitions of every log on a distant store; another number would be another format
WINDOW_NUMBERS, MAX_WINDOW_NUMBERS = 1000, 16_000  # numbers read at once, from all partitions in parallel


# --- stored and canonical form of an event ---


def canonical(event: Item) -> Item:
    """The event in its canonical form, independent of the layout."""
    return event if event["PK"] == keys.EVENTS else {**event, "PK": keys.EVENTS}


def laid_out(event: Item, partitions: int) -> Item:
    """The event in its stored form."""
    return {**event, "PK": keys.event(number_of(event), "", partitions).pk} if partitions > 1 else event


def number_of(event: Item) -> int:
    """The event's number, which is part of its key."""
    return int(event["SK"].partition("#")[0])


# --- reading ---


def each(table: Table, first: int = 0, last: int | None = None, *, backwards: bool = False) -> Iterator[Item]:
    """The events numbered `first` to `last`, both included, in the order of their numbers."""
    partitions = table.log_partitions
    if partitions == 1:
        return table.each(keys.events(first, last), backwards=backwards)
    return _merged(table, partitions, first, last, backwards, WINDOW_NUMBERS)


def page(
    table: Table,
    first: int = 0,
    last: int | None = None,
    *,
    limit: int,
    cursor: str | None = None,
    backwards: bool = False,
) -> Page:
    """At most `limit` of them; the cursor does not depend on the layout."""
    partitions, span = table.log_partitions, keys.events(first, last)
    if partitions == 1:
        return table.page(span, limit=limit, cursor=cursor, backwards=backwards)
    if cursor is not None:
        after = int(cursors.decode(span, cursor)["SK"][: keys.EVENT_NUMBER_DIGITS])
        first, last = (first, after - 1) if backwards else (after + 1, last)
    found = list(islice(_merged(table, partitions, first, last, backwards, limit + 1), limit + 1))
    return Page(found[:limit], cursors.encode(span, found[limit - 1]) if len(found) > limit else None)


def first_of_all(table: Table, first: int = 0, last: int | None = None) -> Item | None:
    """The first of them, if any."""
    return next(iter(page(table, first, last, limit=1).items), None)


def last_number(table: Table) -> int:
    """The highest number given out so far; 0 if none was."""
    return int((table.get(keys.EVENT_NUMBER) or {"last": 0})["last"])


def get_many(table: Table, places: Iterable[tuple[int, str]]) -> list[Item]:
    """The events that exist, in the order asked for; each is identified by its number and time."""
    partitions = table.log_partitions
    wanted = [keys.event(number, when, partitions) for number, when in places]
    there = table.get_many(wanted)
    return [canonical(there[place]) for place in wanted if place in there]


def everything(table: Table) -> Iterator[tuple[str, Item]]:
    """Every item of the store as in a copy: events in the order of their numbers, independent of the layout.

    If there are several partitions, events come last and are read a second time for that.
    """
    if table.log_partitions == 1:
        yield from table.everything()
        return
    for name, item in table.everything():
        if name != LOG or not keys.holds_events(item["PK"]):
            yield name, item
    yield from ((LOG, event) for event in each(table))


def entry(table: Table, name: str, item: Item) -> tuple[str, Item]:
    """An item of a copy, in the form this store stores it."""
    is_event = name == LOG and keys.holds_events(item["PK"])
    return name, laid_out(item, table.log_partitions) if is_event else item


# --- several partitions as if they were one ---


def _merged(
    table: Table, partitions: int, first: int, last: int | None, backwards: bool, window: int
) -> Iterator[Item]:
    """One window after another; each is one parallel request to every partition."""
    if last is None or last - first >= window:  # else there is one window anyway
        end = last_number(table)
        last = end if last is None else min(end, last)
    for low, high in _windows(max(first, 1), last, window, backwards):
        for event in sharded_reads.each(table, keys.events_in(partitions, low, high), backwards=backwards):
            if event["PK"] == keys.event(number_of(event), "", partitions).pk:  # else it is in the wrong partition
                yield canonical(event)


def _windows(first: int, last: int, size: int, backwards: bool) -> Iterator[tuple[int, int]]:
    """The numbers in windows that grow: most readers want few events, and those who want all want few requests."""
    while first <= last:
        low, high = (max(first, last - size + 1), last) if backwards else (first, min(last, first + size - 1))
        yield low, high
        first, last = (first, low - 1) if backwards else (high + 1, last)
        size = min(2 * size, max(size, MAX_WINDOW_NUMBERS))
