"""A ballot with several questions: by keyboard on a phone, with two rankings on one page, left and found again."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import Page, expect

from accounts import repository as accounts
from ballots import repository as ballots
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate

from .conftest import NUMBERS
from .test_access import faults, fits, look
from .test_kinds import PHONE_PX, VOTER, assert_says_what_the_server_says

ASKED = {
    "The chair": ("Chen Wei", "Noor al-Said", "Sofia"),
    "The treasurer": tuple(f"Candidate {letter}" for letter in "ABCDEF"),
    "The committee": ("Chen Wei", "Kim", "Lou"),
    "The budget": (),
}


@pytest.fixture
def asked(settings, server: str, server_folder) -> Callable[..., str]:
    """Open an election with two rankings, a choice and a proposal, of which those after the first may be for a group;
    answers where its ballot is."""

    def make(others_for: tuple[str, ...] = (), **chosen: object) -> str:
        settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
        settings.SECRET_KEY = (server_folder / "secret_key").read_text()
        owner, name = accounts.find(accounts.owner_name()), f"Assembly {next(NUMBERS)}"
        election = drafts.create(owner, name, **chosen)
        for title, more in (
            ("The treasurer", {}),
            ("The committee", {"kind": "choose", "most": 2, "seats": 2, "method": "most-votes"}),
            ("The budget", {"kind": "yes-no", "method": "majority", "majority": "1/2 cast"}),
        ):
            election = drafts.add_question(
                owner, election, title, first_title="The chair", for_groups=others_for, **more
            )
        for each in election.questions:
            if names := ASKED[each.title]:
                add_candidates(owner, elections.find(name).at(each.number), [Candidate(one) for one in names])
        add_voters(
            owner, elections.find(name), [VOTER, "lou@example.org"], {"lou@example.org": Details(groups=others_for)}
        )
        lifecycle.open_(owner, elections.find(name), editable=False)
        return f"/election/{quote(name)}/ballot/"

    return make


def said(there: str) -> list[list[str]]:
    election = elections.find(unquote(there.split("/")[2]))
    return [[each.rankings for each in ballots.every_ballot(one)] for one in election.questions]


def part(page: Page, title: str):
    return page.get_by_role("region", name=title, exact=True)


def rank_next(page: Page, title: str, *names: str) -> None:
    page.locator("html.ready").wait_for()
    for name in names:
        button(part(page, title), "Rank next", name).press("Enter")


def button(there, act: str, whose: str):
    return there.get_by_role("button", name=re.compile(rf"{act}\s?: {whose}"))


@pytest.mark.journey
def test_by_keyboard_on_a_phone_one_is_skipped_and_what_was_left_is_found_again(visit, asked):
    there = asked(secret_ballot=False)
    page = visit(there, who=VOTER, width=PHONE_PX)
    rank_next(page, "The chair", "Sofia", "Chen Wei")
    rank_next(page, "The treasurer", "Candidate B")
    expect(part(page, "The treasurer").locator("rank-ballot > [role=status]")).to_have_text(
        "The treasurer: Candidate B, rank 1 of 1"
    )
    part(page, "The committee").get_by_label("Kim", exact=True).press("Space")
    expect(part(page, "The committee").locator(".mark-count")).to_have_text("The committee: Chosen: 1 of 2")
    for scheme in ("light", "dark"):
        look(page, PHONE_PX, scheme)
        assert fits(page)
        assert faults(page) == []
    page.goto(there)
    assert page.locator(".rank-note:visible").count() == 3
    page.get_by_role("button", name="Review my ballot").press("Enter")
    dialog = page.get_by_role("dialog", name="Is this your ballot?")
    expect(dialog.get_by_role("region", name="The budget")).to_contain_text("Skipped")
    expect(dialog.get_by_role("region", name="The chair").locator(".ballot-ranks")).to_contain_text("Sofia")
    assert_says_what_the_server_says(page)
    assert faults(page) == []
    page.get_by_role("button", name="Cast this ballot").press("Enter")
    expect(page.get_by_role("heading", name="Thank you. Your vote is cast.")).to_be_visible()
    assert said(there) == [["2>0"], ["1"], ["1"], [""]]
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft '))") == []
    page.goto(there)
    part(page, "The budget").get_by_label("Yes").check()
    button(page, "Clear", "The chair").click()
    page.get_by_role("button", name="Review my ballot").click()
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Thank you. Your vote is changed.")).to_be_visible()
    assert said(there) == [[""], ["1"], ["1"], ["0"]]


@pytest.mark.journey
def test_on_a_desktop_each_list_is_dragged_compared_and_cast_with_a_code_for_each(visit, asked):
    there = asked()
    page = visit(there, who=VOTER)
    page.locator("html.ready").wait_for()
    chair = part(page, "The chair")
    chair.locator(".candidate", has_text="Noor").drag_to(chair.locator(".rank-empty"))
    expect(chair.locator(".place .candidate-name")).to_have_text(["Noor al-Said"])
    expect(part(page, "The treasurer").locator(".place")).to_have_count(0)
    button(page, "Compare two at a time", "The treasurer").click()
    duel = page.get_by_role("dialog", name="The treasurer: Which one do you like better?")
    for _ in range(3):
        duel.press("1")
    assert faults(page) == []
    duel.get_by_role("button", name="Stop here").click()
    assert part(page, "The treasurer").locator(".place").count() >= 2
    page.get_by_role("button", name="Review my ballot").click()
    assert_says_what_the_server_says(page)
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.locator(".code code")).to_have_count(4)
    assert faults(page) == []
    page.get_by_role("button", name="Show my receipt").click()
    expect(page.locator(".code code")).to_have_count(4)
    for scheme in ("light", "dark"):
        look(page, 320, scheme)
        assert faults(page) == []
        assert fits(page)


def test_without_scripts_what_is_wrong_is_said_and_the_rest_is_kept_reviewed_and_cast(visit, asked):
    there = asked()
    page = visit(there, who=VOTER, width=PHONE_PX, java_script_enabled=False)
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.get_by_role("alert")).to_contain_text("You have not answered any question yet.")
    part(page, "The chair").get_by_label("Rank: Sofia").fill("1")
    for name in ASKED["The committee"]:
        part(page, "The committee").get_by_label(name, exact=True).check()
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.get_by_role("alert")).to_contain_text("You chose 3, but you may choose at most 2.")
    expect(part(page, "The chair").get_by_label("Rank: Sofia")).to_have_value("1")
    part(page, "The committee").get_by_label("Kim", exact=True).uncheck()
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.get_by_role("region", name="The budget")).to_contain_text("Skipped")
    assert fits(page)
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Thank you. Your vote is cast.")).to_be_visible()
    assert said(there) == [["2"], [""], ["0=2"], [""]]


def test_who_has_just_one_question_leaves_it_blank_in_the_dialog(visit, asked):
    there = asked(others_for=("Board",), secret_ballot=False)
    page = visit(there, who=VOTER)
    expect(page.locator(".ballot-form rank-ballot")).to_have_count(1)
    page.get_by_role("button", name="Review my ballot").click()
    dialog = page.get_by_role("dialog", name="Is this your ballot?")
    expect(dialog).to_contain_text("This ballot is blank.")
    expect(dialog).not_to_contain_text("Skipped")
    dialog.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Thank you. Your vote is cast.")).to_be_visible()
    assert said(there) == [[""], [], [], []]
