"""The sections of the navigation, and which one a page belongs to."""

from __future__ import annotations

from django.http import HttpRequest

SECTIONS = {  # of views, by package or module
    "assembly": "live",
    "audit": "admin",
    "audit.checkpoint_views": "",
    "accounts.people_views": "people",
    "ballots": "decide",
    "elections": "decide",
    "elections.groups": "",
    "elections.link_requests": "",
    "live": "live",
    "news": "news",
    "news.site_views": "admin",
    "polls": "decide",
    "questions": "live",
    "results": "decide",
    "results.sandbox_views": "sandbox",
    "skills": "people",
}
PAGES = {"home": "home", "style": ""}  # exceptions, by the name of the URL


def section_of(request: HttpRequest) -> str:
    """The section to highlight; empty for pages outside all of them, such as one's account, help and errors."""
    match = request.resolver_match
    if match is None or (match.url_name or "").startswith("help"):
        return ""
    if match.url_name in PAGES:
        return PAGES[match.url_name]
    parts = match.func.__module__.split(".")
    modules = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((SECTIONS[module] for module in modules if module in SECTIONS), "")
