"""Feeds of all posts, of a tag and of an author, for programs that poll."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import islice
from xml.sax.saxutils import escape

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.acts.branding import site_name
from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text
from foundation.pages import http_cache, markdown
from foundation.pages.http_cache import Edition, digest
from foundation.pages.times import from_text
from foundation.parts import lists_of

from . import feeds, repository, rules
from .feeds import FEED_POSTS, Entry, Feed, address_of, picture_of
from .rules import Post

KINDS: dict[str, tuple[Callable[[Feed], bytes], str]] = {
    "atom": (feeds.as_atom, "application/atom+xml; charset=utf-8"),
    "json": (feeds.as_json, "application/feed+json; charset=utf-8"),
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
    edition = Edition(digest(feeds.FORMAT, markdown.VERSION, feed, versions), changed)
    return http_cache.public_response(request, edition, from_text(now_text()), partial(_render, kind, feed, posts))


def _render(kind: str, feed: Feed, posts: list[Post]) -> HttpResponse:
    write, content_type = KINDS[kind]
    texts = repository.texts(posts)
    entries = tuple(
        Entry(post, address_of(post), texts[post.id].html, picture_of(post)) for post in posts if post.id in texts
    )
    return HttpResponse(write(replace(feed, entries=entries)), content_type=content_type)


# --- Sitemaps and robots.txt ---


MAX_ADDRESSES = 50_000  # per file (https://www.sitemaps.org/protocol.html)
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


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
    posts = list(islice(repository.published_in(f"{year:04}", now_text()), MAX_ADDRESSES))
    if not posts:
        raise Http404
    return _xml_response(request, "urlset", (_entry("url", address_of(post), post.modified_at) for post in posts))


def _entry(kind: str, address: str, changed: str = "") -> str:
    last = f"<lastmod>{changed}</lastmod>" if changed else ""
    return f"<{kind}><loc>{escape(address)}</loc>{last}</{kind}>\n"


def _xml_response(request: HttpRequest, kind: str, places: Iterable[str]) -> HttpResponse:
    document = f'{HEAD}<{kind} xmlns="{SCHEMA}">\n{"".join(places)}</{kind}>\n'
    make = partial(HttpResponse, document, content_type="application/xml; charset=utf-8")
    return http_cache.public_response(request, Edition(digest(document)), from_text(now_text()), make)


@public
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Nothing is disallowed: pages that must not be indexed say so, and crawlers must read them to see it."""
    text = f"User-agent: *\nDisallow:\n\nSitemap: {absolute_url(reverse('sitemap'))}\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
