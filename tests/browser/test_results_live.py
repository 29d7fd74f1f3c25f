"""A count that comes in while one watches, and a result shown on another site: each as its reader sees it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from .test_access import WIDTH, faults
from .test_people import fill

NAME = "Watched and embedded"
LIVE = f"/election/{NAME}/live/"


# --- another site ---

OURS, ALLOWED, OTHER = "https://vote.example.org/", "https://www.example.org/", "https://evil.example.org/"


def show_in_frame(page: Page, site: str, server: str) -> None:
    """Open a page of another site with a frame in it, and no policy of its own. Both sites have public addresses, from
    which browsers do not let frames lead to this machine."""

    def answer(route: Route) -> None:
        route.fulfill(response=page.request.get(route.request.url.replace(OURS, server)))

    page.route(f"{OURS}**", answer)
    frame = f'<iframe src="{OURS}result/{NAME}/embed/" title="Result" width="100%" height="420"></iframe>'
    head = '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Club</title>'
    body = f'<!doctype html><html lang="en">{head}<main><h1>Our club</h1>{frame}</main>'
    page.route(site, lambda route: route.fulfill(body=body, content_type="text/html; charset=utf-8"))
    page.goto(site)


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


def test_a_count_is_watched_to_its_end_and_shown_on_another_site(visit, browser, server, voter):
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

    voter.goto(f"/election/{NAME}/results/frames/")
    fill(voter, hosts="www.example.org")
    embedded_elsewhere(browser, f"{server}/")


def embedded_elsewhere(browser: Browser, server: str) -> None:
    for width, scheme in ((320, "light"), (1280, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda message, said=said: said.append(message.text))
        show_in_frame(page, ALLOWED, server)
        expect(page.frame_locator("iframe").locator(".winners")).to_have_text("Chen")
        frame = page.frames[1]
        assert faults(frame) == []
        needed, there = frame.evaluate(WIDTH)
        assert needed <= there
        assert said == []
        with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
            show_in_frame(page, OTHER, server)
        context.close()
