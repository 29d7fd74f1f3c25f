"""Quick polls: made on a phone, voted in from several browsers, one of them without scripts, and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Frame, Page, expect

from accounts import repository as people
from foundation.tally.ballots import Ballots
from foundation.tally.methods import count
from parts.polls import services

from .conftest import until
from .test_access import faults
from .test_people import wide

PHONE_WIDTH_PX = 390
DISHES = ("Pizza", "Sushi", "Tacos", "Soup")


MAKER = "Emmy Noether"


@pytest.fixture
def maker(visit) -> Page:
    return visit("/polls/new/", who=MAKER, width=PHONE_WIDTH_PX)


@pytest.fixture
def poll_of(settings, server, server_folder: Path) -> Callable[[str], str]:
    """A poll of the same maker on the site of all browser tests, by its title; answers its path."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"

    def make(title: str) -> str:
        chosen = {"title": title, "description": "", "time_zone": "UTC", "expires_at": None}
        poll, _key = services.make(people.find(MAKER), DISHES, days=7, **chosen)
        return f"/poll/{poll.id}/"

    return make


def make(page: Page, title: str, *names: str, **chosen: str) -> str:
    """Make a poll by typing one thing after another; answers its path."""
    page.fill("[name=title]", title)
    boxes = page.locator(".one-by-one input")
    boxes.first.click()
    for name in names:
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    for name, value in chosen.items():
        page.fill(f"[name={name}]", value)
    page.click("main form > .actions button")
    expect(page.locator("main h1")).to_have_text(title)
    return "/poll/" + page.locator("#poll-link").inner_text().split("/poll/")[1]


def ranked(page: Page, *names: str) -> None:
    for name in names:
        page.locator(".candidate", has_text=name).locator("[data-act=next]").click()


SHOWN_FOR = "performance.now() - performance.getEntriesByType('navigation')[0].responseStart"


def take_time(page: Page | Frame) -> None:
    """Nobody ranks or writes in less than a second."""
    until(lambda: page.evaluate(SHOWN_FOR) > 1000)


def send(page: Page) -> None:
    take_time(page)
    page.click(".ballot-bar button")
    page.wait_for_url("**/voted/")


def test_a_new_poll_is_shared_by_the_phones_own_sheet_where_there_is_one(visit, poll_of):
    path = f"{poll_of('Where do we eat')}manage/"
    page = visit(path, who=MAKER, width=PHONE_WIDTH_PX)
    page.add_init_script("navigator.share = async (what) => { window.shared = what; };")
    page.reload()
    page.click("text=Share the link")
    assert page.evaluate("window.shared") == {
        "title": "Where do we eat",
        "url": page.locator("#poll-link").inner_text(),
    }
    assert faults(page, "main") + wide(page) == []


@pytest.mark.journey
def test_a_poll_from_the_phone_to_the_result(maker, visit):
    path = make(maker, "Lunch with everybody", *DISHES)
    code = maker.locator("#poll-code").inner_text()
    voters = [visit(f"/p/{code}/") for _ in range(3)]
    plain = visit(path, java_script_enabled=False)
    assert faults(voters[0]) + wide(voters[0]) == []
    rankings = (("Pizza", "Sushi"), ("Sushi", "Tacos", "Pizza"), ("Pizza", "Soup"))
    for page, names in zip(voters, rankings, strict=True):
        ranked(page, *names)
    for page in voters:
        send(page)
    plain.get_by_label("Rank: Sushi").fill("1")
    plain.get_by_label("Rank: Pizza").fill("2")
    plain.get_by_label("Rank: Tacos").fill("2")
    take_time(plain)
    plain.click(".ballot-bar button")
    expect(plain.locator(".ballot-ranks li").first).to_contain_text("Sushi")

    voters[0].click("text=Change my vote")
    voters[0].locator(".candidate", has_text="Sushi").locator("[data-act=up]").first.click()
    send(voters[0])
    expect(voters[0].locator(".messages")).to_contain_text("Your vote was changed")

    given = ["1>0", "1>2>0", "0>3", "1>0=2"]
    wanted = count(Ballots.of(DISHES, given), "irv").winners[0]
    maker.goto(f"{path}results/")
    expect(maker.locator("#agreement")).to_have_text("4 votes")
    maker.click("text=How the votes were counted")
    expect(maker.locator("#method-irv + .poll-leaders")).to_have_text(wanted)
    expect(maker.locator("#method-schulze + .poll-leaders")).to_have_text(wanted)
    assert faults(maker) + wide(maker) == []


def test_results_come_in_by_themselves_and_what_is_unfolded_stays_so_until_the_poll_is_closed(visit, poll_of, subtests):
    path = poll_of("Watched by somebody")
    first, second, late = (visit(path) for _ in range(3))
    ranked(first, "Soup")
    ranked(second, "Soup")
    ranked(late, "Tacos")
    maker = visit(f"{path}results/", who=MAKER, width=PHONE_WIDTH_PX)
    with subtests.test("results come in by themselves while somebody looks"):
        expect(maker.locator("#running")).to_contain_text("Nobody has voted yet.")
        send(first)
        expect(maker.locator("#running")).to_contain_text("All three methods agree: Soup.")
    with subtests.test("what somebody has unfolded stays so when a vote comes in"):
        maker.click("text=How the votes were counted")
        borda = maker.locator("#why ~ details", has_text="Borda").first
        borda.locator("summary").first.click()
        send(second)
        expect(maker.locator("#agreement")).to_have_text("2 votes")
        expect(borda).to_have_attribute("open", "")
    with subtests.test("a closed poll refuses and keeps what was ranked"):
        maker.goto(f"{path}manage/")
        maker.click("text=Close the poll")
        maker.click("main form button")
        expect(maker.locator(".badge.closed")).to_be_visible()
        take_time(late)
        late.click(".ballot-bar button")
        expect(late.locator("[role=alert]")).to_contain_text("This poll is closed.")
        expect(late.locator(".ranks .candidate")).to_contain_text("Tacos")
        late.goto(path)
        expect(late.locator("main")).to_contain_text("See the results")


# By kind: what is chosen when it is made, how Tacos is marked, what is counted along, and what is said of the result.
OTHER_KINDS = {
    "choose": (("2", "Tacos", "Space"), "Chosen: 0 of 2", "Chosen: 1 of 2", "Tacos"),
    "score": (("", "4", "ArrowRight"), "Scored: 0 of 4", "Scored: 1 of 4", "Both methods agree: Tacos."),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_a_poll_of_another_kind_on_a_phone_by_keyboard_without_scripts_and_live(maker, visit, kind):
    (most, label, key), before, after, said = OTHER_KINDS[kind]
    maker.select_option("[name=kind]", kind)
    expect(maker.locator("[name=most]")).to_be_visible(visible=bool(most))
    if most:
        maker.select_option("[name=most]", most)
    path = make(maker, f"How was it: {kind}", *DISHES)
    voter = visit(path, width=PHONE_WIDTH_PX)
    expect(voter.locator(".mark-count")).to_have_text(before)
    assert faults(voter) + wide(voter) == []
    tacos = voter.get_by_role("group", name="Tacos") if kind == "score" else voter
    tacos.get_by_label(label).focus()
    voter.keyboard.press(key)
    expect(voter.locator(".mark-count")).to_have_text(after)
    maker.goto(f"{path}results/")
    send(voter)
    expect(voter.locator(".ballot-ranks li").first).to_contain_text("Tacos")
    assert faults(voter) + wide(voter) == []
    expect(maker.locator("#running")).to_contain_text(said)
    plain = visit(path, width=PHONE_WIDTH_PX, java_script_enabled=False)
    (
        plain.get_by_role("group", name="Tacos").get_by_label("5") if kind == "score" else plain.get_by_label(label)
    ).check()
    send(plain)
    expect(plain.locator(".ballot-ranks li").first).to_contain_text("Tacos")
    expect(maker.locator("#agreement, #running").first).to_contain_text("2 votes")
    assert faults(maker) + wide(maker) == []


def test_a_list_can_be_pasted_and_a_mistake_is_shown(maker):
    assert faults(maker) + wide(maker) == []
    maker.click("text=Paste a list instead")
    maker.fill("[name=title]", "Pasted")
    maker.fill("[name=candidates]", "- Only one")
    maker.click("main form > .actions button")
    expect(maker.locator(".error-summary")).to_contain_text("at least two")
    assert faults(maker) + wide(maker) == []
    maker.click("text=Paste a list instead")
    maker.fill("[name=candidates]", "- One\n- Two")
    maker.click("main form > .actions button")
    expect(maker.locator("main h1")).to_have_text("Pasted")


@contextmanager
def framing(poll: str) -> Iterator[int]:
    """The port of another server, whose only page shows the poll in a frame."""
    page = (
        f'<!doctype html><title>Elsewhere</title><iframe src="{poll}" title="Poll" width="380" height="480"></iframe>'
    )

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def guest(windows, server) -> Iterator[Page]:
    """A page that may go elsewhere."""
    with windows.lend(server, {}) as window:
        yield window.open(1280, {})


def test_a_frame_on_another_site_leads_to_the_poll(guest, server, poll_of):
    path = poll_of("Framed")
    page = guest
    frame = page.frame_locator("iframe")
    with framing(f"{server}{path}embed/") as port:
        page.goto(f"http://localhost:{port}/")  # to a browser another site than 127.0.0.1
        expect(frame.locator("h1")).to_have_text("Framed")
        expect(frame.locator("form")).to_have_count(0)
        with page.expect_popup() as opened:
            frame.get_by_role("link", name="Vote").click()
        expect(opened.value.locator("h1")).to_have_text("Framed")
    page.goto(f"{path}embed/")
    assert faults(page) + wide(page) == []


def test_a_poll_is_hidden(visit, poll_of):
    path = poll_of("Not a nice one")
    page = visit(path, width=PHONE_WIDTH_PX)
    admin = visit(f"{path}manage/", who="Katherine Johnson")
    admin.click("text=Hide the poll")
    assert faults(admin) + wide(admin) == []
    expect(admin.locator(".messages")).to_contain_text("The poll is hidden.")
    page.goto(path)
    expect(page.locator("main")).to_contain_text("have hidden this poll")
    maker = visit(path, who=MAKER, width=PHONE_WIDTH_PX)
    expect(maker.locator("main")).to_contain_text("Nobody can vote")
    assert faults(maker) + wide(maker) == []
