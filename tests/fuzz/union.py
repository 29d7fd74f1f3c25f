"""The union of tests/ballots/test_union.py, each of its 300 voters in Chromium on a phone, with all scripts."""

from __future__ import annotations

import pytest
from django.test import Client
from playwright.sync_api import Page

from tests.ballots.test_union import PAGE, WithoutScripts, board, organiser, rank_of  # noqa: F401 - fixtures
from tests.ballots.test_union import elect as elect_by

from .browsing import SITE, Window

CANDIDATES = ("Ada", "Bo")


class InChromium(WithoutScripts):
    """One browser, which each voter finds as if it were new."""

    def __init__(self, window: Window, page: Page):
        self.window, self.page = window, page

    def by_link(self, door: str) -> Client:
        return self._opened(door, "Go to the ballot")

    def by_code(self, code: str) -> Client:
        return self._opened(f"/code/{code}/", "Go to the ballot")

    def _opened(self, path: str, button: str) -> Client:
        self.window.client = Client()
        self.page.goto(SITE + path)
        self.page.get_by_role("button", name=button).click()
        return self.window.client

    def start(self, booth: Client) -> None:
        self.window.client = booth
        self.page.goto(f"{SITE}/station/")
        self.page.get_by_role("button", name="Start").click()

    def cast(self, client: Client, voter: str) -> None:
        self.window.client, page = client, self.page
        page.goto(SITE + PAGE)
        page.get_by_role("button", name=f"Rank next : {CANDIDATES[rank_of(voter)]}").click()
        page.get_by_role("button", name="Review my ballot").click()
        page.get_by_role("button", name="Cast this ballot").click()
        page.get_by_text("Thank you for voting").wait_for()

    def finish(self, booth: Client) -> None:
        self.page.locator("main").get_by_role("button", name="Finish").click()
        self.page.get_by_text("Please wait for the officer").wait_for()


@pytest.mark.usefixtures("site", "static_files", "board")
def test_everybody_votes_once_in_a_browser_of_their_own(browser, organiser):  # noqa: F811
    context = browser.new_context(viewport={"width": 390, "height": 844})
    window = Window(context, ("image", "font", "eventsource"))
    context.route("**/*", window.answer)
    elect_by(InChromium(window, context.new_page()), organiser)
    assert window.failed == []
    context.close()
