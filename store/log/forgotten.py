"""Events that have forgotten a name: how they are written anew, and how that is told from tampering.

The chain is made of digests, not of words. So an event may lose words and keep the digest it was sealed with, if it
also loses its nonce: without it nobody can try out whose name was there. What is left has a digest of its own, and an
event `NamesForgotten`, recorded in the very transaction that rewrites, says which events have which digest from then
on. It is sealed as every event is. A change that no such event tells of is named by `verify`, as before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import orjson

from ..table import Equals, Item, Missing, Put, Table
from . import layout
from .events import Event, number_of

FORGETTING = "NamesForgotten"


def as_sealed(event: Item) -> bytes:
    """The event as it is stored, in just the bytes that its digest is made of."""
    return orjson.dumps(event, option=orjson.OPT_SORT_KEYS)


def event_digest(event: Item) -> bytes:
    return hashlib.sha256(as_sealed(event)).digest()


def sealed_digest(event: Item) -> bytes:
    """With which the event was sealed, also if it has forgotten a name since."""
    return bytes.fromhex(event["digest"]) if is_rewritten(event) else event_digest(event)


def is_rewritten(event: Item) -> bool:
    return "digest" in event


def rewritten(event: Item, actor: str, said: Item) -> Item:
    """The event in other words: no longer what was sealed, but with the digest that was."""
    kept = {name: value for name, value in event.items() if name != "nonce"}
    return {**kept, "actor": actor, "event_data": said, "digest": sealed_digest(event).hex()}


def rewriting(table: Table, before: Item, after: Item) -> Put:
    """Refused if the event is no longer as it was read."""
    unopened = Missing("nonce") & Equals("event_data", before["event_data"])
    return layout.putting(table, after, when=Equals("nonce", before["nonce"]) if "nonce" in before else unopened)


def forgotten(name: str, events: Iterable[Item]) -> Event:
    """What the log says of events that were rewritten; the name is the one they have now."""
    digests = [[number_of(event), event_digest(event).hex()] for event in events]
    return Event("plenum", FORGETTING, {"name": name, "events": digests})


class Rewritings:
    """What the log says became of events, held against what they are: both are met as the log is read."""

    def __init__(self) -> None:
        self._there: dict[int, str] = {}
        self._said: dict[int, str] = {}

    @property
    def count(self) -> int:
        return len(self._there)

    def take(self, event: Item) -> None:
        if is_rewritten(event):
            self._there[number_of(event)] = event_digest(event).hex()
        if event.get("event_type") == FORGETTING:
            self._said |= dict(event["event_data"]["events"])

    def unsaid(self) -> int | None:
        """The first event that is neither what was sealed nor what the log says of it."""
        wrong = (number for number, digest in self._there.items() if self._said.get(number) != digest)
        return min(wrong, default=None)
