"""A picture on its way to the table: shown before it is sent, refused with a sentence, sent with its progress told."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.photos.drawing import SVG, encoded, upright

from .conftest import until
from .test_access import LOOKS, faults, in_turn, look

PAGE = "/election/Name of the new reading room/candidates/Lovelace Room/picture/"
MEETING = "/election/Where we meet next summer/ballot/"
TOLD = """() => {
  window.told = [];
  const note = new MutationObserver(() => window.told.push(document.querySelector("[data-progress] p").textContent));
  note.observe(document.querySelector("[data-progress] p"), {childList: true});
}"""


def choose(page: Page, raw: bytes, name: str = "room.jpg", kind: str = "image/jpeg") -> None:
    page.set_input_files("input[type=file]", {"name": name, "mimeType": kind, "buffer": raw})


def test_a_picture_is_chosen_refused_sent_and_shown(visit):
    page = visit(PAGE, who="Emmy Noether")
    problem = page.locator("[data-problem]")
    choose(page, bytes(8 * 1024**2 + 1))
    expect(problem).to_contain_text("too large")
    page.fill("[name=alt]", "A quiet room")
    page.click("main form button.button")
    expect(problem).to_be_focused()
    choose(page, SVG, "room.svg", "image/svg+xml")
    page.click("main form button.button")
    expect(problem).to_contain_text("SVG files are not accepted")
    choose(page, encoded(upright(900, 600)))
    expect(problem).to_be_hidden()
    expect(page.locator("canvas[role=img]")).to_be_visible()
    assert (
        page.evaluate("[...document.querySelector('canvas').getContext('2d').getImageData(9, 9, 1, 1).data]")[0] > 150
    )
    for width, scheme in in_turn(LOOKS[1:3], "a chosen picture"):
        look(page, width, scheme)
        assert faults(page) == []
    page.evaluate(TOLD)
    held = []
    page.route("**/picture/", lambda route: held.append(route))  # noqa: PLW0108 - a builtin cannot be marked
    page.click("main form button.button")
    until(lambda: page.evaluate("true") and bool(held))  # to ask the page lets the browser tell us
    expect(page.locator("[data-progress]")).to_be_visible()
    expect(page.locator("main form button.button")).to_be_disabled()
    assert "Uploading the picture." in page.evaluate("window.told")
    held[0].continue_()
    page.wait_for_url("**/candidates/")
    expect(page.locator("main")).to_contain_text("The picture is saved.")
    expect(page.locator("main img.thumb")).to_have_attribute("alt", "A quiet room")
    until(lambda: page.evaluate("document.querySelector('main img.thumb').naturalWidth") == 160)


def test_candidates_and_people_are_seen_on_their_pages(visit):
    """The demo's; on the ballot the pictures stand beside the names, and ranking goes on as it did."""
    for path in ("/profile/Ada Lovelace/", "/election/Where we meet next summer/", MEETING):
        page = visit(path, who="Hypatia", width=320)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert faults(page, "main") == []
        for image in page.locator("main img").all():
            image.scroll_into_view_if_needed()
            until(lambda image=image: image.evaluate("each => each.naturalWidth") > 0)
    page.click(".pool .candidate:has(.thumb) .rank-next:visible")
    expect(page.locator(".pool .candidate")).to_have_count(0)
    expect(page.locator(".candidate > .thumb")).to_have_count(3)
