"""Every page works where no script runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize("path", ["/", "/style/", "/nowhere"])
def test_what_needs_scripts_is_not_offered(visit, path):
    page = visit(path, java_script_enabled=False)
    expect(page.locator("h1")).to_be_visible()
    offered = page.locator("[data-needs-script]")
    assert offered.count() > 0
    for each in offered.all():
        expect(each).to_be_hidden()


def test_sections_behind_tabs_stand_one_after_the_other(visit):
    page = visit("/style/", java_script_enabled=False)
    for name in ("winner", "rounds", "ballots"):
        expect(page.locator(f"#tab-{name}")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_count(0)


def test_a_dialog_stands_in_the_page_after_its_link(visit):
    page = visit("/style/", java_script_enabled=False)
    expect(page.locator("#close-election")).to_be_hidden()
    page.click("a[data-opens]")
    expect(page.locator("#close-election")).to_be_visible()
    page.get_by_role("link", name="Keep it open").click()
    expect(page.locator("#close-election")).to_be_hidden()


def test_menus_open(visit):
    page = visit("/style/", width=375, java_script_enabled=False)
    page.click(".nav-opener")
    expect(page.locator(".site-nav a").first).to_be_visible()
    page.keyboard.press("Escape")
    page.click("#sample-menu > summary")
    expect(page.locator("#sample-menu a").first).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_look_follows_the_system(visit, scheme):
    page = visit("/", java_script_enabled=False, color_scheme=scheme)
    expect(page.locator("html")).to_have_css(
        "background-color", {"light": "rgb(246, 245, 243)", "dark": "rgb(21, 19, 26)"}[scheme]
    )
