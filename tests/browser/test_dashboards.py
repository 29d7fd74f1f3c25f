"""The dashboards as each role meets them: who is shown the way, who is refused, and where the links lead."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.demo import PASSWORD

from .conftest import MAX_ATTEMPTS
from .test_access import faults, look
from .test_people import judge, wide

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
EVERYTHING = (*DASHBOARDS, "/people/", "/admin/pause/")
TABS = ("Overview", "System", "Log", "Tables")


@dataclass(frozen=True)
class Reader:
    name: str
    opens: tuple[str, ...]
    tabs: tuple[str, ...] = ()

    @property
    def may_not(self) -> list[str]:
        return [path for path in EVERYTHING if path not in self.opens]


READERS = {
    "owner": Reader("Ada Lovelace", EVERYTHING, TABS),
    "auditor": Reader("Grace Hopper", (*DASHBOARDS, "/people/"), TABS),
    "admin": Reader("Katherine Johnson", (*OF_THE_SITE, *OF_EVERYBODY, "/people/"), TABS[:2]),
    "user": Reader("Alan Turing", OF_EVERYBODY),
    "voter": Reader("Hypatia", OF_EVERYBODY),
}


@pytest.fixture
def signed_in(visit):
    """A page of somebody of that role."""

    def page_of(role: str) -> Page:
        page = visit("/", who=READERS[role].name)
        expect(page.locator("main h1")).to_contain_text(READERS[role].name)
        return page

    return page_of


def follow(page: Page, within: str, words: str) -> None:
    page.locator(within).get_by_role("link", name=words, exact=True).first.click()


def rows(page: Page) -> Locator:
    return page.locator("main tbody tr")


# --- who is let in ---


@pytest.mark.parametrize("role", READERS)
def test_each_role_meets_the_dashboards_it_may_open(signed_in, subtests, role):
    page, reader = signed_in(role), READERS[role]
    with subtests.test("each role is shown the dashboards it may open"):
        is_shown_the_way(page, reader)
    with subtests.test("each role opens what it may and is refused the rest"):
        answers = {path: page.request.get(path, max_retries=MAX_ATTEMPTS).status for path in EVERYTHING}
        assert answers == dict.fromkeys(reader.opens, 200) | dict.fromkeys(reader.may_not, 403)
        for path in reader.may_not[:1]:
            page.goto(path)
            expect(page.locator("main .hint")).to_contain_text("Error 403.")
            expect(page.locator("main .tabs")).to_have_count(0)
    if role in ("voter", "user", "auditor"):
        with subtests.test("the history is one step from the election and leads auditors into the log"):
            reads_the_history(page, sees_log=role == "auditor")
    if role == "voter":
        with subtests.test("axe finds nothing in the history on a voter's phone and nothing sticks out"):
            look(page, 320)
            assert faults(page) + wide(page) == []


def is_shown_the_way(page: Page, reader: Reader) -> None:
    way = page.locator(".site-header").get_by_role("link", name="Admin", exact=True)
    expect(way).to_have_count(1 if reader.tabs else 0)
    if reader.tabs:
        way.click()
        expect(page.locator("main h1")).to_have_text("The site")
        for tab in TABS:
            there = page.locator("main .tabs").get_by_role("link", name=tab, exact=True)
            expect(there).to_have_count(int(tab in reader.tabs))
    for tab in reader.tabs:
        follow(page, "main .tabs", tab)
        expect(page.locator("main .tabs [aria-current=page]")).to_have_text(tab)


def reads_the_history(page: Page, sees_log: bool) -> None:
    page.goto("/election/Talk of the year/")
    follow(page, "main", "History")
    expect(page.locator("main h1")).to_have_text("History of Talk of the year")
    numbers = page.locator("main tbody td[data-label=Event] a")
    if not sees_log:
        for said in ("created the draft.", "added 2000 voters to the roll."):
            expect(rows(page).filter(has_text=f"Alan Turing {said}")).to_have_count(1)
        expect(page.locator("main")).to_contain_text("and sealed the result.")
        expect(numbers).to_have_count(0)
        return
    number = numbers.last.text_content()
    numbers.last.click()
    expect(page.locator("main h1")).to_have_text(f"Event {number}")
    expect(page.locator(".badge")).to_have_text("ElectionCreated")


def test_a_stranger_signs_in_first_and_then_is_where_they_wanted_to_be(visit):
    page = visit("/")
    expect(page.locator(".site-header").get_by_role("link", name="Admin", exact=True)).to_have_count(0)
    for path in EVERYTHING:
        answer = page.request.get(path, max_redirects=0, max_retries=MAX_ATTEMPTS)
        assert answer.status == (200 if path == "/checkpoints/" else 302), path
        assert path == "/checkpoints/" or answer.headers["location"].startswith("/sign-in/"), path
    page.goto("/admin/log/?event_type=ElectionOpened")
    page.fill("[name=name_or_email]", "Grace Hopper")
    page.fill("[name=password]", PASSWORD)
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text("Event log")
    expect(page.locator("[name=event_type]")).to_have_value("ElectionOpened")


# --- where the links lead ---


def test_the_owner_finds_an_act_and_goes_on_to_who_did_it_and_to_its_election(signed_in):
    page = signed_in("owner")
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
    page = signed_in("auditor")
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
    judge(visit("/", who=READERS["owner"].name), subtests, (*DASHBOARDS, "/admin/pause/"))
