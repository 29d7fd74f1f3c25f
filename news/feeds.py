"""Posts as feeds that other programs read: Atom (RFC 4287) and JSON Feed 1.1 (https://jsonfeed.org/version/1.1).

Posts in, bytes out. An entry is known by what never changes, so that nobody is shown a post twice because it has
another title or address, or because the site has moved.
"""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape, format_html
from django.utils.xmlutils import SimplerXMLGenerator

from pages.times import from_text

from .rules import Post

FORMAT = 1  # to be raised with every change of what comes out: readers who have the old one are then given the new
FEED_POSTS = 20
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # when a feed changed in which nothing has ever been
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0, however it is written


@dataclass(frozen=True, slots=True)
class Picture:
    address: str
    kind: str
    alt: str
    wide: int
    high: int


@dataclass(frozen=True, slots=True)
class Entry:
    post: Post
    address: str
    html: str
    picture: Picture | None = None

    @property
    def id(self) -> str:
        return uuid.uuid5(uuid.NAMESPACE_OID, f"plenum post {self.post.id}").urn

    @property
    def content(self) -> str:
        return valid_xml(f"{_picture_html(self.picture)}{self.html}" if self.picture else self.html)

    @property
    def tags(self) -> list[str]:
        return [valid_xml(tag) for tag in self.post.tags]


@dataclass(frozen=True, slots=True)
class Feed:
    """All addresses are whole ones."""

    title: str
    site: str  # who speaks where the author is nobody any more
    page: str  # with the same posts, for people
    address: str
    entries: tuple[Entry, ...] = ()


def valid_xml(text: str) -> str:
    """Without what no XML may have in it."""
    return FORBIDDEN.sub("", text)


def _picture_html(picture: Picture) -> str:
    words = '<p><img src="{}" alt="{}" width="{}" height="{}"></p>\n'
    return format_html(words, picture.address, picture.alt, str(picture.wide), str(picture.high))


# --- Atom ---


def as_atom(feed: Feed) -> bytes:
    atom = _Atom(
        valid_xml(feed.title),
        feed.page,
        "",
        author_name=valid_xml(feed.site),
        feed_url=feed.address,
        feed_guid=feed.page,
    )
    for entry in feed.entries:
        atom.add_item(**_atom_item(entry))
    file = BytesIO()
    atom.write(file, "utf-8")
    return file.getvalue()


def _atom_item(entry: Entry) -> dict[str, Any]:
    post = entry.post
    dates = {"pubdate": _moment(post.published_at), "updateddate": _moment(post.updated_at)}
    words = {"title": valid_xml(post.title), "description": escape(valid_xml(post.lead)), "content": entry.content}
    by = {"author_name": valid_xml(post.author) or None, "categories": entry.tags}
    return {"link": entry.address, "unique_id": entry.id, "picture": entry.picture, **dates, **words, **by}


def _moment(stored: str | None) -> datetime:
    return from_text(stored) if stored else NEVER


class _Atom(Atom1Feed):
    """With whole texts, and pictures whose length nobody has counted. Django's feed changes now if it is empty."""

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=NEVER)

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        if picture := item["picture"]:
            handler.addQuickElement("link", "", {"rel": "enclosure", "type": picture.kind, "href": picture.address})
        handler.addQuickElement("content", item["content"], {"type": "html"})


# --- JSON Feed ---


def as_json(feed: Feed) -> bytes:
    said = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": valid_xml(feed.title),
        "home_page_url": feed.page,
        "feed_url": feed.address,
        "authors": [{"name": valid_xml(feed.site)}],
        "items": [_json_item(entry) for entry in feed.entries],
    }
    return json.dumps(said, ensure_ascii=False, indent=1).encode()


def _json_item(entry: Entry) -> dict[str, Any]:
    post = entry.post
    words = {"title": valid_xml(post.title), "summary": valid_xml(post.lead), "content_html": entry.content}
    dates = {"date_published": post.published_at, "date_modified": post.updated_at}
    by = {"authors": [{"name": valid_xml(post.author)}]} if post.author else {}
    picture = {"image": entry.picture.address} if entry.picture else {}
    return {"id": entry.id, "url": entry.address, **words, **dates, **by, **picture, "tags": entry.tags}
