"""Candidates: who or what is ranked, and in which order they are listed.

That order is random for every browser and the same on each of its pages. It comes from a number that only the browser
keeps: some people rank candidates as they are listed, so nothing in the store may tell who saw which order.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from jinja2 import Environment, pass_environment

from foundation.pages import markdown
from foundation.pages.fragments import cached_include
from foundation.pages.markdown import Html
from foundation.photos.photos import Photo

PHOTO_MEMORY_BYTES = 1000  # bytes in memory, about, of a photo's metadata


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    statement: str = ""
    link: str = ""
    number: int = 0  # identifies the candidate in rankings; it never changes
    html: Html | None = field(default=None, compare=False, repr=False)  # of the statement, as stored beside it
    photo: Photo | None = None

    @property
    def statement_html(self) -> SafeString:
        return markdown.stored_or_plain(self.statement, self.html)

    @property
    def weight(self) -> int:
        """Bytes in memory, about."""
        texts = (self.name, self.statement, self.link, self.html.html if self.html else "")
        return sum(map(getsizeof, texts)) + (PHOTO_MEMORY_BYTES if self.photo else 0)

    @property
    def length(self) -> int:
        """Bytes that the statement takes on a page, as far as that is known."""
        html = self.html.html if self.html else markdown.cached_or_text(self.statement)
        return len(html.encode())


def shuffled(candidates: Collection[Candidate], listing: bytes) -> list[Candidate]:
    """In an order that is random per voter and stable for each, so that no candidate profits from being first."""

    def place(candidate: Candidate) -> bytes:
        return hashlib.sha256(listing + b"\n" + candidate.name.encode()).digest()

    return sorted(candidates, key=place)


ORDER_COOKIE = "order"
NUMBER = re.compile(r"[0-9a-f]{16}")


def shuffled_for_browser(
    request: HttpRequest, election_name: str, candidates: Collection[Candidate]
) -> list[Candidate]:
    return shuffled(candidates, f"{_number(request)}\n{election_name}".encode())


def remember_order(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Until the browser is closed."""
    if request.COOKIES.get(ORDER_COOKIE) == _number(request):
        return answer
    safe = {"httponly": True, "secure": settings.SESSION_COOKIE_SECURE, "samesite": "Lax"}
    answer.set_cookie(ORDER_COOKIE, _number(request), path=settings.SESSION_COOKIE_PATH, **safe)
    return answer


def _number(request: HttpRequest) -> str:
    if not hasattr(request, "order_number"):
        sent = request.COOKIES.get(ORDER_COOKIE, "")
        request.order_number = sent if NUMBER.fullmatch(sent) else secrets.token_hex(8)
    number: str = request.order_number
    return number


CHOICE = "ranking/parts/choice.html"


@pass_environment
def choice_list(
    environment: Environment, choices: Iterable[Any], ranks: int, prefix: str, answers: Mapping[int, Any]
) -> SafeString:
    """The candidates as listed, each with its box. One with a rank is never cached: nothing keeps how anybody votes."""
    faces, template = any(choice.photo for choice in choices), environment.get_template(CHOICE)
    listed = []
    for choice in choices:
        shown = {"number": choice.number, "prefix": prefix, "name": choice.name, "statement": choice.statement}
        shown |= {"link": choice.link, "photo": choice.photo, "faces": faces, "ranks": ranks}
        shown["answered"] = answers.get(choice.number, ()) if answers else ()
        is_ranked = bool(choice.rank)
        listed.append(
            template.render(shown, rank=choice.rank) if is_ranked else cached_include(environment, CHOICE, **shown)
        )
    return SafeString("".join(listed))
