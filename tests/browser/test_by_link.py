"""From the link in a mail to the ballot that is cast, on a phone: every tap counted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import expect

from accounts import repository as people
from acts.site import table
from elections import repository, services
from elections.by_link import link_to
from ranking.candidates import Candidate
from store import keys
from store.log import as_text, utc_now

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
    election = services.create(owner, name, vote_by_link=True, no_voting_after=end, time_zone="Europe/Berlin")
    services.add_candidates(owner, election, [Candidate(each) for each in ("Ada", "Bo", "Cy", "Di", "Eve")])
    services.add_voters(owner, election, [ANN])
    opened = services.open_(owner, repository.find(name), editable=False)
    return f"/vote/{link_to(opened, table().get(keys.voter(name, ANN)), ANN).token}/"


def test_from_the_link_to_the_cast_in_three_taps_beside_the_ranking(visit, door, subtests):
    page, taps = visit(door, width=390, has_touch=True), []

    def tap(button: str) -> None:
        page.get_by_role("button", name=button).tap()
        taps.append(button)

    expect(page.locator("main")).to_contain_text(ANN)
    with subtests.test("the door"):
        assert faults(page) == []
    tap("To the ballot")
    expect(page.locator(".by-link")).to_contain_text(f"Voting as {ANN} by link")
    with subtests.test("the ballot"):
        assert faults(page) == []
    page.get_by_role("button", name="Rank next").first.tap()
    tap("Review my ballot")
    tap("Cast this ballot")
    expect(page.locator("main")).to_contain_text("Your ballot is cast.")
    assert len(taps) <= 3
    page.get_by_role("button", name="Leave").tap()
    expect(page.locator("main")).to_contain_text("This browser has forgotten your link")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft '))") == []
