"""The sections of the navigation, and which one a page belongs to."""

from __future__ import annotations

from collections import ChainMap
from functools import cache

from django.http import HttpRequest

from foundation.parts import parts

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
