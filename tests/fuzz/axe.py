"""Axe on every page of the table of routes, in both themes."""

from __future__ import annotations

from itertools import cycle
from types import SimpleNamespace

from django.http import HttpResponse

from tests.access import site as sites
from tests.access.table import without_haste
from tests.browser.test_access import faults, look

from .browsing import SITE, Window

WIDTHS_PX = (390, 1280)  # in turn, one for each page
UNNEEDED = ("image", "font", "eventsource")


def shown(built: sites.Site) -> list[SimpleNamespace]:
    """Every page once, as the first of those who may see it."""
    found: dict[str, SimpleNamespace] = {}
    for each in built.looks:
        if each.form is None and each.page not in found:
            answer = built.browsers[each.who].get(each.address, each.asked)
            if answer.status_code == 200 and is_page(answer):
                query = f"?{answer.wsgi_request.META['QUERY_STRING']}" if each.asked else ""
                address = answer.wsgi_request.path + query
                found[each.page] = SimpleNamespace(page=each.page, who=each.who, address=address)
    return list(found.values())


def is_page(answer: HttpResponse) -> bool:
    """A whole document, not a part for a script; and not one in which no script may run, as axe is one."""
    is_whole = not answer.streaming and answer.content[:9].lower() == b"<!doctype"
    return is_whole and "sandbox" not in answer.headers.get("Content-Security-Policy", "")


def test_axe_finds_nothing_on_any_page_in_either_theme(site, static_files, browser, subtests):
    with without_haste():
        built = sites.build()
        pages = shown(built)
        context = browser.new_context()
        window = Window(context, UNNEEDED)
        context.route("**/*", window.answer)
        page = context.new_page()
        for each, width in zip(pages, cycle(WIDTHS_PX), strict=False):
            window.client = built.browsers[each.who]
            page.goto(SITE + each.address, wait_until="load")
            for scheme in ("light", "dark"):
                with subtests.test(each.page, scheme=scheme, width=width):
                    look(page, width, scheme)
                    assert faults(page) == []
        context.close()
    assert len(pages) > 150
