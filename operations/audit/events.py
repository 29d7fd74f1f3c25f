"""One event of the log, for auditors: which of its data is hidden, and what proves that it was not changed."""

from __future__ import annotations

from dataclasses import dataclass

from foundation.acts.storage import log
from foundation.store.keys import EVENT_NUMBER_DIGITS
from foundation.store.log.rewriting import sealed_digest
from foundation.store.log.seal import DIGEST_BYTES
from foundation.store.schema import SCHEMA
from foundation.store.table import Item


def load_numbered(number: int) -> tuple[int, Item | None] | None:
    """The event with that number, or the fact that the number is void."""
    if number >= 10**EVENT_NUMBER_DIGITS:
        return None
    found = log().find(number)
    return (number, found) if found or log().is_void(number) else None


def hidden_names(event: Item) -> list[str]:
    """The names of its data that even auditors are not shown."""
    withheld = SCHEMA.event_type(event["event_type"]).withheld
    return sorted(name for name, value in event["event_data"].items() if value and name in withheld)


@dataclass(frozen=True, slots=True)
class Proof:
    """The digest of an event, and the checkpoints that cover its number."""

    checkpoint: Item | None
    public: Item | None
    digest: str = ""  # of a void number: none
    intact: bool = True  # the checkpoint has this digest


def proof_of(number: int, event: Item | None) -> Proof:
    checkpoint, public = log().checkpoint_over(number), log().public_over(number)
    if event is None:
        return Proof(checkpoint, public)
    digest = sealed_digest(event)
    intact = checkpoint is None or _stored_digest(checkpoint, number) == digest[:DIGEST_BYTES]
    return Proof(checkpoint, public, digest.hex(), intact)


def _stored_digest(checkpoint: Item, number: int) -> bytes:
    start = (number - checkpoint["first_event_id"]) * DIGEST_BYTES
    return bytes(checkpoint["digests"][start : start + DIGEST_BYTES])
