"""The site's page: who we are, a picture, links, projects, and the site's name. Its rules and its item.

It is one item, edited part by part. Each part has an edition, and saving is refused if it has changed since the form
was opened. So no one's text is overwritten unseen, and two people editing two parts do not conflict."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.services import role_unchanged
from foundation.acts import branding
from foundation.acts.refusals import NotThere, Refusal
from foundation.acts.retry import retried
from foundation.acts.storage import record, table, unchanged_or_new
from foundation.pages import markdown
from foundation.pages.markdown import Html
from foundation.photos.changing import PictureChange
from foundation.photos.photos import Photo, deleting_bytes, photo_of
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Item, Put, Write

MAX_LINKS = MAX_PROJECTS = 12
MAX_SITE_NAME_CHARS = 60  # as for the setting
MAX_TITLE_CHARS = 80
MAX_TEXT_CHARS = 400
MAX_ADDRESS_CHARS = 500


class Part(StrEnum):
    """A part of the page that is edited as a whole."""

    NAME = "name"
    TEXT = "text"
    PICTURE = "picture"
    LINKS = "links"
    PROJECTS = "projects"
    EXAMPLE = "example"


PART_FIELDS = {
    Part.NAME: ("name", "colour"),
    Part.TEXT: ("text",),
    Part.PICTURE: ("photo",),
    Part.LINKS: ("links",),
    Part.PROJECTS: ("projects",),
    Part.EXAMPLE: ("hides_example",),
}
PLAIN_FIELDS = ("name", "colour", "text", "hides_example")


@dataclass(frozen=True, slots=True)
class Link:
    title: str
    address: str


@dataclass(frozen=True, slots=True)
class Project:
    title: str
    words: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class SitePage:
    """An empty name or colour falls back to the settings."""

    name: str = ""
    colour: str = ""
    text: str = ""
    links: tuple[Link, ...] = ()
    projects: tuple[Project, ...] = ()
    photo: Photo | None = None
    hides_example: bool = False  # whether visitors find no ballot to try
    version: int = 0  # 0 for a page that was never written
    html: Html | None = None

    @property
    def has_content(self) -> bool:
        """Whether it shows visitors anything besides the site's name."""
        return bool(self.text or self.photo or self.links or self.projects)


BLANK = SitePage()


# --- parts ---


def part_data(page: SitePage, part: Part) -> Item:
    """A part as plain data, as in its event and its item."""
    return {name: _plain_data(getattr(page, name)) for name in PART_FIELDS[part]}


def _plain_data(value: Any) -> Any:
    if isinstance(value, Photo):
        return value.as_item()
    return [asdict(each) for each in value] if isinstance(value, tuple) else value


def changed(page: SitePage, data: Item) -> SitePage:
    """The page with other values, in the format of `part_data`."""
    return replace(page, **_values(data), html=None)


def edition(page: SitePage, part: Part) -> str:
    """Identifies this state of a part."""
    return sha256(json.dumps(part_data(page, part), sort_keys=True).encode()).hexdigest()[:16]


def _values(data: Item) -> dict[str, Any]:
    """From an item, or from an event's data."""
    values: dict[str, Any] = {name: data[name] for name in PLAIN_FIELDS if name in data}
    if "links" in data:
        values["links"] = tuple(Link(**each) for each in data["links"])
    if "projects" in data:
        values["projects"] = tuple(Project(**each) for each in data["projects"])
    if "photo" in data:
        values["photo"] = photo_of(data["photo"])
    return values


# --- the item ---


def find() -> SitePage:
    """The current page; a blank one if none was written."""
    item = table().get(keys.SITE_PAGE)
    return page_of(item) if item else BLANK


def page_of(item: Item) -> SitePage:
    return SitePage(**_values(item), version=item["version"], html=markdown.stored_html(item, "text"))


def text_html(page: SitePage) -> str:
    return markdown.load_or_render(keys.SITE_PAGE, "text", page.text, page.html)


def writing(page: SitePage, before: SitePage) -> list[Write]:
    """Replaces the page, if it has not changed since it was read."""
    item = {**keys.SITE_PAGE.item, "version": before.version + 1}
    for part in Part:
        item |= {name: value for name, value in part_data(page, part).items() if value not in (None, False)}
    return [Put(item | markdown.html_attributes("text", page.text), when=unchanged_or_new(before))]


def removing(page: SitePage) -> list[Write]:
    """With the bytes of its picture."""
    return [Delete(keys.SITE_PAGE, when=unchanged_or_new(page)), *deleting_bytes(page.photo)]


class ChangedMeanwhile(Refusal):
    """The part was changed since this person opened the form."""


@retried
def edit(admin: User, part: Part, seen: str, data: Item) -> None:
    """Change a part, if `seen` is still its edition."""
    page = find()
    if part_data(page, part) == data:
        return
    if edition(page, part) != seen:
        raise ChangedMeanwhile(CHANGED_MEANWHILE)
    writes = writing(changed(page, data), page)
    _record(admin, Event(admin.name, "SitePageEdited", {"part": part.value, **data}), writes)


@retried
def picture(admin: User, change: PictureChange) -> None:
    """Set, re-caption or remove the page's picture."""
    page = find()
    new = replace(page, photo=change.instead_of(page.photo))
    if new == page:
        return
    event = Event(admin.name, "SitePageEdited", {"part": Part.PICTURE.value, **part_data(new, Part.PICTURE)})
    _record(admin, event, [*writing(new, page), *change.writes(page.photo)])


@retried
def remove(admin: User) -> None:
    """Reset the page to its initial blank state."""
    page = find()
    if not page.version:
        raise NotThere(NOTHING_WRITTEN)
    _record(admin, Event(admin.name, "SitePageRemoved"), removing(page))


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
