"""What a room asks, in real browsers: without loading pages anew, with the focus where it was."""

from __future__ import annotations

import os

from playwright.sync_api import expect

from live.qa import services
from live.qa.rules import Mode
from live.questions import Type

from .live_hall import HOST, PHONE, WALL, judged
from .test_live import WHO, hall_of, store  # noqa: F401 - fixtures


def shot(page, name):
    if os.environ.get("QA_SHOTS"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=f"{os.environ['QA_SHOTS']}/{name}-{scheme}.png", full_page=True)


def test_a_room_asks(hall_of):  # noqa: F811
    hall = hall_of(Type.TRIVIA, WHO)
    services.set_up(hall.game.id, HOST, is_on=True, mode=Mode.APPROVED)
    ada, ben = hall.phone("Ada"), hall.phone("Ben")
    shot(ada, "play")
    for page in (ada, ben):
        page.get_by_role("link", name="Questions").click()
    host = hall.visit(hall.path("qa/manage"), who=HOST, width=WALL)
    wall = hall.screen()
    for text in ("Why do we meet on Fridays and not on any other day of the week?", "Who pays for the bus?"):
        ada.fill("#question", text)
        ada.click("#ask button")
        expect(ada.locator("[data-told]")).to_contain_text("The host looks at it first")
        expect(ada.locator("#question")).to_have_value("")
        expect(host.locator("#screen")).to_contain_text(text)
    expect(ada.locator("#mine")).to_contain_text("It waits for the host.")
    shot(host, "manage-waiting")
    shot(ada, "qa-own")
    ben.fill("#question", "What I am writing just now")
    for _time in range(2):
        host.locator(".is-waiting").first.get_by_role("button", name="Show").click()
        expect(host.locator(".is-waiting")).to_have_count(1 - _time)
    expect(ben.locator("#screen .qa-item")).to_have_count(2)
    assert ben.input_value("#question") == "What I am writing just now"
    second = ben.get_by_role("button", name="Upvote: Who pays")
    second.focus()
    ben.keyboard.press("Enter")
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(ben.locator("#screen .qa-item").first).to_contain_text("Who pays")
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-pressed", "true")
    expect(host.locator(".qa-item", has_text="Who pays").locator("[data-number]")).to_have_text("1")
    host.locator(".qa-item", has_text="Who pays").get_by_role("button", name="On the big screen").click()
    expect(wall.locator(".qa-up")).to_contain_text("Who pays for the bus?")
    shot(wall, "wall")
    shot(ben, "qa")
    shot(host, "manage")
    assert [each for page in (ada, ben, host, wall) for each in judged(page)] == []
    host.locator(".qa-item", has_text="Who pays").get_by_role("button", name="Hide").click()
    expect(wall.locator(".qa-up")).to_have_count(0)
    expect(ben.locator("#screen")).not_to_contain_text("Who pays")
    host.locator(".qa-item", has_text="Why do we").get_by_role("link").click()
    host.fill("#answer", "Because the hall is free.")
    shot(host, "answering")
    host.click("text=Publish the answer")
    expect(ada.locator("#mine")).to_contain_text("Because the hall is free.")
    if os.environ.get("QA_SHOTS"):
        host.set_viewport_size({"width": PHONE, "height": 800})
        shot(host, "manage-phone")
        host.click("summary")
        shot(host, "manage-settings")
        host.goto(hall.path("host"))
        host.set_viewport_size({"width": WALL, "height": 720})
        host.click("summary")
        shot(host, "host")
        services.moderate(
            hall.game.id,
            ada.locator("#screen .qa-item").first.get_attribute("id"),
            HOST,
            __import__("live.qa.rules").qa.rules.Act.PUT_UP,
        )
        expect(host.locator(".qa-up")).to_have_count(1)
        host.click("summary")
        shot(host, "host-up")
        host.goto(hall.path("remote"))
        host.set_viewport_size({"width": PHONE, "height": 800})
        shot(host, "remote")
        host.goto(hall.path("report"))
        shot(host, "report")
        host.goto("/live/new/")
        host.click("text=More choices")
        shot(host, "make")
        shot(ada, "qa-answered")
        ada.set_viewport_size({"width": 1280, "height": 800})
        shot(ada, "qa-wide")
        ada.goto(hall.path("play"))
        shot(ada, "play2")
