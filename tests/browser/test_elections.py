"""Journeys of organisers: an election from draft to closed, a messy list, a manager, a voter who sees it at home."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, Route, expect

from accounts import repository as people
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.roll import services as roll
from elections.rules import Election
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate
from foundation.store.log import as_text

from .test_access import faults
from .test_people import fill, judge, wide

ORGANISER = "Emmy Noether"
END = as_text(datetime(2199, 3, 1, 17, tzinfo=UTC))


@pytest.fixture
def draft(settings, server, server_folder: Path) -> Callable[[str], Election]:
    """Makes an election of the organiser's, on the site of all browser tests."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    chosen = {"no_voting_after": END, "time_zone": "Europe/Berlin"}
    return lambda name: drafts.create(people.find(ORGANISER), name, **chosen)


def make(page: Page, name: str) -> None:
    """All settings at once, by somebody who knows what they want."""
    page.fill("[name=name]", name)
    page.select_option("[name=time_zone]", "Europe/Berlin")
    page.fill("[name=ends]", "2199-03-01T18:00")
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text(name)


def go_on(page: Page, heading: str) -> None:
    page.click('main button:has-text("Save and continue")')
    expect(page.locator("main h1")).to_have_text(heading)


def walk(page: Page, name: str) -> None:
    """The path as it is first met, with its defaults, to the page that opens the election."""
    page.check("[name=beginning][value=option]")
    page.fill("[name=name]", name)
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text("What is on the ballot?")
    page.fill("[name=names]", "1. Amara\n2. Chen\n3. Noor 🦜")
    go_on(page, "Who votes?")
    page.check("[name=electorate][value=everyone]")
    expect(page.locator("[name=voters]")).to_be_hidden()
    page.check("[name=electorate][value=listed]")
    page.fill("[name=voters]", "hypatia@example.org")
    go_on(page, "When do people vote?")
    expect(page.locator("[name=lasts][value=week]")).to_be_checked()
    expect(page.locator("[name=ends]")).to_be_hidden()
    page.check("[name=lasts][value=moment]")
    page.fill("[name=ends]", "2199-03-01T18:00")
    page.select_option("[name=time_zone]", "Europe/Berlin")
    go_on(page, "How is it counted?")
    expect(page.locator("[name=seats]")).to_be_hidden()
    page.check("[name=method][value=stv-scottish]")
    expect(page.locator("[name=seats]")).to_be_visible()
    page.check("[name=method][value=schulze]")
    go_on(page, "Open the election")


MESSY = "\ufeffName;E-Mail\r\nHypatia;\r\n;someone@example.org\r\nhypatia;\r\n;broken@\r\n".encode("utf-16")


def test_an_organiser_takes_an_election_to_its_close_writing_to_all_on_the_way(visit, draft, subtests, tmp_path: Path):
    election = draft("Journey to the close")
    add_candidates(people.find(ORGANISER), election, [Candidate(name) for name in ("Amara", "Chen", "Noor 🦜")])
    page = visit("/election/Journey to the close/dashboard/", who=ORGANISER)
    expect(page.locator("main")).to_contain_text("March 1, 2199")
    with subtests.test("a messy list of voters is understood"):
        page.click("main .tabs >> text=Electorate")
        page.click('main a.button:has-text("Import a list")')
        (messy := tmp_path / "voters.csv").write_bytes(MESSY)
        page.set_input_files("[name=file]", messy)
        page.click("main form button.button")
        expect(page.locator("main")).to_contain_text("Is this right?")
        page.click("main form button.button")
        expect(page.locator("main")).to_contain_text("2 voters added.")
    page.click("main .tabs >> text=Overview")
    page.click('main a.button:has-text("Open the election")')
    page.click("main form button.button")
    expect(page.locator(".badge.open")).to_be_visible()

    voter = visit("/", who="Hypatia")
    waiting = voter.locator('main a[href$="/election/Journey%20to%20the%20close/ballot/"]')
    expect(waiting).not_to_have_count(0)
    with subtests.test("a message to all is previewed and sent"):
        writes_to_all(page)
    with subtests.test("reminders are chosen, and the invitation is looked at, tried and sent"):
        reminds_and_invites(page, "Journey to the close")

    page.goto("/election/Journey to the close/dashboard/")
    page.click('main a.button:has-text("Extend voting")')
    page.fill("[name=ends]", "2199-04-01T18:00")
    page.click("main form button.button")
    expect(page.locator(".facts")).to_contain_text("April 1, 2199")
    page.click('main a.button:has-text("Close the election")')
    page.click("main form button.button")
    expect(page.locator(".badge.closed")).to_be_visible()
    voter.reload()
    expect(waiting).to_have_count(0)


def writes_to_all(page: Page) -> None:
    page.click("main .tabs >> text=Messages")
    page.fill("[name=text]", "We meet in **room 7**.")
    page.fill("[name=subject]", "The room has changed")
    page.press("[name=subject]", "Enter")
    expect(page.locator("#preview strong")).to_have_text("room 7")
    page.click("text=Send to all")
    expect(page.locator("main")).to_contain_text("The message is on its way.")
    expect(page.locator("main .list")).to_contain_text("The room has changed")


def reminds_and_invites(page: Page, election: str) -> None:
    page.click("main .tabs >> text=Overview")
    page.click("text=Choose reminders")
    page.check("text=1 day before the end")
    page.click("main form button.button")
    expect(page.locator("main")).to_contain_text("Automatic reminders: 1 day before the end.")
    page.click("text=Invite voters")
    page.fill("[name=text]", "Come **early**.")
    page.check("[name=answers][value=me]")
    page.click("text=Save and preview the mail")
    mail = page.frame_locator("iframe.letter-frame")
    expect(mail.locator("h1")).to_have_text(election)
    expect(mail.locator(".written strong")).to_have_text("early")
    expect(mail.locator(".button")).to_have_css("background-color", "rgb(86, 39, 138)")
    page.evaluate("document.querySelector('iframe').remove()")  # in which axe could not run: no script can
    assert faults(page) + wide(page) == []
    page.click("text=Send me a test mail")
    expect(page.locator("main")).to_contain_text("The test mail to")
    page.click("text=Mail 2 voters")
    expect(page.locator("main")).to_contain_text("The emails are on their way.")


def test_an_election_is_made_without_scripts(visit):
    page = visit("/elections/new/", who=ORGANISER, java_script_enabled=False)
    walk(page, "Made without scripts")
    page.go_back()
    expect(page.locator("[name=method][value=schulze]")).to_be_checked()
    page.goto("/election/Made without scripts/dashboard/")
    page.click('main summary:has-text("More")')
    page.click("main .menu >> text=Delete")
    fill(page, name="Made without scripts")
    expect(page.locator("main")).to_contain_text("is deleted")


LONG_LIST_VOTERS = 3_000  # voters: longer than what is taken at once, and put on the roll by many transactions


def upload(page: Page, election: str, file: Path, count: int) -> None:
    file.write_text("name\n" + "".join(f"someone.{n:05}@example.org\n" for n in range(count)))
    page.goto(f"/election/{election}/roll/import/")
    page.set_input_files("[name=file]", file)
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text("Is this right?")
    page.click("main form button.button")


@contextmanager
def steps_held(page: Page) -> Iterator[None]:
    """The steps of an import wait until the block is over, however fast the server is."""
    steps: list[Route] = []
    address = re.compile(r"/roll/import/\w+/$")
    page.route(address, lambda route: steps.append(route) if route.request.method == "POST" else route.continue_())
    yield
    page.unroute(address)
    for step in steps:
        with suppress(Error):  # its page was left
            step.continue_()


def test_a_long_list_shows_its_progress_is_taken_on_after_the_page_was_left_and_arrives_whole(
    visit, draft, subtests, tmp_path: Path
):
    draft("A long list")
    organiser = visit("about:blank", who=ORGANISER)
    with steps_held(organiser):
        upload(organiser, "A long list", tmp_path / "voters.csv", LONG_LIST_VOTERS)
        expect(organiser.locator("main progress")).to_be_visible()
        place = organiser.url
        organiser.goto("/election/A long list/roll/import/")
    organiser.click("text=Continue an interrupted list")
    expect(organiser.locator("main")).to_contain_text(f"{LONG_LIST_VOTERS} voters added.")
    organiser.click("main .tabs >> text=Overview")
    expect(organiser.locator(".facts")).to_contain_text(f"{LONG_LIST_VOTERS} voters")
    with subtests.test("axe finds nothing where the list was followed"):
        organiser.goto(place)
        assert faults(organiser) + wide(organiser) == []


def add_voters(page: Page, names: str) -> None:
    page.fill("[name=voters]", names)
    page.click('main button:has-text("Add voters")')


def test_a_draft_is_prepared_by_two(visit, subtests):
    organiser = visit("/elections/new/all/", who=ORGANISER)
    make(organiser, "Prepared by two")
    with subtests.test("the roll is searched as one types"):
        organiser.click("main .tabs >> text=Electorate")
        add_voters(organiser, "amara@example.org\nchen@example.org\nnoor@example.org")
        expect(organiser.locator("#voters li")).to_have_count(3)
        organiser.locator("[name=q]").press_sequentially("ch")
        expect(organiser.locator("#voters li")).to_have_count(1)
        expect(organiser.locator("[name=q]")).to_be_focused()
        organiser.locator("[name=q]").press_sequentially("x")
        expect(organiser.locator("#voters")).to_contain_text("Nobody found")
        organiser.reload()
        expect(organiser.locator("#voters")).to_contain_text("Nobody found")
    with subtests.test("a manager does what managers may and nothing else"):
        organiser.click("main .tabs >> text=Managers")
        fill(organiser, name="Alan Turing")
        expect(organiser.locator("main .list")).to_contain_text("Alan Turing")
        manager = visit("/election/Prepared by two/candidates/", who="Alan Turing")
        fill(manager, names="Amara\nChen")
        expect(manager.locator(".list li")).to_have_count(2)
        for path in ("settings", "managers", "open", "delete", "hand-over"):
            assert manager.goto(f"/election/Prepared by two/{path}/").status == 403, path
    with subtests.test("Markdown is previewed as one types and nothing is saved"):
        organiser.goto("/election/Prepared by two/candidates/")
        organiser.click('main a:has-text("Statement") >> nth=0')
        organiser.locator("[name=statement]").press_sequentially("I *will* do it")
        expect(organiser.locator("#preview em")).to_have_text("will")
        expect(organiser.locator("[name=statement]")).to_be_focused()
        organiser.goto("/election/Prepared by two/candidates/")
        expect(organiser.locator(".list li").first).to_contain_text("no statement yet")


ELECTION = "/election/Where we meet next summer"
PARTS = ("dashboard", "candidates", "roll", "roll/import", "managers", "end", "delete", "messages", "reminders")
PATHS = ("/", "/elections/", "/elections/?show=closed", "/elections/new/", "/elections/new/all/", f"{ELECTION}/")
DRAFT = "/election/Name of the new reading room"


def test_axe_finds_nothing_on_pages_of_elections(visit, subtests):
    paths = [*PATHS, *(f"{ELECTION}/{part}/" for part in PARTS)]
    paths += [f"{ELECTION}/roll/?show=failed", f"{ELECTION}/roll/?q=zzz"]
    judge(visit("/", who="Alan Turing"), subtests, paths)
    steps = [f"{DRAFT}/steps/{step}/" for step in ("what", "candidates", "who", "when", "how")]
    judge(visit("/", who=ORGANISER), subtests, [*steps, f"{DRAFT}/settings/"])


def test_a_question_is_edited_where_it_stands_and_axe_finds_nothing(visit, subtests):
    page = visit("/live/sets/", who=ORGANISER)
    page.click("text=How was the evening?")
    path = page.url
    judge(page, subtests, [path])
    page.goto(path)
    page.click("#question-2 >> text=Edit")
    expect(page.locator("#q2_title")).to_be_focused()
    expect(page.locator("#question-2 .of-options")).to_be_hidden()
    page.select_option("#q2_kind", "choice")
    expect(page.locator("#question-2 .of-options")).to_be_visible()
    page.select_option("#q2_kind", "yes-no")
    assert faults(page, "#question-2") == []
    page.fill("#q2_title", "Was there time enough to talk?")
    page.click("#question-2 .button >> text=Save")
    expect(page.locator("#question-2")).to_contain_text("Was there time enough to talk?")
    assert page.url.endswith("#question-2")


# --- several questions ---


def ask(page: Page, title: str, kind: str, first: str = "") -> None:
    page.click('main button:has-text("Ask another question")')
    expect(page.locator("main h1")).to_have_text("Ask another question")
    page.fill("[name=title]", title)
    page.select_option("[name=kind]", kind)
    if first:
        page.fill("[name=first_title]", first)
    page.click("main form button.button")
    expect(page.locator("main h1")).to_have_text("What is on the ballot?")


@pytest.mark.parametrize(
    ("width", "look"),
    [(390, {"has_touch": True, "color_scheme": "dark"}), (1280, {}), (390, {"java_script_enabled": False})],
    ids=["phone", "desktop", "without scripts"],
)
def test_an_organiser_asks_three_questions_and_opens_them_at_once(visit, draft, subtests, width, look):
    owner, name = people.find(ORGANISER), f"Meeting {width} {len(look)}"
    scripts = look.get("java_script_enabled", True)
    election = draft(name)
    groups = {f"{each}@example.org": Details(groups=("Choir",)) for each in ("ann", "ben", "cat")}
    roll.add_voters(owner, election, [*groups, "dan@example.org"], groups)
    page = visit(f"/election/{name}/steps/candidates/", who=ORGANISER, width=width, **look)
    page.fill("[name=names]", "Amara\nChen")
    ask(page, "The fee goes up <by> a third", "yes-no", first="Who chairs us?")
    ask(page, "ما الأغنية؟", "approval")
    second, third = page.locator("#question-2"), page.locator("#question-3")
    expect(page.locator("#question-1")).to_contain_text("Amara")
    if scripts:
        expect(second.locator("[name=question-2-names]")).to_be_hidden()
    third.locator("[name=question-3-names]").fill("Rise\nWaltz\nMarch")
    third.locator("[name=question-3-for_groups]").check()
    with subtests.test("all of them on one page"):
        judged(page, scripts=scripts)
    third.get_by_role("button", name="Up").click()
    expect(page.locator("main section h2").nth(1)).to_contain_text("ما الأغنية؟")
    page.click('main button:has-text("Save and continue")')
    expect(page.locator("main h1")).to_have_text("Who votes?")
    for what in ("open", "dashboard", "candidates", "question/3/candidates", "question/3/settings", "settings"):
        page.goto(f"/election/{name}/{what}/")
        with subtests.test(what=what):
            judged(page, scripts=scripts)
    page.goto(f"/election/{name}/open/")
    page.click('main button:has-text("Open it")')
    expect(page.locator(".badge.open")).to_be_visible()
    page.goto(f"/election/{name}/")
    expect(page.locator("main")).to_contain_text("Waltz")
    judged(page, scripts=scripts)


def judged(page: Page, *, scripts: bool) -> None:
    """Where pages run no scripts, neither does axe."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not scripts or faults(page) == []
