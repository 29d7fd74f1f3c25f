"""A draft of a ballot comes back to its voter, in their session; it names nobody, and nobody else meets it."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from accounts.demo import PASSWORD

from .conftest import until
from .test_people import sign_in
from .test_rank import BOARD, both, press

DRAFTS = "Object.keys(localStorage).filter((key) => /^(draft|ballot|poll) /.test(key))"
VOTER, NEXT = "Wang Zhenyi", "Alan Turing"


def come_in(page: Page, name: str) -> None:
    sign_in(page, name, PASSWORD)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()


def rank_anew(page: Page, *names: str) -> None:
    page.goto(BOARD)
    if page.locator(".place").count():
        page.get_by_role("button", name="Clear").click()
    for name in names:
        press(page, "next", name)
    until(lambda: page.evaluate(DRAFTS) != [])


@pytest.fixture
def voter(visit) -> Page:
    page = visit("/style/")
    page.evaluate("localStorage.setItem('ballot 2026-01-01T00:00:00.000Z Wang Zhenyi', 'of an earlier Plenum')")
    come_in(page, VOTER)
    rank_anew(page, "Noor al-Said", "Chen Wei")
    return page


def test_a_draft_comes_back_after_a_reload_and_in_a_new_tab(voter):
    voter.reload()
    expect(voter.locator(".rank-note")).to_be_visible()
    tab = voter.context.new_page()
    voter.close()
    tab.goto(BOARD)
    if both(tab) != "Noor al-Said > Chen Wei":  # somebody who has voted is offered the draft
        tab.get_by_role("button", name="Use it").click()
    assert both(tab) == "Noor al-Said > Chen Wei"


def test_what_is_kept_names_nobody(voter):
    kept = json.dumps(voter.evaluate("({...localStorage, ...sessionStorage})"))
    for name in (VOTER, "Wang", "Board", "Noor", "Chen", "2026-01-01"):
        assert name not in kept


def test_a_draft_is_gone_once_one_has_signed_out(voter):
    sign_out(voter)
    assert voter.evaluate(DRAFTS) == []


def test_a_page_left_open_keeps_no_draft_after_the_sign_out(voter):
    other = voter.context.new_page()
    other.goto("/")
    sign_out(other)
    press(voter, "remove", "Chen Wei")
    voter.evaluate("dispatchEvent(new Event('pagehide'))")  # at once, without the delay
    assert voter.evaluate(DRAFTS) == []


def test_the_next_person_does_not_get_it(voter):
    voter.context.clear_cookies()  # the session has ended by itself
    come_in(voter, NEXT)
    assert voter.evaluate(DRAFTS) == []


def test_going_back_after_the_sign_out_shows_nothing_of_the_ballot(voter):
    sign_out(voter)
    voter.go_back()
    expect(voter.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(voter.locator("rank-ballot")).to_have_count(0)
