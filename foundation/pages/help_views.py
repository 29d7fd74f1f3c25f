"""The start page of the help, which searches the help pages of all apps."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from html import unescape
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import resolve, reverse
from django.utils.html import strip_tags
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from foundation.acts.caches import SizedCache
from foundation.parts import parts_on

from .page_cache import cache_key

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
