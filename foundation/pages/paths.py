"""URL paths of pages, cached, redirects to them, names in URLs, and the section of the navigation a page belongs to."""

from __future__ import annotations

import re
from collections import ChainMap
from functools import cache, lru_cache
from urllib.parse import unquote, urlsplit

from django.http import HttpRequest, HttpResponseRedirect
from django.urls import Resolver404, get_script_prefix, resolve, reverse

from foundation.parts import parts

MAX_CACHED_PATHS = 4096
UNSAFE = re.compile(r"[/~\\.]")
ESCAPED = re.compile(r"~([0-9A-F]{2})")


def path_of(page: str, *arguments: object, **named: object) -> str:
    """The path of a page. Cached paths take a fifth of the time: 3 to 5 per cent of a page in Django, a third of a list
    with fifty links."""
    return path_below(get_script_prefix(), page, *arguments, **named)


def path_below(prefix: str, page: str, /, *arguments: object, **named: object) -> str:
    """As `path_of`, by somebody who knows the path that the site is below."""
    return _path(page, prefix, tuple(map(str, arguments)), tuple((key, str(named[key])) for key in named))


@lru_cache(MAX_CACHED_PATHS)
def _path(page: str, prefix: str, arguments: tuple[str, ...], named: tuple[tuple[str, str], ...]) -> str:
    return reverse(page, args=arguments, kwargs=dict(named))


def election_in(path: str) -> str:
    """The name of the election that a page is about; whether there is one, it does not know."""
    try:
        match = resolve("/" + unquote(urlsplit(path).path).removeprefix(get_script_prefix()))
    except Resolver404:
        return ""
    return str(match.kwargs.get("name", "")) if match.route.startswith("election/") else ""


def redirect_to(page: str, *arguments: str) -> HttpResponseRedirect:
    """A redirect after a successful form."""
    return HttpResponseRedirect(path_of(page, *arguments))


class NameConverter:
    """Any name in a URL. A slash would end the path segment, and `.` and `..` would traverse it: they are written as
    ~XX."""

    regex = "[^/]+"

    def to_python(self, value: str) -> str:
        return ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)

    def to_url(self, value: str) -> str:
        return UNSAFE.sub(lambda found: f"~{ord(found[0]):02X}", value)


# --- sections of the navigation ---

CORE = {  # of views, by package or module
    "operations.audit": "admin",
    "operations.audit.checkpoint_views": "",
    "operations.features": "admin",
    "accounts.people_views": "people",
    "ballots": "decide",
    "elections": "decide",
    "elections.groups": "",
    "elections.link_requests": "",
    "results": "decide",
    "results.front_page": "admin",
    "results.sandbox_views": "sandbox",
}
PAGES = {"home": "home", "style": ""}  # exceptions, by the name of the URL


def section_of(request: HttpRequest) -> str:
    """The section to highlight; empty for pages outside all of them, such as one's account, help and errors."""
    match = request.resolver_match
    return "" if match is None else _section(match.url_name or "", match.func.__module__)


@cache
def _section(page: str, module: str) -> str:
    if page.startswith("help"):
        return ""
    if page in PAGES:
        return PAGES[page]
    sections = ChainMap(CORE, *(dict(part.sections) for part in parts()))
    words = module.split(".")
    modules = (".".join(words[:length]) for length in range(len(words), 0, -1))
    return next((sections[module] for module in modules if module in sections), "")
