"""Minutes when the log is replayed: they name people, so that the log has nothing but their digests."""

from __future__ import annotations

from store.replay import nothing_kept
from store.schema import EventType

EVENTS = (
    EventType("LiveMinutesSealed", nothing_kept, "game_id digest rounds:int"),
    EventType("LiveMinutesNoted", nothing_kept, "game_id number:int digest"),
    EventType("LiveMinutesDeleted", nothing_kept, "game_id"),
)
