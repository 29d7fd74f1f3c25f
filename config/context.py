"""Template context for every page: the pause banner and warnings about proxies and disks."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from upkeep import disk
from upkeep.pause import cache

from . import proxies


def site_state(request: HttpRequest) -> dict[str, Any]:
    """The pause for the banner, if any, and lazily loaded warnings for the pages about the site."""
    return {
        "site_pause": cache.last_known(),
        "unknown_proxies": proxies.watch.recent_addresses,
        "low_disks": disk.low_disks,
    }
