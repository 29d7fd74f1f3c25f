"""The site's table, event log and clock; how changes are written with their event, and refused if the thing's version
has changed since it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import Field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, TypeVar

from django.conf import settings

from foundation.acts.refusals import LostRace, Refusal
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog, as_text, utc_now
from foundation.store.log.events import Noting
from foundation.store.splitting import by_count
from foundation.store.table import Condition, Delete, Equals, Item, Key, Missing, Refused, Span, Table, Update, Write

SITE = "plenum"  # the actor of what happens by itself
_elsewhere: ContextVar[Table | None] = ContextVar("elsewhere", default=None)


def table() -> Table:
    """The site's table, or the one that `use_table` has put in its place."""
    return _elsewhere.get() or connect(settings.STORE_URL)


@contextmanager
def use_table(other: Table) -> Iterator[None]:
    """Use another table inside, such as a rehearsal's."""
    token = _elsewhere.set(other)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def log(now: datetime | None = None) -> EventLog:
    """The event log; its events happen at `now` if the caller has read the clock already."""
    return EventLog(table(), lambda: now) if now else EventLog(table())


def now_text() -> str:
    return as_text(utc_now())


# --- Writing and recording ---

_marks: ContextVar[list[str] | None] = ContextVar("marks", default=None)


@contextmanager
def mark_first_event(mark: str) -> Iterator[None]:
    """The first event recorded inside carries this mark, so that the act is recognised if it is asked for again
    (`foundation.acts.retry.run_once`), even if its service takes no mark."""
    token = _marks.set([mark])
    try:
        yield
    finally:
        _marks.reset(token)


Refusals = Mapping[int, Refusal]  # by the position of the write that is refused
NO_REFUSALS: Refusals = MappingProxyType({})


def record(
    event: Event,
    *writes: Write,
    once: str | None = None,
    noting: Noting = lambda number: (),
    at: datetime | None = None,
    refusals: Refusals = NO_REFUSALS,
) -> int:
    """Make the change and log it, both or neither; see `EventLog.record`. Raises `LostRace` if a condition did not
    hold, or what `refusals` has for that write. `at` is the event's time if the caller has read the clock already."""
    marks = _marks.get() or []
    try:
        number = log(at).record(event, *writes, once=once or next(iter(marks), None), noting=noting)
    except Refused as refused:
        raise refusal_of(refused, refusals) from None
    marks.clear()
    return number


def write(*writes: Write, refusals: Refusals = NO_REFUSALS) -> None:
    """As `record`, without an event."""
    try:
        table().write(*writes)
    except Refused as refused:
        raise refusal_of(refused, refusals) from None


def refusal_of(refused: Refused, refusals: Refusals) -> Refusal:
    return next((refusals[part] for part in refusals if part in refused.parts), LostRace(parts=refused.parts))


def try_record(event: Event, *writes: Write, noting: Noting = lambda number: ()) -> bool:
    """As `record`; false if the race was lost."""
    try:
        record(event, *writes, noting=noting)
    except LostRace:
        return False
    return True


def try_write(*writes: Write) -> bool:
    """As `write`; false if the race was lost."""
    try:
        write(*writes)
    except LostRace:
        return False
    return True


def delete_all(span: Span) -> None:
    """Delete everything in the span, without an event."""
    for some in by_count(table().each(span)):
        table().write(*(Delete(Key(item["PK"], item["SK"])) for item in some))


class Versioned(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def version(self) -> int: ...


class HasVersion(Protocol):
    """Has a version: a number, or any value that no two of its states share."""

    @property
    def version(self) -> int | str: ...


T = TypeVar("T", bound=Versioned)


def unchanged(thing: HasVersion) -> Equals:
    return Equals("version", thing.version)


def unchanged_or_new(thing: HasVersion) -> Condition:
    """As `unchanged`, for a thing that has no version until it is first written."""
    return unchanged(thing) if thing.version else Missing()


def next_version(before: T, after: T) -> T:
    """`after` with the version that follows that of `before`."""
    return replace(after, version=before.version + 1)


def change(before: T, after: T, item_of: Callable[[T], Item], except_for: Collection[str] = ()) -> Update:
    """Update the thing's own item, except for fields that change in other ways."""
    was, will = item_of(before), item_of(next_version(before, after))
    fixed = {"PK", "SK", *except_for}
    return Update(
        Key(will["PK"], will["SK"]),
        set={name: value for name, value in will.items() if name not in fixed},
        remove=tuple(name for name in was if name not in will and name not in fixed),
        when=unchanged(before),
    )
