"""What the site is called and which colour it has: as somebody who looks after it wrote, else as the settings say.

Every page and every mail wants to know, so it is cached. A store in trouble leaves what was known.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

from store import keys
from store.table import Item, Table

from .site_cache import SiteCache

FRESH_SECONDS = 5.0
TOLD = ("text", "photo", "links", "projects")


@dataclass(frozen=True, slots=True)
class Naming:
    """What is written; nothing stands for the setting."""

    name: str = ""
    colour: str = ""
    is_told: bool = False  # whether a page says more to strangers than this


UNWRITTEN = Naming()


def naming_of(item: Item | None) -> Naming:
    return Naming(item["name"], item["colour"], any(item.get(name) for name in TOLD)) if item else UNWRITTEN


def read_naming(table: Table) -> Naming:
    return naming_of(table.get(keys.site_page()))


watch = SiteCache(read_naming, UNWRITTEN, FRESH_SECONDS)


def site_name() -> str:
    return watch.last_known().name or str(settings.SITE_NAME)


def site_colour() -> str:
    """Nothing if it is ours."""
    return watch.last_known().colour or str(settings.SITE_COLOUR)


def is_told() -> bool:
    """Whether the site has a page of its own for strangers."""
    return watch.last_known().is_told
