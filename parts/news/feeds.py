"""Posts as other programs read them: feeds, the link previews that other sites show, sitemaps and robots.txt.

The feeds are Atom (RFC 4287) and JSON Feed 1.1 (https://jsonfeed.org/version/1.1).

An entry's id never changes, so a new title, a new address or a move of the site does not show a post twice.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any
from xml.sax.saxutils import escape as escape_xml

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape, format_html
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.xmlutils import SimplerXMLGenerator
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.acts.branding import site_name
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text
from foundation.pages import http_cache, markdown
from foundation.pages.http_cache import MAX_PREVIEW_CHARS, Edition, digest, site_picture
from foundation.pages.times import from_text
from foundation.parts import lists_of
from foundation.photos.photos import CONTENT_TYPES

from . import repository, rules
from .rules import Post

FORMAT = 1  # raise with every change of the output, so that readers with a cached feed get the new one
FEED_POSTS = 20
NEVER = datetime(1970, 1, 1, tzinfo=UTC)  # last change of a feed that has always been empty
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0, even escaped


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
        if (picture := self.picture) is None:
            return valid_xml(self.html)
        image = '<p><img src="{}" alt="{}" width="{}" height="{}"></p>\n'
        size = str(picture.wide), str(picture.high)
        return valid_xml(format_html(image, picture.address, picture.alt, *size) + self.html)

    @property
    def tags(self) -> list[str]:
        return [valid_xml(tag) for tag in self.post.tags]


@dataclass(frozen=True, slots=True)
class Feed:
    """All URLs are absolute."""

    title: str
    site: str  # the author of posts whose author has left
    page: str  # the same posts, for people
    address: str
    entries: tuple[Entry, ...] = ()


def valid_xml(text: str) -> str:
    """The text without characters that XML forbids."""
    return FORBIDDEN.sub("", text)


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
        post = entry.post
        atom.add_item(
            title=valid_xml(post.title),
            link=entry.address,
            description=escape(valid_xml(post.lead)),
            content=entry.content,
            picture=entry.picture,
            unique_id=entry.id,
            author_name=valid_xml(post.author) or None,
            categories=entry.tags,
            pubdate=from_text(post.published_at) if post.published_at else NEVER,
            updateddate=from_text(post.updated_at),
        )
    return atom.writeString("utf-8").encode()


class _Atom(Atom1Feed):
    """With full texts, and pictures of unknown length. For an empty feed Django would report a change now."""

    def latest_post_date(self) -> datetime:
        return max((item["updateddate"] for item in self.items), default=NEVER)

    def add_item_elements(self, handler: SimplerXMLGenerator, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        if picture := item["picture"]:
            handler.addQuickElement("link", "", {"rel": "enclosure", "type": picture.kind, "href": picture.address})
        handler.addQuickElement("content", item["content"], {"type": "html"})


# --- JSON Feed ---


def as_json(feed: Feed) -> bytes:
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": valid_xml(feed.title),
        "home_page_url": feed.page,
        "feed_url": feed.address,
        "authors": [{"name": valid_xml(feed.site)}],
        "items": [_json_item(entry) for entry in feed.entries],
    }
    return json.dumps(document, ensure_ascii=False, indent=1).encode()


def _json_item(entry: Entry) -> dict[str, Any]:
    post = entry.post
    texts = {"title": valid_xml(post.title), "summary": valid_xml(post.lead), "content_html": entry.content}
    dates = {"date_published": post.published_at, "date_modified": post.updated_at}
    authors = {"authors": [{"name": valid_xml(post.author)}]} if post.author else {}
    image = {"image": entry.picture.address} if entry.picture else {}
    return {"id": entry.id, "url": entry.address, **texts, **dates, **authors, **image, "tags": entry.tags}


# --- on other sites ---

MAX_WIDTH_PX = 1280


def address_of(post: Post) -> str:
    """The canonical URL, whichever way led here."""
    return absolute_url(reverse("post", args=[post.slug]))


def post_preview(post: Post) -> dict[str, Any]:
    """For news/parts/social.html."""
    about = {"title": post.title, "summary": Truncator(post.lead).chars(MAX_PREVIEW_CHARS), "address": address_of(post)}
    dates = {"published": post.published_at, "modified": post.modified_at, "tags": post.tags}
    if (picture := picture_of(post)) is None:
        return about | dates | {"image": site_picture()}
    size = {"wide": picture.wide, "high": picture.high, "alt": picture.alt}
    return about | dates | {"image": picture.address, **size}


def picture_of(post: Post) -> Picture | None:
    """The post's own picture, if it has one."""
    photo = post.photo
    if photo is None:
        return None
    wide = next((each for each in photo.widths if each >= MAX_WIDTH_PX), photo.widths[-1])
    high = round(photo.high * wide / photo.wide)
    return Picture(absolute_url(photo.src(MAX_WIDTH_PX)), CONTENT_TYPES[photo.kind], photo.alt, wide, high)


def feed_links(page: str, *arguments: str) -> dict[str, str]:
    """For news/parts/feed_links.html: the feeds of a list of posts, and its own URL."""
    kinds = {kind: absolute_url(reverse(f"{page}_{kind}", args=arguments)) for kind in ("atom", "json")}
    return {"address": absolute_url(reverse(page, args=arguments)), **kinds}


# --- feeds of all posts, of a tag and of an author ---

KINDS: dict[str, tuple[Callable[[Feed], bytes], str]] = {
    "atom": (as_atom, "application/atom+xml; charset=utf-8"),
    "json": (as_json, "application/feed+json; charset=utf-8"),
}


@public
@require_safe
def news(request: HttpRequest, kind: str) -> HttpResponse:
    posts, _more = repository.published(limit=FEED_POSTS)
    return _feed_response(request, kind, "news", posts)


@public
@require_safe
def with_tag(request: HttpRequest, kind: str, tag: str) -> HttpResponse:
    posts = _or_404(repository.with_tag(tag, limit=FEED_POSTS)[0])
    return _feed_response(request, kind, "news_tag", posts, rules.spelling_of(posts[0].tags, tag))


@public
@require_safe
def by_author(request: HttpRequest, kind: str, author: str) -> HttpResponse:
    posts = _or_404(repository.by_author(author, limit=FEED_POSTS)[0])
    return _feed_response(request, kind, "news_by", posts, posts[0].author)


def _or_404(posts: list[Post]) -> list[Post]:
    """A tag with only scheduled posts looks like one that does not exist."""
    if not posts:
        raise Http404
    return posts


def _feed_response(request: HttpRequest, kind: str, page: str, posts: list[Post], *names: str) -> HttpResponse:
    """In the site's language: machines fetch feeds, for readers of any language.

    Every change gives a post a new version, and adding or removing a post changes the list.
    """
    with translation.override(settings.LANGUAGE_CODE):
        title = " · ".join((*names, _("News"), site_name()))
    address, feed_address = (absolute_url(reverse(name, args=names)) for name in (page, f"{page}_{kind}"))
    feed = Feed(title, site_name(), address, feed_address)
    versions = [(post.id, post.version, post.author) for post in posts]
    changed = from_text(max(post.modified_at for post in posts)) if posts else None
    edition = Edition(digest(FORMAT, markdown.VERSION, feed, versions), changed)
    return http_cache.public_response(request, edition, from_text(now_text()), partial(_render, kind, feed, posts))


def _render(kind: str, feed: Feed, posts: list[Post]) -> HttpResponse:
    write, content_type = KINDS[kind]
    texts = repository.texts(posts)
    entries = tuple(
        Entry(post, address_of(post), texts[post.id].html, picture_of(post)) for post in posts if post.id in texts
    )
    return HttpResponse(write(replace(feed, entries=entries)), content_type=content_type)


# --- Sitemaps and robots.txt ---


MAX_SITEMAP_ADDRESSES = 50_000  # per file (https://www.sitemaps.org/protocol.html)
XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
SITEMAP_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


@public
@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """The index of sitemaps: one for each year with published posts."""
    years = (reverse("sitemap_year", args=[year]) for year in repository.years(now_text()))
    parts = (reverse("sitemap_pages"), *years)
    return _xml_response(request, "sitemapindex", (_entry("sitemap", absolute_url(part)) for part in parts))


@public
@require_safe
def sitemap_pages(request: HttpRequest) -> HttpResponse:
    """Those that are open to everyone."""
    lists = (name for name, _label in lists_of("decide"))  # polls, where there are any
    pages = ("home", "news", *lists, "sandbox", "checkpoints")
    return _xml_response(request, "urlset", (_entry("url", absolute_url(reverse(name))) for name in pages))


@public
@require_safe
def sitemap_year(request: HttpRequest, year: int) -> HttpResponse:
    posts = list(islice(repository.published_in(f"{year:04}", now_text()), MAX_SITEMAP_ADDRESSES))
    if not posts:
        raise Http404
    return _xml_response(request, "urlset", (_entry("url", address_of(post), post.modified_at) for post in posts))


def _entry(kind: str, address: str, changed: str = "") -> str:
    last = f"<lastmod>{changed}</lastmod>" if changed else ""
    return f"<{kind}><loc>{escape_xml(address)}</loc>{last}</{kind}>\n"


def _xml_response(request: HttpRequest, kind: str, places: Iterable[str]) -> HttpResponse:
    document = f'{XML_HEAD}<{kind} xmlns="{SITEMAP_SCHEMA}">\n{"".join(places)}</{kind}>\n'
    make = partial(HttpResponse, document, content_type="application/xml; charset=utf-8")
    return http_cache.public_response(request, Edition(digest(document)), from_text(now_text()), make)


@public
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Nothing is disallowed: pages that must not be indexed say so, and crawlers must read them to see it."""
    text = f"User-agent: *\nDisallow:\n\nSitemap: {absolute_url(reverse('sitemap'))}\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
