"""The whole way, as those meet it who have never been here: an organiser, a voter, a reader, a stranger."""

from __future__ import annotations

import email
import re
import time
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from parts.polls import repository as polls
from tests.people import PASSWORD

from .conftest import NUMBERS, TIMEOUT_SECONDS
from .test_access import faults, fits
from .test_people import mailed_link

PHONE_WIDTH_PX = 390
MOST_PAGES_TO_OPENING = 7
FIELDS = """() => new Set([...document.querySelectorAll("main :is(input, select, textarea)")]
  .filter(each => each.type !== "hidden" && each.checkVisibility()).map(({name}) => name)).size"""


@dataclass
class Walk:
    """A way through pages, counted as in docs/how-to/making-elections.md."""

    page: Page
    presses: int = 0
    fields: list[int] = field(default_factory=list)

    def press(self, button: str, *, then: str) -> None:
        self.page.locator("main").get_by_role("button", name=button, exact=True).click()
        self.arrive(then)

    def follow(self, link: str, *, then: str) -> None:
        self.page.locator("main").get_by_role("link", name=link, exact=True).first.click()
        self.arrive(then)

    def arrive(self, heading: str) -> None:
        self.presses += 1
        expect(self.page.locator(".ready main h1")).to_have_text(heading)  # scripts may hide fields
        self.fields.append(self.page.evaluate(FIELDS))


def tiles(page: Page) -> dict[str, str]:
    """The numbers that a heavy act says first, by what they count."""
    return {tile.locator("dt").inner_text(): tile.locator("dd").inner_text() for tile in page.locator(".tile").all()}


def mail_about(folder: Path, subject: str) -> EmailMessage:
    """The mail with this in its subject, as soon as it has come."""
    latest = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < latest:
        for file in (folder / "mail").glob("*.log"):
            mail = email.message_from_string(file.read_text(), policy=policy.default)
            if subject in (mail["Subject"] or "") and mail.get_body(("html",)):
                return mail
        time.sleep(0.1)
    raise AssertionError(f"No mail came about {subject}.")


def make_and_open(page: Page, name: str, voters: str) -> Walk:
    """By the path, with what it suggests; answers what it took."""
    walk = Walk(page)
    walk.follow("New election", then="New election")
    page.fill("[name=name]", name)
    walk.press("Create draft", then="What is on the ballot?")
    page.fill("[name=names]", "Amara\nفاطمة\nMaximiliane von und zu Lichtenberg-Hohenstein")
    walk.press("Save and continue", then="Who votes?")
    page.check("[name=electorate][value=everyone]")
    expect(page.locator("[name=voters]")).to_be_hidden()
    page.check("[name=electorate][value=listed]")
    page.fill("[name=voters]", voters)
    page.check("[name=vote_by_link]")
    walk.press("Save and continue", then="When do people vote?")
    expect(page.locator("[name=lasts][value=week]")).to_be_checked()
    expect(page.locator("[name=ends]")).to_be_hidden()
    walk.press("Save and continue", then="How is it counted?")
    expect(page.locator("[name=seats]")).to_be_hidden()
    page.check("[name=method][value=stv-scottish]")
    expect(page.locator("[name=seats]")).to_be_visible()
    page.check("[name=method][value=schulze]")
    walk.press("Save and continue", then="Open the election")
    recap = page.locator(".recap")
    for said in ("3 candidates", "2 voters on the roll", "Schulze", "secret: nobody who uses this site can tell"):
        expect(recap).to_contain_text(said)
    walk.press("Open it", then=name)
    return walk


def test_a_stranger_registers_and_opens_a_first_election_in_few_pages(visit, server_folder):
    """Every page that loads counts, from the registration to the one on which the election opens."""
    page, number = visit("about:blank"), next(NUMBERS)
    loaded: list[str] = []
    page.on("load", lambda _page: loaded.append(page.url))
    page.goto("/register/")
    page.fill("[name=name]", f"Mira {number}")
    page.fill("[name=email]", f"mira.{number}@example.org")
    page.fill("[name=password]", PASSWORD)
    page.click("main button.button")
    page.goto(mailed_link(server_folder, f"mira.{number}@example.org", "/register/"))
    page.locator("main a[href='/elections/new/']").first.click()
    page.fill("[name=name]", f"Board of {number}")
    page.get_by_role("button", name="Create draft").click()
    page.fill("[name=names]", "Ada\nBo")
    page.get_by_role("button", name="Save and continue").click()
    page.fill("[name=voters]", f"ann.{number}@example.org")
    page.get_by_role("button", name="Save and go to opening").click()
    expect(page.locator("main h1")).to_have_text("Open the election")
    assert len(loaded) <= MOST_PAGES_TO_OPENING, loaded
    page.get_by_role("button", name="Open it").click()
    expect(page.locator("main h1")).to_have_text(f"Board of {number}")


def read(visit, mail: EmailMessage, name: str) -> None:
    """A mail as text and, on a phone, as a page: both say the same, and nothing sticks out."""
    text = mail.get_body(("plain",)).get_content()
    phone = visit("about:blank", width=PHONE_WIDTH_PX)
    phone.set_content(mail.get_body(("html",)).get_content())
    for said in (name, "Emmy Noether invites you to vote", "You can vote until", "Come early."):
        assert said in text
        expect(phone.locator("body")).to_contain_text(said)
    # A mail has no landmarks: it stands within a page of those who show it.
    assert [fault for fault in faults(phone, "body") if not fault.startswith("region:")] == []
    assert fits(phone)
    assert phone.locator(".button").bounding_box()["height"] >= 40


@pytest.mark.journey
def test_an_organiser_goes_from_home_to_the_close_and_a_voter_from_the_link_to_the_cast(visit, server_folder, subtests):
    name, voter = f"Chair of the cooperative {next(NUMBERS)}", f"ann.{next(NUMBERS)}@example.org"
    page = visit("/", who="Emmy Noether")
    walk = make_and_open(page, name, f"{voter}\nbo.{next(NUMBERS)}@example.org")
    with subtests.test("as few pages, fields and choices as the documents say"):
        seen = walk.fields[:-1]  # on the way to the dashboard
        assert (walk.presses, sum(seen), max(seen)) == (7, 17, 6)
        assert sum(seen) - len(("name", "candidates", "voters")) == 14
    expect(page.locator("main")).to_contain_text("2 of 2 voters have not been invited yet.")

    walk.follow("Invite voters", then="Invite voters")
    with subtests.test("inviting says how many first, and a test mail is read at the width of a phone"):
        assert tiles(page)["Not invited yet"] == "2"
        page.fill("[name=text]", "Come early.")
        walk.press("Save and preview the mail", then="Invite voters")
        expect(page.frame_locator("iframe.letter-frame").locator("body")).to_contain_text("Come early.")
        walk.press("Send me a test mail", then="Invite voters")
        read(visit, mail_about(server_folder, f": {name} (invited by Emmy Noether)"), name)
    walk.press("Mail 2 voters", then=name)

    with subtests.test("from the link to the cast in three taps, without scripts"):
        vote_without_scripts(visit, mailed_link(server_folder, voter, "/vote/"), voter)

    page.goto(f"/election/{name}/dashboard/")
    page.get_by_role("link", name="Close the election").click()
    with subtests.test("closing and deleting say what is lost first"):
        expect(page.get_by_role("button", name="Close for good")).to_be_visible()
        said = tiles(page)
        assert (said["have voted"], said["have not voted"]) == ("1", "1")
        assert faults(page) == []
        walk.press("Close for good", then=name)
        page.click('main summary:has-text("More")')
        page.click("main .menu >> text=Delete")
        expect(page.get_by_role("button", name="Delete for good")).to_be_visible()
        said = tiles(page)
        assert (said["Candidates"], said["Voters"], said["Ballots"]) == ("3", "2", "1")
        assert int(said["Mails sent"]) >= 1  # the other may still be on its way
        assert faults(page) == []


def vote_without_scripts(visit, door: str, voter: str) -> None:
    page, taps = visit(door, width=PHONE_WIDTH_PX, has_touch=True, java_script_enabled=False), []

    def tap(button: str) -> None:
        page.get_by_role("button", name=button).tap()
        taps.append(button)

    expect(page.locator("main")).to_contain_text(voter)
    tap("Go to the ballot")
    page.locator(".candidates input").first.fill("1")
    tap("Review my ballot")
    tap("Cast this ballot")
    expect(page.locator("main")).to_contain_text("Thank you. Your vote is cast.")
    assert len(taps) <= 3
    page.get_by_role("button", name="Leave").tap()
    expect(page.locator("main")).to_contain_text("This browser has forgotten your link")


def judged(page: Page, subtests, what: str) -> None:
    with subtests.test("axe finds nothing and nothing sticks out", what=what):
        assert faults(page) == []
        assert fits(page)


# --- readers ---


def test_a_reader_learns_from_the_first_card_and_plays_with_the_rest(visit, subtests):
    page = visit(
        "/election/What we do with the bequest/results/", who="Hypatia", width=PHONE_WIDTH_PX, color_scheme="dark"
    )
    first = page.locator(".outcome")
    expect(first.locator(".margin-of .number")).to_have_text(["62", "53"])
    expect(first).to_contain_text(re.compile(r"If \d+ of the 94 votes had been different"))
    expect(first.get_by_role("link", name="Schulze")).to_have_attribute("href", re.compile("/help/counting/"))
    expect(page.get_by_role("heading", name="Check it yourself")).to_have_count(1)
    page.select_option("#play-one", label="Instruments")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("main h2").first).to_contain_text("24 : 67")
    judged(page, subtests, "head to head")
    page.go_back()
    page.select_option("#play-without", label="A garden")
    page.get_by_role("button", name="Recount without them").click()
    expect(page.locator("main")).to_contain_text("Instruments")
    judged(page, subtests, "what if")
    page.goto("/help/counting/")
    judged(page, subtests, "how it is counted")


def test_a_stranger_with_a_phone_and_no_scripts_finds_a_poll_by_its_code_and_a_real_result(
    visit, settings, server_folder
):
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    page = visit("/polls/", width=PHONE_WIDTH_PX, java_script_enabled=False)
    question = "Where shall we eat on Friday?"
    running = page.locator("main tbody tr").get_by_role("link", name=question)
    number = re.search("/poll/([^/]+)/", running.get_attribute("href"))[1]
    page.goto("/")
    assert fits(page)
    page.get_by_role("textbox", name="Code").fill(polls.find(number).code)
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("main h1")).to_have_text(question)
    page.goto("/")
    newest = page.locator(".shared-card h3").inner_text()  # others may have shared a result on this site since
    page.get_by_role("link", name="See how it was counted").click()
    expect(page.locator("main h1")).to_have_text(newest)
    page.goto("/result/Talk of the year/")
    expect(page.locator(".outcome .margin-of")).to_be_visible()
    page.goto("/")
    page.get_by_role("link", name="The proof").click()
    expect(page.locator("#checks")).to_be_visible()
    for link in ("Create an account", "Try the sandbox", "Public polls"):
        page.goto("/")
        page.locator("main").get_by_role("link", name=link).first.click()
        expect(page.locator("main h1")).to_be_visible()
