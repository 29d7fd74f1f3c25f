"""Rewrite the embedded store's file, so that it contains no copy of deleted secrets and unused space is given back.

Rewriting blocks writers, so it happens only when there have been no writes for a moment: for secrets in a small file at
any time, which takes a fraction of a second, and otherwise at night by the site's clock. A file that would take longer
than writers can wait is left alone (`Table.compact`).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from foundation.acts.storage import table
from foundation.store import purging
from foundation.store.log import utc_now

NIGHT = range(2, 5)  # hours
QUIET_SECONDS = 5.0  # less than the interval of a worker's heartbeats, which are writes too
MAX_DAYTIME_BYTES = 32 * 1024 * 1024  # a file that can be rewritten by day
MIN_UNUSED_SHARE = 0.25  # of the file is unused


def is_due(clock: Callable[[], datetime] = utc_now) -> bool:
    if table().quiet() < QUIET_SECONDS:
        return False
    is_night = clock().astimezone(ZoneInfo(settings.SITE_TIME_ZONE or "UTC")).hour in NIGHT
    if is_night and table().unused_share() >= MIN_UNUSED_SHARE:
        return True
    return (is_night or table().size() <= MAX_DAYTIME_BYTES) and purging.has_remnants(table())
