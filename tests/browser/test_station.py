"""Two voters after one another in the booth of a polling station: the second finds nothing of the first."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts import repository as people
from ballots import repository as ballots
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.ranking.candidates import Candidate
from parts.stations import repository, services
from parts.stations.browser import COOKIE
from parts.stations.rules import Booth, Station

from .conftest import NUMBERS, until
from .test_access import faults
from .test_elections import ORGANISER

ANN, BEN = "ann.at.the.station@example.org", "ben.at.the.station@example.org"


@pytest.fixture
def station(settings, server, server_folder) -> Station:
    """Of an election with three candidates, on the site of all browser tests; no browser is paired with it yet."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    settings.SECRET_KEY = (server_folder / "secret_key").read_text()
    owner, name = people.find(ORGANISER), f"Board at the station {next(NUMBERS)}"
    election = drafts.create(owner, name)
    add_candidates(owner, election, [Candidate(each) for each in ("Ada", "Bo", "Cy")])
    add_voters(owner, election, [ANN, BEN])
    services.open_(owner, lifecycle.open_(owner, elections.find(name), editable=False), "Booth 1", name)
    return repository.every(name)[0]


def let_in(desk: Page, voter: str) -> None:
    desk.get_by_label("Name, address or member number").fill(voter[:6])
    desk.get_by_role("button", name="Let them vote").click()


def cast(booth: Page) -> None:
    booth.get_by_role("button", name="Rank next").first.click()
    booth.get_by_role("button", name="Review my ballot").click()
    booth.get_by_role("button", name="Cast this ballot").click()
    expect(booth.locator("main h1")).to_have_text("Thank you. Your vote is cast.")


def stored(page: Page) -> dict[str, object]:
    """What the browser has of earlier pages."""
    storage = page.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
    return {"storage": storage, "cookies": {each["name"] for each in page.context.cookies()}}


@pytest.mark.journey
def test_the_second_voter_finds_nothing_of_the_first(visit, station, subtests):
    desk = visit(f"/election/{station.election_name}/stations/{station.id}/", who=ORGANISER)
    booth = visit(f"/station/pair/?code={desk.locator('#pairing-code').inner_text()}", width=1024, has_touch=True)
    with subtests.test("pairing"):
        assert faults(booth) == []
    booth.get_by_role("button", name="Use as a booth").click()
    expect(booth.locator("main")).to_contain_text("Please wait for the officer")
    with subtests.test("locked"):
        assert faults(booth) == []
    with subtests.test("the desk has noticed, and waits for the next name"):
        expect(desk.get_by_label("Name, address or member number")).to_be_focused()
    let_in(desk, ANN)
    with subtests.test("and for the one after"):
        expect(desk.get_by_label("Name, address or member number")).to_be_focused()
        expect(desk.locator("#booth-now")).to_contain_text("waiting for the voter")
    expect(booth.get_by_role("button", name="Start")).to_be_focused()
    with subtests.test("ready"):
        assert faults(booth) == []
    booth.keyboard.press("Enter")
    expect(booth.locator(".by-link")).to_contain_text("Polling station: Booth 1")
    cast(booth)
    code = booth.locator("#confirmation").inner_text()
    with subtests.test("the thanks"):
        assert faults(booth) == []
        assert booth.get_by_role("button", name="Change my vote").count() == 0
    with subtests.test("the receipt"):
        booth.get_by_role("button", name="Show my receipt").click()
        expect(booth.locator(".words > li")).to_have_count(12)
        assert faults(booth) == []
        assert booth.locator("main .booth-button").bounding_box()["height"] >= 44
    booth.locator("main").get_by_role("button", name="Finish").click()
    expect(booth.locator("main")).to_contain_text("Please wait for the officer")
    with subtests.test("nothing is stored"):
        assert stored(booth) == {"storage": [], "cookies": {COOKIE, "csrftoken"}}
    with subtests.test("going back, up to the empty page of a new window, and forward again shows nothing"):
        for step in (*["back"] * (booth.evaluate("history.length") - 2), "forward"):
            with booth.expect_event("framenavigated"):
                # a script that leaves its own page may not come to an end
                booth.evaluate("step => { setTimeout(() => history[step](), 50); }", step)
            booth.wait_for_load_state()
            expect(booth.locator("main")).to_contain_text("Please wait for the officer")
            assert code not in booth.content()
    expect(desk.locator("#booth-now")).to_contain_text("Find the next voter")
    let_in(desk, BEN)
    booth.get_by_role("button", name="Start").click()
    expect(booth.locator(".by-link")).to_contain_text(BEN)
    assert ANN not in booth.content()
    with subtests.test("the officer is asked before somebody who is voting is put out"):
        let_in(desk, ANN)
        expect(desk.get_by_role("button", name="They have left")).to_be_visible()
        assert faults(desk) == []
        expect(booth.locator(".by-link")).to_contain_text(BEN)
    with subtests.test("the officer takes it back, and the page is gone"):
        desk.get_by_role("button", name="Take back").click()
        expect(booth.locator("main")).to_contain_text("Please wait for the officer")
        assert stored(booth) == {"storage": [], "cookies": {COOKIE, "csrftoken"}}
    with subtests.test("the desk"):
        assert faults(desk) == []
    assert len(list(ballots.every_ballot(station.election_name))) == 1


def test_the_booth_works_without_scripts(visit, station):
    booth = visit(f"/station/pair/?code={repository.code_for(station)}", java_script_enabled=False)
    booth.get_by_role("button", name="Use as a booth").click()
    services.let_in(people.find(ORGANISER), elections.find(station.election_name), station.id, ANN)
    booth.get_by_role("button", name="Start").click(timeout=20_000)  # the page looks again by itself
    booth.get_by_role("spinbutton").first.fill("1")
    booth.get_by_role("button", name="Review my ballot").click()
    booth.get_by_role("button", name="Cast this ballot").click()
    booth.locator("main").get_by_role("button", name="Finish").click()
    expect(booth.locator("main")).to_contain_text("Please wait for the officer")
    until(lambda: repository.find(station.election_name, station.id).booth == Booth.FREE)
    assert len(list(ballots.every_ballot(station.election_name))) == 1
