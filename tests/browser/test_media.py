"""Paper, calm, and colours the reader's system has chosen."""

from __future__ import annotations

from playwright.sync_api import expect


def test_on_paper(visit, subtests):
    page = visit("/style/", color_scheme="dark")
    page.emulate_media(media="print")
    with subtests.test("on paper there is nothing to press and nothing hidden"):
        for gone in (".site-nav", ".nav-opener", ".site-footer form", ".code .button", ".tabs >> nth=0"):
            expect(page.locator(gone).first).to_be_hidden()
        for name in ("winner", "rounds", "ballots"):
            expect(page.locator(f"#tab-{name}")).to_be_visible()
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
        assert page.evaluate("getComputedStyle(document.documentElement).color") == "rgb(0, 0, 0)"
    with subtests.test("a wide table is whole on paper"):
        page.set_viewport_size({"width": 720, "height": 800})
        box = page.locator(".table-box.scrolls")
        assert box.evaluate("box => getComputedStyle(box).overflowX") == "visible"
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
        row = box.locator("tbody th").first
        assert row.evaluate("row => row.clientWidth") > 40, "the name is not broken letter by letter"
    with subtests.test("what is on paper is dark on light also for who chose dark"):
        page.emulate_media(media="screen", color_scheme="light")
        page.get_by_label("Dark", exact=True).check()
        page.emulate_media(media="print")
        colour = page.locator(".card").first.evaluate("card => getComputedStyle(card).backgroundColor")
        assert colour == "rgb(255, 255, 255)"


MOVING = (
    "document.getAnimations().filter(animation => animation.effect.getComputedTiming().iterations === Infinity).length"
)


def test_nothing_moves_for_who_wants_calm(visit):
    page = visit("/style/", reduced_motion="no-preference")
    assert page.evaluate(MOVING) > 0
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert page.evaluate(MOVING) == 0
    page.locator("a[href='#names']").first.focus()
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    assert page.locator(".button").first.evaluate("button => getComputedStyle(button).transitionProperty") == "none"


def test_with_forced_colours_lines_say_what_backgrounds_said(visit):
    page = visit("/style/", forced_colors="active")
    for part in (".button", ".badge.open", ".segments > [aria-current]"):
        style = page.locator(part).first.evaluate("part => getComputedStyle(part).borderTopStyle")
        assert style == "solid", part


def test_more_contrast_turns_soft_ink_into_ink(visit):
    page = visit("/try/", contrast="more")
    assert page.locator(".hint").first.evaluate("hint => getComputedStyle(hint).color") == page.locator("h1").evaluate(
        "title => getComputedStyle(title).color"
    )
