"""The rank widget: every way of ranking, and that none loses what was ranked. Played on the style page."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from playwright.sync_api import Error, Locator, Page, Route, expect

from elections.rules import LEAVE, NO_DRAFTS, SAFEGUARDS

from .conftest import EMULATED, KEEP_NOTHING, MAX_ATTEMPTS, Complaints, Window, Windows, come_in, until
from .test_access import AT_REST, WIDTH, faults, look, smaller_than

NAMES = ("Ada", "Bo", "Cy", "Di", "Eve")
LONG = "Rindfleischetikettierungsüberwachung" * 5 + "saufgabenübertragung"
KEY = "draft stranger test"


# --- a ballot on the style page ---


def part_with(names: Iterable[str], ranks: dict[str, int], statement: str) -> str:
    choices = [
        SimpleNamespace(number=number, name=name, statement=statement, link="", photo=None, rank=ranks.get(name))
        for number, name in enumerate(names, start=1)
    ]
    context = {"choices": choices, "ranks": len(choices), "draft_key": KEY, "unranked_sentence": "Below all others."}
    return render_to_string("ranking/parts/ranks.html", context)


class Desk:
    """A page that stays from test to test, for one kind of reader; the ballot on it is a new one each time."""

    def __init__(self, window: Window):
        self.page = window.open(1280, {})
        self.complaints = Complaints(window.address)
        self.complaints.listen(self.page)
        self.page.goto("/style/")
        self.html, self.headers = "", {}
        # Not `page.route`: while that holds, the browser keeps nothing in its cache, neither styles nor scripts.
        self.network = window.context.new_cdp_session(self.page)
        self.network.on("Fetch.requestPaused", self.answer)
        self.network.send("Fetch.enable", {"patterns": [{"urlPattern": "*/style/*", "resourceType": "Document"}]})

    def answer(self, request: dict) -> None:
        headers = [{"name": name, "value": value} for name, value in self.headers.items() if name in SAID_WITH_A_PAGE]
        body = b64encode(self.html.encode()).decode()
        answer = {"requestId": request["requestId"], "responseCode": 200, "responseHeaders": headers, "body": body}
        self.network.send("Fetch.fulfillRequest", answer)

    def put(self, html: str, headers: dict[str, str], width: int, emulated: dict[str, object]) -> Page:
        self.html, self.headers = html, headers
        self.page.mouse.up()
        self.page.evaluate(KEEP_NOTHING)
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.emulate_media(**{"media": "null", **dict.fromkeys(EMULATED, "null"), **emulated})
        self.page.goto("/style/")
        bring_into_sight(self.page)
        return self.page


SAID_WITH_A_PAGE = ("content-type", "content-security-policy", "permissions-policy", "referrer-policy")


@pytest.fixture(scope="module")
def desks(windows: Windows, server: str) -> Iterator[Callable[..., Desk]]:
    """The desk of a reader."""
    there: dict[str, Desk] = {}
    with ExitStack() as lent:

        def desk_of(reader: dict[str, object]) -> Desk:
            if (kind := repr(reader)) not in there:
                there[kind] = Desk(lent.enter_context(windows.lend(server, reader)))
            return there[kind]

        yield desk_of


@pytest.fixture(scope="module")
def style_page(windows: Windows, server: str) -> tuple[str, dict[str, str]]:
    """What the server says, and the headers it says it with."""
    with windows.lend(server, {}) as window:
        answer = window.context.request.get("/style/", max_retries=MAX_ATTEMPTS)
        return answer.text(), answer.headers


DUEL = 'data-script="[^"]*" data-integrity="[^"]*"'


def with_ballot(text: str, part: str) -> str:
    """The last chapter of the style page, alone and with these candidates."""
    script = re.search(DUEL, text)[0]  # the server's own name for it
    ours = re.sub(DUEL, script, part)
    text = re.sub("<rank-ballot.*</rank-ballot>", lambda _: ours, text, flags=re.DOTALL)
    return re.sub('(?<=class="chapters">).*(?=<section id="ranking")', "", text, flags=re.DOTALL)


@pytest.fixture
def ballot(desks, style_page) -> Iterator[Callable[..., Page]]:
    """A ballot with these candidates before such a reader; afterwards no page may have complained."""
    used: set[Desk] = set()
    text, headers = style_page

    def ballot(names=NAMES, ranks=None, statement="", width=1280, **reader) -> Page:
        emulated = {name: reader.pop(name) for name in EMULATED if name in reader}
        used.add(desk := desks(reader))
        html = with_ballot(text, part_with(names, ranks or {}, statement))
        return desk.put(html, headers, width, emulated)

    yield ballot
    assert [complaint for desk in used for complaint in desk.complaints.told()] == []


def bring_into_sight(page: Page) -> None:
    page.locator("rank-ballot").evaluate("ballot => ballot.scrollIntoView({block: 'start', behavior: 'instant'})")


def ranking(page: Page) -> str:
    """What the form would send, best first: `Bo > Ada = Cy`."""
    sent = page.locator("rank-ballot").evaluate(
        """ballot => [...new FormData(ballot.closest("form"))]
             .filter(([field, rank]) => field.startsWith("rank-") && rank)
             .map(([field, rank]) => [Number(rank), ballot.querySelector(`[name=${field}]`).closest(".candidate")
               .querySelector(".candidate-name").textContent])"""
    )
    groups = [sorted(name for rank, name in sent if rank == each) for each in sorted({rank for rank, _ in sent})]
    return " > ".join(" = ".join(group) for group in groups)


def shown(page: Page) -> str:
    """What one sees, in the same words."""
    names = "row => [...row.querySelectorAll('.candidate-name')].map(name => name.innerText)"
    rows = page.locator(".place").evaluate_all(f"rows => rows.map({names})")
    return " > ".join(" = ".join(sorted(row)) for row in rows)


def both(page: Page) -> str:
    page.locator("html.ready").wait_for()
    assert shown(page) == ranking(page)
    return ranking(page)


def card(page: Page, name: str) -> Locator:
    return page.locator(".candidate").filter(has=page.get_by_text(name, exact=True))


def grip(page: Page, name: str) -> Locator:
    return card(page, name).locator(".grip")


def press(page: Page, act: str, name: str) -> None:
    """By clicks alone, through the menu where the button is in it."""
    page.locator("html.ready").wait_for()
    button = card(page, name).locator(f"[data-act={act}]:visible")
    if not button.count():
        card(page, name).locator("summary.button").click()
    button.first.click()


def said(page: Page) -> Locator:
    return page.locator("rank-ballot > [role=status]")


# --- dragging ---


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def above(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] - 3


def pick_up(page: Page, name: str, by: Locator | None = None) -> None:
    x, y = middle(by or grip(page, name))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 3, y + 6, steps=3)


def drag(page: Page, name: str, to: tuple[float, float]) -> None:
    pick_up(page, name)
    page.mouse.move(*to, steps=4)
    page.mouse.up()
    page.evaluate(AT_REST)  # it has glided into place


def test_it_starts_empty_says_what_to_do_and_offers_short_lists_no_duel(ballot):
    page = ballot()
    assert both(page) == ""
    expect(page.get_by_text("Drag names here or use the buttons")).to_be_visible()
    assert page.locator(".pool .candidate-name").all_inner_texts() == list(NAMES)
    expect(page.locator(".pool").get_by_text("Below all others.")).to_be_visible()
    expect(page.locator(".rank-box").first).to_be_hidden()
    expect(page.locator(".duel-offer")).to_be_hidden()


@pytest.mark.journey
def test_dragged_into_gaps_candidates_get_ranks_of_their_own(ballot):
    page = ballot()
    drag(page, "Cy", middle(page.locator(".rank-empty")))
    assert both(page) == "Cy"
    drag(page, "Ada", above(card(page, "Cy")))
    assert both(page) == "Ada > Cy"
    drag(page, "Eve", above(card(page, "Cy")))
    assert both(page) == "Ada > Eve > Cy"
    drag(page, "Cy", above(card(page, "Ada")))
    assert both(page) == "Cy > Ada > Eve"
    expect(said(page)).to_have_text("Cy, rank 1 of 3")


@pytest.mark.journey
def test_dragged_onto_a_rank_a_candidate_becomes_an_equal_and_dragged_back_it_is_not_ranked(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    drag(page, "Cy", middle(card(page, "Bo")))
    assert both(page) == "Ada > Bo = Cy"
    expect(said(page)).to_have_text("Cy, rank 2 of 2, equal with Bo")
    drag(page, "Bo", above(card(page, "Ada")))
    assert both(page) == "Bo > Ada > Cy"
    drag(page, "Ada", middle(card(page, "Di")))
    assert both(page) == "Bo > Cy"
    expect(said(page)).to_have_text("Ada, not ranked")


def test_dropped_where_it_was_nothing_changes(ballot, subtests):
    page = ballot(ranks={"Ada": 1, "Bo": 2, "Cy": 3})
    for width in (1280, 375):
        with subtests.test("dropped where it was nothing changes", width=width):
            page.set_viewport_size({"width": width, "height": 800})
            bring_into_sight(page)
            drag(page, "Bo", middle(card(page, "Bo")))
            drag(page, "Bo", above(card(page, "Cy")))
            assert both(page) == "Ada > Bo > Cy"
            expect(page.locator("[data-act=undo]")).to_have_attribute("aria-disabled", "true")


def test_a_mouse_may_take_the_card_itself(ballot):
    page = ballot(ranks={"Ada": 1})
    pick_up(page, "Bo", by=page.get_by_text("Bo", exact=True))
    page.mouse.move(*above(card(page, "Ada")), steps=4)
    page.mouse.up()
    assert both(page) == "Bo > Ada"


def test_the_card_does_not_jump_and_follows_the_pointer(ballot):
    page = ballot(ranks={"Ada": 1})
    was = card(page, "Bo").bounding_box()
    x, y = middle(grip(page, "Bo"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 4)
    slip = page.locator(".lifted")
    assert slip.bounding_box()["y"] == pytest.approx(was["y"], abs=1)
    assert slip.bounding_box()["x"] == pytest.approx(was["x"], abs=1)
    page.mouse.move(x - 60, y - 96)
    until(lambda: slip.bounding_box()["y"] == pytest.approx(was["y"] - 100, abs=1))
    assert slip.bounding_box()["x"] == pytest.approx(was["x"] - 60, abs=1)
    page.mouse.up()
    expect(slip).to_have_count(0)


def test_while_dragging_one_sees_what_letting_go_would_do(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    line, says = page.locator(".drop-line"), page.locator(".drop-says")
    pick_up(page, "Cy")
    expect(line).to_be_hidden()
    page.mouse.move(*above(card(page, "Bo")))
    expect(line).to_be_visible()
    expect(says).to_have_text("Rank 2")
    between = line.bounding_box()["y"]
    assert card(page, "Ada").bounding_box()["y"] < between < card(page, "Bo").bounding_box()["y"]
    page.mouse.move(*middle(card(page, "Bo")))
    expect(line).to_be_hidden()
    expect(page.locator(".place.target")).to_have_text(re.compile("Bo"))
    expect(says).to_have_text("Equal with Bo")
    page.mouse.up()
    page.evaluate(AT_REST)  # it has glided into place
    pick_up(page, "Ada")
    page.mouse.move(*middle(card(page, "Di")))
    expect(page.locator(".pool")).to_have_class(re.compile("target"))
    expect(says).to_have_text("Not ranked")
    page.mouse.up()


def test_what_is_no_drag_or_is_cancelled_changes_nothing(ballot, subtests):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    with subtests.test("a press without a move is no drag"):
        grip(page, "Ada").click()
        expect(page.locator(".lifted, .held")).to_have_count(0)
    with subtests.test("the right button does not drag"):
        page.mouse.move(*middle(grip(page, "Cy")))
        page.mouse.down(button="right")
        page.mouse.move(*above(card(page, "Ada")), steps=4)
        expect(page.locator(".lifted")).to_have_count(0)
        page.mouse.up(button="right")
        assert both(page) == "Ada > Bo"
    with subtests.test("Escape cancels a drag"):
        pick_up(page, "Bo")
        page.mouse.move(*above(card(page, "Ada")))
        page.keyboard.press("Escape")
        expect(page.locator(".lifted")).to_have_count(0)
        page.mouse.up()
        assert both(page) == "Ada > Bo"
        expect(page.locator(".dragging, .away, .target")).to_have_count(0)


def test_a_drag_goes_on_when_the_window_changes_and_works_when_the_page_is_turned_around(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    pick_up(page, "Cy")
    page.set_viewport_size({"width": 600, "height": 700})
    page.mouse.move(*above(card(page, "Bo")), steps=3)
    page.mouse.up()
    assert both(page) == "Ada > Cy > Bo"
    page.evaluate(AT_REST)
    page.evaluate("document.documentElement.dir = 'rtl'")
    drag(page, "Bo", above(card(page, "Ada")))
    assert both(page) == "Bo > Ada > Cy"


def test_near_the_edge_the_page_scrolls_and_the_target_follows(ballot):
    names = [f"Candidate {number}" for number in range(1, 26)]
    page = ballot(names, ranks={name: at for at, name in enumerate(names, start=1)}, width=375)
    pick_up(page, "Candidate 1")
    page.mouse.move(100, 790)
    last = card(page, "Candidate 25")
    until(lambda: last.bounding_box()["y"] < 600)
    page.mouse.move(100, 400)
    page.mouse.move(*above(last))
    page.mouse.up()
    assert ranking(page).endswith("Candidate 24 > Candidate 1 > Candidate 25")


# --- fingers ---


class Finger:
    def __init__(self, page: Page):
        self.page, self.device = page, page.context.new_cdp_session(page)

    def send(self, kind: str, *points: tuple[float, float]) -> None:
        touches = [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]
        self.device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.send("touchStart", start)
        for part in (0.1, 0.4, 0.7, 1):
            self.send("touchMove", (start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part))


@pytest.mark.journey
def test_a_finger_drags_by_the_grip(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2}, width=375, has_touch=True)
    finger = Finger(page)
    finger.drag(middle(grip(page, "Cy")), above(card(page, "Ada")))
    finger.send("touchEnd")
    assert both(page) == "Cy > Ada > Bo"
    page.evaluate(AT_REST)
    finger.drag(middle(grip(page, "Di")), middle(card(page, "Cy")))
    finger.send("touchEnd")
    assert both(page) == "Cy = Di > Ada > Bo"


def test_a_finger_beside_the_grip_scrolls_the_page(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2}, width=375, has_touch=True)
    before = page.evaluate("scrollY")
    finger = Finger(page)
    x, y = middle(card(page, "Di"))
    finger.drag((x, y), (x, y + 200))
    finger.send("touchEnd")
    until(lambda: page.evaluate("scrollY") < before)
    assert both(page) == "Ada > Bo"


def test_a_second_finger_changes_nothing(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2}, width=375, has_touch=True)
    finger, end = Finger(page), above(card(page, "Ada"))
    start, second = middle(grip(page, "Cy")), middle(grip(page, "Di"))
    finger.send("touchStart", start)
    finger.send("touchMove", (start[0], start[1] - 20))
    finger.send("touchStart", (start[0], start[1] - 20), second)
    finger.send("touchMove", end, (second[0], second[1] - 30))
    expect(page.locator(".lifted")).to_have_count(1)
    finger.send("touchEnd")
    assert both(page) == "Cy > Ada > Bo"


def test_a_drag_the_system_takes_away_is_cancelled(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2}, width=375, has_touch=True)
    finger = Finger(page)
    finger.drag(middle(grip(page, "Cy")), above(card(page, "Ada")))
    expect(page.locator(".lifted")).to_have_count(1)
    finger.send("touchCancel")
    expect(page.locator(".lifted")).to_have_count(0)
    assert both(page) == "Ada > Bo"


# --- single clicks ---


@pytest.mark.parametrize("width", [pytest.param(320, marks=pytest.mark.journey), 1280])
def test_by_single_clicks_every_order_can_be_made(ballot, width):
    page = ballot(width=width)
    for name in ("Ada", "Bo", "Cy"):
        press(page, "next", name)
    assert both(page) == "Ada > Bo > Cy"
    press(page, "up", "Cy")
    assert both(page) == "Ada > Cy > Bo"
    press(page, "top", "Bo")
    assert both(page) == "Bo > Ada > Cy"
    press(page, "tie", "Ada")
    assert both(page) == "Ada = Bo > Cy"
    press(page, "own", "Bo")
    assert both(page) == "Ada > Bo > Cy"
    press(page, "down", "Ada")
    assert both(page) == "Bo > Ada > Cy"
    press(page, "remove", "Ada")
    assert both(page) == "Bo > Cy"
    expect(grip(page, "Ada")).to_be_focused()


def test_up_and_down_leave_a_tie(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 1, "Cy": 1})
    press(page, "up", "Bo")
    assert both(page) == "Bo > Ada = Cy"
    press(page, "down", "Ada")
    assert both(page) == "Bo > Cy > Ada"
    expect(card(page, "Bo").locator(".step[data-act=up]")).to_have_attribute("aria-disabled", "true")
    expect(card(page, "Ada").locator(".step[data-act=down]")).to_have_attribute("aria-disabled", "true")


def test_buttons_name_their_candidate_and_keep_the_focus(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2, "Cy": 3})
    up = page.get_by_role("button", name=re.compile("^Up ?: Cy$"))
    up.focus()
    page.keyboard.press("Enter")
    expect(up).to_be_focused()
    page.keyboard.press("Enter")
    assert both(page) == "Cy > Ada > Bo"
    expect(said(page)).to_have_text("Cy, rank 1 of 3")


def test_undo_takes_back_one_change_after_the_other(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    press(page, "next", "Cy")
    page.get_by_role("button", name="Clear").click()
    assert both(page) == ""
    expect(said(page)).to_have_text("Nothing is ranked now.")
    undo = page.get_by_role("button", name="Undo")
    undo.click()
    assert both(page) == "Ada > Bo > Cy"
    undo.click()
    assert both(page) == "Ada > Bo"
    expect(undo).to_have_attribute("aria-disabled", "true")


# --- keys ---


@pytest.mark.journey
def test_by_keys_a_candidate_steps_through_ties_and_ranks(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    grip(page, "Cy").focus()
    page.keyboard.press("Space")
    expect(grip(page, "Cy")).to_have_attribute("aria-pressed", "true")
    expect(said(page)).to_have_text("Picked up: Cy, not ranked. Arrow keys move, Space drops, Escape puts back.")
    for order, words in (
        ("Ada > Bo > Cy", "Cy, rank 3 of 3"),
        ("Ada > Bo = Cy", "Cy, rank 2 of 2, equal with Bo"),
        ("Ada > Cy > Bo", "Cy, rank 2 of 3"),
        ("Ada = Cy > Bo", "Cy, rank 1 of 2, equal with Ada"),
        ("Cy > Ada > Bo", "Cy, rank 1 of 3"),
    ):
        page.keyboard.press("ArrowUp")
        assert both(page) == order
        expect(said(page)).to_have_text(words)
        expect(grip(page, "Cy")).to_be_focused()
    page.keyboard.press("ArrowUp")
    assert both(page) == "Cy > Ada > Bo"
    page.keyboard.press("End")
    assert both(page) == "Ada > Bo > Cy"
    page.keyboard.press("ArrowDown")
    assert both(page) == "Ada > Bo"
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    assert both(page) == "Cy > Ada > Bo"
    expect(said(page)).to_have_text("Dropped: Cy, rank 1 of 3")
    expect(grip(page, "Cy")).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Undo").click()
    assert both(page) == "Ada > Bo"


def test_escape_puts_back_and_delete_takes_out(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2, "Cy": 3})
    grip(page, "Cy").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    page.keyboard.press("Escape")
    assert both(page) == "Ada > Bo > Cy"
    expect(said(page)).to_have_text("Put back: Cy, rank 3 of 3")
    expect(page.locator(".held")).to_have_count(0)
    page.keyboard.press("Delete")
    assert both(page) == "Ada > Bo"
    expect(grip(page, "Cy")).to_be_focused()


def test_tab_leaves_and_drops(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2})
    grip(page, "Bo").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    expect(page.locator(".held")).to_have_count(0)
    expect(grip(page, "Bo")).not_to_be_focused()
    page.keyboard.press("ArrowUp")
    assert both(page) == "Ada = Bo"


# --- what is sent ---


def sent_to(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


@pytest.mark.journey
def test_without_scripts_one_types_ranks(ballot):
    page = ballot(ranks={"Ada": 1}, java_script_enabled=False)
    box = page.get_by_role("spinbutton", name=re.compile("^Rank ?: Bo$"))
    expect(box).to_be_visible()
    expect(page.get_by_role("spinbutton", name=re.compile("^Rank ?: Ada$"))).to_have_value("1")
    expect(page.get_by_text("Use the same number for names you like equally")).to_be_visible()
    box.fill("1")
    page.get_by_role("button", name="Review my ballot").click()
    assert sent_to(page.url) == {"rank-1": "1", "rank-2": "1", "rank-3": "", "rank-4": "", "rank-5": ""}


def test_with_scripts_the_same_form_is_sent(ballot):
    page = ballot()
    press(page, "next", "Bo")
    press(page, "next", "Ada")
    page.get_by_role("button", name="Review my ballot").click()
    expect(page).to_have_url(re.compile("rank-1="))
    assert sent_to(page.url) == {"rank-1": "2", "rank-2": "1", "rank-3": "", "rank-4": "", "rank-5": ""}


# --- drafts ---

STORED = f"localStorage.getItem('{KEY}')"


def leave_with_draft(page: Page, *names: str) -> None:
    for name in names:
        press(page, "next", name)
    assert page.evaluate(STORED)


@pytest.mark.journey
def test_a_draft_comes_back(ballot):
    page = ballot()
    press(page, "next", "Cy")
    press(page, "next", "Ada")
    page.reload()
    assert both(page) == "Cy > Ada"
    note = page.locator(".rank-note")
    expect(note).to_contain_text("This is your unfinished ranking from")
    note.get_by_role("button", name="Discard").click()
    assert both(page) == ""
    assert page.evaluate(STORED) is None


def test_a_draft_that_differs_from_the_ballot_cast_is_offered(ballot):
    page = ballot(ranks={"Ada": 1})
    leave_with_draft(page, "Bo")
    page.reload()
    assert both(page) == "Ada"
    note = page.locator(".rank-note")
    expect(note).to_contain_text("You have an unfinished ranking from")
    note.get_by_role("button", name="Restore").click()
    assert both(page) == "Ada > Bo"
    expect(note).to_be_hidden()
    page.reload()
    note.get_by_role("button", name="Discard").click()
    assert both(page) == "Ada"
    assert page.evaluate(STORED) is None


def test_what_is_as_the_server_knows_it_is_no_draft(ballot):
    page = ballot(ranks={"Ada": 1})
    leave_with_draft(page, "Bo")
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate(STORED) is None


STORE = f"text => localStorage.setItem('{KEY}', text)"
ODD_DRAFTS = {
    '{"at": 1, "groups": [[9], [2, 9], [1]]}': "Bo > Ada",
    '{"at": 1, "groups": [[2], [2, 1]]}': "Bo > Ada",
    '{"at": 1}': "",
    "nonsense": "",
    "null": "",
}


def test_a_draft_of_other_candidates_or_of_nonsense_does_no_harm(ballot, subtests):
    page = ballot()
    for stored, order in ODD_DRAFTS.items():
        with subtests.test("a draft of other candidates or of nonsense does no harm", stored=stored):
            page.evaluate(STORE, stored)
            page.reload()
            assert both(page) == order


def test_where_storage_is_forbidden_one_ranks_all_the_same(visit):
    forbid = "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})"
    page = visit("/style/", before=forbid)
    name = page.locator(".pool .candidate-name").first.inner_text()
    press(page, "next", name)
    assert both(page).split(" > ")[-1] == name


# --- two at a time ---

SEVEN = ("Ada", "Bo", "Cy", "Di", "Eve", "Flo", "Gus")


def answer(page: Page, liked: str) -> int:
    """Answer by the order of the letters of a text until it is over; how many questions that took."""
    for asked in range(60):
        if not page.locator(".duel").count():
            return asked
        names = page.locator(".duel-choice b").all_inner_texts()
        better = min(names, key=lambda name: liked.index(name[0]))
        page.locator(".duel-choice").nth(names.index(better)).click()
    raise AssertionError("It never ends.")


def start_duel(page: Page) -> Locator:
    page.get_by_role("button", name="Compare two at a time").click()
    expect(page.locator(".duel-choice").first).to_be_visible()
    return page.locator(".duel")


@pytest.mark.journey
def test_questions_make_a_ranking(ballot):
    page = ballot(SEVEN)
    start_duel(page)
    assert answer(page, "GACEBDF") <= 14  # 7 can be put in order with 13 questions at best; halving takes up to 14
    assert both(page) == "Gus > Ada > Cy > Eve > Bo > Di > Flo"
    expect(said(page)).to_have_text("Ranked: 7")
    page.get_by_role("button", name="Undo").click()
    assert both(page) == ""


def test_stopping_at_once_ranks_nobody_and_later_keeps_what_is_sorted(ballot):
    page = ballot(SEVEN)
    start_duel(page)
    page.keyboard.press("Escape")
    assert both(page) == ""
    duel = start_duel(page)
    page.keyboard.press("2")  # Bo or Ada: Ada
    page.keyboard.press("=")  # Cy or Bo: equal
    duel.get_by_role("button", name="Stop here").click()
    assert both(page) == "Ada > Bo = Cy"
    expect(page.get_by_role("button", name="Compare two at a time")).to_be_focused()
    start_duel(page)  # goes on with the rest
    page.keyboard.press("Escape")
    assert both(page) == "Ada > Bo = Cy"


def test_of_many_only_the_favourites_can_be_asked_for(ballot):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    page = ballot(tuple(f"{letter}." for letter in letters))
    duel = start_duel(page)
    duel.get_by_role("button", name="Only my top 5").click()
    expect(duel.get_by_role("button", name="Only my top 5")).to_be_hidden()
    assert answer(page, letters) <= 40, "all of them would take about 90"
    assert both(page) == "A. > B. > C. > D. > E."


def test_a_duel_can_be_undone_and_leaves_out_whom_one_does_not_want(ballot):
    page = ballot(SEVEN)
    duel = start_duel(page)
    question = duel.locator("[role=status]")
    expect(question).to_have_text(re.compile(r"^Bo or Ada\? Questions left: about \d+$"))
    page.keyboard.press("ArrowLeft")
    expect(question).to_have_text(re.compile(r"^Cy or"))
    duel.get_by_role("button", name="Undo").click()
    expect(question).to_have_text(re.compile(r"^Bo or Ada"))
    page.keyboard.press("ArrowRight")
    duel.get_by_role("button", name=re.compile("Leave this one out.*: Cy")).click()
    expect(question).to_have_text(re.compile(r"^Di or Bo"))
    duel.get_by_role("button", name=re.compile("Leave this one out.*: Bo")).click()
    expect(question).to_have_text(re.compile(r"^Di or Ada"))
    answer(page, "ADEFG")
    assert both(page) == "Ada > Di > Eve > Flo > Gus"


# --- for everybody ---


def test_a_ballot_being_filled_in_pleases_axe_and_fingers(ballot, subtests):
    page = ballot(SEVEN, ranks={"Ada": 1, "Bo": 2, "Cy": 2}, statement="<p>Hello.</p>", width=320)
    with subtests.test("what a finger presses is large enough"):
        assert smaller_than(page, ".grip, .tools :is(button, summary), rank-ballot header .button", 44) == []
    for width, scheme in ((320, "light"), (1280, "dark")):
        with subtests.test("axe finds nothing in a ballot being filled in", width=width, scheme=scheme):
            look(page, width, scheme)
            fills_in(page)


def fills_in(page: Page) -> None:
    """To open, to hold, to compare; and all is as it was before."""
    card(page, "Ada").locator("summary.button").click()
    # An open menu covers part of what lies below it, until it closes.
    assert [fault for fault in faults(page) if not fault.startswith("target-size")] == []
    page.keyboard.press("Escape")
    grip(page, "Cy").focus()
    page.keyboard.press("Space")
    assert faults(page) == []
    page.keyboard.press("Escape")
    start_duel(page)
    page.evaluate(AT_REST)  # the names have faded in
    assert faults(page) == []
    page.keyboard.press("Escape")


@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_long_names_and_narrow_pages_fit(ballot, direction):
    names = (LONG, "فاطمة الزهراء", *SEVEN)
    page = ballot(names, ranks={LONG: 1, "Ada": 1, "Bo": 2}, width=320)
    page.evaluate("direction => document.documentElement.dir = direction", direction)
    assert len(LONG) == 200
    needed, there = page.evaluate(WIDTH)
    assert needed <= there
    card(page, "Bo").locator("summary.button").click()
    needed, there = page.evaluate(WIDTH)
    assert needed <= there
    page.keyboard.press("Escape")
    drag(page, "Bo", above(card(page, LONG)))
    assert both(page).startswith("Bo > ")
    start_duel(page)
    needed, there = page.evaluate(WIDTH)
    assert needed <= there


# A glide may be over before anybody looks: what counts is that one was begun.
COUNT_GLIDES = """() => {
  const animate = Element.prototype.animate;
  window.glides = 0;
  Element.prototype.animate = function (...words) {
    window.glides += this.matches(".candidate");
    return animate.apply(this, words);
  };
}"""


def test_cards_glide_but_not_for_who_wants_calm(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2}, reduced_motion="reduce")
    page.evaluate(COUNT_GLIDES)
    press(page, "top", "Bo")
    assert both(page) == "Bo > Ada"
    assert page.evaluate("window.glides") == 0
    page.emulate_media(reduced_motion="no-preference")
    press(page, "top", "Ada")
    assert both(page) == "Ada > Bo"
    assert page.evaluate("window.glides") > 0


def test_on_paper_the_ranking_is_plain(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2, "Cy": 2})
    page.emulate_media(media="print")
    for gone in (".grip", ".tools .button", "[data-act=undo]"):
        expect(page.locator(gone).first).to_be_hidden()
    assert shown(page) == "Ada > Bo = Cy"
    expect(page.locator(".place .rank").first).to_be_visible()


def test_with_forced_colours_the_target_is_outlined(ballot):
    page = ballot(ranks={"Ada": 1, "Bo": 2}, forced_colors="active")
    pick_up(page, "Cy")
    page.mouse.move(*middle(card(page, "Bo")))
    expect(page.locator(".place.target")).to_have_css("outline-style", "solid")
    page.mouse.move(*above(card(page, "Bo")))
    line = page.locator(".drop-line")
    expect(line).to_be_visible()
    assert line.evaluate("line => getComputedStyle(line).backgroundColor") != "rgba(0, 0, 0, 0)"


# --- the pages of a ballot ---


MANY = [f"{first} {last}" for first in ("Ann", "Bea", "Cem", "Dag") for last in ("Åberg", "Noor", "Voss", "Wu", "Zog")]


def test_among_many_one_finds_a_name_and_ranks_it_with_enter(ballot):
    page = ballot(MANY)
    find = page.get_by_role("searchbox", name="Find by name")
    find.fill("aberg")
    assert page.locator(".pool .candidate-name:visible").all_inner_texts() == [
        f"{each} Åberg" for each in ("Ann", "Bea", "Cem", "Dag")
    ]
    find.press("Enter")  # which of the four is not said
    assert both(page) == ""
    find.fill("bea å")
    find.press("Enter")
    assert both(page) == "Bea Åberg"
    assert page.locator(".pool .candidate:visible").count() == len(MANY) - 1
    find.fill("nobody")
    expect(page.get_by_text("No unranked name matches.")).to_be_visible()
    find.fill("zog")
    press(page, "next", "Dag Zog")
    assert both(page) == "Bea Åberg > Dag Zog"
    assert page.locator(".pool .candidate:visible").count() == 3, "the others that were searched for"
    find.fill("cem wu")
    press(page, "next", "Cem Wu")
    expect(find).to_have_value("")
    assert page.locator(".pool .candidate:visible").count() == len(MANY) - 3
    expect(ballot().locator(".rank-find")).to_be_hidden()


def test_beside_a_long_list_the_ranking_stays_in_sight(ballot):
    page = ballot(MANY, {"Ann Voss": 1, "Bea Wu": 2})
    page.locator(".pool .candidate").last.scroll_into_view_if_needed()
    expect(page.locator(".ranked h2")).to_be_in_viewport()
    expect(page.locator(".place").last).to_be_in_viewport()


def test_a_name_from_the_right_stands_beside_its_grip(ballot):
    page = ballot(["Ada", "عبد الله"])
    sides = page.locator(".candidate").evaluate_all(
        "cards => cards.map(card => card.querySelector('.candidate-name').getBoundingClientRect().left"
        " - card.querySelector('.grip').getBoundingClientRect().right)"
    )
    assert sides[0] == sides[1] < 20


@pytest.fixture
def voter(visit) -> Page:
    return visit("about:blank", who="Wang Zhenyi")


BOARD = "/election/Board%202027/ballot/"


@pytest.mark.journey
def test_a_ballot_of_20_candidates_weighs_less_than_60_kilobytes_in_all(visit):
    voter = visit("about:blank", who="Katherine Johnson")  # has not voted yet
    meter = voter.context.new_cdp_session(voter)
    meter.send("Network.enable")
    meter.send("Network.setCacheDisabled", {"cacheDisabled": True})
    received = []
    meter.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    voter.goto(BOARD, wait_until="networkidle")
    there = voter.locator(".candidate").count()
    assert there == 5
    name, statement = "Maria Magdalena Hohenstein", "<p>Ten years of rowing, three of them as treasurer.</p>"
    choice = {"number": 20, "name": name, "statement": mark_safe(statement), "ranks": 20}
    each = len(render_to_string("ranking/parts/choice.html", choice).encode())
    assert len(received) >= 9, "the page, four styles, the scripts"
    assert sum(received) + each * (20 - there) < 60 * 1024


def cast_again(page: Page, board: str) -> None:
    page.goto(board)
    page.get_by_role("button", name="Review my ballot").click()
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Thank you. Your vote is changed.")).to_be_visible()


def test_on_a_phone_the_first_screen_shows_candidates(voter, board):
    voter.set_viewport_size({"width": 390, "height": 844})
    voter.goto(board())
    bar = voter.locator(".ballot-bar").bounding_box()["y"]
    names = [each.bounding_box() for each in voter.locator(".candidate-name").all()[:2]]
    assert all(box["y"] + box["height"] < bar for box in names)


@pytest.mark.journey
def test_a_public_ballot_is_ranked_reviewed_cast_and_followed_by_its_receipt(voter, board, visit, subtests):
    there = board(secret_ballot=False)
    voter.goto(there)
    for name in ("Chen Wei", "Noor al-Said"):
        press(voter, "next", name)
    voter.get_by_role("button", name="Review my ballot").click()
    expect(voter.locator(".ballot-ranks")).to_contain_text("Chen Wei")
    voter.get_by_role("button", name="Go back and change it").click()
    assert both(voter) == "Chen Wei > Noor al-Said"
    press(voter, "tie", "Noor al-Said")
    voter.get_by_role("button", name="Review my ballot").click()
    assert faults(voter) == []
    voter.get_by_role("button", name="Cast this ballot").click()
    expect(voter.get_by_role("heading", name="Thank you. Your vote is cast.")).to_be_visible()
    assert faults(voter) == []
    assert voter.evaluate("Object.keys(localStorage).filter(key => key.startsWith('draft '))") == []
    with subtests.test("the receipt, with its picture only for who opens it"):
        voter.get_by_role("link", name="Show my receipt").click()
        picture = voter.locator(".receipt-picture img")
        expect(picture).to_be_hidden()
        assert picture.evaluate("image => image.complete && image.naturalWidth > 0") is False
        voter.get_by_text("The code as a QR code").click()
        expect(picture).to_be_visible()
        voter.wait_for_function("document.querySelector('.receipt-picture img').naturalWidth > 0")
        assert faults(voter) == []
    with subtests.test("going back shows the ballot as it was cast, and nothing is sent again"):
        voter.go_back()
        assert both(voter) == "Chen Wei = Noor al-Said"
        voter.goto(f"{there}receipt/")

    tab = voter.context.new_page()
    with subtests.test("a receipt, or the thanks, say when the ballot was changed in another window"):
        expect(voter.locator("[data-changed]")).to_be_hidden()
        cast_again(tab, there)
        expect(voter.locator("[data-changed]")).to_be_visible()
    with subtests.test("they say when the ballot was changed on another device"):
        cast_again(visit("about:blank", who="Wang Zhenyi"), there)
        expect(tab.locator("[data-changed]")).to_be_hidden()
        tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(tab.locator("[data-changed]")).to_be_visible()
    with subtests.test("a blank ballot is called blank"):
        tab.goto(there)
        tab.get_by_role("button", name="Clear").click()
        tab.get_by_role("button", name="Review my ballot").click()
        expect(tab.get_by_text("This ballot is blank.")).to_be_visible()


def rank(page: Page, name: str, *, scripts: bool = True) -> None:
    if scripts:
        press(page, "next", name)
    else:
        page.locator(f".candidate:has-text('{name}') input").fill("1")


def cast(page: Page) -> None:
    page.get_by_role("button", name="Review my ballot").click()
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.locator("main h1")).to_contain_text("Thank you. Your vote is")


@pytest.mark.parametrize("scripts", [pytest.param(True, marks=pytest.mark.journey), False])
def test_a_secret_ballot_is_cast_and_changed_on_another_device_by_its_words(visit, board, scripts, subtests):
    there = board()
    page = visit(there, who="Wang Zhenyi", java_script_enabled=scripts)
    rank(page, "Chen Wei", scripts=scripts)
    cast(page)
    assert page.locator(".words, .receipt-picture, main img").count() == 0
    assert faults(page) == [] if scripts else True
    code = page.locator("#confirmation").inner_text()
    with subtests.test("the key on request"):
        page.get_by_role("button", name="Show my receipt").click()
        expect(page.get_by_role("heading", name="Keep these words")).to_be_visible()
        assert page.url.endswith("/change/receipt/")
        expect(page.locator("#confirmation")).to_have_text(code)
        expect(page.locator(".ballot-sheet")).to_contain_text("Chen Wei")
        assert faults(page) == [] if scripts else True
    words = page.locator(".words > li").all_inner_texts()
    if not scripts:
        with subtests.test("the same form again is the same receipt"):
            page.reload()
            assert page.locator(".words > li").all_inner_texts() == words
    with subtests.test("the page says that the vote counts"):
        page.goto(there)
        expect(page.get_by_role("heading", name="You have voted")).to_be_visible()
        assert faults(page) == [] if scripts else True
    with subtests.test(
        "this browser shows the receipt until the person signs out; without scripts it asks for the words"
    ):
        page.get_by_role("button", name="Show my receipt").click()
        if scripts:
            assert page.locator(".words > li").all_inner_texts() == words
        else:
            expect(page.get_by_label("Your twelve words")).to_be_visible()
        page.goto(there)
    with subtests.test("and opens the ballot"):
        page.get_by_role("button", name="Change my vote").click()
        if scripts:
            expect(page.locator("main")).to_contain_text("This is your current ballot")
            assert "#" not in page.url
        else:
            expect(page.get_by_label("Your twelve words")).to_be_visible()

    other = visit(there.replace("/ballot/", "/change/"), java_script_enabled=scripts)
    assert faults(other) == [] if scripts else True
    other.get_by_label("Your twelve words").fill(" ".join(words[:11]))
    other.get_by_role("button", name="Open my ballot").click()
    expect(other.get_by_role("alert")).to_contain_text("you entered 11")
    other.get_by_label("Your twelve words").fill("\n".join(words))
    other.get_by_role("button", name="Open my ballot").click()
    expect(other.locator("main")).to_contain_text("This is your current ballot")
    rank(other, "Sofia", scripts=scripts)
    cast(other)
    expect(other.locator("main h1")).to_have_text("Thank you. Your vote is changed.")
    expect(other.locator("#confirmation")).to_have_text(code)
    other.get_by_role("button", name="Show my receipt").click()
    expect(other.locator(".ballot-sheet")).to_contain_text("Sofia")

    with subtests.test("who has lost the words cannot change the vote, and it counts"):
        lost = visit(there, who="Wang Zhenyi", java_script_enabled=scripts)
        expect(lost.get_by_role("heading", name="Your ballot counts as you left it.")).to_be_visible()
        lost.get_by_role("button", name="Change my vote").click()
        lost.get_by_label("Your twelve words").fill(" ".join(["zoo"] * 11 + ["wrong"]))
        lost.get_by_role("button", name="Open my ballot").click()
        expect(lost.get_by_role("alert")).to_contain_text("do not open a ballot here")


KEPT = """() => Object.entries(localStorage).filter(([key]) => key.startsWith("secret ")).map(([, secret]) => secret)"""


@pytest.mark.journey
def test_the_browser_that_voted_remembers_the_ballot(visit, board, subtests):
    there = board()
    page = visit(there, who="Wang Zhenyi")
    rank(page, "Chen Wei")
    cast(page)
    (secret,) = page.evaluate(KEPT)
    assert re.fullmatch("[0-9a-f]{32}", secret)
    with subtests.test("loading the thanks again, or going back to them, sends nothing again"):
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.method) if request.is_navigation_request() else None)
        page.reload()
        expect(page.get_by_role("heading", name="You have voted")).to_be_visible()
        page.get_by_role("button", name="Change my vote").click()
        expect(page.locator("main")).to_contain_text("This is your current ballot")
        page.go_back()
        expect(page.get_by_role("heading", name="You have voted")).to_be_visible()
        assert sent == ["GET", "POST", "GET", "GET"]
    with subtests.test("as both halves, if the answer got lost"):
        keys = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('secret '))")
        page.evaluate("([key, halves]) => localStorage.setItem(key, halves)", [keys[0], "0" * 32 + "1" * 32])
        page.reload()
        expect(page.locator("main [name=secret]")).to_have_value("0" * 32 + "1" * 32)
        page.get_by_role("button", name="Show my receipt").click()
        expect(page.get_by_role("alert")).to_contain_text("do not open a ballot here")
        assert faults(page) == []
    with subtests.test("what is not a secret is not sent"):
        page.goto(there)
        page.evaluate("key => localStorage.setItem(key, 'x')", keys[0])
        page.reload()
        expect(page.locator("main [name=secret]")).to_have_value("")


@pytest.mark.parametrize(("scripts", "changeable"), [(True, True), (False, False)])
def test_a_strict_vote_leaves_nothing_behind(visit, board, scripts, changeable):
    there = board(changeable=changeable, safeguards=tuple(SAFEGUARDS))
    context = visit("/healthz", java_script_enabled=scripts).context
    come_in(context.request, "Wang Zhenyi")  # to a session of their own, as it ends
    page = context.new_page()
    page.goto(there)
    expect(page.locator("main")).to_contain_text("This vote counts.")
    before = {each["name"] for each in page.context.cookies()}
    rank(page, "Chen Wei", scripts=scripts)
    page.get_by_role("button", name="Review my ballot").click()
    expect(page.locator("main")).to_contain_text("This vote counts.")
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Protect your device")).to_be_visible()  # the browser asks for the box
    page.get_by_label("I have read how to protect my device.").check()
    assert faults(page) == [] if scripts else True
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.get_by_role("heading", name="Your vote counts.")).to_be_visible()
    assert faults(page) == [] if scripts else True
    assert page.locator(".words").count() == 0
    assert page.get_by_role("button", name="Show my receipt").count() == changeable
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    assert {each["name"] for each in page.context.cookies()} < before, "the session has ended"
    if scripts:
        kept = page.evaluate("Object.keys(localStorage).filter((key) => /^(draft|secret) /.test(key))")
        assert kept == []
    if scripts:
        page.go_back()
        expect(page.get_by_label("Password")).to_be_visible()
    else:
        with pytest.raises(Error, match="ERR_CACHE_MISS"):
            page.go_back()  # the browser has nothing to show without sending the form again
        page.wait_for_url("chrome-error://**")
    page.goto(there)
    expect(page.get_by_label("Password")).to_be_visible()


def test_the_receipt_of_a_strict_vote_has_the_words_and_not_the_ballot(visit, board):
    there = board(safeguards=(LEAVE, NO_DRAFTS))
    context = visit("/healthz").context
    come_in(context.request, "Wang Zhenyi")  # to a session of their own, as it ends
    page = context.new_page()
    page.goto(there)
    rank(page, "Chen Wei")
    cast(page)
    code = page.locator("#confirmation").inner_text()
    page.get_by_role("button", name="Show my receipt").click()
    expect(page.locator(".words > li")).to_have_count(12)
    expect(page.locator("#confirmation")).to_have_text(code)
    expect(page.locator("main")).not_to_contain_text("Chen Wei")
    assert faults(page) == []
    assert page.evaluate(KEPT) == []


def test_a_final_vote_shows_nothing_to_keep(visit, board):
    page = visit(board(changeable=False), who="Wang Zhenyi")
    rank(page, "Chen Wei")
    page.get_by_role("button", name="Review my ballot").click()
    page.get_by_role("button", name="Cast this ballot").click()
    expect(page.locator("main")).to_contain_text("votes are final")
    assert page.locator(".words, #confirmation").count() == 0


@pytest.mark.journey
def test_a_response_that_got_lost_leaves_the_ballot_with_its_voter(visit, board):
    """Whatever the voter does next: the browser has kept both halves of the secret."""
    there = board()
    page = visit("/healthz", who="Wang Zhenyi").context.new_page()  # one that may show that there was no answer
    page.goto(there)
    rank(page, "Chen Wei")
    page.get_by_role("button", name="Review my ballot").click()

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/cast/", lose)
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Cast this ballot").click()
    page.unroute("**/cast/")
    page.goto(there)
    expect(page.get_by_role("heading", name="You have voted")).to_be_visible()
    kept = page.evaluate("Object.entries(localStorage).find(([key]) => key.startsWith('secret '))[1]")
    assert re.fullmatch("[0-9a-f]{64}", kept)
    page.get_by_role("button", name="Show my receipt").click()
    expect(page.get_by_role("heading", name="Keep these words")).to_be_visible()
