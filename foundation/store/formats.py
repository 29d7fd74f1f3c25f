"""The format a store is written in: a number in each of its two tables, so that no program mistakes one for another.

A program refuses a format newer than its own, parts of which it would misread, and one older than it can serve, which
`plenum upgrade` brings up to date first. docs/how-to/upgrading.md lists the formats;
operations/upkeep/upgrading.py has the steps from one to the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from . import keys
from .table import Equals, Item, Key, Less, Missing, Put, Refused, StoreError, Table, Update

FORMAT = 1  # what this program writes
OLDEST_SERVED = 1  # older formats have to be upgraded first
UNMARKED = 1  # the format of a store without a mark
PLACES = (keys.STORE_FORMAT, keys.LOG_FORMAT)


class TooNew(StoreError):
    """A later version has written the store."""


class TooOld(StoreError):
    """The store has to be upgraded first."""


REFUSALS = (TooNew, TooOld)


# --- reading the mark ---


def format_of(table: Table) -> int | None:
    """The format of the store, or None if it is empty. If its two tables differ, the older: it is to be upgraded."""
    found = table.get_many([*PLACES, keys.EVENT_NUMBER])
    marked = [int(found[place]["number"]) for place in PLACES if place in found]
    if not marked:
        return UNMARKED if keys.EVENT_NUMBER in found else None
    return max(marked) if max(marked) > FORMAT else min(marked)


def is_too_new(found: Mapping[Key, Item]) -> bool:
    """Whether these items, read already, contain the mark of a later version."""
    return any(found[place]["number"] > FORMAT for place in PLACES if place in found)


def check(table: Table, oldest: int | None = None) -> int | None:
    """Refuse a store that is too new, or older than `oldest` (by default, than can be served); returns its format."""
    number, oldest = format_of(table), OLDEST_SERVED if oldest is None else oldest
    if number is not None and number > FORMAT:
        raise TooNew(too_new(number, "The store"))
    if number is not None and number < oldest:
        raise TooOld(
            f"The store has the format {number}, and this Plenum works on {oldest} to {FORMAT}. Stop the site, make a "
            "backup, and run “plenum upgrade”, which may be interrupted and run again. Nothing was changed."
        )
    return number


def too_new(number: int, what: str) -> str:
    return (
        f"{what} has the format {number}, and this Plenum reads up to {FORMAT}: a later version has written it. "
        "Run that version. Nothing was changed."
    )


# --- writing the mark ---


def mark(table: Table, number: int) -> None:
    """Mark both tables with this format, unless they have it or a later one."""
    older = Missing() | Less("number", number)
    for place in PLACES:
        with suppress(Refused):
            table.write(Put({**place.item, "number": number}, when=older, table=place.table))


def steps_done(table: Table) -> tuple[str, ...]:
    """The steps to the next format that an upgrade has finished so far."""
    return tuple((table.get(PLACES[0]) or {}).get("done", ()))


def mark_step(table: Table, number: int, done: tuple[str, ...]) -> None:
    """Record the finished steps on the way from this format to the next."""
    with suppress(Refused):  # another upgrade has reached the next format
        table.write(Update(PLACES[0], set={"done": list(done)}, when=Equals("number", number)))


# --- at a start, and later ---


def prepare(table: Table) -> None:
    """Before anything is served: refuse a store that is too new or too old, and mark any other.

    A store that is being restored gets its mark from the backup.
    """
    number = check(table)
    is_marked = number == FORMAT and len(table.get_many(PLACES)) == len(PLACES)
    if not is_marked and table.get(keys.RESTORING) is None:
        mark(table, FORMAT)


def refusal(table: Table) -> str | None:
    """Why this store must not be served. An unavailable store is no reason: it may come back."""
    try:
        prepare(table)
    except REFUSALS as refused:
        return str(refused)
    except StoreError:
        return None
    finally:
        table.close()  # the server forks next
    return None


class Watch:
    """Tells a worker whether it still understands the store, which another machine may have upgraded meanwhile."""

    def __init__(self, table: Table, every: float = 60, ticking: Callable[[], float] = time.monotonic):
        self.table = table
        self.every = every
        self.ticking = ticking
        self.looked = ticking()
        self.refused: str | None = None

    def __call__(self) -> bool:
        if self.refused is None and self.ticking() - self.looked >= self.every:
            self.looked = self.ticking()
            try:
                check(self.table)
            except REFUSALS as refused:
                self.refused = str(refused)
            except StoreError:
                pass  # it may come back; every job reports it already
        return self.refused is None
