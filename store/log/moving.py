"""Moving a log to another number of partitions: all events are copied, then the header says so, then the old ones go.

The header says from the first step to the last that the log is being moved, and every step is taken on condition that
it says just what it said before. So nobody is given a number meanwhile (store/log/numbers.py), readers and starting
sites refuse, and of two that move at once one is refused. Whoever took a number before the first step and has not
written yet finds it void: the second step declares void what has no event, and every recorded act checks that. After it
no event can come, and none can change, for what rewrites events records one.

Cut off anywhere, all events are still where they were, or all are where they go as well; the same again goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .. import keys, limits
from ..splitting import in_batches
from ..table import LOG, Check, Delete, Item, Key, Put, Refused, StoreError, Table, Update, Write
from . import layout
from .events import EventLog, number_of
from .layout import PARTITIONS, Header

A_HANDFUL = limits.WRITES - 1  # events in one transaction, beside the header
MOST_BYTES = 1024 * 1024  # of them

Progress = Callable[[int], None]  # is told how many events are done


class CannotMove(StoreError):
    """Why the log is not moved now; in a sentence."""


def silent(events: int) -> None:
    """The progress nobody looks at."""


def header(table: Table) -> Header:
    """What the log says of itself, also while it is moved."""
    return layout.header_of(table.get(keys.event_number()))


def move(table: Table, partitions: int, copying: Progress = silent, removing: Progress = silent) -> None:
    """Spread the log over so many partitions; of a move that was cut off, what is left of it."""
    if not 1 <= partitions <= layout.MOST:
        raise CannotMove(f"A log is spread over 1 to {layout.MOST} partitions.")
    if table.get(keys.restoring()) is not None:
        raise CannotMove("A backup is being restored into the store. Let that come to its end first.")
    try:
        if _is_begun(table, header(table), partitions):
            _copy(table, copying)
            _remove(table, removing)
    except Refused:
        raise CannotMove("Somebody else moves the event log just now.") from None
    finally:
        layout.forget(table)


def _is_begun(table: Table, there: Header, partitions: int) -> bool:
    """Whether there is anything to move; from here on the header says that it is being moved."""
    if there.moving is not None and there.moving["to"] != partitions:
        raise CannotMove(
            f"The event log is being moved to {there.moving['to']} partitions already. Let that come to its end first."
        )
    if there.moving is None and there.partitions == partitions:
        return False
    if there.moving is None:
        _say(table, there, {"from": there.partitions, "to": partitions, "copied": 0, "is_copied": False})
    return True


def _say(table: Table, there: Header, said: int | Item | None, *writes: Write) -> Header:
    """A step: these writes, and what the header says after them, on condition that it says what it said before."""
    place = keys.event_number()
    if said is None:
        step = Update(place, remove=(PARTITIONS,), when=there.is_still)
    else:
        step = Update(place, set={PARTITIONS: said}, when=there.is_still)
    table.write(*writes, step)
    return Header(said, there.last)


# --- copying ---


def _copy(table: Table, progress: Progress) -> None:
    there, done = header(table), 0
    if (moving := there.moving) is None or moving["is_copied"]:
        return
    if not moving["copied"]:
        _declare_void(table, there)
    for some in _handfuls(layout.each_in(table, moving["from"], moving["copied"] + 1, there.last)):
        there = _copy_some(table, there, some)
        progress(done := done + len(some))
    _say(table, there, {**(there.moving or moving), "is_copied": True})


def _declare_void(table: Table, there: Header) -> None:
    """What is sealed has its voids already; of the rest, no number without an event can have one later."""
    log = EventLog(table)
    newest = log.newest_checkpoint()
    first = newest["event_id"] + 1 if newest else 1
    known = {number_of(event) for event in layout.each_in(table, there.partitions, first, there.last)}
    for number in range(first, there.last + 1):
        if number not in known:
            log.void(number)


def _copy_some(table: Table, there: Header, some: list[Item]) -> Header:
    """In one transaction with how far the move has come."""
    moving = there.moving or {}
    laid_out = [[layout.laid_out(event, moving[where]) for where in ("from", "to")] for event in some]
    copies = [new for old, new in laid_out if old["PK"] != new["PK"]]
    puts = [Put(copy, table=LOG) for copy in copies]
    further = _say(table, there, {**moving, "copied": number_of(some[-1])}, *puts)
    _compare(table, copies)
    return further


def _compare(table: Table, copies: list[Item]) -> None:
    stored = table.get_many(Key(copy["PK"], copy["SK"], LOG) for copy in copies)
    if any(stored.get(Key(copy["PK"], copy["SK"], LOG)) != copy for copy in copies):
        raise CannotMove("An event did not arrive as it was. The old ones are still there; nothing was removed.")


# --- removing ---


def _remove(table: Table, progress: Progress) -> None:
    there, done = header(table), 0
    if (moving := there.moving) is None:
        return
    for some in _handfuls(_left_behind(table, moving)):
        deletes = [Delete(Key(event["PK"], event["SK"], LOG)) for event in some]
        table.write(*deletes, Check(keys.event_number(), there.is_still))
        progress(done := done + len(some))
    _say(table, there, moving["to"] if moving["to"] > 1 else None)


def _left_behind(table: Table, moving: Item) -> Iterator[Item]:
    """What lies in the old partitions and does not belong there any more."""
    for span in keys.events_in(moving["from"]):
        yield from (event for event in table.each(span) if not layout.is_at_home(event, moving["to"]))


# --- their parts ---


def _handfuls(events: Iterable[Item]) -> Iterator[list[Item]]:
    """As many as one transaction takes; each of them fits by itself."""
    return in_batches(events, MOST_BYTES, limits.check_item, max_count=A_HANDFUL)
