"""What a room asks, in real browsers: without loading pages anew, and with the focus where it was."""

from __future__ import annotations

from playwright.sync_api import expect

from live.qa import services
from live.qa.rules import Mode
from live.questions import Type

from .live_hall import HOST, WALL, judged
from .test_live import WHO, hall_of, store  # noqa: F401 - fixtures


def test_a_room_asks(hall_of):  # noqa: F811
    hall = hall_of(Type.TRIVIA, WHO)
    services.set_up(hall.game.id, HOST, is_on=True, mode=Mode.APPROVED)
    ada, ben = hall.phone("Ada"), hall.phone("Ben")
    for page in (ada, ben):
        page.get_by_role("link", name="Questions").click()
    host = hall.visit(hall.path("qa/manage"), who=HOST, width=WALL)
    for text in ("Why do we meet on Fridays?", "Who pays for the bus?"):
        ada.fill("#question", text)
        ada.click("#ask button")
        expect(ada.locator("[data-told]")).to_contain_text("The host looks at it first")
        expect(ada.locator("#question")).to_have_value("")
        expect(host.locator(".is-waiting", has_text=text)).to_have_count(1)
        host.locator(".is-waiting", has_text=text).get_by_role("button", name="Show").click()
    expect(ada.locator("#mine")).not_to_contain_text("It waits for the host.")
    ben.fill("#question", "What I am writing just now")
    second = ben.get_by_role("button", name="Upvote: Who pays")
    second.focus()
    ben.keyboard.press("Enter")
    expect(ben.locator("#screen .qa-item").first).to_contain_text("Who pays")
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(host.locator(".qa-item", has_text="Who pays").locator("[data-number]")).to_have_text("1")
    assert judged(ben, "dark") + judged(host, "light") == []
    host.locator(".qa-item", has_text="Who pays").get_by_role("button", name="Hide").click()
    expect(ben.locator("#screen")).not_to_contain_text("Who pays")
    expect(ada.locator("#mine")).to_contain_text("The host has hidden it.")
    assert ben.input_value("#question") == "What I am writing just now"
