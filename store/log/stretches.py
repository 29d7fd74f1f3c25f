"""What a public checkpoint covers, with all it takes to make its chain again: the proof of what was in the log by then.

The sealer's own checkpoints, of every few seconds, are joined: they would tell when single people acted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .. import keys
from ..table import Item, Table
from . import layout
from .events import EventLog
from .forgotten import sealed_digest
from .seal import CHAIN_START, DIGEST_BYTES, void_digest


@dataclass(frozen=True, slots=True)
class Stretch:
    """What one public checkpoint covers: the sealer's own checkpoints, joined, and all events by number."""

    public: Item
    previous: str  # the chain before it
    sealed: list[Item]
    events: dict[int, Item]

    def proof(self, ours: list[int]) -> Item:
        """The public checkpoint with what it takes to make its chain again."""
        known = ("first_event_id", "event_id", "published_at", "hash")
        digests = b"".join(self._digest(checkpoint, number) for checkpoint in self.sealed for number in _of(checkpoint))
        told = {name: self.public[name] for name in known}
        return {**told, "previous": self.previous, "events": ours, "digests": digests.hex()}

    def _digest(self, checkpoint: Item, number: int) -> bytes:
        """The half that was sealed, and the other as it is now."""
        start = DIGEST_BYTES * (number - checkpoint["first_event_id"])
        is_void = number in checkpoint["voids"]
        now = void_digest(number) if is_void else _digest(self.events.get(number))
        return bytes(checkpoint["digests"][start : start + DIGEST_BYTES]) + now[DIGEST_BYTES:]


def _of(checkpoint: Item) -> range:
    """The numbers it covers."""
    return range(checkpoint["first_event_id"], checkpoint["event_id"] + 1)


def _digest(event: Item | None) -> bytes:
    return sealed_digest(event) if event else bytes(32)  # one that is gone has none, and the chain will say so


def stretches_over(table: Table, numbers: Iterable[int]) -> Iterator[Stretch]:
    """What each public checkpoint covers that is over any of the numbers, up to the first that is under none yet."""
    log = EventLog(table)
    before: Item = {"event_id": 0, "hash": CHAIN_START.hex()}
    for number in numbers:
        if number <= before["event_id"]:
            continue
        public = log.public_over(number)
        if public is None:
            return
        first, last = public["first_event_id"], public["event_id"]
        previous = before["hash"] if before["event_id"] == first - 1 else _hash_at(table, first - 1)
        events = {event["event_id"]: event for event in layout.each(table, first, last)}
        yield Stretch(public, previous, list(table.each(keys.checkpoints(first, last))), events)
        before = public


def _hash_at(table: Table, number: int) -> str:
    before = table.get(keys.checkpoint(number)) if number else None
    return before["hash"] if before else CHAIN_START.hex()
