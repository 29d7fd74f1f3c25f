"""Live sessions in a hall: a host, phones, projectors and remotes; what connections, sleep and second devices do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from parts.live.rules import Names
from parts.questions.question import Kind, Question, Type

from .live_hall import (
    HOST,
    PHONE_WIDTH_PX,
    WALL_WIDTH_PX,
    Halls,
    Voices,
    judged,
    lent_voices,
    open_hall,
    press,
    press_surely,
    ranks,
    seated,
    shows,
)
from .test_keyboard import tab_to

QUESTION_SECONDS = 3600  # seconds: no clock runs out while a slow machine plays
WHO = Question(
    "Who proposed it?", Kind.CHOICE, options=("Schulze", "Borda", "Hare"), right=(0,), seconds=QUESTION_SECONDS
)
PRIMES = Question("Which are primes?", Kind.CHOICE, options=("2", "3", "4"), right=(0, 1), seconds=QUESTION_SECONDS)
TRY = Question("What should we try?", seconds=QUESTION_SECONDS)
WHERE = Question("Where do we go?", Kind.RANKING, options=("Sea", "Hills", "Town"), seconds=0)
SHEET = (
    Question("How was it?", Kind.RATING),
    Question("Again?", Kind.YES_NO),
    Question("What was best?", Kind.CHOICE, options=("Food", "Talks")),
    Question("Anything else?"),
)
STREAM = re.compile("/stream/")


@pytest.fixture
def store(settings, server, server_folder) -> None:
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"


@pytest.fixture
def hall_of(store, visit) -> Halls:
    """A session whose pages may not complain."""
    return lambda type_, *questions, **chosen: open_hall(visit, type_, questions, **chosen)


@pytest.fixture
def shaky(store, windows, server, cookies_of) -> Iterator[Halls]:
    """A session whose pages lose their connection, of which Chromium itself complains."""
    lent = []

    def visit(path: str, *, who: str = "", width: int = PHONE_WIDTH_PX, **reader: object) -> Page:
        lending = windows.lend(server, reader)
        window = lending.__enter__()
        lent.append((lending, window))
        window.context.add_cookies(cookies_of(who) if who else [])
        page = window.open(width, {})
        page.goto(path)
        return page

    yield lambda type_, *questions, **chosen: open_hall(visit, type_, questions, **chosen)
    for lending, window in lent:
        window.context.set_offline(False)
        lending.__exit__(None, None, None)


@pytest.fixture
def voices(windows, server, cookies_of) -> Iterator[Voices]:
    with lent_voices(windows, server, cookies_of) as voice:
        yield voice


def tap(page: Page, option: str) -> None:
    page.locator(".live-option", has_text=option).click()
    expect(page.locator("[data-told]")).to_contain_text("is in.")


def send(page: Page, words: str = "in.") -> None:
    page.click(".live-send")
    expect(page.locator("[data-told]")).to_contain_text(words)


# --- each type: a host and four phones ---


@pytest.fixture(params=[pytest.param(False, marks=pytest.mark.journey, id="played"), pytest.param(True, id="judged")])
def faults_of(request) -> Callable[..., list[str]]:
    """What axe has against a page; asked in deep tests only, as it takes longer than all that is played."""
    return judged if request.param else lambda page, *schemes: []


def test_trivia(hall_of, visit, faults_of, subtests):
    hall = hall_of(Type.TRIVIA, WHO, PRIMES, speed_bonus=True)
    host = hall.host()
    with subtests.test("people come by link and by code, by hand and by keyboard"):
        shows(host, hall.game.code)
        ada, bo = hall.phone("Ada"), hall.phone("Bo")
        cy = visit("/join/", width=PHONE_WIDTH_PX)
        tab_to(cy, "[name=code]")
        cy.keyboard.type(hall.game.code)
        cy.keyboard.press("Enter")
        expect(cy.locator("h1")).to_have_text(hall.game.title)
        tab_to(cy, "[name=name]")
        cy.keyboard.type("Cy")
        cy.keyboard.press("Enter")
        di = hall.phone("دنيا", locale="de-DE")
        expect(host.locator(".chips")).to_contain_text("Cy")
        expect(host.locator(".lobby-count")).to_contain_text("4")
        expect(ada.locator("#status")).to_contain_text("4 players are here")
        assert faults_of(host, "light") + faults_of(ada, "dark") == []
    with subtests.test("pages hear by a stream, and get a picture of all first"):
        with ada.expect_response(STREAM) as heard:
            ada.reload()
        assert heard.value.headers["content-type"].startswith("text/event-stream")
    with subtests.test("the question comes by itself; an answer is a tap, or a key, and can be changed"):
        press(host, "Start with the first question")
        for page in (ada, bo, cy, di):
            shows(page, WHO.title)
        assert faults_of(host, "light") + faults_of(ada, "dark") == []
        tap(ada, "Schulze")
        tap(bo, "Hare")
        tab_to(cy, "[name=option][value='1']")
        cy.keyboard.press("Enter")
        expect(cy.locator("[data-told]")).to_contain_text("Borda")
        tab_to(cy, "[name=option][value='0']", key="Shift+Tab")
        cy.keyboard.press("Enter")
        expect(cy.locator("[data-told]")).to_contain_text("Schulze")
        expect(host.locator(".answered")).to_contain_text("3 of 4 have answered")
    with subtests.test("a pause is seen by all, and takes nothing from what was chosen"):
        press(host, "Pause")
        expect(ada.locator("#status")).to_contain_text("Paused.")
        expect(ada.locator("[aria-pressed=true]")).to_contain_text("Schulze")
        press(host, "Resume")
        expect(ada.locator("#status")).not_to_contain_text("Paused.")
    with subtests.test("nobody sees what came of it before the host shows it"):
        press(host, "Close the question")
        shows(ada, "The answers are in")
        shows(host, "3 answers are in")
        assert faults_of(ada, "light") == []
        press(host, "Reveal the results")
        expect(ada.locator("#mine")).to_contain_text("Right")
        expect(cy.locator("#mine")).to_contain_text("Right")
        expect(bo.locator("#mine")).to_contain_text("Wrong")
        expect(ada.locator("#said")).to_contain_text("You are in place")
        shows(host, "All correct: 2 of 3")
        assert faults_of(host, "dark") + faults_of(bo, "light") == []
    with subtests.test("a remote drives while a projector shows; who comes late is marked"):
        remote, wall = hall.remote(), hall.screen()
        press(remote, "Next question")
        shows(wall, PRIMES.title)
        eve = hall.phone("Eve")
        shows(eve, "More than one is right")
        expect(eve.locator("#mine")).to_contain_text("You joined at question 2.")
        eve.get_by_label("2").check()
        eve.get_by_label("3").check()
        send(eve)
        expect(remote.locator("#status")).to_contain_text("1 of 5")
        assert faults_of(remote, "light") + faults_of(wall, "dark") + faults_of(eve, "light") == []
        press(remote, "Close the question")
        press(remote, "Reveal the results")
        shows(wall, "from question 2")
        board = hall.screen("scoreboard")
        shows(board, "Eve")
        assert faults_of(board, "light") == []
    with subtests.test("the end shows places, everywhere"):
        press_surely(host, "End the session")
        shows(wall, "Final places")
        shows(remote, "The session has ended.")
        shows(board, "Ada")
        shows(ada, "Thank you for taking part")
        expect(ada.locator(".podium")).to_be_visible()
        assert faults_of(host, "light") + faults_of(ada, "dark") + faults_of(remote, "dark") == []
    with subtests.test("and then there is a report"):
        host.get_by_role("link", name="The report").first.click()
        expect(host.locator("h1")).to_have_text(hall.game.title)
        assert faults_of(host, "light") == []


def test_call_and_answer(hall_of, subtests):
    hall = hall_of(Type.CALL_AND_ANSWER, TRY)
    host = hall.host()
    said = {"Ada": "Trees", "Bo": "trees", "Cy": "A fountain", "Di": "Benches"}
    phones = {name: hall.phone(name) for name in said}
    ada, cy = phones["Ada"], phones["Cy"]
    press(host, "Start with the first question")
    with subtests.test("a push never replaces a form in use"):
        box = ada.get_by_label("Your answer")
        box.click()
        ada.keyboard.type("Tre")
        press(host, "Pause")
        expect(ada.locator("#status")).to_contain_text("Paused.")
        expect(box).to_be_focused()
        ada.keyboard.type("es")
        expect(box).to_have_value("Trees")
        press(host, "Resume")
        assert judged(ada, "light") == []
    with subtests.test("everybody answers in their own words"):
        for name, words in said.items():
            phones[name].get_by_label("Your answer").fill(words)
            send(phones[name])
        expect(host.locator(".answered")).to_contain_text("4 of 4 have answered")
    with subtests.test("each votes on what others said, without seeing whose it is"):
        press(host, "Close the answers")
        expect(ada.locator(".live-papers legend")).to_have_count(2)  # Bo has said the same as Ada
        expect(cy.locator(".live-papers legend")).to_have_count(2)
        assert "Trees" not in ada.locator("main").inner_text()
        for page in phones.values():
            assert not set(said) & set(page.locator("main").inner_text().split())
        assert judged(ada, "dark") + judged(host, "light") == []
        for name, first in {"Ada": "A fountain", "Bo": "A fountain", "Cy": "rees", "Di": "rees"}.items():
            phones[name].locator(".live-papers li", has_text=first).get_by_label("1st").check()
            send(phones[name], "Your vote is in.")
    with subtests.test("then everybody sees whose it was, and what it got"):
        press(host, "Close the voting")
        shows(ada, "The answers are in")
        press(host, "Reveal the results")
        shows(ada, "A fountain")
        shows(host, "Cy")
        expect(cy.locator("#mine")).to_contain_text("+6 points")
        expect(ada.locator("#mine")).to_contain_text("+6 points")
        expect(phones["Di"].locator("#mine")).to_contain_text("+0 points")
        assert judged(ada, "dark") + judged(host, "dark") == []


def test_poll(hall_of, voices, subtests):
    hall = hall_of(Type.POLL, WHERE)
    host, calm = hall.host(reduced_motion="no-preference"), hall.screen()
    asking = "delete window.EventSource"  # as where nothing lets a stream through
    ada, di = hall.phone("Ada"), hall.phone("Di", before=asking)
    bo, cy = (seated(voices(), hall, name) for name in ("Bo", "Cy"))
    press(host, "Start with the first question")
    with subtests.test("ranked by single clicks, also where no stream gets through"):
        for page, ranking in ((ada, ("Sea", "Town")), (di, ("Hills", "Town"))):
            for option in ranking:
                page.locator(".candidate", has_text=option).locator("[data-act=next]").click()
            send(page, "It can still be changed.")
            expect(page.locator(".live-send")).to_have_text("Send the change", use_inner_text=True)
        ranks(bo, hall, "answer", 0)
        ranks(cy, hall, "answer", 2, 1)
        expect(host.locator(".answered")).to_contain_text("4 of 4 have answered")
        assert judged(ada, "light") + judged(host, "dark") == []
    with subtests.test("the count is played as a race, or shows its end at once to who wants no motion"):
        press(host, "Close the question")
        press(host, "Reveal the results")
        expect(host.locator("[data-stage]")).to_be_visible()
        press(host, "Pause")
        expect(calm.locator("[data-stage]").get_by_role("button", name="Play")).to_be_visible()  # at its last round
        expect(calm.locator(".result-winner")).to_be_visible()
        shows(di, "Round 1")
        assert judged(calm, "light") + judged(di, "dark") == []
    with subtests.test("it ends without places"):
        press_surely(host, "End the session")
        shows(di, "Votes were counted without names.")
        assert judged(di, "light") == []


def test_survey(hall_of, voices, subtests):
    hall = hall_of(Type.SURVEY, *SHEET)
    host = hall.host()
    phones = [hall.phone(name) for name in ("Ada", "Bo")]
    others = [seated(voices(), hall, name) for name in ("Cy", "Di")]
    press(host, "Open the survey")
    with subtests.test("all questions on one page; whoever likes leaves some out"):
        for number, page in enumerate(phones):
            page.locator(".live-rating").get_by_label(str(5 - number)).check()
            page.locator(".live-yes-no").get_by_label("Yes").check()
            if number:
                page.locator(".live-option", has_text="Talks").click()
                page.get_by_label("Anything else?").fill(f"Word {number}")
            send(page, "Your answers are in.")
        for number, voice in enumerate(others, 2):
            said = {"q-0": str(5 - number), "q-1": "yes", "q-2": "1", "q-3": f"Word {number}"}
            assert "Your answers are in." in voice.sends(hall.path("play"), hall.path("answer"), **said)
        expect(host.locator(".answered")).to_contain_text("4 of 4 have sent theirs")
        assert judged(phones[0], "dark") == []
    with subtests.test("numbers and words without names"):
        press(host, "Close the survey")
        press(host, "Reveal the results")
        for page in (host, phones[0]):
            shows(page, "3.5")
            shows(page, "Word 2")
        assert not {"Ada", "Bo", "Cy", "Di"} & set(host.locator("#screen").inner_text().split())
        assert judged(phones[0], "light") + judged(host, "light") == []


def test_a_host_alone_rehearses_with_robots(visit):
    host = visit("/live/", who="Alan Turing", width=WALL_WIDTH_PX)
    press(host, "Rehearse with robots")
    expect(host.locator(".lobby-count")).to_contain_text("20 people are here")
    press(host, "Start with the first question")
    expect(host.locator(".answered")).to_contain_text("20 of 20 have answered")
    press(host, "Close the question")
    press(host, "Reveal the results")
    shows(host, "All correct:")
    press_surely(host, "End the session")
    expect(host.locator(".podium")).to_be_visible()


# --- connections, sleep, devices ---


def test_what_happens_without_a_connection_is_not_lost(shaky):
    hall = shaky(Type.CALL_AND_ANSWER, TRY, TRY)
    host, ada = hall.host(), hall.phone("Ada")
    press(host, "Start with the first question")
    shows(ada, TRY.title)
    ada.context.set_offline(True)
    expect(ada.locator("#link-lost")).to_be_visible()
    assert judged(ada, "light") == []
    ada.get_by_label("Your answer").fill("A garden")
    send(ada, "This did not get through. It is kept here")
    ada.context.set_offline(False)
    expect(ada.locator("[data-told]")).to_contain_text("Your answer is in.")
    expect(ada.locator("#link-lost")).to_be_hidden()
    expect(ada.get_by_label("Your answer")).to_have_value("A garden")
    expect(host.locator(".answered")).to_contain_text("1 of 1 has answered")

    ada.context.set_offline(True)
    press(host, "Close the answers")
    press(host, "Next question")
    shows(host, "Question 2 of 2")
    ada.context.set_offline(False)
    shows(ada, "Question 2 of 2")
    expect(ada.get_by_label("Your answer")).to_have_value("")


SLEEP = """asleep => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => asleep});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_phone_that_wakes_up_is_where_the_others_are(shaky):
    hall = shaky(Type.TRIVIA, WHO, PRIMES)
    host, ada = hall.host(), hall.phone("Ada")
    press(host, "Start with the first question")
    shows(ada, WHO.title)
    ada.evaluate(SLEEP, True)
    press(host, "Close the question")
    press(host, "Reveal the results")
    shows(host, "Nobody answered.")  # before, the next question is offered as well, to leave this one unrevealed
    press(host, "Next question")
    shows(host, "Question 2 of 2")
    shows(ada, WHO.title)
    with ada.expect_response(STREAM) as heard:
        ada.evaluate(SLEEP, False)
    shows(ada, PRIMES.title)
    assert heard.value.status == 200

    frozen = ada.context.new_cdp_session(ada)
    frozen.send("Page.setWebLifecycleState", {"state": "frozen"})
    press(host, "Close the question")
    shows(host, "are in")
    frozen.send("Page.setWebLifecycleState", {"state": "active"})
    shows(ada, "The answers are in")


def test_the_newest_device_plays_and_the_older_one_is_told(hall_of):
    hall = hall_of(Type.TRIVIA, WHO)
    host, old = hall.host(), hall.phone("Ada")
    old.get_by_role("link", name="Change your name, or continue on another device").click()
    assert judged(old, "light") == []
    link = old.locator("#seat-link").text_content()
    old.get_by_role("link", name="Back to the session").click()
    expect(old.locator("#screen")).to_be_visible()
    seat = hall.visit("/live/" + link.split("/live/")[1], width=PHONE_WIDTH_PX)
    assert judged(seat, "light") == []
    press(seat, "Continue on this device")
    expect(seat.locator("#mine")).to_contain_text("Ada")
    expect(old.locator("h1")).to_have_text("You are now playing on another device")
    assert judged(old, "dark") == []
    press(host, "Start with the first question")
    tap(seat, "Schulze")
    expect(host.locator(".answered")).to_contain_text("1 of 1 has answered")


def test_two_host_tabs_take_one_step(shaky):
    hall = shaky(Type.TRIVIA, WHO, PRIMES)
    first = hall.host()
    other = first.context.new_page()
    other.route(re.compile("/(stream|now)/"), lambda route: route.abort())  # it does not hear that it is behind
    other.goto(hall.path("host"))
    press(first, "Start with the first question")
    shows(first, "Question 1 of 2")
    press(other, "Start with the first question")
    expect(other.locator(".hall-says")).to_contain_text("The session has already moved on")
    assert hall.phase().startswith("question-1-")


# --- without scripts ---


def test_a_whole_round_without_scripts(hall_of, visit):
    hall = hall_of(Type.TRIVIA, WHO)
    host = hall.host(java_script_enabled=False)
    ada = visit("/join/", width=PHONE_WIDTH_PX, java_script_enabled=False)
    ada.fill("[name=code]", hall.game.code)
    ada.click("main form button")
    ada.fill("[name=name]", "Ada")
    ada.click("main form .actions button")
    expect(ada.locator("#mine")).to_contain_text("Ada")
    assert ada.locator("noscript meta[http-equiv=refresh]").count() == 1
    press(host, "Start with the first question")
    shows(host, WHO.title)
    ada.goto(hall.path("play"))
    assert ada.locator("noscript meta[http-equiv=refresh]").count() == 0, "it would take away what somebody types"
    ada.get_by_role("button", name="Hare").click()
    expect(ada.locator("[data-told]")).to_contain_text("Your answer is in.")
    ada.get_by_role("button", name="Schulze").click()
    expect(ada.locator("[data-told]")).to_contain_text("Schulze")
    press(host, "Close the question")
    shows(host, "1 answer is in")
    press(host, "Reveal the results")
    shows(host, "All correct: 1 of 1")
    ada.get_by_role("link", name="Reload to see what is on now").click()
    expect(ada.locator("#mine")).to_contain_text("Right")
    press_surely(host, "End the session")
    shows(host, "Final places")
    ada.reload()
    shows(ada, "Thank you for taking part")


# --- pages around it ---


def test_pages_around_a_session_please_axe(hall_of, visit, subtests):
    hall = hall_of(Type.TRIVIA, WHO, names=Names.APPROVED)
    guest = visit("/join/0000/", width=PHONE_WIDTH_PX)
    with subtests.test("whoever joins", path="no such code"):
        assert judged(guest, "light") == []
    guest.goto(hall.link)
    with subtests.test("whoever joins", path="the link"):
        assert judged(guest, "light") == []
    guest.fill("[name=name]", "Ada")
    guest.click("main form .actions button")
    expect(guest.locator("main")).to_contain_text("The host approves every name first.")
    assert judged(guest, "dark") == []
    page = visit("/live/", who=HOST, width=PHONE_WIDTH_PX)  # what is over, and help, are looked at with the results
    for path, width, scheme in (
        ("", PHONE_WIDTH_PX, "light"),
        ("/live/new/", WALL_WIDTH_PX, "light"),
        ("/live/sets/", WALL_WIDTH_PX, "dark"),
        (hall.path("hosts"), PHONE_WIDTH_PX, "dark"),
        (hall.path("players"), WALL_WIDTH_PX, "light"),
    ):
        with subtests.test("whoever runs it", path=path):
            if path:
                page.goto(path)
            page.set_viewport_size({"width": width, "height": 800})
            assert judged(page, scheme) == []
    with subtests.test("a name is approved, and its phone goes on by itself"):
        page.get_by_role("button", name="Approve").click()
        expect(guest.locator("#mine")).to_contain_text("Ada")
