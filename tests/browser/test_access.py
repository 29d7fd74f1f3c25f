"""Pages everybody can read and use: judged by axe, at every width, in light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

PAGES = ("/", "/style/", "/nowhere")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def faults(page: Page) -> list[str]:
    found = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]}).response["violations"]
    return [f"{fault['id']}: {node['html'][:160]}" for fault in found for node in fault["nodes"]]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit, path, width, scheme):
    assert faults(visit(path, width=width, color_scheme=scheme)) == []


def test_axe_finds_nothing_with_more_contrast_wanted(visit):
    page = visit("/style/", contrast="more")
    assert page.evaluate("matchMedia('(prefers-contrast: more)').matches")
    assert faults(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_what_opens(visit, scheme):
    page = visit("/style/", width=375, color_scheme=scheme)
    page.click(".nav-opener")
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.click("#sample-menu > summary")
    assert faults(page) == []
    page.click("a[data-opens]")
    assert faults(page) == []


def test_axe_notices_a_fault(visit):
    page = visit("/")
    page.evaluate("document.querySelector('h1').after(document.createElement('button'))")
    assert any(fault.startswith("button-name") for fault in faults(page))


# --- nothing sticks out ---

WIDTH = "[document.documentElement.scrollWidth, innerWidth]"


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_sticks_out_of_a_page_of_320_pixels(visit, path, direction):
    page = visit(path, width=320)
    page.evaluate("direction => document.documentElement.dir = direction", direction)
    needed, there = page.evaluate(WIDTH)
    assert needed <= there


@pytest.mark.parametrize("path", PAGES)
def test_longer_german_words_fit_too(visit, path):
    page = visit(path, width=320, locale="de-DE")
    assert page.evaluate("document.documentElement.lang") == "de"
    needed, there = page.evaluate(WIDTH)
    assert needed <= there


@pytest.mark.parametrize("path", PAGES)
def test_text_of_twice_the_size_fits(visit, path):
    page = visit(path, width=1024)
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    needed, there = page.evaluate(WIDTH)
    assert needed <= there


@pytest.mark.parametrize("path", PAGES)
def test_words_and_lines_set_wider_apart_fit(visit, path):
    page = visit(path, width=320)
    page.evaluate(
        """for (const element of document.querySelectorAll("body *")) {
             Object.assign(element.style, {lineHeight: 1.5, letterSpacing: "0.12em", wordSpacing: "0.16em"});
           }"""
    )
    needed, there = page.evaluate(WIDTH)
    assert needed <= there


def test_a_table_too_wide_scrolls_in_its_own_box(visit):
    box = visit("/style/", width=320).locator(".table-box.scrolls")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")


def test_on_a_phone_a_stacked_table_shows_what_each_value_is(visit):
    page = visit("/style/", width=320)
    cell = page.locator(".stacks td[data-label='Ballots']").first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Ballots"'
    assert page.locator(".table-box:has(.stacks)").evaluate("box => box.scrollWidth <= box.clientWidth")


# --- large enough to touch ---

TARGETS = """selector => [...document.querySelectorAll(selector)]
  .filter(element => element.checkVisibility({visibilityProperty: true}) && !element.closest(".skip, .out-of-sight"))
  .filter(element => getComputedStyle(element).display !== "inline")
  .map(element => ({what: element.outerHTML.slice(0, 120), box: element.getBoundingClientRect().toJSON()}))"""


def smaller_than(page: Page, selector: str, pixels: float) -> list[str]:
    targets = page.evaluate(TARGETS, selector)
    assert targets
    return [target["what"] for target in targets if min(target["box"]["width"], target["box"]["height"]) < pixels - 0.5]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("width", [320, 1280])
def test_everything_to_press_is_large_enough(visit, path, width):
    page = visit(path, width=width)
    assert smaller_than(page, "a[href], button, input:not([type=hidden]), select, textarea, summary", 24) == []
    assert smaller_than(page, ".wordmark, .site-nav a, .button:not(.small), .choices label, .tabs a", 44) == []
