"""A draft of a ballot comes back to its voter, in their session; it names nobody, and nobody else meets it."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from .conftest import come_in, sign_out, until
from .test_rank import BOARD, both, press

DRAFTS = "Object.keys(localStorage).filter((key) => /^(draft|ballot|poll) /.test(key))"
VOTER, NEXT = "Katherine Johnson", "Alan Turing"  # who have not voted yet


def rank_anew(page: Page, *names: str) -> None:
    page.goto(BOARD)
    for name in names:
        press(page, "next", name)
    until(lambda: page.evaluate(DRAFTS) != [])


@pytest.fixture
def voter(visit) -> Page:
    page = visit("/style/")
    page.evaluate(f"localStorage.setItem('ballot 2026-01-01T00:00:00.000Z {VOTER}', 'of an earlier Plenum')")
    come_in(page.request, VOTER)
    rank_anew(page, "Noor al-Said", "Chen Wei")
    return page


def test_a_draft_comes_back_to_its_voter_and_is_gone_with_the_session(voter, subtests):
    with subtests.test("what is kept names nobody"):
        kept = json.dumps(voter.evaluate("({...localStorage, ...sessionStorage})"))
        for name in (VOTER, "Katherine", "Board", "Noor", "Chen", "2026-01-01"):
            assert name not in kept
    tab = voter.context.new_page()
    with subtests.test("a draft comes back after a reload and in a new tab"):
        voter.reload()
        expect(voter.locator(".rank-note")).to_be_visible()
        voter.close()
        tab.goto(BOARD)
        assert both(tab) == "Noor al-Said > Chen Wei"
    with subtests.test("a draft is gone once one has signed out"):
        sign_out(tab)
        assert tab.evaluate(DRAFTS) == []
    with subtests.test("going back after the sign-out shows nothing of the ballot"):
        tab.go_back()
        expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
        expect(tab.locator("rank-ballot")).to_have_count(0)


def test_a_page_left_open_keeps_no_draft_after_the_sign_out(voter):
    other = voter.context.new_page()
    other.goto("/")
    sign_out(other)
    press(voter, "remove", "Chen Wei")
    assert voter.evaluate(DRAFTS) == []


def test_the_next_person_does_not_get_it(voter):
    voter.context.clear_cookies()  # the session has ended by itself
    come_in(voter.request, NEXT)
    voter.goto("/")
    expect(voter.locator(".user-name")).to_have_text(NEXT)
    assert voter.evaluate(DRAFTS) == []
