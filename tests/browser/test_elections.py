"""Journeys of organisers: an election from draft to closed, a messy list, a manager, a voter who sees it at home."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from accounts.demo import PASSWORD

from .test_access import faults
from .test_people import fill, new_page, sign_in, wide


@pytest.fixture
def organiser(browser, server):
    page = new_page(browser, server)
    sign_in(page, "Emmy Noether", PASSWORD)
    return page


def make(page: Page, name: str) -> None:
    page.goto("/elections/new/")
    page.fill("[name=name]", name)
    page.select_option("[name=time_zone]", "Europe/Berlin")
    page.fill("[name=ends]", "2199-03-01T18:00")
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text(name)


def test_an_organiser_takes_an_election_from_draft_to_closed(organiser, browser, server, tmp_path: Path):
    page = organiser
    make(page, "Journey to the close")
    expect(page.locator("main")).to_contain_text("March 1, 2199")
    page.click('main a.button:has-text("Add candidates")')
    fill(page, names="1. Amara\n2. Chen\n3. Noor 🦜")
    expect(page.locator(".list li")).to_have_count(3)
    page.click("main .tabs >> text=Electorate")
    page.click('main a.button:has-text("Import a list")')
    messy = tmp_path / "voters.csv"
    messy.write_bytes(
        "\ufeffName;E-Mail\r\nHypatia;\r\n;someone@example.org\r\nhypatia;\r\n;broken@\r\n".encode("utf-16")
    )
    page.set_input_files("[name=file]", messy)
    page.click("main form button.button")
    expect(page.locator("main")).to_contain_text("Is this right?")
    page.click("main form button.button")
    expect(page.locator("main")).to_contain_text("Voters added: 2.")
    page.click("main .tabs >> text=Overview")
    page.click('main a.button:has-text("Open the election")')
    page.click("main form button.button")
    expect(page.locator(".badge.open")).to_be_visible()

    voter = new_page(browser, server)
    sign_in(voter, "Hypatia", PASSWORD)
    voter.goto("/")
    expect(voter.locator("main")).to_contain_text("Journey to the close")

    page.click('main a.button:has-text("Move the end")')
    page.fill("[name=ends]", "2199-04-01T18:00")
    page.click("main form button.button")
    expect(page.locator(".facts")).to_contain_text("April 1, 2199")
    page.click('main a.button:has-text("Close the election")')
    page.click("main form button.button")
    expect(page.locator(".badge.closed")).to_be_visible()
    voter.reload()
    expect(voter.locator("main")).not_to_contain_text("Journey to the close")


def test_a_manager_does_what_managers_may_and_nothing_else(organiser, browser, server):
    make(organiser, "Run by two")
    organiser.click("main .tabs >> text=Managers")
    fill(organiser, name="Alan Turing")
    manager = new_page(browser, server)
    sign_in(manager, "Alan Turing", PASSWORD)
    manager.goto("/election/Run by two/candidates/")
    fill(manager, names="Amara\nChen")
    expect(manager.locator(".list li")).to_have_count(2)
    for path in ("settings", "managers", "open", "delete", "hand-over"):
        assert manager.goto(f"/election/Run by two/{path}/").status == 403, path


def test_an_election_is_made_without_scripts(browser, server):
    page = new_page(browser, server, java_script_enabled=False)
    sign_in(page, "Emmy Noether", PASSWORD)
    make(page, "Made without scripts")
    page.click("text=Delete")
    fill(page, name="Made without scripts")
    expect(page.locator("main")).to_contain_text("is deleted")


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_pages_of_elections(visit, width, scheme):
    page = visit("/sign-in/", width=width, color_scheme=scheme)
    sign_in(page, "Alan Turing", PASSWORD)
    election = "/election/Where we meet next summer"
    paths = ["/", "/elections/", "/elections/?show=closed", "/elections/new/", f"{election}/"]
    paths += [
        f"{election}/{each}/"
        for each in ("dashboard", "candidates", "roll", "roll/import", "managers", "end", "delete")
    ]
    found = {}
    for path in paths:
        page.goto(path)
        found[path] = faults(page) + wide(page)
    assert {path: each for path, each in found.items() if each} == {}
