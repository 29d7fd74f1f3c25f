"""What happens to the site's page when the log is replayed."""

from __future__ import annotations

from collections.abc import Iterator

from store.replay import DoesNotFit, Happened, Step
from store.schema import EventType

from . import site_page
from .items import SITE_PAGE


def edited(event: Happened) -> Iterator[Step]:
    page = site_page.find()
    words = {name: value for name, value in event.said.items() if name != "part"}
    yield site_page.writing(site_page.changed(page, words), page)


def removed(event: Happened) -> Iterator[Step]:
    page = site_page.find()
    if not page.version:
        raise DoesNotFit("removes the site's page, and there is none by then.")
    yield site_page.removing(page)


EVENTS = (
    EventType("SitePageEdited", edited, "part name colour text links:list projects:list photo:map", inside=SITE_PAGE),
    EventType("SitePageRemoved", removed),
)
