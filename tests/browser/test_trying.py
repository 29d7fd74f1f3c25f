"""What visitors try on the front page and in the session with robots: by dragging and without an account."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from .test_access import faults, fits, in_turn, look


def test_a_ballot_is_dragged_on_the_front_page_and_counted_at_once(visit):
    page = visit("/")
    page.locator(".candidate", has_text="Curry").drag_to(page.locator(".rank-area"))
    expect(page.locator(".ranks .candidate-name")).to_have_text(["Curry"])
    page.get_by_role("button", name="Count it now").click()
    expect(page.locator(".winners")).to_have_text("Curry")
    expect(page.get_by_role("heading", level=1)).to_have_text("What shall we eat at the summer party?")


def test_the_robots_answer_and_the_ranking_of_the_visitor_joins_the_race(visit):
    page = visit("/live/try/", reduced_motion="no-preference")
    expect(page.locator(".try-wall .answered b")).to_have_text("14", timeout=30_000)  # one after the other
    page.get_by_role("button", name=re.compile("^Rank next")).first.click()
    page.get_by_role("button", name="Send my ranking", exact=True).click()
    expect(page.locator(".try-wall [data-stage]")).to_be_visible()
    expect(page.locator(".try-wall")).to_contain_text("15 votes")


@pytest.mark.parametrize("path", ["/try/", "/try/?rank-0=1", "/live/try/", "/live/try/?rank-0=1"])
def test_axe_finds_nothing_and_nothing_sticks_out(visit, subtests, path):
    page = visit(path)
    looks = [(320, "light"), (1280, "dark")]
    for width, scheme in looks:
        with subtests.test("axe finds nothing and nothing sticks out", width=width, scheme=scheme):
            look(page, width, scheme)
            assert fits(page)
            if (width, scheme) in in_turn(looks, path):
                assert faults(page) == []
