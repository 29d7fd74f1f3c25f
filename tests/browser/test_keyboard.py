"""Everything by keyboard alone, and always visible where one is."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .conftest import until

FOCUSED = """() => {
  const element = document.activeElement;
  const ring = element.closest(".segments > label") ?? element;
  const style = getComputedStyle(ring);
  return {what: element.outerHTML.slice(0, 120), body: element === document.body,
          ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
          shown: ring.getBoundingClientRect().width > 0};
}"""


def tab_to(page: Page, selector: str, most: int = 200) -> None:
    for _ in range(most):
        page.keyboard.press("Tab")
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


@pytest.mark.parametrize("path", ["/", "/style/", "/nowhere"])
@pytest.mark.parametrize("width", [375, 1280])
def test_every_stop_shows_where_one_is(visit, path, width):
    page = visit(path, width=width)
    stops = []
    for _ in range(250):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop["body"]:
            break
        stops.append(stop)
    assert len(stops) > 5
    assert [stop["what"] for stop in stops if not (stop["ring"] and stop["shown"])] == []


def test_the_menu_of_a_phone_opens_and_closes(visit):
    page = visit("/style/", width=375)
    first = page.locator(".site-nav a").first
    expect(first).to_be_hidden()
    tab_to(page, ".nav-opener")
    page.keyboard.press("Enter")
    expect(first).to_be_visible()
    tab_to(page, ".site-nav a", most=2)
    page.keyboard.press("Escape")
    expect(first).to_be_hidden()
    expect(page.locator(".nav-opener")).to_be_focused()


def test_a_list_of_one_link_needs_no_menu(visit):
    page = visit("/", width=375)
    expect(page.locator(".nav-opener")).to_be_hidden()


def test_a_dropdown_opens_and_escape_leads_back(visit):
    page = visit("/style/")
    tab_to(page, "#sample-menu > summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#sample-menu a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#sample-menu > summary")).to_be_focused()
    expect(page.locator("#sample-menu ul")).to_be_hidden()


def test_a_dropdown_closes_when_something_else_is_pressed(visit):
    page = visit("/style/")
    page.click("#sample-menu > summary")
    expect(page.locator("#sample-menu ul")).to_be_visible()
    page.click("h1")
    expect(page.locator("#sample-menu ul")).to_be_hidden()


def test_tabs_are_one_stop_and_arrows_choose(visit):
    page = visit("/style/")
    tabs = page.get_by_role("tab")
    tab_to(page, "[role=tab]")
    expect(tabs.nth(0)).to_be_focused()
    for key, chosen in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowRight", 0),
        ("ArrowLeft", 2),
        ("Home", 0),
        ("End", 2),
    ):
        page.keyboard.press(key)
        expect(tabs.nth(chosen)).to_be_focused()
        expect(tabs.nth(chosen)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel")).to_have_count(1)
    page.keyboard.press("Tab")
    expect(page.locator("#tab-ballots")).to_be_focused()


def test_from_right_to_left_the_left_arrow_goes_on(visit):
    page = visit("/style/")
    page.evaluate("document.documentElement.dir = 'rtl'")
    page.get_by_role("tab").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab").nth(1)).to_be_focused()


def test_an_address_can_name_a_tab(visit):
    page = visit("/style/#tab-rounds")
    expect(page.get_by_role("tab").nth(1)).to_have_attribute("aria-selected", "true")


def test_a_dialog_holds_the_focus_and_gives_it_back(visit):
    page = visit("/style/")
    tab_to(page, "a[data-opens]")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(page.locator("#close-word")).to_be_focused()
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("a[data-opens]")).to_be_focused()


def test_a_dialog_stands_in_the_middle_and_its_link_closes_it(visit):
    page = visit("/style/")
    page.click("a[data-opens]")
    box = page.get_by_role("dialog").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - 640) < 20
    assert abs(box["y"] + box["height"] / 2 - 400) < 20
    page.get_by_role("link", name="Keep it open").click()
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_wide_table_scrolls_by_arrow_keys(visit):
    page = visit("/style/", width=375)
    box = page.locator(".table-box.scrolls")
    box.focus()
    page.keyboard.press("ArrowRight")
    until(lambda: box.evaluate("box => box.scrollLeft") > 0)
