"""A general meeting in a hall, from checking in to the minutes: a host, six phones and a projector."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from elections import repository as elections
from parts.live import repository
from parts.live.services import correcting
from parts.questions.question import Kind, Question

from .live_hall import PHONE_WIDTH_PX, WALL_WIDTH_PX, Hall, Voice, judged, press, press_surely, shows
from .test_live import send, store, voices  # noqa: F401 - fixtures

CHAIR = "Alan Turing"  # who makes no other session, so that there are never too many of theirs
ACCOUNTS = ("Hypatia", "Wang Zhenyi", "Ibn al-Haytham", "Emmy Noether")
BY_CODE = ("Zita", "Yves")
LISTED = (*ACCOUNTS, *BY_CODE, "Katherine Johnson", "Xenia")
TITLE = "General meeting of the sailing club"
TREASURER = Question("Who is to be treasurer?", Kind.RANKING, options=("Ines", "Jo", "Kim"), secret=True, seconds=0)


# --- the host ---


def make(host: Page) -> None:
    host.locator("[name=engagement_type][value=assembly]").check()
    host.fill("#id_title", TITLE)
    host.fill("#id_agenda", "Report of the board\n")
    host.fill("#id_entitled", "8")
    host.select_option("#id_quorum", ">1/2")
    assert judged(host, "dark") == []
    press(host, "Create the session")
    expect(host.locator("h1")).to_have_text("Agenda")


def add(host: Page, kind: str, title: str, options: str = "", *, share: str, of: str) -> None:
    host.get_by_role("link", name="Add an item").click()
    host.select_option("#id_kind", kind)
    host.fill("#id_title", title)
    if options:
        host.fill("#id_options", options)
    host.select_option("#id_share", share)
    host.select_option("#id_of", of)
    press(host, "Add to the agenda")
    expect(host.locator(".asked-items")).to_contain_text(title)


def enrol(host: Page, hall: Hall) -> dict[str, str]:
    """Put everybody on the roll; answers the codes on the cards."""
    host.goto(hall.path("roll") + "?add")
    host.fill("#id_names", "\n".join(LISTED))
    press(host, "Check the list")
    expect(host.locator("main")).to_contain_text("New, checks in with a code")
    press(host, "Add 8 people to the roll")
    expect(host.locator(".players li")).to_have_count(8)
    assert judged(host, "dark") == []
    host.get_by_role("button", name=re.compile(r"Print \d+ cards with codes")).click()
    assert judged(host, "light") == []
    cards = zip(*(host.locator(part).all_inner_texts() for part in (".card-name", ".card-code")), strict=True)
    return dict(cards)


# --- phones ---


def says_present(page: Page, words: str) -> None:
    expect(page.locator(".present")).to_contain_text(words)


def here(voice: Voice, hall: Hall, **code: str) -> None:
    voice.sends(hall.path("check-in") + f"{hall.game.token}/", **code)


def says(voice: Voice, hall: Hall, option: str) -> None:
    assert "Your vote is in." in voice.sends(hall.path("play"), hall.path("vote"), option=option)


def ranks(voice: Voice, hall: Hall, *places: int) -> None:
    ranked = {f"rank-{option}": str(place) for place, option in enumerate(places, 1)}
    assert "Your vote is in." in voice.sends(hall.path("play"), hall.path("vote"), **ranked)


def votes(page: Page, words: str) -> None:
    page.get_by_role("button", name=words, exact=True).click()
    expect(page.locator("[data-told]")).to_contain_text("Your vote is in.")


def puts(page: Page, *options: str) -> None:
    for option in options:
        page.locator(".candidate", has_text=option).locator("[data-act=next]").click()
    send(page, "Your vote is in.")


# --- the journey ---


def test_a_general_meeting_from_check_in_to_minutes(store, visit, voices):  # noqa: F811
    host = visit("/live/new/", who=CHAIR, width=WALL_WIDTH_PX)

    # the host makes an assembly, its agenda and its roll with codes
    make(host)
    add(host, "motion", "Shall we buy a new mast?", share="2/3", of="present")
    game, _state = repository.find(host.url.split("/live/")[1].split("/")[0])
    correcting.add(game.id, CHAIR, TREASURER)
    add(host, "alternatives", "The fee", "Twenty a year\nThirty a year", share="1/2", of="cast")
    assert judged(host, "light") == []
    hall = Hall(game, visit)
    codes = enrol(host, hall)
    assert codes.keys() == {*BY_CODE, "Xenia"}
    host.goto(hall.path("host"))

    # six check in, by account and by code; the wall says how many, and when there is a quorum
    wall = hall.screen()
    hypatia = visit(hall.link, who="Hypatia", width=PHONE_WIDTH_PX)
    assert judged(hypatia, "dark") == []
    press(hypatia, "I am here")
    says_present(wall, "1 of 8 present")
    says_present(wall, "quorum of 5: not met")
    zita = visit(f"/join/{game.code}/", width=PHONE_WIDTH_PX, java_script_enabled=False)
    zita.fill("#id_code", codes["Zita"].lower().replace("-", " "))
    zita.locator(".join-personal button").click()
    expect(zita.locator("#mine")).to_contain_text("Zita")
    wang = visit(hall.link, who="Wang Zhenyi", width=PHONE_WIDTH_PX)
    press(wang, "I am here")
    ibn, emmy, yves = voices("Ibn al-Haytham"), voices("Emmy Noether"), voices()
    here(ibn, hall)
    says_present(wall, "4 of 8 present")
    says_present(wall, "not met")
    here(emmy, hall)
    here(yves, hall, by="code", code=codes["Yves"])
    for page in (wall, host, hypatia):
        says_present(page, "6 of 8 present")
        says_present(page, "quorum of 5: met")
    expect(wall.locator(".chips")).to_contain_text("Yves")

    # who speaks: first-timers first, and then the list is closed
    press(host, "Call the first item")
    shows(hypatia, "Report of the board")
    press(hypatia, "I want to speak")
    press(host, "Give the floor to Hypatia")
    expect(hypatia.locator("#mine")).to_contain_text("You have the floor.")
    expect(wall.locator(".speakers-now")).to_contain_text("Hypatia")
    press(host, "End the speech")
    press(hypatia, "I want to speak")
    expect(wall.locator(".speakers-list")).to_contain_text("has spoken once")
    press(wang, "I want to speak")
    expect(wall.locator(".speakers-list li").first).to_contain_text("Wang Zhenyi")
    expect(wang.locator("#mine")).to_contain_text("You are next to speak.")
    assert judged(host, "dark") + judged(wang, "light") == []
    press(host, "Give the floor to Wang Zhenyi")
    press(host, "Close the list")
    expect(wall.locator(".speakers-head")).to_contain_text("list closed")
    assert "The list of speakers is closed." in yves.sends(hall.path("play"), hall.path("speakers"), act="ask")
    expect(hypatia.locator("#mine")).to_contain_text("You are next to speak.")
    press(host, "Close the item")
    shows(wall, "Discussed")

    # an open motion, carried by exactly what it takes; one phone has no scripts
    press(host, "Next item")
    shows(wang, "Voting is not open yet.")
    press(host, "Open the vote")
    shows(wall, "Voting is open")
    votes(hypatia, "No")
    assert judged(hypatia, "light") + judged(wall, "dark") == []
    votes(hypatia, "Yes")
    expect(hypatia.locator("[data-told]")).to_contain_text("Yes")
    votes(wang, "Yes")
    expect(zita.get_by_role("button", name="Yes", exact=True)).to_be_visible()  # the page loads itself again
    votes(zita, "Yes")
    says(ibn, hall, "yes")
    says(emmy, hall, "no")
    says(yves, hall, "abstain")
    expect(wall.locator(".answered")).to_contain_text("6 of 6 have voted")
    press(host, "Close the vote")
    shows(wall, "Carried")
    shows(wall, "4 yes, 1 no, 1 abstention")
    shows(wall, "4 of 6 voted yes; 4 were needed: at least two thirds of those present.")
    shows(hypatia, "Who voted how")
    expect(hypatia.locator("#mine")).to_contain_text("You voted: Yes")
    assert judged(hypatia, "dark") == []

    # somebody leaves, and then there is a secret vote that a phone checks
    yves.sends(hall.path("seat"), act="leave")
    says_present(wall, "5 of 8 present")
    press(host, "Next item")
    press(host, "Open the vote")
    shows(hypatia, "Who is to be treasurer?")
    expect(hypatia.locator("#mine")).to_contain_text("Nobody will find out how you vote.")
    puts(hypatia, "Kim", "Jo")
    puts(wang, "Jo", "Kim")
    for voice in (ibn, emmy):
        ranks(voice, hall, 2, 1)
    zita.reload()
    votes(zita, "I abstain")
    press(host, "Close the vote")
    shows(wall, "Chosen: \u2068Kim\u2069")
    shows(wall, "5 of 8 eligible voters were present.")
    assert not {*ACCOUNTS, *BY_CODE} & set(wall.locator("#screen").inner_text().split("\n"))

    # those present become the electorate of an election
    press(host, "Election of those present")
    expect(host.locator(".hall-says")).to_contain_text("The draft election “Who is to be treasurer?” has been created.")
    election = elections.find("Who is to be treasurer?")
    assert (election.convened.present, election.convened.entitled, election.convened.quorate) == (5, 8, True)
    assert (election.convened.listed, election.convened.unlisted) == (4, 1)

    # a motion and its amendments are ranked
    press(host, "Next item")
    press(host, "Open the vote")
    puts(wang, "Thirty", "Twenty", "No change")
    for voice in (ibn, emmy):
        ranks(voice, hall, 1, 0, 2)
    zita.reload()
    votes(zita, "I abstain")
    press(host, "Close the vote")
    shows(wall, "Carried: \u2068Thirty a year\u2069")
    shows(wall, "3 for it, 0 for no change, 1 abstention")
    assert judged(wall, "dark") == []

    # the end, and minutes that everybody who was there can read
    press_surely(host, "End the assembly")
    shows(wall, "What was decided")
    shows(wang, "Thank you for taking part")
    assert judged(wall, "light") == []
    wang.get_by_role("link", name="Read the minutes").click()
    minutes = wang.locator(".minutes")
    for words in (
        TITLE,
        "Speakers: Hypatia (",
        "4 of 6 voted yes; 4 were needed",
        "Secret vote.",
        "Chosen: \u2068Kim\u2069",
        "5 of 8 eligible voters were present.",
        "Carried: \u2068Thirty a year\u2069",
        "These minutes are unchanged",
    ):
        expect(minutes).to_contain_text(words)
    secret = wang.locator(".minutes-item", has_text="Who is to be treasurer?")
    expect(secret.get_by_text("Who voted how")).to_have_count(0)
    secret.get_by_text("Present for this item").click()
    expect(secret).to_contain_text("Zita")
    expect(secret).not_to_contain_text("Yves")
    assert judged(wang, "dark") == []

    # a note is added, and nothing is changed
    host.goto(hall.path("minutes"))
    expect(host.locator(".minutes")).to_contain_text("Follow-ups")
    host.fill("#id_text", "The mast is to be of wood.")
    press(host, "Add the note")
    expect(host.locator(".minutes-note")).to_contain_text("The mast is to be of wood.")
    expect(host.locator(".minutes-proof")).to_contain_text("These minutes are unchanged")
