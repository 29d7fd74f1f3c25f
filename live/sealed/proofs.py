"""Proof that a sealed round was in the log when a public checkpoint was made, for independent verification.

| name | what |
|---|---|
| `asked`, `heard` | the questions and all receipts that count; the event has their SHA-256 under these names |
| `event`, `event_id`, `event_digest` | the event `LiveRoundSealed`, in the exact bytes of its digest |
| `checkpoint` | the public checkpoint over it, in the format of election bundles; null until it exists |
| `public_by` | the latest time by which it will exist |

An event rewritten to forget a name no longer has its sealed bytes: then `event` is empty and only its digest is given.
Nothing here reveals who voted how or when: the event has the time of the seal, the checkpoint a quarter of an hour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from acts.caches import SizedCache
from acts.storage import log, table
from store.log import utc_now
from store.log.checkpoint_proofs import ranges_over
from store.log.publish import QUARTER_HOUR, as_quarter, quarter_of
from store.log.rewriting import as_sealed, is_rewritten, sealed_digest
from store.table import Item

FORMAT = 1
CACHE_BYTES = 8_000_000  # per process, because all phones of a hall may request a proof at once

PROOFS: SizedCache[bytes] = SizedCache(CACHE_BYTES, len)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Input of the proof for one round."""

    game_id: str
    round: int
    asked: bytes
    heard: bytes
    event_id: int


def proof(evidence: Evidence) -> bytes:
    """The proof as JSON, cached once a public checkpoint covers the event, since it is then final."""
    place = evidence.game_id, evidence.round
    known = PROOFS.peek(place)
    if known is not None:
        return known
    stretch = next(ranges_over(table(), [evidence.event_id]), None)
    checkpoint = stretch.proof([evidence.event_id]) if stretch else None
    told = orjson.dumps(_proof_data(evidence) | {"checkpoint": checkpoint, "public_by": public_by()})
    return PROOFS.get(place, lambda: told) if checkpoint else told


def _proof_data(evidence: Evidence) -> dict[str, Any]:
    said = {"format": FORMAT, "session": evidence.game_id, "round": evidence.round}
    texts = {"asked": evidence.asked.decode(), "heard": evidence.heard.decode()}
    return said | texts | {"event_id": evidence.event_id} | _event_data(log().find(evidence.event_id))


def _event_data(event: Item | None) -> dict[str, str]:
    if event is None:
        return {"event": "", "event_digest": ""}
    told = "" if is_rewritten(event) else as_sealed(event).decode()
    return {"event": told, "event_digest": sealed_digest(event).hex()}


def checkpoint_over(event_id: int) -> Item | None:
    return log().public_over(event_id)


def public_by() -> str:
    """Latest time by which everything sealed so far is public: the end of the current quarter of an hour."""
    return as_quarter(quarter_of(utc_now()) + QUARTER_HOUR)
