"""What every page shows, whatever it is about."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from pages import site_views
from upkeep.pause import watch

from . import proxies


def presentation(request: HttpRequest) -> dict[str, Any]:
    """The operator's name, logo and colours, as far as there are any."""
    return {
        "site_name": settings.SITE_NAME,
        "site_logo": site_views.logo_address(),
        "site_colours": site_views.colours_address(),
    }


def pause(request: HttpRequest) -> dict[str, Any]:
    """The pause, for the banner, if there is one."""
    return {"site_pause": watch.last_saw()}


def unknown_proxies(request: HttpRequest) -> dict[str, Any]:
    """For the pages about the site: looked up only where they are shown."""
    return {"unknown_proxies": proxies.watch.seen}
