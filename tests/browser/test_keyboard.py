"""Everything by keyboard alone, and always visible where one is."""

from __future__ import annotations

from itertools import takewhile

import pytest
from playwright.sync_api import Page, expect

from .conftest import until
from .test_access import look

FOCUSED = """() => {
  const element = document.activeElement;
  const ring = element.closest(".segments > label") ?? element;
  const style = getComputedStyle(ring);
  return {what: element.outerHTML.slice(0, 120), body: element === document.body,
          ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
          shown: ring.getBoundingClientRect().width > 0};
}"""
NOTE_EACH = f"""() => {{
  window.stops = [];
  addEventListener("keydown", () => stops.push(({FOCUSED})()), true);
}}"""
STEPS_PER_CHECK = 10  # steps before somebody asks where they led

INSIDE = "document.activeElement === document.body || !!document.activeElement.closest('dialog')"

CHOSEN_BY_KEYS = (
    ("ArrowRight", 1),
    ("ArrowRight", 2),
    ("ArrowRight", 0),
    ("ArrowLeft", 2),
    ("Home", 0),
    ("End", 2),
)


def tab_to(page: Page, selector: str, most: int = 200, key: str = "Tab") -> None:
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never came to {selector}.")


def test_the_first_stop_skips_to_the_content(visit):
    page = visit("/")
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    assert skip.evaluate("link => getComputedStyle(link).clipPath") == "none"
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def stops_of(page: Page) -> list[dict]:
    """Where Tab leads, from the beginning until it leaves the page."""
    page.evaluate(NOTE_EACH)
    page.keyboard.down("Tab")
    for _ in range(250 // STEPS_PER_CHECK):
        for _ in range(STEPS_PER_CHECK):
            page.keyboard.down("Tab")  # and held: each time it leads one further
        stops = page.evaluate("stops.slice(1)")  # each as it stood when the next was asked for; first there was none
        if any(stop["body"] for stop in stops):
            break
    page.keyboard.up("Tab")
    return list(takewhile(lambda stop: not stop["body"], stops))


def test_every_stop_shows_where_one_is(visit, subtests):
    page = visit("/")
    for path in ("/", "/style/", "/nowhere"):
        for width in (375, 1280):
            with subtests.test("every stop shows where one is", path=path, width=width):
                look(page, width)
                page.goto(path)
                stops = stops_of(page)
                assert len(stops) > 5
                assert [stop["what"] for stop in stops if not (stop["ring"] and stop["shown"])] == []


@pytest.mark.journey
def test_what_opens_on_a_phone(visit, subtests):
    page = visit("/", width=375)
    with subtests.test("the way in and the menu stand side by side"):
        tops = page.locator(".site-header .account, .nav-opener").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().bottom)"
        )
        assert max(tops) - min(tops) < 20
    page.goto("/style/")
    with subtests.test("the menu of a phone opens and closes"):
        first = page.locator(".site-nav a").first
        expect(first).to_be_hidden()
        tab_to(page, ".nav-opener")
        page.keyboard.press("Enter")
        expect(first).to_be_visible()
        tab_to(page, ".site-nav a", most=2)
        page.keyboard.press("Escape")
        expect(first).to_be_hidden()
        expect(page.locator(".nav-opener")).to_be_focused()
    with subtests.test("a wide table scrolls by arrow keys"):
        box = page.locator(".table-box.scrolls")
        box.focus()
        page.keyboard.press("ArrowRight")
        until(lambda: box.evaluate("box => box.scrollLeft") > 0)


def test_what_opens_on_a_desk(visit, subtests):
    page = visit("/style/")
    menu, dialog, tabs = page.locator("#sample-menu"), page.get_by_role("dialog"), page.get_by_role("tab")
    with subtests.test("a dropdown opens and Escape leads back"):
        tab_to(page, "#sample-menu > summary")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(menu.locator("a").first).to_be_focused()
        page.keyboard.press("Escape")
        expect(menu.locator("summary")).to_be_focused()
        expect(menu.locator("ul")).to_be_hidden()
    with subtests.test("a dialog holds the focus and gives it back"):
        tab_to(page, "a[data-opens]")
        page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
        expect(page.locator("#close-word")).to_be_focused()
        for _ in range(8):
            page.keyboard.press("Tab")
            assert page.evaluate(INSIDE)
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(page.locator("a[data-opens]")).to_be_focused()
    with subtests.test("tabs are one stop and arrows choose"):
        tab_to(page, "[role=tab]")
        expect(tabs.nth(0)).to_be_focused()
        for key, chosen in CHOSEN_BY_KEYS:
            page.keyboard.press(key)
            expect(tabs.nth(chosen)).to_be_focused()
            expect(tabs.nth(chosen)).to_have_attribute("aria-selected", "true")
            expect(page.get_by_role("tabpanel")).to_have_count(1)
        page.keyboard.press("Tab")
        expect(page.locator("#tab-ballots")).to_be_focused()
    with subtests.test("a dropdown closes when something else is pressed"):
        page.click("#sample-menu > summary")
        expect(menu.locator("ul")).to_be_visible()
        page.click("h1")
        expect(menu.locator("ul")).to_be_hidden()
    with subtests.test("a dialog stands in the middle and its link closes it"):
        page.click("a[data-opens]")
        box = dialog.bounding_box()
        assert abs(box["x"] + box["width"] / 2 - 640) < 20
        assert abs(box["y"] + box["height"] / 2 - 400) < 20
        page.get_by_role("link", name="Keep it open").click()
        expect(dialog).to_be_hidden()
    with subtests.test("from right to left the left arrow goes on"):
        page.evaluate("document.documentElement.dir = 'rtl'")
        tabs.first.focus()
        page.keyboard.press("ArrowLeft")
        expect(tabs.nth(1)).to_be_focused()


def test_an_address_can_name_a_tab(visit):
    page = visit("/style/#tab-rounds")
    expect(page.get_by_role("tab").nth(1)).to_have_attribute("aria-selected", "true")
