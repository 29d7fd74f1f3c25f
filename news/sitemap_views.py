"""What there is to find here, for search engines: pages, and posts year by year."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import islice
from xml.sax.saxutils import escape

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.access import public
from acts.links import absolute_url
from acts.storage import now_text
from pages import http_cache
from pages.http_cache import Edition, digest
from pages.times import from_text

from . import repository
from .social import address_of

PAGES = ("home", "news", "polls", "sandbox", "checkpoints")  # that are there for everybody
MAX_ADDRESSES = 50_000  # addresses that one file may have (https://www.sitemaps.org/protocol.html)
HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


@public
@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """Where the others are: one for each year in which there are posts to be seen."""
    years = (reverse("sitemap_year", args=[year]) for year in repository.years(now_text()))
    parts = (reverse("sitemap_pages"), *years)
    return _answer(request, "sitemapindex", (_place("sitemap", absolute_url(part)) for part in parts))


@public
@require_safe
def sitemap_pages(request: HttpRequest) -> HttpResponse:
    return _answer(request, "urlset", (_place("url", absolute_url(reverse(name))) for name in PAGES))


@public
@require_safe
def sitemap_year(request: HttpRequest, year: int) -> HttpResponse:
    posts = list(islice(repository.published_in(f"{year:04}", now_text()), MAX_ADDRESSES))
    if not posts:
        raise Http404
    return _answer(request, "urlset", (_place("url", address_of(post), post.modified_at) for post in posts))


def _place(kind: str, address: str, changed: str = "") -> str:
    last = f"<lastmod>{changed}</lastmod>" if changed else ""
    return f"<{kind}><loc>{escape(address)}</loc>{last}</{kind}>\n"


def _answer(request: HttpRequest, kind: str, places: Iterable[str]) -> HttpResponse:
    said = f'{HEAD}<{kind} xmlns="{SCHEMA}">\n{"".join(places)}</{kind}>\n'
    make = partial(HttpResponse, said, content_type="application/xml; charset=utf-8")
    return http_cache.public_response(request, Edition(digest(said)), from_text(now_text()), make)


@public
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Nothing is forbidden here: what is not to be found says so itself, and must be read for that to be seen."""
    said = f"User-agent: *\nDisallow:\n\nSitemap: {absolute_url(reverse('sitemap'))}\n"
    return HttpResponse(said, content_type="text/plain; charset=utf-8")
