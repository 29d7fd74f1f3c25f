"""Which format a store is written in: a number in each of its two tables, so that no program takes one for another.

A program reads every format up to its own and refuses a newer one, in which it would understand some things wrongly. A
store that says nothing was written before there were numbers: it has format 1, or 0 if its sealed log has no index yet.
What each format is, and how one becomes the next, is told in docs/upgrading.md; upkeep/upgrading.py takes the steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from . import keys
from .log import layout
from .log.index import NEVER
from .table import Equals, Item, Key, Less, Missing, Put, Refused, StoreError, Table, Update

FORMAT = 2  # what this program writes
SERVED = 1  # from here on a format is served as it is
UNMARKED = 1  # what a store has that says nothing
PLACES = (keys.store_format(), keys.log_format())
FIRST = keys.moments(1)


class TooNew(StoreError):
    """A store that a later version has written; the words say so."""


class TooOld(StoreError):
    """A store that has to be upgraded first; the words say how."""


REFUSALS = (TooNew, TooOld, layout.HalfMoved)


# --- what is there ---


def format_of(table: Table) -> int | None:
    """The format the store has; nothing if it is empty. If its tables differ, the older: it is to be upgraded."""
    found = table.get_many([*PLACES, keys.event_number(), keys.sync(), FIRST])
    if layout.header_of(found.get(keys.event_number())).moving is not None:
        raise layout.HalfMoved(layout.HALF_MOVED)
    marked = [int(found[place]["number"]) for place in PLACES if place in found]
    if len(marked) == len(PLACES) or any(number > FORMAT for number in marked):
        return max(marked) if max(marked) > FORMAT else min(marked)
    if not marked and keys.event_number() not in found:
        return None
    return 0 if _has_no_index(table, found) else UNMARKED


def _has_no_index(table: Table, found: Mapping[Key, Item]) -> bool:
    """Whether a log was sealed without being indexed from its first event on."""
    if not found.get(keys.sync(), {}).get("last_event_id"):
        return False
    if not found.get(FIRST, {}).get("moments", b"").startswith(NEVER):
        return FIRST not in found
    return layout.find(table, 1) is not None  # else the first number is void, and has no moment


def is_too_new(found: Mapping[Key, Item]) -> bool:
    """Of items that were read already: whether they tell of a later version."""
    return any(found[place]["number"] > FORMAT for place in PLACES if place in found)


def check(table: Table, oldest: int = SERVED) -> int | None:
    """Refuse a store that is too new, or older than what is asked for; answers its format."""
    number = format_of(table)
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


# --- saying it ---


def mark(table: Table, number: int) -> None:
    """Say in both tables that the store has this format, unless it says so or more already."""
    further = Missing() | Less("number", number)
    for place in PLACES:
        with suppress(Refused):
            item = {"PK": place.pk, "SK": place.sk, "number": number}
            table.write(Put(item, when=further, table=place.table))


def steps_done(table: Table) -> tuple[str, ...]:
    """The steps to the next format that an upgrade has taken so far."""
    return tuple((table.get(PLACES[0]) or {}).get("done", ()))


def mark_step(table: Table, number: int, done: tuple[str, ...]) -> None:
    """Say which steps are taken on the way from this format to the next."""
    with suppress(Refused):  # then another upgrade has come to the end of it
        table.write(Update(PLACES[0], set={"done": list(done)}, when=Equals("number", number)))


# --- at a start, and later ---


def prepare(table: Table) -> None:
    """Before anything is served: refuse a store that is too new, or that steps have to be taken for; mark any other.

    One that is being filled from a backup gets its mark, or none, from there.
    """
    number = check(table)
    if number != FORMAT and table.get(keys.restoring()) is None:
        if number is None:
            layout.begin(table)
        mark(table, FORMAT)


def refusal(table: Table) -> str | None:
    """Why this store is not to be served, in a sentence. One that does not answer is no reason: it may come back."""
    try:
        prepare(table)
    except REFUSALS as refused:
        return str(refused)
    except StoreError:
        return None
    finally:
        table.close()  # who starts a server forks
    return None


class Watch:
    """Asked by a worker whether it still understands the store, which another machine may have upgraded meanwhile."""

    def __init__(self, table: Table, every: float = 60, ticking: Callable[[], float] = time.monotonic):
        self.table = table
        self.every = every
        self.ticking = ticking
        self.looked = ticking()
        self.refused: str | None = None

    def __call__(self) -> bool:
        if self.refused is None and self.ticking() - self.looked >= self.every:
            self.looked = self.ticking()
            self._look()
        return self.refused is None

    def _look(self) -> None:
        try:
            check(self.table)
        except REFUSALS as refused:
            self.refused = str(refused)
        except StoreError:
            pass  # it may come back; every job says so already
