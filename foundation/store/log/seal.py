"""Tamper evidence: a sealer that follows the log and stores checkpoints of a hash chain, the verification of both, and
proofs of what a public checkpoint covers.

The chain starts with 32 zero bytes; each event, in the order of the numbers, makes it SHA-256(chain + digest of event).
The digest of an event is the SHA-256 of its item as JSON with sorted keys and no spaces; that of a void number is the
SHA-256 of "void " and the number. A checkpoint stores the chain's value after its last event and the first half of
every digest since the previous checkpoint, so that a later change can be pinpointed.

An event from which a name was erased (foundation/store/log/rewriting.py) contains the digest it was sealed with, so the
chain still matches; its new content is valid only if a later event announces it.

Checkpoints come every few seconds; foundation/store/log/publish.py decides which become public, and when.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from .. import keys
from ..table import LOG, Equals, Item, Missing, Put, Refused, StoreError, Table, Update, Write
from . import layout
from .events import EventLog, as_text, utc_now
from .layout import number_of
from .publish import Publisher, public_hash, publish_immediately
from .rewriting import Rewritings, event_digest, sealed_digest
from .search import BLOCK_EVENTS, NumberedEvent, essence, extend_index, flaw_in

GRACE_PERIOD = timedelta(seconds=60)  # how long the holder of a number may take before the number is declared void
EVENTS_PER_CHECKPOINT = 1000
CHAIN_START = bytes(32)
DIGEST_BYTES = 16  # of each digest, stored in a checkpoint


class CheckpointsDiffer(StoreError):
    """The checkpoints are not those that were made, so the chain cannot be continued."""


def void_digest(number: int) -> bytes:
    return hashlib.sha256(f"void {number}".encode()).digest()


def extend(chain: bytes, digest: bytes) -> bytes:
    return hashlib.sha256(chain + digest).digest()


class Sealer:
    """Follows the log. Several may run at once: the checkpoint, the sync state and the counts move in one transaction.

    `counted` maps event types to the counts of the site that they change, and by how much.
    """

    def __init__(
        self,
        table: Table,
        counted: Mapping[str, Mapping[str, int]] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ):
        self.table = table
        self.log = EventLog(table, clock)
        self.counted = counted or {}
        self.clock = clock

    def seal(self, progress: Callable[[int], None] = lambda number: None) -> int:
        """Seal everything that can be sealed now, and publish what is due; returns how many numbers were sealed. After
        each part, `progress` is called with the number up to which all is sealed."""
        sealed, newest = 0, self.log.newest_checkpoint()
        while batch := self._next_batch(newest):
            before, newest = newest, self.log.newest_checkpoint()
            if newest == before:  # refused, and not because another sealer was first
                there = newest["event_id"] if newest else 0
                known = (self.table.get(keys.SYNC) or {}).get("last_event_id", 0)
                raise CheckpointsDiffer(
                    f"The log is recorded as sealed up to event {known}, but its checkpoints end at event {there}: "
                    "somebody has changed the store. Nothing more is sealed, because new checkpoints would hide that. "
                    "Keep a copy of the store as it is, and restore the newest backup."
                )
            sealed += batch
            progress(newest["event_id"] if newest else 0)
        Publisher(self.table, self.clock).publish()
        return sealed

    def _next_batch(self, previous: Item | None) -> int:
        before = previous["event_id"] if previous else 0
        chain = bytes.fromhex(previous["hash"]) if previous else CHAIN_START
        entries = list(islice(self._settled(before), min(EVENTS_PER_CHECKPOINT, BLOCK_EVENTS - before % BLOCK_EVENTS)))
        if not entries:
            return 0
        extend_index(self.table, before, entries)  # first, so that the index covers every checkpoint
        digests = [event_digest(event) if event else void_digest(number) for number, event in entries]
        for digest in digests:
            chain = extend(chain, digest)
        events = [event for _, event in entries if event]
        now, latest = as_text(self.clock()), max((event["when_occurred"] for event in events), default="")
        checkpoint = {
            "first_event_id": before + 1,
            "event_id": before + len(entries),
            "hash": chain.hex(),
            "digests": b"".join(digest[:DIGEST_BYTES] for digest in digests),
            "voids": [number for number, event in entries if not event],
            "when_sealed": now,
            **({"latest": latest} if latest > now else {}),  # recorded by a machine whose clock is ahead
        }
        self._store(before, checkpoint, events)
        return len(entries)

    def _settled(self, before: int) -> Iterator[NumberedEvent]:
        """Numbers in order with their events, `None` for a void one; ends where an event may still arrive. A gap is
        marked void here if the event after it is old enough."""
        expected = before + 1
        for event in self.log.since(before):
            while expected < event["event_id"]:
                void = self.log.is_void(expected)
                if not void and event["when_occurred"] <= as_text(self.clock() - GRACE_PERIOD):
                    self.log.void(expected)
                    void = True
                late = self.log.find(expected)  # after the mark, none can arrive
                if not void and late is None:
                    return
                yield expected, late
                expected += 1
            yield expected, event
            expected += 1

    def _store(self, before: int, checkpoint: Item, events: list[Item]) -> None:
        place = keys.checkpoint(checkpoint["event_id"])
        changes = Counter({"event_count": len(events)})
        for event in events:
            changes.update(self.counted.get(event["event_type"], {}))
        untouched = Equals("last_event_id", before) if before else Missing("last_event_id")
        writes: list[Write] = [
            Put({**place.item, **checkpoint}, when=Missing(), table=LOG),
            Update(keys.SYNC, set={"last_event_id": checkpoint["event_id"]}, when=untouched),
            Update(keys.COUNTS, set={"last_updated": checkpoint["when_sealed"]}, add=dict(changes)),
        ]
        with suppress(Refused):  # another sealer was first; its checkpoint says the same about these events
            self.table.write(*writes, *publish_immediately(checkpoint, events))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a verification: how far the log is sealed and intact, and the first error, if any.

    Errors in the index are separate: the log itself is intact, and the index can be rebuilt.
    """

    sealed: int
    hash: str
    unsealed: int
    flaw: str | None = None
    index_flaw: str | None = None
    rewritten: int = 0  # events with an erased name


class _Flaw(Exception):
    pass


def verify(table: Table, published: tuple[int, str] | None = None) -> Verdict:
    """Reread the whole log and compare it with its checkpoints, and with one published elsewhere if given."""
    walk = _Walk(table, published)
    try:
        walk.check_checkpoints()
        walk.check_end()
    except _Flaw as flaw:
        return Verdict(walk.number, walk.chain.hex(), 0, str(flaw), walk.index_flaw)
    return Verdict(walk.number, walk.chain.hex(), walk.unsealed, None, walk.index_flaw, walk.rewritings.count)


class _Walk:
    """One pass over checkpoints and events in parallel."""

    def __init__(self, table: Table, published: tuple[int, str] | None):
        self.table = table
        self.published = published
        self.events = layout.each(table)
        self.upcoming = next(self.events, None)
        self.number = 0
        self.chain = CHAIN_START
        self.unsealed = 0
        self.public = table.each(keys.public_checkpoints())
        self.upcoming_public = next(self.public, None)
        self.block: list[NumberedEvent] = []
        self.rewritings = Rewritings()
        self.index_flaw: str | None = None

    def check_checkpoints(self) -> None:
        for checkpoint in self.table.each(keys.checkpoints()):
            if checkpoint["first_event_id"] != self.number + 1:
                raise _Flaw(f"The checkpoint after event {self.number} is missing.")
            self._check_events(checkpoint)
            if self.chain.hex() != checkpoint["hash"]:
                raise _Flaw(f"The checkpoint at event {self.number} is not what was sealed.")
        self._check_index()

    def check_end(self) -> None:
        sync = self.table.get(keys.SYNC) or {}
        if sync.get("last_event_id", 0) > self.number:
            raise _Flaw(f"The checkpoint after event {self.number} is missing.")
        if self.published and self.published[0] > self.number:
            raise _Flaw(f"The log was sealed up to event {self.published[0]}, but now ends at {self.number}.")
        if self.upcoming_public:
            raise _Flaw(f"The public checkpoint at event {self.upcoming_public['event_id']} is not what was sealed.")
        while event := self._take():
            self.unsealed += 1
            self._check_place(event)
            self.rewritings.take(event)
        if (number := self.rewritings.first_unannounced()) is not None:
            raise _Flaw(f"Event {number} is not what was sealed, nor what the log says that became of it.")

    def _check_events(self, checkpoint: Item) -> None:
        stored, voids = checkpoint["digests"], set(checkpoint["voids"])
        if len(stored) != DIGEST_BYTES * (checkpoint["event_id"] - self.number):
            raise _Flaw(f"The checkpoint at event {checkpoint['event_id']} is not what was sealed.")
        for start in range(0, len(stored), DIGEST_BYTES):
            self.number += 1
            event = self._event(self.number, void=self.number in voids)
            digest = sealed_digest(event) if event else void_digest(self.number)
            if digest[:DIGEST_BYTES] != stored[start : start + DIGEST_BYTES]:
                raise _Flaw(f"Event {self.number} is not what was sealed.")
            self.chain = extend(self.chain, digest)
            if self.published and self.published[0] == self.number:
                self._check_published(self.published[1])
            self._check_public()
            self.block.append((self.number, essence(event) if event else None))
            if self.number % BLOCK_EVENTS == 0:
                self._check_index()

    def _check_published(self, hash_: str) -> None:
        """A checkpoint that somebody kept: a public one, with its time, or one of a backup, which has none."""
        public = self.upcoming_public or {}
        chain, sealed_by = self.chain.hex(), public.get("sealed_by") if public.get("event_id") == self.number else None
        if hash_ not in (chain, public_hash(chain, sealed_by)):
            raise _Flaw(f"The log up to event {self.number} is not the one whose checkpoint was published.")

    def _check_public(self) -> None:
        public = self.upcoming_public
        if public and public["event_id"] <= self.number:
            expected = public_hash(self.chain.hex(), public.get("sealed_by"))
            if (public["event_id"], public["hash"]) != (self.number, expected):
                raise _Flaw(f"The public checkpoint at event {public['event_id']} is not what was sealed.")
            self.upcoming_public = next(self.public, None)

    def _check_index(self) -> None:
        if self.block and self.index_flaw is None:
            self.index_flaw = flaw_in(self.table, self.block)
        self.block = []

    def _event(self, number: int, *, void: bool) -> Item | None:
        if void:
            if self.upcoming and number_of(self.upcoming) == number:
                raise _Flaw(f"Event {number} was sealed as void, but now there is one.")
            return None
        if self.upcoming is None or number_of(self.upcoming) > number:
            raise _Flaw(f"Event {number} is missing.")
        event = self._take()
        assert event is not None
        self._check_place(event)
        self.rewritings.take(event)
        return event

    def _take(self) -> Item | None:
        event, self.upcoming = self.upcoming, next(self.events, None)
        return event

    def _check_place(self, event: Item) -> None:
        number = number_of(event)
        if self.upcoming and number_of(self.upcoming) == number:
            raise _Flaw(f"There are two events with the number {number}.")
        if event.get("event_id") != number or not event["SK"].endswith(f"#{event.get('when_occurred')}"):
            raise _Flaw(f"Event {number} is not what was sealed.")


# --- proofs of public checkpoints. The sealer's own, one every few seconds, are joined in them, because they would
# reveal when individuals acted ---


PUBLIC = ("first_event_id", "event_id", "sealed_by", "published_at", "hash")  # only earlier ones have published_at


@dataclass(frozen=True, slots=True)
class CheckpointRange:
    """The sealer's checkpoints and the events that one public checkpoint covers."""

    public: Item
    previous: str  # hash of the chain before it
    sealed: list[Item]
    events: dict[int, Item]

    def proof(self, ours: list[int]) -> Item:
        """The public checkpoint, our event numbers, and all digests its chain is made of."""
        public = {name: self.public[name] for name in PUBLIC if name in self.public}
        return {**public, "previous": self.previous, "events": ours, "digests": self.digests().hex()}

    def digests(self) -> bytes:
        """Of all numbers it covers, one after another."""
        return b"".join(
            self._digest(checkpoint, number)
            for checkpoint in self.sealed
            for number in range(checkpoint["first_event_id"], checkpoint["event_id"] + 1)
        )

    def _digest(self, checkpoint: Item, number: int) -> bytes:
        """The first half as sealed, the second recomputed from the event."""
        start = DIGEST_BYTES * (number - checkpoint["first_event_id"])
        is_void = number in checkpoint["voids"]
        now = void_digest(number) if is_void else _digest(self.events.get(number))
        return bytes(checkpoint["digests"][start : start + DIGEST_BYTES]) + now[DIGEST_BYTES:]


def _digest(event: Item | None) -> bytes:
    return sealed_digest(event) if event else bytes(32)  # a missing event has none, so the chain will not match


def ranges_over(table: Table, numbers: Iterable[int]) -> Iterator[CheckpointRange]:
    """The range of each public checkpoint that covers any of the numbers, up to the first that none covers yet."""
    log = EventLog(table)
    covered, chain = 0, CHAIN_START.hex()
    for number in numbers:
        if number <= covered:
            continue
        public = log.public_over(number)
        if public is None:
            return
        first, last = public["first_event_id"], public["event_id"]
        if covered < first - 1:  # the chain before it, at which one of the sealer's checkpoints ends
            before = table.get(keys.checkpoint(first - 1))
            chain = before["hash"] if before else CHAIN_START.hex()
        events = {event["event_id"]: event for event in layout.each(table, first, last)}
        sealed = list(table.each(keys.checkpoints(first, last)))
        yield CheckpointRange(public, chain, sealed, events)
        covered, chain = last, sealed[-1]["hash"] if sealed else ""
