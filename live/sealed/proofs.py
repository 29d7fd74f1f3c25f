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

import orjson

from acts.caches import SizedCache
from acts.storage import log, table
from store.log import utc_now
from store.log.checkpoint_proofs import ranges_over
from store.log.publish import end_of_quarter
from store.log.rewriting import as_sealed, is_rewritten, sealed_digest

FORMAT = 1
CACHE_BYTES = 8_000_000  # per process, because all phones of a hall may request a proof at once

PROOFS: SizedCache[bytes] = SizedCache(CACHE_BYTES, len)


def proof(game_id: str, round_: int, asked: bytes, heard: bytes, event_id: int) -> bytes:
    """The proof as JSON, cached once a public checkpoint covers the event, since it is then final."""
    known = PROOFS.peek((game_id, round_))
    if known is not None:
        return known
    stretch, event = next(ranges_over(table(), [event_id]), None), log().find(event_id)
    checkpoint = stretch.proof([event_id]) if stretch else None
    data = {
        "format": FORMAT,
        "session": game_id,
        "round": round_,
        "asked": asked.decode(),
        "heard": heard.decode(),
        "event_id": event_id,
        "event": as_sealed(event).decode() if event and not is_rewritten(event) else "",
        "event_digest": sealed_digest(event).hex() if event else "",
        "checkpoint": checkpoint,
        "public_by": public_by(),
    }
    json = orjson.dumps(data)
    return PROOFS.get((game_id, round_), lambda: json) if checkpoint else json


def public_by() -> str:
    """Latest time by which everything sealed so far is public: the end of the current quarter of an hour."""
    return end_of_quarter(utc_now())
