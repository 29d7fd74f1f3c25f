"""Give unused space of the embedded store's file back to the system, in quiet nights.

Rewriting the file keeps writers waiting, so it happens at night on the site's clock, when nobody has written for a
moment, and only where it is worth it. Secrecy does not depend on it: deleted data is overwritten at once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from acts.site import table
from store.log import utc_now

NIGHT = range(2, 5)  # hours
QUIET_SECONDS = 5.0  # less than the time between two signs of life of a worker, which are writes as well
WORTHWHILE_SHARE = 0.25  # of the file


def is_due(clock: Callable[[], datetime] = utc_now) -> bool:
    return (
        clock().astimezone(ZoneInfo(settings.SITE_TIME_ZONE or "UTC")).hour in NIGHT
        and table().unused_share() >= WORTHWHILE_SHARE
        and table().quiet() >= QUIET_SECONDS
    )


def compact() -> int:
    return int(table().compact())
