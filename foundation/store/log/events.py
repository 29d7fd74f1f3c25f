"""The event log: numbered events, each written in the same transaction as the change it describes.

In the embedded store, which has one writer at a time, the transaction itself takes the number, so that there are no
gaps.

In a distant store the number is taken first, so that transactions do not contend for a counter. A number whose
transaction did not happen is declared void in an item that every such transaction checks: a late writer is refused and
records its act under a new number. So a gap, once sealed, can never be filled.

In both, an act reads state, takes a number after that, and writes on condition that the state has not changed. So
numbers have the order in which the changes happened, which replay relies on.

Every event has a random nonce of 128 bits, which goes into its digest: without it, a published digest could be reversed
by guessing who did what, and when.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    Numbered,
    Page,
    Put,
    Refused,
    StoreError,
    Table,
    Write,
)
from . import layout, numbers

MAX_ATTEMPTS = 5
IDEMPOTENCY_SECONDS = 24 * 3600  # how long a form sent again is recognised

# An act's writes that contain its number; they may depend on nothing else that changes.
Noting = Callable[[int], Iterable[Write]]


@dataclass(frozen=True, slots=True)
class Event:
    """What a person or the site did, in natural keys. Nothing in an event is secret."""

    actor: str
    event_type: str
    event_data: dict[str, Any] = field(default_factory=dict)


class Repeated(Exception):
    """This form was carried out before; nothing was changed. `number` is that of its event."""

    def __init__(self, number: int):
        self.number = number
        super().__init__(f"This form was carried out before, as event {number}.")


def utc_now() -> datetime:
    return datetime.now(UTC)


def as_text(moment: datetime) -> str:
    """A moment as it is stored: 2026-11-15T10:30:00.123Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_nonce() -> str:
    """128 random bits that keep the content of an event from being guessed by its digest."""
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
        noting: Noting = lambda number: (),
    ) -> int:
        """Make the change and log it, both or neither; returns the event's number.

        `Refused.parts` are positions in `writes`, and after these in what `noting` makes of the event's number. The
        same `once` again, say of a form sent twice, changes nothing and raises `Repeated` with the number of the first
        time.
        """
        record = self._in_two_steps if self.table.is_distant else self._at_once
        return record(event, writes, once, noting)

    def _at_once(self, event: Event, writes: Sequence[Write], once: str | None, noting: Noting) -> int:
        """The transaction itself takes the number; if it is refused, the next one gets it."""
        number, changes = 0, len(writes)

        def parts(header: Item) -> list[Write]:
            nonlocal number, changes
            number = header["last"]
            noted = list(noting(number))
            changes = len(writes) + len(noted)
            return [*noted, *self._mark(number, once), Put(self._event(number, event), table=LOG)]

        try:
            self.table.write(*writes, Numbered(numbers.HEADER, "last", parts))
        except Refused as refused:
            raise self._refusal(refused, changes, once) from None
        return number

    def _in_two_steps(self, event: Event, writes: Sequence[Write], once: str | None, noting: Noting) -> int:
        """The number is taken first; if its transaction does not happen, it is void."""
        for _ in range(MAX_ATTEMPTS):
            number = numbers.take(self.table)
            own = [*writes, *noting(number), *self._mark(number, once)]
            recorded = Put(self._event(number, event), when=Missing(), table=LOG)
            try:
                self.table.write(*own, recorded, Check(keys.void(number), Missing()))
            except Refused as refused:
                if min(refused.parts) < len(own):
                    self.void(number)
                    raise self._refusal(refused, len(own) - (once is not None), once) from None
            except (Conflict, Crowded):  # nothing was written; if that is unsure, the sealer decides later
                with suppress(StoreError):
                    self.void(number)
                raise
            else:
                return number
        raise Conflict("The event log kept declaring our numbers void.")

    def _refusal(self, refused: Refused, changes: int, once: str | None) -> Refused | Repeated:
        """The error for the caller; the mark of their form comes right after that many writes."""
        if once is not None and changes in refused.parts:
            if (mark := self.table.get(keys.once(once))) is None:
                raise Conflict("This form was sent before, just long enough ago to be forgotten now.")
            return Repeated(int(mark["event_id"]))
        return Refused(part for part in refused.parts if part < changes)

    def void(self, number: int) -> None:
        """Declare that no event will ever have this number; harmless if one has it already."""
        self.table.write(Put({**keys.void(number).item, "event_id": number}, table=LOG))

    def is_void(self, number: int) -> bool:
        return self.table.get(keys.void(number)) is not None

    def since(self, number: int) -> Iterator[Item]:
        """Every event after that number, in order."""
        return layout.each(self.table, number + 1)

    def newest_checkpoint(self) -> Item | None:
        return next(iter(self.table.page(keys.checkpoints(), limit=1, backwards=True).items), None)

    def find(self, number: int) -> Item | None:
        return layout.first_of_all(self.table, number, number)

    def checkpoint_over(self, number: int) -> Item | None:
        """The checkpoint that covers the number, once there is one."""
        return next(iter(self.table.page(keys.checkpoints(number), limit=1).items), None)

    def newest_public(self) -> Item | None:
        """The newest public checkpoint (foundation/store/log/publish.py)."""
        return next(iter(self.public_checkpoints(limit=1).items), None)

    def public_over(self, number: int) -> Item | None:
        """The public checkpoint that covers the number, once there is one."""
        return next(iter(self.table.page(keys.public_checkpoints(number), limit=1).items), None)

    def public_checkpoints(self, *, limit: int, cursor: str | None = None) -> Page:
        """The newest public checkpoints first."""
        return self.table.page(keys.public_checkpoints(), limit=limit, cursor=cursor, backwards=True)

    def _event(self, number: int, event: Event) -> Item:
        when = as_text(self.clock())
        return {
            **keys.event(number, when, self.table.log_partitions).item,
            "event_id": number,
            "actor": event.actor,
            "when_occurred": when,
            "event_type": event.event_type,
            "event_data": event.event_data,
            "nonce": self.nonce(),
        }

    def _mark(self, number: int, once: str | None) -> list[Write]:
        """Marks a form that is to be carried out once."""
        if once is None:
            return []
        seconds = int(self.clock().timestamp())
        fields = {**keys.once(once).item, "event_id": number, "ttl": seconds + IDEMPOTENCY_SECONDS}
        return [Put(fields, when=Missing() | Less("ttl", seconds))]


# --- what replay is made of ---


class DoesNotFit(Exception):
    """An event that is impossible after the events before it; the message says why."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event as its effect reads it."""

    kind: str
    actor: str
    when: str
    data: Item


# The writes of the act that recorded an event, transaction by transaction; each is computed after the one before is
# written. `operations.upkeep.replay` applies them.
Transactions = Iterator[Sequence[Write]]
Effect = Callable[[LoggedEvent], Transactions]
