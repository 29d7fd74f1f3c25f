"""The site's name and colour, as set by administrators or else from the settings.

Every page and every mail needs them, so they are cached; while the store is down, the last known values are used.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from foundation.store import keys
from foundation.store.table import Table

from .caches import SiteCache

FRESH_SECONDS = 5.0
PUBLIC_PAGE_FIELDS = ("text", "photo", "links", "projects", "hides_example")


@dataclass(frozen=True, slots=True)
class Branding:
    """What administrators wrote; empty means the setting applies."""

    name: str = ""
    colour: str = ""
    has_public_page: bool = False  # whether the site page tells visitors more than this


DEFAULT_BRANDING = Branding()


def read_branding(table: Table) -> Branding:
    item = table.get(keys.SITE_PAGE)
    if item is None:
        return DEFAULT_BRANDING
    return Branding(item["name"], item["colour"], any(item.get(name) for name in PUBLIC_PAGE_FIELDS))


cache = SiteCache(read_branding, DEFAULT_BRANDING, FRESH_SECONDS)


def site_name() -> str:
    return cache.last_known().name or str(settings.SITE_NAME)


def site_colour() -> str:
    """Empty for the default colour."""
    return cache.last_known().colour or str(settings.SITE_COLOUR)


def has_public_page() -> bool:
    return cache.last_known().has_public_page
