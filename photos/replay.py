"""Pictures have no events of their own: those of the things they belong to say which they have."""

from __future__ import annotations

from store import keys
from store.replay import Act, Exempt, like

REPLAY: dict[str, Act] = {}

EXEMPT = (
    Exempt(
        like(keys.photo("", 0)),
        "The bytes of a picture are in backups, not in the log, which would keep them for good; it has their digests.",
    ),
)
