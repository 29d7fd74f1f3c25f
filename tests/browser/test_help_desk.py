"""Somebody whose link no longer works asks for help on a phone, and an organiser helps in one click."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts import repository as people
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations.voting_link import new_token
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate

from .conftest import NUMBERS
from .test_access import faults
from .test_people import wide

ANN = "ann.needs.help@example.org"


@pytest.fixture
def name(settings, server, server_folder) -> str:
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    settings.SECRET_KEY = (server_folder / "secret_key").read_text()
    owner, name = people.find(people.owner_name()), f"Board with help {next(NUMBERS)}"
    election = drafts.create(owner, name, vote_by_link=True)
    add_candidates(owner, election, [Candidate("Ada"), Candidate("Bo")])
    add_voters(owner, election, [ANN])
    lifecycle.open_(owner, repository.find(name), editable=False)
    return name


@pytest.mark.parametrize("scripts", [True, False])
def test_from_a_dead_link_to_a_new_one(visit, name, scripts):
    def judge(page: Page) -> None:
        assert wide(page) == []
        assert not scripts or faults(page) == []

    owner, token = people.find(people.owner_name()), new_token(name, ANN, ANN, "the invitation")
    voter = visit(f"/election/{name}/help/", width=390, java_script_enabled=scripts)
    judge(voter)
    voter.get_by_label("Your name").fill("Ann")
    voter.get_by_label("Email address").fill(ANN)
    voter.get_by_label("Your request").fill("My link is lost.")
    voter.get_by_role("button", name="Send to the organisers").click()
    expect(voter.locator("main")).to_contain_text("Your request has been sent")

    organiser = visit(f"/election/{name}/requests/", who=owner.name, width=390, java_script_enabled=scripts)
    judge(organiser)
    organiser.get_by_role("link", name="Ann").click()
    expect(organiser.locator("main")).to_contain_text("My link is lost.")
    judge(organiser)
    organiser.get_by_role("button", name="Send a new link").click()
    expect(organiser.locator("main")).to_contain_text("A new invitation is on its way")
    assert voter.request.get(f"/vote/{token}/").status == 410

    voter.goto(f"/vote/{new_token(name, ANN, ANN, 'the new invitation')}/")
    voter.get_by_role("button", name="Go to the ballot").click()
    expect(voter.locator(".by-link")).to_contain_text(ANN)


@pytest.mark.parametrize("scripts", [True, False])
def test_from_the_election_page_onto_the_roll(visit, name, scripts):
    """Somebody who is not on the roll asks by the keyboard alone; an organiser accepts on a phone."""
    owner, words = people.find(people.owner_name()), "I moved in on Monday. 🦊 <b>Please</b>"
    voter = visit(f"/election/{name}/", who="Hypatia", java_script_enabled=scripts)
    voter.get_by_role("link", name="Ask the organisers").press("Enter")
    voter.get_by_label("Your request").focus()
    voter.keyboard.insert_text(words)
    voter.keyboard.press("Tab")
    voter.keyboard.press("Enter")
    expect(voter.locator("main")).to_contain_text("Your request has been sent")
    expect(voter.locator("main article")).to_contain_text(words)

    organiser = visit(f"/election/{name}/requests/", who=owner.name, width=390, java_script_enabled=scripts)
    current = organiser.locator(".tabs [aria-current]")
    expect(current).to_have_text("Requests")
    expect(current).to_be_in_viewport()
    organiser.get_by_role("link", name="Hypatia").click()
    expect(organiser.locator("main")).to_contain_text(words)
    organiser.get_by_role("link", name="Put on the roll").click()
    assert wide(organiser) == []
    assert not scripts or faults(organiser) == []
    organiser.get_by_label("Reason").fill("lives here")
    organiser.get_by_role("button", name="Put on the roll and invite").click()
    expect(organiser.locator("main")).to_contain_text("Hypatia is now on the roll")
    expect(organiser.locator("main")).to_contain_text("Nobody is waiting")

    voter.goto(f"/election/{name}/")
    voter.get_by_role("link", name="Vote", exact=True).click()
    expect(voter.get_by_role("button", name="Review my ballot")).to_be_visible()
