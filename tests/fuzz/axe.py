"""Axe on every page of the table of routes and on every state of a live session, in both themes."""

from __future__ import annotations

from itertools import cycle
from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from playwright.sync_api import Page

from tests.access import site as sites
from tests.access.table import without_haste
from tests.browser.live_hall import HOST
from tests.browser.test_access import faults, look
from tests.browser.test_projector import SCREENS

from .browsing import SITE, Window
from .forms import states_of

WIDTHS_PX = (390, 1280)  # in turn, one for each page
SCHEMES = ("light", "dark")
MEMBER = "Hypatia"
HALL_PX = {"screen": 1920, "host": 1280, "remote": 390}
UNNEEDED = ("image", "font", "eventsource", "xhr")  # a page is judged as it was answered, before it goes on by itself


def shown(built: sites.Site) -> list[SimpleNamespace]:
    """Every page once, as the first of those who may see it; and every state of it that one of its links leads to."""
    found: dict[str, SimpleNamespace] = {}
    for each in built.looks:
        if each.form is None and each.page not in found:
            answer = built.browsers[each.who].get(each.address, each.asked)
            if answer.status_code == 200 and is_page(answer):
                query = f"?{answer.wsgi_request.META['QUERY_STRING']}" if each.asked else ""
                address = answer.wsgi_request.path + query
                for place in (address, *states_of(answer.wsgi_request.path, answer.content.decode())):
                    name = each.page + place[place.find("?") :].partition("=")[0] if place != address else each.page
                    found[name] = SimpleNamespace(page=name, who=each.who, address=place)
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
            for scheme in SCHEMES:
                with subtests.test(each.page, scheme=scheme, width=width):
                    look(page, width, scheme)
                    assert faults(page) == []
        context.close()
    assert len(pages) > 150


def test_axe_finds_nothing_in_any_state_of_a_session_in_either_theme(halls, visit, subtests):
    """As the room, the host and their remote control see it; and on the phone of somebody who comes now."""
    wall, desk = visit("/", width=HALL_PX["screen"]), visit("/", who=HOST)
    for name, made in SCREENS.items():
        hall = made(halls)
        paths = {page: hall.path(page) for page in HALL_PX} | {
            "screen": hall.path("screen") + f"{hall.game.screen_token}/"
        }
        for kind, path in paths.items():
            page = wall if kind == "screen" else desk
            page.goto(path)
            judge(page, HALL_PX[kind], subtests, f"{name} {kind}")
        if not hall.phase().startswith("ended"):
            phone = visit(hall.link, who=MEMBER) if hall.game.format.checks_in else hall.phone(name)
            judge(phone, 390, subtests, f"{name} phone")


def judge(page: Page, width: int, subtests: pytest.Subtests, name: str) -> None:
    for scheme in SCHEMES:
        with subtests.test(name, scheme=scheme, width=width):
            page.evaluate("theme => document.documentElement.dataset.theme = theme", scheme)
            look(page, width, scheme)
            assert faults(page) == []
