"""The event log: what happened, numbered, and written in the same transaction as the change itself.

A number is taken first, by itself, so that writers never stand in line for a shared item inside their transactions.
A number whose transaction did not happen is void and marked so in an item of its own, which every recorded act checks:
whoever comes late with a number that was declared void is refused and records the act under a new one. So a gap, once
sealed, can never be filled.

Order: whoever reads state, takes a number after that, and writes on condition that the state has not changed, gets
numbers in the order in which the changes happened. Replay relies on that.

Every event has a nonce of 128 random bits, which goes into its digest and is told only with the event itself: without
it, whoever sees a digest could try out who did what, and when. Events of before have none.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .. import keys
from ..table import (
    LOG,
    Check,
    Conflict,
    Crowded,
    Item,
    Less,
    Missing,
    Page,
    Put,
    Refused,
    StoreError,
    Table,
    Write,
)
from . import layout, numbers

TRIES = 5
ONCE_SECONDS = 24 * 3600  # how long a form sent again is recognised


@dataclass(frozen=True, slots=True)
class Event:
    """What somebody did, in natural keys. Nothing in an event is secret."""

    actor: str
    event_type: str
    event_data: dict[str, Any] = field(default_factory=dict)


class Repeated(Exception):
    """This form was carried out before, and nothing was changed; `number` is that of its event."""

    def __init__(self, number: int):
        self.number = number
        super().__init__(f"This form was carried out before, as event {number}.")


def utc_now() -> datetime:
    return datetime.now(UTC)


def as_text(moment: datetime) -> str:
    """A moment as it is stored: 2026-11-15T10:30:00.123Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def number_of(event: Item) -> int:
    """The number an event stands under, which is part of its key."""
    return int(event["SK"].partition("#")[0])


def new_nonce() -> str:
    """What hides the words of an event in its digest: 128 bits nobody can guess."""
    return secrets.token_hex(16)


class EventLog:
    def __init__(self, table: Table, clock: Callable[[], datetime] = utc_now, nonce: Callable[[], str] = new_nonce):
        self.table = table
        self.clock = clock
        self.nonce = nonce

    def record(
        self,
        event: Event,
        *writes: Write,
        once: str | None = None,
        noting: Callable[[int], Iterable[Write]] = lambda number: (),
    ) -> int:
        """Make the change and log it, both or neither; answers the event's number.

        `Refused.parts` are positions in `writes`, and after these in what `noting` makes of the event's number. The
        same `once` again, say of a form sent twice, changes nothing and raises `Repeated` with the number of the first
        time.
        """
        for _ in range(TRIES):
            number, partitions = numbers.take(self.table)
            changes = (*writes, *noting(number))
            try:
                self.table.write(*changes, *self._parts(number, partitions, event, once))
            except Refused as refused:
                if once is not None and len(changes) + 2 in refused.parts:
                    self.void(number)
                    raise Repeated(self._first_time(once)) from None
                if own := [part for part in refused.parts if part < len(changes)]:
                    self.void(number)
                    raise Refused(own) from None
            except (Conflict, Crowded):  # nothing was written; if that is not sure, the sealer waits and sees
                with suppress(StoreError):
                    self.void(number)
                raise
            else:
                return number
        raise Conflict("The event log kept declaring our numbers void.")

    def void(self, number: int) -> None:
        """Declare that no event will ever have this number; harmless if one has it already."""
        place = keys.void(number)
        self.table.write(Put({"PK": place.pk, "SK": place.sk, "event_id": number}, table=LOG))

    def is_void(self, number: int) -> bool:
        return self.table.get(keys.void(number)) is not None

    def since(self, number: int) -> Iterator[Item]:
        """Every event after that number, in order."""
        return layout.each(self.table, number + 1)

    def newest_checkpoint(self) -> Item | None:
        newest = self.table.page(keys.checkpoints(), limit=1, backwards=True).items
        return newest[0] if newest else None

    def find(self, number: int) -> Item | None:
        return layout.find(self.table, number)

    def checkpoint_over(self, number: int) -> Item | None:
        """The checkpoint that covers the number, once there is one."""
        there = self.table.page(keys.checkpoints(number), limit=1).items
        return there[0] if there else None

    def newest_public(self) -> Item | None:
        """The newest checkpoint that everybody may see (store/log/publish.py)."""
        newest = self.public_checkpoints(limit=1).items
        return newest[0] if newest else None

    def public_over(self, number: int) -> Item | None:
        """The public checkpoint that covers the number, once there is one."""
        there = self.table.page(keys.public_checkpoints(number), limit=1).items
        return there[0] if there else None

    def public_checkpoints(self, *, limit: int, cursor: str | None = None) -> Page:
        """The newest public checkpoints first."""
        return self.table.page(keys.public_checkpoints(), limit=limit, cursor=cursor, backwards=True)

    def _parts(self, number: int, partitions: int, event: Event, once: str | None) -> list[Write]:
        """What the log adds to a transaction: the event, the check that its number stands, the mark of the form."""
        when = as_text(self.clock())
        place = keys.event(number, when, partitions)
        item = {
            "PK": place.pk,
            "SK": place.sk,
            "event_id": number,
            "actor": event.actor,
            "when_occurred": when,
            "event_type": event.event_type,
            "event_data": event.event_data,
            "nonce": self.nonce(),
        }
        parts: list[Write] = [Put(item, when=Missing(), table=LOG), Check(keys.void(number), Missing())]
        if once is not None:
            mark, seconds = keys.once(once), int(self.clock().timestamp())
            fields = {"PK": mark.pk, "SK": mark.sk, "event_id": number, "ttl": seconds + ONCE_SECONDS}
            parts.append(Put(fields, when=Missing() | Less("ttl", seconds)))
        return parts

    def _first_time(self, once: str) -> int:
        mark = self.table.get(keys.once(once))
        if mark is None:
            raise Conflict("This form was sent before, just long enough ago to be forgotten now.")
        return int(mark["event_id"])
