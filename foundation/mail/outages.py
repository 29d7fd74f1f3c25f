"""Outages of the mail server, per lane: whether it is unreachable, and when to try again.

The backoff grows with each failure. Until it is over, nothing is read or claimed; then a single try decides for all
waiting mails. It is stored, so that admins see it and a restarted worker does not start by connecting.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from random import uniform

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.table import Delete, Exists, Item, Put, Refused, Table

URGENT, BULK = LANES = ("urgent", "bulk")
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 10, 900  # seconds
MAX_DOUBLINGS = 10

Chance = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Outage:
    """An unreachable mail server."""

    lane: str
    failures: int  # in a row
    since: str
    until: int  # no attempts before then
    words: str

    @property
    def next_try(self) -> datetime:
        return datetime.fromtimestamp(self.until, UTC)


def find_outage(lane: str) -> Outage | None:
    return outage_of(lane, table().get(keys.mail_server(lane)))


def outage_of(lane: str, item: Item | None) -> Outage | None:
    return Outage(lane, item["failures"], item["since"], item["until"], item["words"]) if item else None


def all_outages(where: Table) -> list[Outage]:
    places = {lane: keys.mail_server(lane) for lane in LANES}
    found = where.get_many(places.values())
    return [each for lane, place in places.items() if (each := outage_of(lane, found.get(place)))]


def is_backing_off(lane: str, now: float) -> bool:
    outage = find_outage(lane)
    return outage is not None and outage.until > now


def record_failure(lane: str, words: str, now: float, chance: Chance = uniform) -> None:
    """Records another failure in a row, with growing, randomised backoff."""
    outage = find_outage(lane)
    failures = outage.failures + 1 if outage else 1
    since = outage.since if outage else as_text(datetime.fromtimestamp(now, UTC))
    place, until = keys.mail_server(lane), int(now + backoff(failures, chance))
    table().write(Put({**place.item, "failures": failures, "since": since, "until": until, "words": words}))


def backoff(failures: int, chance: Chance = uniform) -> float:
    return min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(failures - 1, MAX_DOUBLINGS)) * chance(0.8, 1.2)


def clear_outage(lane: str) -> None:
    if find_outage(lane) is not None:
        with suppress(Refused):
            table().write(Delete(keys.mail_server(lane), when=Exists()))


def clear_all_outages() -> None:
    """Clears all backoffs when an admin asks for a retry."""
    for lane in LANES:
        clear_outage(lane)
