"""Minutes when the log is replayed: they name people, so that the log has nothing but their digests."""

from __future__ import annotations

from collections.abc import Iterator

from store import keys
from store.replay import Act, Exempt, Happened, Step, like


def told_apart(event: Happened) -> Iterator[Step]:
    yield from ()


REPLAY: dict[str, Act] = {
    "LiveMinutesSealed": told_apart,
    "LiveMinutesNoted": told_apart,
    "LiveMinutesDeleted": told_apart,
}

NAMED = "Names who was there and how they voted: that stays in the table alone, its digest in the log."
EXEMPT = (
    Exempt(like(keys.minutes("")), NAMED),
    Exempt(like(keys.minutes_part("", "")), NAMED),
    Exempt(like(keys.minutes_note("", 0)), NAMED),
    Exempt(like(keys.attended("", "", ""))._replace(sk=""), NAMED),
    Exempt(like(keys.minutes_onward("", 0)), "What the session has of it, for when the session is gone."),
)
