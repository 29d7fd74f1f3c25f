"""The sections of the navigation, and which one a page belongs to."""

from __future__ import annotations

from functools import cache

from django.http import HttpRequest

SECTIONS = {  # of views, by package or module
    "parts.assembly": "live",
    "operations.audit": "admin",
    "operations.audit.checkpoint_views": "",
    "accounts.people_views": "people",
    "ballots": "decide",
    "elections": "decide",
    "elections.groups": "",
    "elections.link_requests": "",
    "parts.live": "live",
    "parts.news": "news",
    "parts.news.site_views": "admin",
    "parts.polls": "decide",
    "parts.questions": "live",
    "results": "decide",
    "results.sandbox_views": "sandbox",
    "parts.skills": "people",
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
    parts = module.split(".")
    modules = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((SECTIONS[module] for module in modules if module in SECTIONS), "")
