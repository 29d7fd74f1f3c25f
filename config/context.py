"""What every page shows, whatever it is about."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from upkeep import disk
from upkeep.pause import watch

from . import proxies


def pause(request: HttpRequest) -> dict[str, Any]:
    """The pause, for the banner, if there is one."""
    return {"site_pause": watch.last_saw()}


def unknown_proxies(request: HttpRequest) -> dict[str, Any]:
    """For the pages about the site: looked up only where they are shown."""
    return {"unknown_proxies": proxies.watch.seen}


def low_disks(request: HttpRequest) -> dict[str, Any]:
    """For the same pages."""
    return {"low_disks": disk.low}
