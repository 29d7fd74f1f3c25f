"""Rewriting sealed events to erase a person's name, and telling that from tampering.

The hash chain is made of digests, so an event may lose text and keep the digest it was sealed with. It loses its nonce
too, so that the name cannot be found by guessing. The transaction that rewrites also records an event `NamesForgotten`
with the new digests of the rewritten events. `verify` reports any change that no such event covers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import orjson

from foundation.store.table import LOG, Equals, Item, Missing, Put, Table

from . import layout
from .events import Event
from .layout import number_of

NAMES_FORGOTTEN = "NamesForgotten"


def as_sealed(event: Item) -> bytes:
    """The bytes of a stored event that its digest is made of."""
    return orjson.dumps(event, option=orjson.OPT_SORT_KEYS)


def event_digest(event: Item) -> bytes:
    return hashlib.sha256(as_sealed(event)).digest()


def sealed_digest(event: Item) -> bytes:
    """The digest the event was sealed with, even if it was rewritten since."""
    return bytes.fromhex(event["digest"]) if is_rewritten(event) else event_digest(event)


def is_rewritten(event: Item) -> bool:
    return "digest" in event


def rewritten(event: Item, actor: str, event_data: Item) -> Item:
    """The event with other text and its sealed digest."""
    others = {name: value for name, value in event.items() if name != "nonce"}
    return {**others, "actor": actor, "event_data": event_data, "digest": sealed_digest(event).hex()}


def rewriting(table: Table, before: Item, after: Item) -> Put:
    """Refused if the event is no longer as it was read."""
    unopened = Missing("nonce") & Equals("event_data", before["event_data"])
    unchanged = Equals("nonce", before["nonce"]) if "nonce" in before else unopened
    return Put(layout.laid_out(after, table.log_partitions), when=unchanged, table=LOG)


def names_forgotten(name: str, events: Iterable[Item]) -> Event:
    """The event that announces rewritten events; `name` is the placeholder they have now."""
    digests = [[number_of(event), event_digest(event).hex()] for event in events]
    return Event("plenum", NAMES_FORGOTTEN, {"name": name, "events": digests})


class Rewritings:
    """Compares rewritten events with what the log announced; both are encountered while reading the log."""

    def __init__(self) -> None:
        self._found: dict[int, str] = {}
        self._announced: dict[int, str] = {}

    @property
    def count(self) -> int:
        return len(self._found)

    def take(self, event: Item) -> None:
        if is_rewritten(event):
            self._found[number_of(event)] = event_digest(event).hex()
        if event.get("event_type") == NAMES_FORGOTTEN:
            self._announced |= dict(event["event_data"]["events"])

    def first_unannounced(self) -> int | None:
        """The first rewritten event that the log does not account for."""
        wrong = (number for number, digest in self._found.items() if self._announced.get(number) != digest)
        return min(wrong, default=None)
