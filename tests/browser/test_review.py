"""The review inside the ballot page: what it says, how it is reached and left, and how little it asks of the server."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from ballots import repository as ballots

from .test_access import faults, fits, look
from .test_kinds import LONG, PHONE_PX, VOTER, assert_says_what_the_server_says
from .test_rank import both, press

ODD_NAMES = ("Zoë", "Ada 10", "Ada 9", "<b>Bo</b> & Co", "عائشة")  # by number not as they are listed


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_ties_odd_names_a_full_and_a_blank_ballot_are_as_the_server_shows_them(visit, board, subtests, locale):
    there = board(names=ODD_NAMES, safeguards=("confirm", "counts"), secret_ballot=False)
    page = visit(there, who=VOTER, width=PHONE_PX, locale=locale)
    ties = (("next", "Zoë"), ("next", "عائشة"), ("tie", "عائشة"), ("next", "Ada 9"))
    for steps in ((), ties, (("next", "<b>Bo</b> & Co"), ("next", "Ada 10"))):
        for act, name in steps:
            press(page, act, name)
        with subtests.test("the dialog is as the server shows the ballot", steps=steps):
            page.locator(".ballot-form > .ballot-bar > .button").click()
            assert_says_what_the_server_says(page)
            assert fits(page)
            page.locator("[data-closes]").click()
    assert both(page) == "Zoë = عائشة > Ada 9 > <b>Bo</b> & Co > Ada 10"


TREE = """
- dialog "Is this your ballot?":
  - heading "Is this your ballot?" [level=2]
  - paragraph: It has not been cast yet.
  - region:
    - heading [level=2]
    - list:
      - listitem: Chen Wei equal with Sofia
    - heading "Not ranked" [level=3]
    - paragraph: Candidates you leave out rank below all the others.
    - list:
      - listitem: Noor al-Said
  - paragraph: /You can change or withdraw it/
  - button "Cast this ballot"
  - button "Go back and change it"
"""


@pytest.mark.journey
def test_by_keyboard_alone_one_reviews_goes_back_and_casts_with_two_requests(visit, board, subtests):
    page, asked, there = visit("about:blank", who=VOTER), [], board()
    page.on("request", lambda request: request.is_navigation_request() and asked.append(request.method))
    page.goto(there)
    for act, name in (("next", "Sofia"), ("next", "Chen Wei"), ("tie", "Chen Wei")):
        press(page, act, name)
    reviewing = page.get_by_role("button", name="Review my ballot")
    reviewing.focus()
    dialog = page.get_by_role("dialog", name="Is this your ballot?")
    for keys in (["Escape"], ["Tab", "Tab", "Enter"]):
        page.keyboard.press("Enter")
        expect(dialog.get_by_role("heading", name="Is this your ballot?")).to_be_focused()
        with subtests.test("a screen reader reads the ballot in order"):
            expect(page.locator("body")).to_match_aria_snapshot(TREE)
        for key in keys:
            page.keyboard.press(key)
        expect(dialog).to_be_hidden()
        expect(reviewing).to_be_focused()
    assert both(page) == "Chen Wei = Sofia"
    for key in ("Enter", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("main")).to_contain_text("Thank you")
    assert asked == ["GET", "POST"]


def review(page: Page) -> None:
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.get_by_role("dialog")).to_be_visible()


@pytest.mark.journey
def test_cast_twice_by_a_double_click_it_is_one_ballot_and_going_back_casts_no_other(visit, board):
    page = visit(there := board(), who=VOTER)
    press(page, "next", "Sofia")
    review(page)
    page.get_by_role("button", name="Cast this ballot").dblclick()
    expect(page.locator("main")).to_contain_text("Thank you")
    (ballot,) = ballots.every_ballot(unquote(there.split("/")[2]))
    assert ballot.rankings == "2"
    page.go_back()
    expect(page.get_by_role("heading", name="You have voted")).to_be_visible()


def test_a_page_that_the_browser_has_kept_as_it_was_sent_is_asked_for_anew(visit, board):
    page = visit(board(secret_ballot=False), who=VOTER)
    press(page, "next", "Sofia")
    review(page)
    page.evaluate("document.addEventListener('submit', (event) => event.preventDefault())")
    page.get_by_role("button", name="Cast this ballot").click()
    with page.expect_navigation():
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_long_ballot_scrolls_inside_and_its_buttons_stay_in_sight(visit, board, subtests):
    names = [*LONG, *(f"Candidate {number}" for number in range(26))]
    page = visit(board(names=names, safeguards=("confirm", "counts")), who=VOTER, width=1280, has_touch=True)
    for name in names[:20]:
        press(page, "next", name)
    page.get_by_role("button", name="Review my ballot").tap()
    dialog, cast = page.get_by_role("dialog"), page.get_by_role("button", name="Cast this ballot")
    for width, scheme in ((1280, "light"), (PHONE_PX, "dark")):
        with subtests.test("it scrolls inside, and axe finds nothing", width=width, scheme=scheme):
            look(page, width, scheme)
            for part in (".ballot-rest", ".ballot-ranks"):
                dialog.locator(f"{part} > :last-child").scroll_into_view_if_needed()
                expect(cast).to_be_in_viewport(ratio=1)
            assert fits(page)
            assert dialog.evaluate("dialog => dialog.scrollWidth <= dialog.clientWidth")
            assert faults(page) == []
    cast.tap()
    box, bar = dialog.get_by_label("I have read how to protect my device."), dialog.locator(".ballot-bar")
    expect(box).to_be_focused()  # the browser asks for it
    assert box.bounding_box()["y"] + box.bounding_box()["height"] <= bar.bounding_box()["y"]
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()


KEPT = "Object.entries(localStorage).filter(([key]) => key.startsWith('secret '))"


def test_a_second_window_is_refused_and_the_ballot_of_the_first_stays_remembered(visit, board):
    page = visit(there := board(), who=VOTER)
    other = page.context.new_page()
    other.goto(there)
    for window, answer in ((page, "Thank you"), (other, "You have voted")):
        press(window, "next", "Sofia")
        review(window)
        window.get_by_role("button", name="Cast this ballot").click()
        expect(window.locator("main")).to_contain_text(answer)
        if window == page:
            kept = page.evaluate(KEPT)
    assert len(kept) == 1
    assert other.evaluate(KEPT) == kept
