"""A count that comes in while one watches, and a result shown on another site: each as its reader sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from .test_access import WIDTH, faults
from .test_people import fill

NAME = "Watched and embedded"
LIVE = f"/election/{NAME}/live/"


# --- another site ---


class OtherSite(BaseHTTPRequestHandler):
    """A page with a frame in it, and no policy of its own."""

    def __init__(self, source: str, *arguments: object):
        self.source = source
        super().__init__(*arguments)

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        frame = f'<iframe src="{self.source}" title="Result" width="100%" height="420"></iframe>'
        head = '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Club</title>'
        self.wfile.write(f'<!doctype html><html lang="en">{head}<main><h1>Our club</h1>{frame}</main>'.encode())

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[Callable[[str], str]]:
    """The address of another site that shows this page in a frame."""
    running = []

    def show(source: str) -> str:
        site = ThreadingHTTPServer(("127.0.0.1", 0), partial(OtherSite, source))
        running.append(site)
        Thread(target=site.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{site.server_port}/"

    yield show
    for site in running:
        site.shutdown()
        site.server_close()


# --- the election ---


def open_live_election(page: Page) -> None:
    """Of three candidates, for everybody, public, and counted while it is open."""
    page.goto("/elections/new/all/")
    page.fill("[name=name]", NAME)
    page.select_option("[name=time_zone]", "Europe/Berlin")
    page.check("[name=electorate][value=everyone]")
    page.uncheck("[name=secret_ballot]")
    page.select_option("[name=results_visible]", "live")
    page.check("[name=results_public]")
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text(NAME)
    page.goto(f"/election/{NAME}/candidates/")
    fill(page, names="Amara\nChen\nNoor")
    expect(page.locator(".list li")).to_have_count(3)
    page.goto(f"/election/{NAME}/open/")
    page.click("main form button.button")
    expect(page.locator(".badge.open")).to_be_visible()


def cast(page: Page, first: str) -> None:
    """Where no scripts run, a rank is typed."""
    page.goto(f"/election/{NAME}/ballot/")
    page.get_by_label(first).fill("1")
    page.get_by_role("button", name="Review my ballot").click()
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Your receipt")).to_be_visible()


@pytest.fixture
def voter(visit) -> Page:
    return visit("/", who="Emmy Noether", java_script_enabled=False)


def test_a_count_is_watched_to_its_end_and_shown_on_another_site(visit, browser, server, voter, elsewhere):
    open_live_election(voter)
    page = visit(LIVE, who="Hypatia", width=375)
    expect(page.locator("#running h2").first).to_have_text("Nothing to count yet")
    assert faults(page) == []

    cast(voter, "Chen")  # the page is not touched, and shows it
    expect(page.locator("#running .winners")).to_have_text("Chen")
    assert faults(page) == []
    needed, there = page.evaluate(WIDTH)
    assert needed <= there

    voter.goto(f"/election/{NAME}/close/")
    voter.click("main form button.button")
    expect(page).to_have_url(f"{server}/election/{NAME.replace(' ', '%20')}/results/")
    expect(page.locator(".outcome .winners")).to_have_text("Chen")

    embedded_elsewhere(browser, f"{server}/result/{NAME}/embed/", elsewhere)


def embedded_elsewhere(browser: Browser, source: str, elsewhere: Callable[[str], str]) -> None:
    for width, scheme in ((320, "light"), (1280, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(elsewhere(source))
        expect(page.frame_locator("iframe").locator(".winners")).to_have_text("Chen")
        frame = page.frames[1]
        assert faults(frame) == []
        needed, there = frame.evaluate(WIDTH)
        assert needed <= there
        assert said == []
        context.close()
