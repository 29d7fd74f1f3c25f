"""Pages and files of the site itself: the operator's logo and colours, at URLs that change with them so that browsers
can cache them for good, and the start of the help with its search; and what every page shows of the site.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from html import unescape
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.backends.utils import csrf_input
from django.templatetags.static import static
from django.urls import resolve, reverse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.views.decorators.http import require_safe

from foundation.acts.branding import site_colour, site_name
from foundation.acts.caches import SizedCache
from foundation.parts import parts_on

from . import colours as site_colours
from . import served_files
from .fragments import cache_key
from .http_cache import CACHE_MINUTES, immutable
from .logo import Logo, read

# Opened on its own a drawing is a page of ours, so it may do nothing but be displayed.
SANDBOX_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


class FormToken:
    """The hidden field that protects forms, masked once for all forms of a page, and only if it has any."""

    def __init__(self, request: HttpRequest):
        self.request = request

    @cached_property
    def field(self) -> SafeString:
        return csrf_input(self.request)

    def __html__(self) -> SafeString:
        return self.field


def site_context(request: HttpRequest) -> dict[str, Any]:
    """For every page: its language; the operator's name, logo and colours, if any; the guest, if any; the polling
    station whose booth this browser is; and the form token.
    """
    language, colour = get_language() or "", site_colour()
    return {
        "LANGUAGE_CODE": language,
        "LANGUAGE_BIDI": language.partition("-")[0] in settings.LANGUAGES_BIDI,
        "site_name": site_name(),
        "site_logo": _logo_path(),
        "site_colours": colours_link(colour) if colour else "",
        "guest": getattr(request, "guest", None),
        "booth": getattr(request, "booth", None),
        "csrf_input": FormToken(request),
    }


def _logo_path() -> str:
    return reverse("site_logo", args=[read(settings.SITE_LOGO).edition]) if settings.SITE_LOGO else ""


@require_safe
def logo(request: HttpRequest, edition: str) -> HttpResponse:
    logo: Logo | None = read(settings.SITE_LOGO) if settings.SITE_LOGO else None
    if logo is None or logo.edition != edition:
        raise Http404
    response = HttpResponse(logo.content, content_type=logo.kind)
    response["Content-Security-Policy"] = SANDBOX_POLICY
    return immutable(response)


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """For programs that ask for the usual address without reading a page, such as mail programs and feed readers."""
    answer = redirect(_logo_path() or static("img/favicon.ico"))
    answer["Cache-Control"] = f"public, max-age={CACHE_MINUTES * 60}"
    return answer


@require_safe
def colours(request: HttpRequest, edition: str) -> HttpResponse:
    """The URL names the colour, so a process that does not know a new one yet can still serve it."""
    colour = f"#{edition[:6]}"
    if site_colours.find_error(colour) or colours_edition(colour) != edition:
        raise Http404
    return immutable(HttpResponse(site_colours.stylesheet(colour), content_type="text/css; charset=utf-8"))


def colours_link(colour: str) -> SafeString:
    """The tag that loads the stylesheet, with its digest."""
    digest = served_files.digest_of(site_colours.stylesheet(colour).encode())
    return served_files.stylesheet_at(reverse("site_colours", args=[colours_edition(colour)]), digest)


def colours_edition(colour: str) -> str:
    """The colour and its stylesheet, as a later version may derive other shades."""
    return f"{colour[1:]}-{sha256(site_colours.stylesheet(colour).encode()).hexdigest()[:16]}"


# --- the help; each page of it is public and the same for everyone ---

CORE_TOPICS = {  # help/TOPIC/, and what the page is about
    "secrecy": gettext_lazy("Who can see how you voted, and what protects your ballot."),
    "counting": gettext_lazy("Every counting method in a sentence or two."),
}
HEADING = re.compile(r'<h[123](?: id="(?P<id>[^"]*)")?[^>]*>(?P<text>.*?)</h[123]>', re.DOTALL)
MAX_QUERY_CHARS = 100
EXCERPT_CHARS = 160
CHARS_BEFORE_MATCH = 60


@dataclass(frozen=True, slots=True)
class Passage:
    """A help page from one heading to the next."""

    title: str
    heading: str
    address: str
    text: str

    def matches(self, words: list[str]) -> bool:
        text = f"{self.title} {self.heading} {self.text}".casefold()
        return all(word in text for word in words)

    def excerpt(self, words: list[str]) -> str:
        """The text around the first match, cut between words."""
        found = [at for word in words if (at := self.text.casefold().find(word)) >= 0]
        begin = max(0, min(found, default=0) - CHARS_BEFORE_MATCH)
        cut = self.text[begin : begin + EXCERPT_CHARS]
        before = f"… {cut.partition(' ')[2]}" if begin else cut
        return f"{before.rpartition(' ')[0]} …" if begin + EXCERPT_CHARS < len(self.text) else before


passages = SizedCache[list[Passage]](1_000_000, lambda page: sum(len(each.text) for each in page))


@require_safe
def help_start(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "")[:MAX_QUERY_CHARS].strip()
    words = query.casefold().split()
    about = topics()
    pages = {topic: passages.get(cache_key(topic), partial(_read, request, topic)) for topic in about}
    context = {
        "query": query,
        "topics": [(pages[topic][0].address, pages[topic][0].title, what) for topic, what in about.items()],
        "found": [
            (each, each.excerpt(words)) for page in pages.values() for each in page if words and each.matches(words)
        ],
    }
    return render(request, "pages/help.html", context)


def topics() -> dict[str, Any]:
    """The core's, and those of parts."""
    return CORE_TOPICS | {topic: what for part in parts_on() for topic, what in part.help.items()}


def _read(request: HttpRequest, topic: str) -> list[Passage]:
    """A help page as its readers see it, in their language, in passages; the first has the heading of the page."""
    address = reverse(f"help_{topic}")
    page = resolve(f"/help/{topic}/").func(request).content.decode().partition("<main")[2].partition("</main>")[0]
    headings = list(HEADING.finditer(page))
    ends = [heading.start() for heading in headings[1:]] + [len(page)]
    return [
        Passage(
            title=_text(headings[0]["text"]),
            heading=_text(heading["text"]),
            address=f"{address}#{heading['id']}" if heading["id"] else address,
            text=_text(page[heading.end() : end]),
        )
        for heading, end in zip(headings, ends, strict=True)
    ]


def _text(html: str) -> str:
    return " ".join(unescape(strip_tags(html.replace("<", " <"))).split())
