"""No form with a second button beside it loses what was typed, with scripts or without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser

from django.http import HttpResponse
from django.test import Client

from tests.access import site as sites
from tests.access.table import without_haste
from tests.fuzz.forms import Form, forms_on, states_of

MAIN = re.compile(r"<main.*</main>", re.DOTALL)
POSTED = re.compile(r"<form\b[^>]*method=\"post\"[^>]*>.*?</form>", re.DOTALL)
ASKS = re.compile(r"<form\b[^>]*(data-unsaved=|data-sending=)")
# Of these, what could be lost without scripts is one short line that whoever typed it still knows.
SHORT = {
    "seat": "one's own name, or leaving",
    "game_players": "a player's name, among the buttons of all players",
    "second_step": "a code, beside a button that needs scripts",
    "station_desk": "the code on a letter that lies on the desk",
}
TYPED = "Quinces from Quedlinburg"


@dataclass
class Page:
    name: str
    path: str
    html: str  # of its main part
    browser: Client

    @property
    def unscripted(self) -> list[Form]:
        """Forms that can be sent without scripts."""
        return [form for form in forms_on(unscripted(self.html)) if form.method == "post"]


def each_page(built: sites.Site) -> Iterator[Page]:
    """Every page of the table of routes, and every state of it that one of its links leads to."""
    for look in built.looks:
        browser = built.browsers[look.who]
        answer = browser.get(look.address, look.asked) if look.form is None else None
        if answer and answer.status_code == 200 and "html" in answer.headers.get("Content-Type", ""):
            page = Page(look.page, answer.wsgi_request.path, main_of(answer), browser)
            yield page
            for state in states_of(page.path, page.html):
                yield replace(page, path=state, html=main_of(browser.get(state)))


def main_of(answer: HttpResponse) -> str:
    return "".join(MAIN.findall(answer.content.decode()))


def test_nothing_typed_is_lost_to_another_button(site, subtests):
    with without_haste():
        pages = list(each_page(sites.build()))
    with subtests.test("with scripts, the browser asks first"):
        check_that_the_browser_asks(pages)
    with subtests.test("without scripts, there is no other form on the page"):
        check_that_text_is_alone(pages)
    with subtests.test("every button of a form keeps what was typed"):
        check_that_buttons_keep(pages)


def check_that_the_browser_asks(pages: list[Page]) -> None:
    """Where two forms can be sent, each one that takes text asks first (page.js), stays on the page when another is
    sent, or warns on leaving as the news editor does."""
    beside = 0
    for page in pages:
        forms = POSTED.findall(page.html)
        for form in forms if len(forms) > 1 else ():
            if forms_on(form)[0].free:
                beside += 1
                assert ASKS.match(form), f"{page.path}: {form[:120]}"
    assert beside, "the pages have such forms"


def check_that_text_is_alone(pages: list[Page]) -> None:
    """No button but its own can be pressed. (The frame around every page leads away from it, as links do.)"""
    with_text = [page for page in pages if any(form.free for form in page.unscripted)]
    alone = {page.name for page in with_text if len(page.unscripted) == 1}
    assert {page.name for page in with_text if len(page.unscripted) > 1} == SHORT.keys()
    assert {"candidates", "roll", "needs", "agenda", "game_roll", "qa", "manage_qa", "sort_ideas", "me"} <= alone


def check_that_buttons_keep(pages: list[Page]) -> None:
    """What was typed is saved, or is on the page that comes next."""
    pressed = 0
    for page in pages:
        for form in page.unscripted:
            for button in form.buttons if form.free and len(form.buttons) > 1 else ():
                text = {field.name: TYPED for field in form.free}
                after = page.browser.post(form.action or page.path, form.filled(text) | button, follow=True)
                texts = [each.content.decode() for each in (after, page.browser.get(page.path))]
                assert any(TYPED in each for each in texts), f"{page.path}: {button}"
                pressed += 1
    assert pressed > 20


class _Unscripted(HTMLParser):
    """Leaves out what is not shown without scripts."""

    EMPTY = ("input", "br", "img", "hr", "link", "meta", "source", "wbr", "col")

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []
        self.depth = 0  # within something left out

    def handle_starttag(self, tag, attributes):
        if self.depth or "data-needs-script" in dict(attributes):
            self.depth += tag not in self.EMPTY
        else:
            self.kept.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag):
        if self.depth:
            self.depth -= tag not in self.EMPTY
        else:
            self.kept.append(f"</{tag}>")

    def handle_data(self, data):
        self.kept += [] if self.depth else [data]


def unscripted(html: str) -> str:
    reader = _Unscripted()
    reader.feed(html)
    return "".join(reader.kept)
