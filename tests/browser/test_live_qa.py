"""What a room asks, in real browsers: with somebody in it who wants to spoil it, and nobody else disturbed."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from parts.live import repository
from parts.live.rules import Step
from parts.live.services import moving
from parts.questions.question import Type

from .live_hall import HOST, WALL_WIDTH_PX, Hall, Voice, judged, press
from .test_live import WHO, hall_of, store, tap  # noqa: F401 - fixtures

WHY = "Why do we meet on Fridays and not on any other day of the week?"
BUS = "Who pays for the bus?"


def asks(page: Page, hall: Hall, text: str, told: str) -> None:
    page.fill("#question", text)
    page.click("#ask button")
    expect(page.locator("[data-told]")).to_contain_text(told)
    expect(page.locator("#question")).to_have_value("")


def test_a_room_asks_with_a_troll_in_it(hall_of):  # noqa: F811
    hall = hall_of(Type.TRIVIA, WHO)
    host = hall.visit(hall.path("qa/manage") + "?settings", who=HOST, width=WALL_WIDTH_PX)

    # the host takes questions at once, but for those with a word of a list
    host.get_by_label("unless they contain a word on your list").check()
    host.get_by_label("Your list of blocked words").fill("swindle\n")
    press(host, "Turn questions on")
    expect(host.locator("main")).to_contain_text("Players find them on their phones.")
    ada, ben, troll = (hall.phone(name) for name in ("Ada", "Ben", "Cy"))
    wall = hall.screen()
    for page in (ada, troll):
        page.get_by_role("link", name="Questions").click()

    # a listed word keeps a question back, however it is spelt; one person cannot flood the host
    asks(troll, hall, "This is a SWÌNDLE!", "contains a word on the host's list")
    expect(troll.locator("#mine")).to_contain_text("is waiting for the host.")
    flood = Voice(troll.context.request)
    for number in range(2, 6):
        flood.sends(hall.path("qa"), text=f"Swindle number {number}?")
    troll.fill("#question", "One more swindle?")
    troll.click("#ask button")
    expect(troll.locator("[data-told] .error")).to_be_visible()
    expect(troll.locator("#question")).to_have_value("One more swindle?")
    expect(host.locator(".is-waiting")).to_have_count(5)
    expect(ada.locator("#screen")).to_contain_text("No questions yet.")
    assert judged(host, "light") + judged(troll, "dark") == []

    # others ask, upvote and answer as if nobody disturbed them
    asks(ada, hall, WHY, "visible to everybody")
    asks(ada, hall, BUS, "visible to everybody")
    moving.drive(hall.game.id, HOST, Step.NEXT, repository.read_state(hall.game.id).version)
    tap(ben, "Schulze")
    expect(ben.locator("[aria-pressed=true]")).to_contain_text("Schulze")
    ben.get_by_role("link", name="Questions").click()
    expect(ben.locator("#screen .qa-item")).to_have_count(2)
    ben.fill("#question", "What I am writing just now")
    bus = ben.get_by_role("button", name=f"Upvote: {BUS}")
    bus.focus()
    ben.keyboard.press("Enter")
    expect(bus).to_have_attribute("aria-pressed", "true")
    expect(ben.locator("#screen .qa-item").first).to_contain_text(BUS)
    expect(bus).to_be_focused()
    expect(host.locator(".qa-item", has_text=BUS).locator("[data-number]")).to_have_text("1")

    # what is hidden is gone for everybody with the next push, and its author is told
    host.locator(".is-waiting", has_text="number 2").get_by_role("button", name="Show").click()
    expect(ben.locator("#screen .qa-item")).to_have_count(3)
    host.locator(".qa-item", has_text="number 2").get_by_role("button", name="Show on the big screen").click()
    expect(wall.locator(".qa-up")).to_contain_text("Swindle number 2?")
    host.locator(".qa-item", has_text="number 2").get_by_role("button", name="Hide").click()
    expect(wall.locator(".qa-up")).to_have_count(0)
    expect(ben.locator("#screen")).not_to_contain_text("Swindle")
    expect(troll.locator(".qa-own .is-hidden")).to_contain_text("Hidden by the host.")
    assert ben.input_value("#question") == "What I am writing just now"
    assert not {"Swindle", "SWÌNDLE!"} & set(ada.locator("main").inner_text().split())

    # a question is answered on the big screen and in writing, and who asked it is told
    host.locator(".qa-item", has_text=BUS).get_by_role("button", name="Show on the big screen").click()
    expect(wall.locator(".qa-up")).to_contain_text(BUS)
    assert judged(wall, "dark") == []
    host.locator(".qa-item", has_text=BUS).get_by_role("link", name="Answer in writing").click()
    host.fill("#answer", "The club does.")
    press(host, "Publish the answer")
    expect(wall.locator(".qa-up")).to_contain_text("The club does.")
    expect(ada.locator("#mine .is-answered")).to_contain_text("Answered.")
    expect(ada.locator("#mine .is-answered")).to_contain_text("The club does.")
    ben.get_by_role("link", name="Back to the session").click()
    expect(ben.locator("[aria-pressed=true]")).to_contain_text("Schulze")
