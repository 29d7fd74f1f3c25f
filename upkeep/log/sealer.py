"""The site's sealer: which events change which of the counts that pages show, and the figures that follow the log."""

from __future__ import annotations

from django.conf import settings

from store.connect import connect
from store.log.seal import Sealer

from . import figures

COUNTED = {
    "UserRegistered": {"user_count": 1},
    "UserRemoved": {"user_count": -1},
    "ElectionCreated": {"election_count": 1},
    "ElectionDeleted": {"election_count": -1},
}


class SiteSealer(Sealer):
    """Seals, and then updates the figures."""

    def seal(self) -> int:
        sealed = super().seal()
        figures.update(self.table)
        return sealed


def site_sealer() -> SiteSealer:
    return SiteSealer(connect(settings.STORE_URL), COUNTED)
