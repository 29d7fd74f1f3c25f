"""From the link in a mail to the ballot that is cast, on a phone: every tap counted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from accounts import repository as people
from ballots import repository as ballots
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations.voting_link import new_token, read_link
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.mail.emails import Mail
from foundation.ranking.candidates import Candidate
from foundation.store.log import as_text, utc_now
from results.mailing import RESULT

from .conftest import NUMBERS
from .test_access import faults

ANN = "ann.by.link@example.org"


@pytest.fixture
def door(settings, server, server_folder) -> str:
    """Of an election with five candidates, on the site of all browser tests."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    settings.SECRET_KEY = (server_folder / "secret_key").read_text()
    owner, name = people.find(people.owner_name()), f"Board by link {next(NUMBERS)}"
    end = as_text(utc_now() + timedelta(days=6))
    election = drafts.create(owner, name, vote_by_link=True, no_voting_after=end, time_zone="Europe/Berlin")
    add_candidates(owner, election, [Candidate(each) for each in ("Ada", "Bo", "Cy", "Di", "Eve")])
    add_voters(owner, election, [ANN])
    lifecycle.open_(owner, repository.find(name), editable=False)
    return f"/vote/{new_token(name, ANN, ANN, 'the invitation')}/"


def test_the_result_the_way_of_the_ballot_and_a_recount_without_an_account(visit, door):
    """The whole journey: the link in the mail, the vote, the receipt; the close, and the link in the result mail."""
    page = visit(door)
    page.get_by_role("button", name="Go to the ballot").click()
    page.get_by_role("button", name="Rank next").first.click()
    page.get_by_role("button", name="Review my ballot").click()
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.locator("main")).to_contain_text("You do not need an account to see that list")
    code = page.locator("#confirmation").inner_text()
    name = read_link(door.split("/")[2]).election_name
    closing.close(people.find(people.owner_name()), repository.find(name))
    about = {"election_name": name, "voter": ANN}
    page.goto(RESULT.link(Mail("the result", "vote_result", ANN, about, "en", "", "", "", 0, "")))
    page.get_by_role("button", name="See the result").click()
    expect(page.locator(".by-link")).to_contain_text(f"Voting by link as {ANN}")
    expect(page.locator(".winners")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="Find my ballot").click()
    page.fill("#own-code", code)
    page.get_by_role("button", name="Find my ballot").click()
    expect(page.locator("[data-said]")).to_contain_text("was counted")
    assert faults(page) == []
    page.get_by_role("link", name="Back to the result").click()
    page.get_by_role("link", name="Start the recount").click()
    page.get_by_role("button", name="Recount now").click()
    expect(page.get_by_text("Same result.")).to_be_visible(timeout=30_000)


def test_a_lost_mail_on_a_phone_without_scripts(visit, door):
    """The pages that whoever cannot vote is led to."""
    page = visit("/vote/no-such-link/", width=390, java_script_enabled=False)
    page.get_by_role("link", name="Send me a new link").click()
    page.get_by_label("Email address").fill(ANN)
    page.get_by_role("button", name="Send my link").click()
    expect(page.locator("main")).to_contain_text("an email with a link for each is on its way")


@pytest.mark.journey
def test_from_the_link_to_the_cast_in_three_taps_beside_the_ranking(visit, door, subtests):
    page, taps = visit(door, width=390, has_touch=True), []

    def tap(button: str) -> None:
        page.get_by_role("button", name=button).tap()
        taps.append(button)

    expect(page.locator("main")).to_contain_text(ANN)
    with subtests.test("the door"):
        assert faults(page) == []
    tap("Go to the ballot")
    expect(page.locator(".by-link")).to_contain_text(f"Voting by link as {ANN}")
    with subtests.test("the ballot"):
        assert faults(page) == []
    page.get_by_role("button", name="Rank next").first.tap()
    tap("Review my ballot")
    tap("Cast this ballot")
    expect(page.locator("main")).to_contain_text("Thank you. Your vote is cast.")
    assert len(taps) <= 3
    with subtests.test("the receipt"):
        assert faults(page) == []
    page.get_by_role("button", name="Leave").tap()
    expect(page.locator("main")).to_contain_text("This browser has forgotten your link")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft '))") == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_link_replaces_the_ballot_on_another_device_and_shows_it_on_none(visit, door, scripts):
    for rank in ("1", "2"):
        page = visit(door, java_script_enabled=scripts)
        page.get_by_role("button", name="Go to the ballot").click()
        if rank == "2":
            expect(page.locator("main")).to_contain_text("How you voted is not shown")
        if scripts:
            page.get_by_role("button", name="Rank next").first.click()
        else:
            assert page.locator("input[type=number]").evaluate_all("all => all.every((each) => !each.value)")
            page.locator("input[type=number]").first.fill(rank)
        page.get_by_role("button", name="Review my ballot").click()
        page.get_by_role("button", name="Cast this ballot").click()
        expect(page.locator("main")).to_contain_text("open the link in your invitation again, on any device")
    name = read_link(door.split("/")[2]).election_name
    assert len(list(ballots.every_ballot(name))) == 1
