"""The site's sealer: which events change which of the counts that dashboards show."""

from __future__ import annotations

from django.conf import settings

from store.connect import connect
from store.seal import Sealer

COUNTED = {
    "UserRegistered": {"user_count": 1},
    "UserRemoved": {"user_count": -1},
    "ElectionCreated": {"election_count": 1},
    "ElectionDeleted": {"election_count": -1},
}


def site_sealer() -> Sealer:
    return Sealer(connect(settings.STORE_URL), COUNTED)
