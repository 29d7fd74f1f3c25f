"""A count that comes in while one watches."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .test_access import WIDTH, faults
from .test_people import fill

NAME = "Watched"
LIVE = f"/election/{NAME}/live/"


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
    expect(page.get_by_role("heading", name="Thank you. Your vote is cast.")).to_be_visible()


@pytest.fixture
def voter(visit) -> Page:
    return visit("/", who="Emmy Noether", java_script_enabled=False)


def test_a_count_is_watched_to_its_end(visit, server, voter):
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
