"""Whether a sealed round was in the log when a public checkpoint was made: all it takes to see that for oneself.

| name | what |
|---|---|
| `asked`, `heard` | texts whose SHA-256 the event has under these names: what was asked, and all receipts that count |
| `event`, `event_id`, `event_digest` | the event `LiveRoundSealed` in the very bytes that its digest is made of |
| `checkpoint` | the public checkpoint over it, as the bundle of an election tells one; none before it is made |
| `public_by` | when it will be, at the latest |

An event that has forgotten a name has no longer the bytes that were sealed: then `event` is empty, and its digest alone
is told. Nothing here says who voted how, or when: the event's time is that of the seal, the checkpoint's a quarter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from acts.storage import log, table
from store.caches import SizedCache
from store.log import utc_now
from store.log.checkpoint_proofs import ranges_over
from store.log.publish import QUARTER_HOUR, as_quarter, quarter_of
from store.log.rewriting import as_sealed, is_rewritten, sealed_digest
from store.table import Item

FORMAT = 1
CACHE_BYTES = 8_000_000  # bytes of proofs that a process remembers: all phones of a hall may ask for one at once

PROOFS: SizedCache[bytes] = SizedCache(CACHE_BYTES, len)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What there is to prove about one round."""

    game_id: str
    round: int
    asked: bytes
    heard: bytes
    event_id: int


def proof(evidence: Evidence) -> bytes:
    """As JSON. Once a public checkpoint covers the event, it never changes."""
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
    """When whatever is sealed by now is public at the latest: what a quarter of an hour has seen goes with its end."""
    return as_quarter(quarter_of(utc_now()) + QUARTER_HOUR)
