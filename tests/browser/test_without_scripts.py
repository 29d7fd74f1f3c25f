"""Every page works where no script runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from .test_choices import DARK, LIGHT

SEEN = "all => all.filter(each => each.checkVisibility({visibilityProperty: true})).map(each => each.outerHTML)"


@pytest.mark.journey
def test_what_needs_scripts_is_not_offered(visit, subtests):
    page = visit("/", java_script_enabled=False)
    for path in ("/", "/style/", "/nowhere"):
        with subtests.test("what needs scripts is not offered", path=path):
            page.goto(path)
            expect(page.locator("h1")).to_be_visible()
            offered = page.locator("[data-needs-script]")
            assert offered.count() > 0
            assert offered.evaluate_all(SEEN) == []


@pytest.mark.journey
def test_what_needs_scripts_waits_until_they_have_run(visit):
    """A form pressed before its script had come was sent to the server, and what was typed was gone."""
    page, held = visit("/"), []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/page*.js", hold)
    page.goto("/style/", wait_until="commit")
    choice = page.locator("footer [data-needs-script]")
    expect(choice).to_be_attached()
    expect(choice).to_be_hidden()
    held[0].continue_()
    expect(choice).to_be_visible()


def test_the_style_page_works(visit, subtests):
    page = visit("/style/", java_script_enabled=False)
    with subtests.test("sections behind tabs stand one after the other"):
        for name in ("winner", "rounds", "ballots"):
            expect(page.locator(f"#tab-{name}")).to_be_visible()
        expect(page.get_by_role("tab")).to_have_count(0)
    with subtests.test("a dialog stands in the page after its link"):
        expect(page.locator("#close-election")).to_be_hidden()
        page.click("a[data-opens]")
        expect(page.locator("#close-election")).to_be_visible()
        page.get_by_role("link", name="Keep it open").click()
        expect(page.locator("#close-election")).to_be_hidden()
    with subtests.test("menus open"):
        page.goto("/style/")
        page.set_viewport_size({"width": 375, "height": 800})
        page.click(".nav-opener")
        expect(page.locator(".site-nav a").first).to_be_visible()
        page.keyboard.press("Escape")
        page.click("#sample-menu > summary")
        expect(page.locator("#sample-menu a").first).to_be_visible()


def test_the_look_follows_the_system(visit, subtests):
    page = visit("/", java_script_enabled=False)
    for scheme, colour in (("dark", DARK), ("light", LIGHT)):
        with subtests.test("the look follows the system", scheme=scheme):
            page.emulate_media(color_scheme=scheme)
            page.reload()
            expect(page.locator("html")).to_have_css("background-color", colour)
