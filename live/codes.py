"""What a typed code leads to. Who guesses is stopped before long; a hall that has found its session is not.

Wrong codes are counted by address. Where there were too many, codes lead nowhere for a while: if right ones still
worked, guessing would be free. But a hall is one address, and in a full one many mistype: so a session that somebody
there has found before stays open to all of them.
"""

from __future__ import annotations

from acts.limits import DAY, TEN_MINUTES, Limit, check_left, count, is_within, place_of
from acts.site import table
from store import keys
from store.table import Item

WRONG = Limit("live-code-wrong", 60, TEN_MINUTES)
FOUND = Limit("live-code-found", 1, DAY)  # from here


def lead(code: str, address: str) -> Item | None:
    """A session under `game`, a poll under `poll`, `None` if there is neither; too many wrong ones are refused."""
    here = f"{code} {address}"
    wrong, found, at = place_of(WRONG, address), place_of(FOUND, here), keys.short_code(code)
    items = table().get_many([wrong, found, at])
    if found not in items:
        check_left(WRONG, items.get(wrong))
    if at not in items:
        count(WRONG, address)
    elif found not in items:
        is_within(FOUND, here)
    return items.get(at)
