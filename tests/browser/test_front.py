"""The front page, edited where it stands: by keyboard, with an error on the way, and where no script runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from accounts import repository as people
from results.front_page import demo, site_page
from results.front_page.site_page import Part

from .test_people import judge

WHO = "Katherine Johnson"  # an admin of the demo
LINKS = [{"title": title, "address": f"https://{title.lower()}.example.org"} for title in ("Shop", "Hall", "Board")]
PROJECTS = [{"title": title, "words": "We are at it.", "link": ""} for title in ("The workshop", "A roof")]


@pytest.fixture(autouse=True)
def page_of_the_site(settings, server, server_folder: Path) -> Iterator[None]:
    """For these tests only: the site of all others has the demo's own page."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    admin = people.find(WHO)
    for part, words in ((Part.LINKS, {"links": LINKS}), (Part.PROJECTS, {"projects": PROJECTS})):
        site_page.edit(admin, part, site_page.edition(site_page.find(), part), words)
    yield
    site_page.remove(admin)
    demo.load()


def test_an_admin_edits_the_front_page_where_it_stands(visit, subtests):
    page = visit("/site/", who=WHO)
    with subtests.test("words, with the server's own preview, and the focus comes back"):
        page.get_by_role("link", name="Edit this text").press("Enter")
        words = page.get_by_label("In your own words")
        expect(words).to_be_visible()
        expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)  # until then nobody hears what is typed
        words.fill("We keep *bees* and ways.")
        expect(page.locator("#preview em")).to_have_text("bees")
        page.get_by_role("button", name="Save").press("Enter")
        expect(page.locator("#site-text .front-text em")).to_have_text("bees")
        expect(page.get_by_role("link", name="Edit this text")).to_be_focused()
        expect(page).to_have_url(f"{page.url.split('/site/')[0]}/site/")
    with subtests.test("rows are moved by a button that keeps the focus, and Enter saves"):
        page.get_by_role("link", name="Edit links").click()
        titles = page.locator("#site-links [name$=title]")
        last = titles.nth(2).input_value()
        page.locator("[value=up-2]").press("Enter")
        expect(titles.nth(1)).to_have_value(last)
        expect(page.locator("[value=up-1]")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("[value=down-0]")).to_be_focused()
        page.get_by_role("button", name="Add another").click()
        expect(titles.nth(3)).to_be_focused()
        titles.nth(3).fill("Evil")
        page.locator("#site-links [name='3-address']").fill("javascript:alert(1)")
        page.keyboard.press("Enter")
        expect(page.locator("#site-links .error-summary")).to_be_focused()
        page.locator("[value=remove-3]").click()
        expect(titles).to_have_count(3)
        titles.nth(0).press("Enter")
        expect(page.locator("#site-links .front-links a").first).to_have_text(last)
    with subtests.test("a colour hard to read is told where it was typed; what is left is as before"):
        before = page.locator("h1").text_content()
        page.get_by_role("link", name="Edit name and colour").click()
        page.locator("#our-colour").fill("#ffcc00")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#site-name .error-summary")).to_contain_text("is hard to read on light pages")
        expect(page.get_by_role("button", name="Use #806600 and save")).to_be_visible()
        page.get_by_role("link", name="Cancel").click()
        expect(page.locator("h1")).to_have_text(before)
    judge(page, subtests, ("/site/", "/site/edit/name/", "/site/edit/projects/", "/site/edit/picture/"))


def test_the_front_page_is_edited_without_scripts_too(visit):
    page = visit("/site/", who=WHO, java_script_enabled=False, width=390)
    page.get_by_role("link", name="Edit projects").click()
    expect(page.locator("h1")).to_have_text("Projects")
    first = page.locator("[name='0-title']").input_value()
    page.locator("[value=down-0]").click()
    expect(page.locator("[name='1-title']")).to_have_value(first)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#site-projects h3").nth(1)).to_have_text(first)
