"""For how long browsers are told to use HTTPS only (HSTS): a day at first, a year once a week has gone by.

Browsers do not forget it earlier, so a new site gets a week in which a mistake costs a day. The setting HSTS overrides
this. The store has the moment of the first start over HTTPS; a process learns it when the server starts.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings

from acts.storage import table, try_write
from pages.times import from_text
from store import keys
from store.log import as_text, utc_now
from store.table import Missing, Put

TRIAL = timedelta(days=7)
SECONDS_PER_YEAR = 365 * 24 * 3600
Clock = Callable[[], datetime]


class Https:
    """What a process knows about the site's HTTPS."""

    def __init__(self) -> None:
        self.since: datetime | None = None

    def record_start(self, clock: Clock = utc_now) -> None:
        """The first start is stored, whichever of several machines it is on."""
        place = keys.HTTPS
        try_write(Put({"PK": place.pk, "SK": place.sk, "since": as_text(clock())}, when=Missing()))
        if item := table().get(place):
            self.since = from_text(item["since"])

    def hsts_seconds(self, clock: Clock = utc_now) -> int:
        is_proven = self.since is not None and clock() - self.since >= TRIAL
        return SECONDS_PER_YEAR if is_proven and settings.HSTS_GROWS else int(settings.SECURE_HSTS_SECONDS)

    def header(self, clock: Clock = utc_now) -> str:
        """The value of Strict-Transport-Security."""
        return f"max-age={self.hsts_seconds(clock)}"


https = Https()
