"""A ballot of every kind, from marking it to the result: on a phone, by keyboard, without scripts, judged by axe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from accounts import repository as people
from ballots import services as voting
from elections import repository as elections
from elections.kinds import settings_of_kind
from elections.lifecycle import closing
from foundation.tally.ballots import ratings_of
from results import services as results

from .test_access import faults, fits, look

LONG = ("<script>alert(1)</script> & <b>Bo</b>", "Ä" * 200, "عائشة " * 30 + "🗳️", "Maximiliane von und zu " * 8 + "Ende")
VOTER = "Wang Zhenyi"
OTHERS = ("Hypatia", "Emmy Noether", "Alan Turing")
PHONE_PX = 390


@dataclass(frozen=True)
class Kind:
    """An election of a kind, and what its pages say."""

    settings: dict[str, object]
    keys: tuple[tuple[str, str, str], ...]  # pressed one after the other: in the group or box of this name
    counted: str  # along with the marks
    shown: str  # on the review
    plain: dict[str, str]  # what is filled in without scripts
    refused: tuple[dict[str, str], str]  # what is too much, and what is then said
    others: tuple[str, ...]  # ballots of others
    outcome: str
    charts: tuple[str, ...]


KINDS = {
    "yes-no": Kind(
        {"kind": "yes-no", "majority": "100% cast"},
        (("", "Yes", "Space"), ("", "Yes", "ArrowDown"), ("", "No", "ArrowUp")),
        "",
        "Yes",
        {"Yes": "x"},
        ({}, "Please choose one: yes, no or abstain."),
        ("0", "0", "2"),
        "Carried",
        ("Votes",),
    ),
    "one": Kind(
        {"kind": "choose", "most": 1},
        (("", "Sofia", "Space"),),
        "",
        "Sofia",
        {"Sofia": "x"},
        ({}, ""),
        ("2", "2", "0"),
        "Winner",
        ("Votes",),
    ),
    "choose": Kind(
        {"kind": "choose", "fewest": 1, "most": 2, "seats": 2},
        (("", "Sofia", "Space"), ("", "Chen Wei", "Space")),
        "Chosen: 2 of 2",
        "Chen Wei",
        {"Sofia": "x", "Chen Wei": "x"},
        ({"Chen Wei": "x", "Noor al-Said": "x", "Sofia": "x"}, "You chose 3, but you may choose at most 2."),
        ("0=2", "2", "0=1"),
        "Elected",
        ("Votes",),
    ),
    "approval": Kind(
        {"kind": "approval"},
        (("", "Sofia", "Space"), ("", "Chen Wei", "Space")),
        "Chosen: 2",
        "Chen Wei",
        {"Sofia": "x", "Chen Wei": "x"},
        ({}, ""),
        ("0=2", "2", ""),
        "Winner",
        ("Approvals",),
    ),
    "score": Kind(
        {"kind": "score"},
        (("Sofia", "3", "ArrowRight"), ("Chen Wei", "0", "Space")),
        "Scored: 2 of 3",
        "Sofia",
        {"Sofia": "4", "Chen Wei": "0"},
        ({}, ""),
        ("2@5>0@3", "2@4>1@1", "0@5"),
        "Winner",
        ("Scores", "Runoff"),
    ),
    "points": Kind(
        {"kind": "points", "most": 10},
        (("", "Points: Sofia", "7"), ("", "Points: Chen Wei", "3")),
        "Points left: 0 of 10",
        "Sofia",
        {"Sofia": "7", "Chen Wei": "3"},
        ({"Sofia": "7", "Chen Wei": "5"}, "You gave 12 points, but you have only 10. Take 2 away."),
        ("2@10", "0@6>1@4", ""),
        "Winner",
        ("Points",),
    ),
}

UNLIKE = ("choose", "score", "points")  # whose ballots consist of other fields; the rest look like one of these


@pytest.fixture
def opened(board) -> Callable[..., str]:
    """Open an election of a kind; answers where its ballot is."""

    def open_(kind: str, **more) -> str:
        return board(voters=(VOTER, *OTHERS), **settings_of_kind(KINDS[kind].settings), **more)

    return open_


@pytest.fixture
def held(opened) -> Callable[..., str]:
    """Hold an election of a kind, in which others vote; answers where its result is."""

    def hold(kind: str, ballots: tuple[str, ...], **more) -> str:
        there = opened(kind, **more)
        name = unquote(there.split("/")[2])
        for voter, ballot in zip(OTHERS, ballots, strict=False):
            ranks = {str(number): [str(value)] for number, value in ratings_of(ballot).items()}
            voting.cast(people.find(voter), name, ranks, f"{voter} votes in {name}")
        closing.close(people.find(people.owner_name()), elections.find(name))
        assert results.find(name).report is not None
        return there.replace("/ballot/", "/results/")

    return hold


def box(page: Page, group: str, label: str):
    return (page.get_by_role("group", name=group) if group else page).get_by_label(label, exact=True)


# --- the ballot ---


@pytest.mark.journey
@pytest.mark.parametrize("kind", KINDS)
def test_on_a_phone_it_is_marked_by_keyboard_left_found_again_reviewed_and_cast(visit, opened, kind):
    """It counts along and is accessible, in the light and in the dark."""
    expected, there = KINDS[kind], opened(kind)
    page = visit(there, who=VOTER, width=PHONE_PX)
    for group, label, key in expected.keys:
        box(page, group, label).focus()
        page.keyboard.press(key)
    counter = page.locator(".mark-count")
    expect(counter).to_have_text(expected.counted) if expected.counted else expect(counter).to_be_hidden()
    if kind == "points":
        page.get_by_label("Points: Noor al-Said").fill("1")
        expect(counter).to_have_text("Too many: 1 over 10")
        page.get_by_label("Points: Noor al-Said").fill("")
    for scheme in ("light", "dark"):
        look(page, PHONE_PX, scheme)
        assert faults(page) == []
    page.goto(there)
    expect(page.locator(".rank-note")).to_contain_text("This is your unfinished ballot")
    page.get_by_role("button", name="Review my ballot").press("Enter")
    expect(page.get_by_role("dialog").locator(".ballot-ranks")).to_contain_text(expected.shown)
    assert_says_what_the_server_says(page)
    assert faults(page) == []
    page.get_by_role("button", name="Cast this ballot").press("Enter")
    expect(page.get_by_role("heading", name="Thank you. Your vote is cast.")).to_be_visible()
    assert faults(page) == []
    drafts_kept = "Object.keys(localStorage).filter((key) => key.startsWith('draft '))"
    assert page.evaluate(drafts_kept) == []


def fill(page: Page, kind: str, marks: dict[str, str]) -> None:
    for name, value in marks.items():
        if kind == "score":
            box(page, name, value).check()
        elif kind == "points":
            page.get_by_label(f"Points: {name}").fill(value)
        else:
            page.get_by_label(name, exact=True).check()


# What the dialog shows, and what the server answers when the same form is sent to it.
BOTH_REVIEWS = """async () => {
  const form = document.querySelector(".ballot-form");
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return [document.querySelector("dialog.review"), page.querySelector("#cast")].map((parent) =>
    [...parent.querySelectorAll(":scope > :not(header, input, .ballot-bar)")].map((each) =>
      each.outerHTML.replace(/\\s+/g, " ").replaceAll("> <", "><")));
}"""


def assert_says_what_the_server_says(page: Page) -> None:
    dialog, answer = page.evaluate(BOTH_REVIEWS)
    assert any("ballot-sheet" in each for each in dialog)
    assert dialog == answer


FILLED = "boxes => boxes.filter((box) => box.value && (box.type === 'number' || box.checked)).length"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].refused[1]])
def test_what_is_too_much_or_too_little_is_refused_and_kept(visit, opened, kind):
    """The server says so, as it does without scripts (tests/ballots/test_kinds.py)."""
    marks, refusal = KINDS[kind].refused
    page = visit(opened(kind), who=VOTER, width=PHONE_PX)
    fill(page, kind, marks)
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.get_by_role("alert")).to_contain_text(refusal)
    assert page.locator("[name^=rank-]").evaluate_all(FILLED) == len(marks)
    assert fits(page)
    assert faults(page) == []


@pytest.mark.parametrize("kind", UNLIKE)
def test_without_scripts_it_is_marked_reviewed_and_cast(visit, opened, kind):
    expected = KINDS[kind]
    page = visit(opened(kind), who=VOTER, width=PHONE_PX, java_script_enabled=False)
    fill(page, kind, expected.plain)
    assert fits(page)
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.locator(".ballot-ranks")).to_contain_text(expected.shown)
    page.get_by_role("button", name="Cast this ballot").click()
    page.get_by_role("button", name="Show my receipt").click()
    expect(page.get_by_role("heading", name="Keep these words")).to_be_visible()
    expect(page.locator(".ballot-ranks")).to_contain_text(expected.shown)


@pytest.mark.parametrize("kind", UNLIKE)
def test_fifty_long_names_fit_the_ballot_and_its_result(visit, held, opened, kind):
    names = [*LONG, *(f"Candidate {number:02d} " + "w" * 180 for number in range(46))]
    page = visit(opened(kind, names=names), who=VOTER, width=320)
    assert page.locator(".candidate").count() >= 50
    assert fits(page)
    expect(page.get_by_text(LONG[0], exact=True)).to_be_visible()
    ballot = {"choose": "0=1", "score": "1@5>0@2", "points": "1@9>0@1"}[kind]
    page.goto(held(kind, (ballot,), names=names))
    expect(page.locator(".outcome")).to_contain_text("Ä" * 200)
    assert fits(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{page.url}screen/")
    assert fits(page)


# --- the result ---


@pytest.mark.parametrize("kind", KINDS)
def test_its_result_is_read_counted_again_and_followed_on_a_phone(visit, held, kind):
    expected = KINDS[kind]
    there = held(kind, expected.others)
    page = visit(there, who=VOTER, width=PHONE_PX)
    expect(page.locator("#outcome")).to_have_text(expected.outcome)
    for title in expected.charts:
        expect(page.locator(".chart", has_text=title).first).to_be_visible()
    for scheme in ("dark", "light"):
        look(page, PHONE_PX, scheme)
        assert faults(page) == []
        assert fits(page)
    page.goto(f"{there}recount/")
    page.get_by_role("button", name="Recount now").press("Enter")
    expect(page.locator("[data-same]")).to_be_visible()
    assert set(page.locator("[data-method]").all_inner_texts()) == {"same"}
    assert faults(page) == []
    assert fits(page)
    page.goto(f"{there}follow/")
    for code in page.locator("tbody code").all_inner_texts():
        page.get_by_label("The code on your receipt").fill(code)
        page.get_by_role("button", name="Find my ballot").press("Enter")
        expect(page.locator("[data-said]")).to_contain_text("was counted")
    assert faults(page) == []
    assert fits(page)


BROKEN = """[...document.querySelectorAll("#outcome, .bar-label, .election-outcome p")].filter((each) => {
  const words = each.textContent.trim().split(/\\s+/);
  const word = document.createElement("span");
  word.style.cssText = "position: absolute; white-space: nowrap; visibility: hidden";
  each.append(word);
  const tooWide = words.some((text) => {
    word.textContent = text;
    return word.getBoundingClientRect().width > each.getBoundingClientRect().width + 1;
  });
  word.remove();
  return tooWide;
}).map((each) => each.textContent)"""


@pytest.mark.parametrize("kind", KINDS)
def test_its_result_is_read_in_german_without_scripts_and_on_the_big_screen(visit, held, kind):
    there = held(kind, KINDS[kind].others)
    page = visit(there, who=VOTER, width=320, locale="de-DE", java_script_enabled=False)
    german = {"Carried": "Angenommen", "Winner": "Gewonnen hat", "Elected": "Gewählt"}
    expect(page.locator("#outcome")).to_have_text(german[KINDS[kind].outcome])
    assert fits(page)
    page = visit(f"{there}screen/", who=VOTER, locale="de-DE")
    for width, height in ((1280, 800), (1920, 1080), (1024, 768), (PHONE_PX, 844)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(BROKEN) == []  # no word is broken in two
        assert fits(page)
    assert faults(page) == []


@pytest.mark.parametrize("kind", ["yes-no", "score"])
def test_without_a_ballot_there_is_no_decision_on_any_page(visit, held, kind):
    there = held(kind, ())
    page = visit(there, who=VOTER, width=PHONE_PX)
    expect(page.locator("#outcome")).to_have_text("Not carried" if kind == "yes-no" else "No decision")
    assert faults(page) == []
    for path in ("screen/", "follow/", "recount/"):
        page.goto(f"{there}{path}")
        assert faults(page) == []
        assert fits(page)
    page.get_by_role("button", name="Recount now").press("Enter")
    expect(page.locator("[data-same]")).to_be_visible()
