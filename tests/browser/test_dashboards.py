"""The dashboards: where the links lead, on every screen. Who may open them is in tests/test_routes.py."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from .test_people import judge

OF_THE_SITE = ("/admin/", "/admin/system/")
OF_AUDITORS = (
    "/admin/log/?event_type=ElectionOpened",
    "/admin/log/1/",
    "/admin/tables/",
    "/admin/tables/users/",
    "/admin/tables/voters/?election=Talk+of+the+year&begins=member.000",
    "/admin/tables/raw/?table=data&pk=PEOPLE",
    "/admin/tables/raw/item/?table=data&pk=METADATA&sk=COUNTS",
)
OF_EVERYBODY = ("/election/Talk of the year/history/", "/checkpoints/")
DASHBOARDS = (*OF_THE_SITE, *OF_AUDITORS, *OF_EVERYBODY)


@pytest.fixture
def signed_in(visit):
    """A page of somebody."""

    def page_of(name: str) -> Page:
        page = visit("/", who=name)
        expect(page.locator("main h1")).to_contain_text(name)
        return page

    return page_of


def follow(page: Page, within: str, words: str) -> None:
    page.locator(within).get_by_role("link", name=words, exact=True).first.click()


def rows(page: Page) -> Locator:
    return page.locator("main tbody tr")


def test_the_owner_finds_an_act_and_goes_on_to_who_did_it_and_to_its_election(signed_in):
    page = signed_in("Ada Lovelace")
    page.goto("/admin/")
    follow(page, "main .tabs", "Log")
    page.fill("[name=actor]", "alan TURING")
    page.fill("[name=event_type]", "ElectionClosed")
    page.click("main form button.button")
    expect(page).to_have_url(re.compile("actor=alan"))
    expect(rows(page).filter(has_not_text="ElectionClosed")).to_have_count(0)
    expect(rows(page).filter(has_not_text="Alan Turing")).to_have_count(0)
    rows(page).filter(has_text="Colour of the front door").locator("th a").click()
    expect(page.locator(".badge")).to_have_text("ElectionClosed")
    follow(page, "main .facts", "Alan Turing")
    expect(page.locator("main h1")).to_have_text("Alan Turing")
    page.go_back()
    follow(page, "main .facts", "Colour of the front door")
    expect(page.locator("main h1")).to_have_text("Colour of the front door")
    page.go_back()
    follow(page, "main .facts", "all about this election")
    expect(page.locator("[name=election]")).to_have_value("Colour of the front door")
    expect(rows(page).filter(has_text="ElectionCreated")).to_have_count(1)


def test_an_auditor_goes_from_the_tables_to_a_voter_and_to_what_is_stored_of_them(signed_in):
    page = signed_in("Grace Hopper")
    page.goto("/admin/tables/")
    follow(page, "main table", "Elections")
    page.fill("[name=name]", "where we meet")
    page.click("main form button.button")
    expect(rows(page)).to_have_count(1)
    follow(page, "main tbody", "Voters")
    expect(page.locator("main h1")).to_have_text("Voters")
    expect(page.locator("[name=election]")).to_have_value("Where we meet next summer")
    follow(page, "main tbody", "Hypatia")
    expect(page.locator("main h1")).to_have_text("Users")
    expect(rows(page)).to_have_count(1)
    follow(page, "main tbody", "Item")
    expect(page.locator("main .lead")).to_contain_text("people list")
    follow(page, "main tbody", "USER#hypatia")
    expect(page.locator("#partition")).to_have_text("USER#hypatia")
    follow(page, "main tbody", "METADATA")
    expect(page.locator("main .lead")).to_contain_text("person")
    expect(rows(page).filter(has_text="session_salt").locator(".hint")).to_have_count(1)
    follow(page, "main .crumbs", "USER#hypatia")
    expect(page.locator("#partition")).to_have_text("USER#hypatia")


def test_anybody_copies_the_command_that_checks_a_checkpoint(visit):
    page = visit("/", permissions=["clipboard-read", "clipboard-write"])
    follow(page, "footer", "Checkpoints")
    expect(page.locator("#command")).to_contain_text("plenum verify --checkpoint")
    follow(page, "main tbody", page.locator("main tbody th a").first.text_content() or "")
    expect(page.locator("main h1")).to_contain_text("The checkpoint at event")
    page.click("[data-copies=command]")
    expect(page.locator("[data-copies=command] + [role=status]")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"plenum verify --checkpoint \d+:[0-9a-f]{64}", copied)
    assert copied == page.locator("#command").text_content()


# --- for everybody to read ---


def test_axe_finds_nothing_in_any_dashboard_and_nothing_sticks_out(visit, subtests):
    judge(visit("/", who="Ada Lovelace"), subtests, (*DASHBOARDS, "/admin/features/", "/admin/pause/"))
