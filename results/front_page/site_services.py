"""Acts on the site's page: editing a part of it, or removing all of it."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import role_unchanged
from foundation.acts import branding
from foundation.acts.refusals import NotThere, Refusal
from foundation.acts.retry import retried
from foundation.acts.storage import record
from foundation.photos.changing import PictureChange
from foundation.store.log import Event
from foundation.store.table import Item, Write

from . import site_page
from .site_page import Part


class ChangedMeanwhile(Refusal):
    """The part was changed since this person opened the form."""


@retried
def edit(admin: User, part: Part, edition: str, data: Item) -> None:
    """Change a part, if this is still its edition."""
    page = site_page.find()
    if site_page.part_data(page, part) == data:
        return
    if site_page.edition(page, part) != edition:
        raise ChangedMeanwhile(CHANGED_MEANWHILE)
    writes = site_page.writing(site_page.changed(page, data), page)
    _record(admin, Event(admin.name, "SitePageEdited", {"part": part.value, **data}), writes)


@retried
def picture(admin: User, change: PictureChange) -> None:
    """Set, re-caption or remove the page's picture."""
    page = site_page.find()
    new = replace(page, photo=change.instead_of(page.photo))
    if new == page:
        return
    event = Event(admin.name, "SitePageEdited", {"part": Part.PICTURE.value, **site_page.part_data(new, Part.PICTURE)})
    _record(admin, event, [*site_page.writing(new, page), *change.writes(page.photo)])


@retried
def remove(admin: User) -> None:
    """Reset the page to its initial blank state."""
    page = site_page.find()
    if not page.version:
        raise NotThere(NOTHING_WRITTEN)
    _record(admin, Event(admin.name, "SitePageRemoved"), site_page.removing(page))


def _record(admin: User, event: Event, writes: list[Write]) -> None:
    """This process sees the change at once, the others within seconds."""
    try:
        record(event, *writes, role_unchanged(admin))
    finally:
        branding.cache.forget()


CHANGED_MEANWHILE = _(
    "Someone else has changed this since you started. The current version is below. If you save again, yours "
    "replaces it."
)
NOTHING_WRITTEN = _("This page is still empty.")
