"""Proofs of public checkpoints: what one covers, and everything needed to recompute its hash chain.

The sealer's own checkpoints, one every few seconds, are joined, because they would reveal when individuals acted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from foundation.store import keys
from foundation.store.table import Item, Table

from . import layout
from .events import EventLog
from .rewriting import sealed_digest
from .seal import CHAIN_START, DIGEST_BYTES, void_digest

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
        previous = chain if covered == first - 1 else _chain_at(table, first - 1)
        events = {event["event_id"]: event for event in layout.each(table, first, last)}
        sealed = list(table.each(keys.checkpoints(first, last)))
        yield CheckpointRange(public, previous, sealed, events)
        covered, chain = last, sealed[-1]["hash"] if sealed else ""


def _chain_at(table: Table, number: int) -> str:
    """The chain after that number, at which one of the sealer's checkpoints ends."""
    before = table.get(keys.checkpoint(number)) if number else None
    return before["hash"] if before else CHAIN_START.hex()
