"""Somebody who looks at everything: follows every link from every address, and tries those that nobody told them of.

Which addresses there are is asked of the site itself, so whatever is added later is walked as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.http import HttpResponse
from django.test import Client
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse

LINKED = re.compile(r'(?:href|src|action|content|poster|data-[\w-]+|hx-get)="([^"]*)"')
SEVERAL = re.compile(r'srcset="([^"]*)"')
ASKING = re.compile(r'<form(?![^>]*method="?post)[^>]*>.*?</form>', re.DOTALL | re.IGNORECASE)
ACTION, FIELD = re.compile(r'action="([^"]*)"'), re.compile(r'<input(?![^>]*type="hidden")[^>]*name="([^"]+)"')
ANYWHERE = re.compile(re.escape(settings.SITE_URL) + r"(/[^\s\"'<>\\]*)")
ASKED = "harbour"  # a word that every post has
NOT_WALKED = ("/static/", "/sign-out/")


@dataclass
class Walk:
    """What somebody has seen: each address, with how it answered."""

    client: Client
    answers: dict[str, HttpResponse] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)

    def everywhere(self) -> Walk:
        left = list(roots())
        while left:
            address = left.pop()
            if address not in self.answers:
                left += self.open(address)
        return self

    def open(self, address: str) -> list[str]:
        answer = self.answers[address] = self.client.get(address)
        body = b"".join(answer) if answer.streaming else answer.content
        text = body.decode(errors="replace") if not answer.get("Content-Type", "").startswith("image/") else ""
        self.bodies[address] = "\n".join([address, *(f"{name}: {said}" for name, said in answer.items()), text])
        return [each for each in links_in(address, answer, text) if not each.startswith(NOT_WALKED)]

    def seeing(self, word: str) -> list[str]:
        """Where it stands."""
        return [address for address, body in self.bodies.items() if word in body]


def links_in(address: str, answer: HttpResponse, text: str) -> Iterator[str]:
    """Every address of ours that an answer names, in whatever format; and what its forms ask for."""
    several = (each.split()[0] for listed in SEVERAL.findall(text) for each in listed.split(",") if each.strip())
    anywhere = (f"{settings.SITE_URL}{path}" for path in ANYWHERE.findall(text))
    for found in [answer.get("Location", ""), *LINKED.findall(text), *several, *anywhere, *_asked(address, text)]:
        named = unescape(found)
        path = own_path(urljoin(f"{settings.SITE_URL}{address}", named))
        if path is not None and named.startswith(("/", "?", "http")):
            yield path


def _asked(address: str, text: str) -> Iterator[str]:
    for form in ASKING.findall(text):
        to = next(iter(ACTION.findall(form)), urlsplit(address).path)
        yield from (f"{to}?{name}={ASKED}" for name in FIELD.findall(form))


def own_path(address: str) -> str | None:
    if not address.startswith(f"{settings.SITE_URL}/"):
        return None
    found = urlsplit(address.removeprefix(settings.SITE_URL))
    is_door = found.path == "/sign-in/"  # which is the same wherever one wants to go
    return f"{found.path}?{found.query}" if found.query and not is_door else found.path


# --- what the site has ---


def patterns(
    resolver: URLResolver | None = None, taken: frozenset[str] = frozenset()
) -> Iterator[tuple[str, set[str]]]:
    """The name of every address, and the words that it takes."""
    for each in (resolver or get_resolver()).url_patterns:
        words = taken | set(each.pattern.converters)
        yield from patterns(each, words) if isinstance(each, URLResolver) else [(each.name, words)]


def roots() -> Iterator[str]:
    """Every address that needs no words."""
    for name, taken in patterns():
        if not taken and name != "sign_out":
            yield reverse(name)


def addresses_of(words: dict[str, str]) -> Iterator[str]:
    """Every address that takes a word by which a post is found; other words that it takes are made up."""
    for name, taken in patterns():
        if taken & {"post_id", "slug", "tag"}:
            try:
                yield reverse(name, kwargs={word: words.get(word, "made-up") for word in taken})
            except NoReverseMatch:
                continue  # a word that cannot stand there is no way in
