"""Pages everybody can read and use: judged by axe, at every width, in light and dark, in turn."""

from __future__ import annotations

import os
from collections.abc import Sequence
from zlib import crc32

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Frame, Page

PAGES = ("/", "/style/", "/nowhere")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


AXE = Axe().axe_script
JUDGE = """async ([within, rules]) => {
  const {violations} = await axe.run(within ?? document, {resultTypes: ["violations"], runOnly: rules});
  return violations.flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 160)}`));
}"""
AT_REST = """() => Promise.allSettled(document.getAnimations()
  .filter(animation => animation.effect.getComputedTiming().iterations !== Infinity)
  .map(animation => (animation.finish(), animation.finished)))"""


def faults(page: Page | Frame, within: str | None = None) -> list[str]:
    """What axe, as it ships, finds wrong in a page or in a part of it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(f"{AXE}; undefined")
    page.evaluate(AT_REST)
    return page.evaluate(JUDGE, [within, RULES])


IS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"


def look(page: Page, width: int, scheme: str = "light") -> None:
    """See the same page on another screen, in another look, when its colours have come to rest."""
    size = {"width": width, "height": 800}
    if page.viewport_size != size:
        page.set_viewport_size(size)
    if page.evaluate(IS_DARK) != (scheme == "dark"):
        page.emulate_media(color_scheme=scheme)
    page.evaluate(AT_REST)


Look = tuple[int, str]  # a width and a scheme


def in_turn(looks: Sequence[Look], name: str) -> Sequence[Look]:
    """Those looks of a page that axe judges: with EVERY_LOOK all, else one, each page another."""
    return looks if os.environ.get("EVERY_LOOK") else [looks[crc32(name.encode()) % len(looks)]]


LOOKS = [(width, scheme) for width in (320, 1280) for scheme in ("light", "dark")]


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(visit, subtests, path):
    page = visit(path)
    for width, scheme in in_turn(LOOKS, path):
        with subtests.test("axe finds nothing", width=width, scheme=scheme):
            look(page, width, scheme)
            assert faults(page) == []


A_DOZEN = {
    "": ("/", "/sign-in/", "/try/", "/help/", "/news/"),
    "Wang Zhenyi": ("/", "/elections/", "/election/Talk of the year/", "/election/Talk of the year/results/"),
    "Alan Turing": ("/election/Talk of the year/dashboard/", "/election/Talk of the year/roll/", "/polls/new/"),
}


@pytest.mark.journey
@pytest.mark.parametrize("who", A_DOZEN, ids=lambda who: who or "stranger")
def test_axe_finds_nothing_on_a_dozen_pages(visit, subtests, who):
    page = visit(A_DOZEN[who][0], who=who)
    for number, path in enumerate(A_DOZEN[who]):
        with subtests.test("axe finds nothing", path=path):
            assert page.goto(path).ok
            look(page, *LOOKS[number % len(LOOKS)])
            assert faults(page) == []


def test_axe_finds_nothing_with_more_contrast_wanted(visit):
    page = visit("/style/", contrast="more")
    assert page.evaluate("matchMedia('(prefers-contrast: more)').matches")
    assert faults(page) == []


OPENERS = {".nav-opener": ".site-nav", "#sample-menu > summary": "#sample-menu", "a[data-opens]": "dialog[open]"}


def test_axe_finds_nothing_in_what_opens(visit, subtests):
    page = visit("/style/", width=375)
    for opener, part in OPENERS.items():
        page.click(opener)
        for width, scheme in in_turn([(375, "light"), (375, "dark")], opener):
            with subtests.test("axe finds nothing in what opens", opener=opener, scheme=scheme):
                look(page, width, scheme)
                assert faults(page, part) == []
        page.keyboard.press("Escape")


@pytest.mark.journey
def test_axe_notices_a_fault(visit):
    page = visit("/")
    page.evaluate("document.querySelector('h1').after(document.createElement('button'))")
    page.evaluate("document.querySelector('h1').style.color = 'silver'")
    assert {"button-name", "color-contrast"} <= kinds_of(faults(page))


def kinds_of(faults: list[str]) -> set[str]:
    return {fault.partition(":")[0] for fault in faults}


# --- nothing sticks out ---

WIDTH = "[document.documentElement.scrollWidth, innerWidth]"
TURN = "direction => document.documentElement.dir = direction"
ENLARGE = "document.documentElement.style.fontSize = '200%'"
SET_WIDER_APART = """for (const element of document.querySelectorAll("body *")) {
  Object.assign(element.style, {lineHeight: 1.5, letterSpacing: "0.12em", wordSpacing: "0.16em"});
}"""


def fits(page: Page) -> bool:
    needed, there = page.evaluate(WIDTH)
    return needed <= there


@pytest.mark.parametrize("path", PAGES)
def test_nothing_sticks_out(visit, subtests, path):
    page = visit(path, width=320)
    for direction in ("rtl", "ltr"):
        with subtests.test("nothing sticks out of a page of 320 pixels", direction=direction):
            page.evaluate(TURN, direction)
            assert fits(page)
    with subtests.test("words and lines set wider apart fit"):
        page.evaluate(SET_WIDER_APART)
        assert fits(page)
    with subtests.test("text of twice the size fits"):
        page.reload()
        look(page, 1024)
        page.evaluate(ENLARGE)
        assert fits(page)


def test_longer_german_words_fit_too(visit, subtests):
    page = visit(PAGES[0], width=320, locale="de-DE")
    for path in PAGES:
        with subtests.test("longer German words fit too", path=path):
            page.goto(path)
            assert page.evaluate("document.documentElement.lang") == "de"
            assert fits(page)


def test_tables_fit_a_phone(visit, subtests):
    page = visit("/style/", width=320)
    with subtests.test("a table too wide scrolls in its own box"):
        box = page.locator(".table-box.scrolls")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    with subtests.test("a stacked table shows what each value is"):
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
def test_everything_to_press_is_large_enough(visit, subtests, path):
    page = visit(path)
    for width in (320, 1280):
        with subtests.test("everything to press is large enough", width=width):
            look(page, width)
            assert smaller_than(page, "a[href], button, input:not([type=hidden]), select, textarea, summary", 24) == []
            assert smaller_than(page, ".wordmark, .site-nav a, .button:not(.small), .choices label, .tabs a", 44) == []


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_the_header_is_one_line_whatever_the_site_is_called(visit, language):
    page = visit("/elections/", who="Ada Lovelace", locale=language)
    for name in ("Plenum", "Gemeinnütziger Verein der Freunde e. V. Süd"):
        page.evaluate("name => (document.querySelector('.wordmark span').textContent = name)", name)
        for width in (320, 390, 768, 993, 1024, 1280):
            look(page, width)
            tops = (
                "all => all.map(each => each.getBoundingClientRect()).filter(each => each.width).map(each => each.top)"
            )
            parts = page.locator(".site-nav a, .account > a, .account > button, .nav-opener").evaluate_all(tops)
            assert parts, (name, width)
            assert max(parts) - min(parts) < 20, (name, width)
            assert fits(page), (name, width)
