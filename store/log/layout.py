"""Where events lie: in one partition, or spread over several by their numbers, so that no partition bounds the log.

The item that gives out numbers is the log's header: it says over how many partitions events are spread (nothing said
means one), and whether they are being moved (store/log/moving.py). Everything that reads or writes events asks here,
and is told of each as if it lay in `EVENTS`: digests, chain, bundles and backups are the same whatever the layout.

A process asks the header once and believes it for a minute. That is safe for whoever writes, because a number is taken
on condition that the header still says what the process believes (store/log/numbers.py), or in one transaction with a
look at the header (store/log/events.py): an event never lies where the log does not look for it. Whoever only reads
hears of a move within the minute. Whoever writes down for good what it has read asks again in between (`unmoved`): what
was read before a move began was all there.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from weakref import WeakKeyDictionary

from .. import cursors, keys, spans, trips
from ..table import LOG, Condition, Equals, Item, Missing, Page, Put, Refused, Table, Unavailable

SPREAD = 16  # partitions of a new log on a distant store
MOST = 64  # partitions that a log is ever spread over
BELIEVED = 60.0  # seconds for which a process believes what the header said
A_WINDOW, LARGEST_WINDOW = 1000, 16_000  # numbers that are read at once, from all partitions side by side
PARTITIONS = "partitions"  # of the header, and of no copy: nothing for one, a number, or what a move says of itself


class HalfMoved(Unavailable):
    """A log that is being moved to another number of partitions; the words say what to do."""


HALF_MOVED = (
    "The event log is being moved to another number of partitions, or that was cut off. Nothing is lost. Run "
    "“plenum spread_log”, which goes on where it was, and start the site again when it is done."
)


# --- what the header says ---


@dataclass(frozen=True, slots=True)
class Header:
    """What the log says of itself."""

    said: int | Item | None  # of its partitions
    last: int  # the last number that was given out

    @property
    def moving(self) -> Item | None:
        """What a move says of itself, while there is one."""
        return self.said if isinstance(self.said, dict) else None

    @property
    def partitions(self) -> int:
        """Where all events lie; of a log that is being moved, where all still do."""
        return self.said if isinstance(self.said, int) else int(self.moving["from"]) if self.moving else 1

    @property
    def is_still(self) -> Condition:
        """That the header says the same: no move has begun, come further, or ended."""
        return Missing(PARTITIONS) if self.said is None else Equals(PARTITIONS, self.said)


@dataclass(frozen=True, slots=True)
class _Known:
    partitions: int
    is_still: Condition
    asked: float


_known: WeakKeyDictionary[object, _Known] = WeakKeyDictionary()


def header_of(item: Item | None) -> Header:
    """Of the item that gives out numbers."""
    said = item or {}
    return Header(said.get(PARTITIONS), said.get("last", 0))


def partitions_in(item: Item) -> int:
    """Over how many partitions events are spread, as this header says; one that is half moved takes none."""
    header = header_of(item)
    if header.moving is not None:
        raise HalfMoved(HALF_MOVED)
    return header.partitions


def ask(table: Table) -> Header:
    """What the header says now; a log that is half moved is refused."""
    header = header_of(table.get(keys.event_number()))
    if header.moving is not None:
        forget(table)
        raise HalfMoved(HALF_MOVED)
    _known[table] = _Known(header.partitions, header.is_still, time.monotonic())
    return header


def _believed(table: Table) -> _Known:
    """What the header has said within the last minute."""
    known = _known.get(table)
    if known is None or time.monotonic() - known.asked > BELIEVED:
        with trips.beside():  # so rarely that it belongs to no request
            ask(table)
        known = _known[table]
    return known


def believed(table: Table) -> tuple[int, Condition]:
    """Over how many partitions events are spread, and the condition that the header still says so."""
    known = _believed(table)
    return known.partitions, known.is_still


def forget(table: Table) -> None:
    """The header is not as it was: ask again before it is believed."""
    _known.pop(table, None)


def partitions_of(table: Table) -> int:
    return _believed(table).partitions


@contextmanager
def unmoved(table: Table) -> Iterator[None]:
    """What is read inside is the log as it lies; if events were moved meanwhile, or before, it is refused."""
    before = partitions_of(table)
    yield
    if ask(table).partitions != before:
        raise HalfMoved(HALF_MOVED)


def begin(table: Table) -> None:
    """Say of a log that is still to be written how it is laid out; of several who begin it, one says so."""
    if table.is_distant:
        place = keys.event_number()
        with suppress(Refused):
            table.write(Put({"PK": place.pk, "SK": place.sk, "last": 0, PARTITIONS: SPREAD}, Missing(), LOG))
    forget(table)


# --- where an event lies, and what it is called everywhere else ---


def canonical(event: Item) -> Item:
    """An event as everybody knows it, wherever it lies."""
    return event if event["PK"] == keys.EVENTS else {**event, "PK": keys.EVENTS}


def laid_out(event: Item, partitions: int) -> Item:
    """An event as it lies in the store."""
    return {**event, "PK": keys.event(_number_of(event), "", partitions).pk} if partitions > 1 else event


def putting(table: Table, event: Item, when: Condition) -> Put:
    """The event in place of the one that lies there."""
    return Put(laid_out(event, partitions_of(table)), when=when, table=LOG)


def is_at_home(event: Item, partitions: int) -> bool:
    """Whether it lies where it belongs, if there are so many partitions."""
    return bool(event["PK"] == keys.event(_number_of(event), "", partitions).pk)


def _number_of(event: Item) -> int:
    return int(event["SK"].partition("#")[0])


# --- reading ---


def each(table: Table, first: int = 0, last: int | None = None, *, backwards: bool = False) -> Iterator[Item]:
    """The events numbered `first` to `last`, both included, in the order of their numbers."""
    partitions = partitions_of(table)
    if partitions == 1:
        return table.each(keys.events(first, last), backwards=backwards)
    return _merged(table, partitions, first, last, backwards, A_WINDOW)


def page(
    table: Table,
    first: int = 0,
    last: int | None = None,
    *,
    limit: int,
    cursor: str | None = None,
    backwards: bool = False,
) -> Page:
    """At most `limit` of them; the cursor is the same whatever the layout."""
    partitions, whole = partitions_of(table), keys.events(first, last)
    if partitions == 1:
        return table.page(whole, limit=limit, cursor=cursor, backwards=backwards)
    if cursor is not None:
        after = int(cursors.decode(whole, cursor)["SK"][: keys.DIGITS])
        first, last = (first, after - 1) if backwards else (after + 1, last)
    found = list(islice(_merged(table, partitions, first, last, backwards, limit + 1), limit + 1))
    return Page(found[:limit], cursors.encode(whole, found[limit - 1]) if len(found) > limit else None)


def first_of_all(table: Table, first: int = 0, last: int | None = None) -> Item | None:
    """The first of them, if there is any."""
    return next(iter(page(table, first, last, limit=1).items), None)


def find(table: Table, number: int) -> Item | None:
    return first_of_all(table, number, number)


def get_many(table: Table, places: Iterable[tuple[int, str]]) -> list[Item]:
    """Those of the events that are there, in the order asked for; each by its number and when it happened."""
    partitions = partitions_of(table)
    wanted = [keys.event(number, when, partitions) for number, when in places]
    there = table.get_many(wanted)
    return [canonical(there[place]) for place in wanted if place in there]


def everything(table: Table) -> Iterator[tuple[str, Item]]:
    """Every item of the store as a copy has it: events in the order of their numbers, nothing of how they lie.

    Those of a log that is spread come after all else, and are read once more for it.
    """
    partitions, header = ask(table).partitions, keys.event_number().pk
    for name, item in table.everything():
        if name == LOG and partitions > 1 and keys.holds_events(item["PK"]):
            continue
        yield name, _without_layout(item) if name == LOG and item["PK"] == header else item
    if partitions > 1:
        yield from ((LOG, event) for event in each(table))


def _without_layout(header: Item) -> Item:
    return {name: value for name, value in header.items() if name != PARTITIONS}


def entry(table: Table, name: str, item: Item) -> tuple[str, Item]:
    """An item of a copy, as it is to lie in this store."""
    if name != LOG:
        return name, item
    partitions = partitions_of(table)
    if keys.holds_events(item["PK"]):
        return name, laid_out(item, partitions)
    is_header = item["PK"] == keys.event_number().pk
    return name, {**_without_layout(item), PARTITIONS: partitions} if is_header and partitions > 1 else item


# --- several partitions as if they were one ---


def _merged(
    table: Table, partitions: int, first: int, last: int | None, backwards: bool, window: int
) -> Iterator[Item]:
    """Window by window: each is one question to every partition, all asked at once."""
    if last is None or last - first >= window:  # else there is one window anyway
        end = ask(table).last
        last = end if last is None else min(end, last)
    return each_in(table, partitions, first, last, backwards, window)


def each_in(
    table: Table, partitions: int, first: int, last: int, backwards: bool = False, window: int = A_WINDOW
) -> Iterator[Item]:
    """The events that lie where they belong if there are so many partitions, whatever the header says."""
    for low, high in _windows(max(first, 1), last, window, backwards):
        found = spans.each(table, keys.events_in(partitions, low, high), backwards=backwards)
        yield from (canonical(event) for event in found if is_at_home(event, partitions))


def _windows(first: int, last: int, size: int, backwards: bool) -> Iterator[tuple[int, int]]:
    """The numbers in stretches, small ones first: most who read want few, and who wants all wants few questions."""
    while first <= last:
        low, high = (max(first, last - size + 1), last) if backwards else (first, min(last, first + size - 1))
        yield low, high
        first, last = (first, low - 1) if backwards else (high + 1, last)
        size = min(2 * size, max(size, LARGEST_WINDOW))
