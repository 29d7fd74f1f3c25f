"""Liking a post: pressed, pressed again, and by somebody whose browser runs no scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from accounts import repository as people
from news import repository, services
from news.services.writing import Written

from .test_access import faults
from .test_people import wide


@pytest.fixture
def path(settings, server, server_folder) -> str:
    """Of a post that everybody can read."""
    settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
    ada = people.find("Ada Lovelace")
    post = services.write(ada, Written("A room of our own", "We meet *upstairs* from now on."))
    services.publish(ada, repository.find(post.id))
    return f"/news/post/{post.slug}/"


def shows(page: Page, pressed: bool, words: str) -> None:
    expect(page.locator("#like")).to_have_attribute("aria-pressed", str(pressed).lower())
    expect(page.locator("#likes-said")).to_have_text(words)


def test_liked_twice_taken_back_and_liked_without_scripts(visit, path):
    page = visit(path, width=390)
    shows(page, False, "No likes yet.")
    assert faults(page) + wide(page) == []
    page.evaluate("document.getElementById('likes-said').stays = true")
    page.locator("#like").focus()
    page.keyboard.press("Enter")
    shows(page, True, "You like this. Press the button again to take it back.")
    expect(page.locator("#like")).to_be_focused()
    assert page.evaluate("document.getElementById('likes-said').stays"), "what is read out stays where it is"
    assert faults(page) + wide(page) == []
    plain = visit(path, java_script_enabled=False, user_agent="Another browser")
    shows(plain, False, "1 person likes this.")
    plain.click("#like")
    assert plain.url.endswith(f"{path}#likes")
    shows(plain, True, "2 people like this, you among them. Press the button again to take it back.")
    page.click("#like")
    shows(page, False, "1 person likes this.")
    plain.click("#like")
    shows(plain, False, "No likes yet.")
    page.reload()
    shows(page, False, "No likes yet.")
    dark = visit(path, who="Emmy Noether", color_scheme="dark")
    dark.click("#like")
    shows(dark, True, "You like this. Press the button again to take it back.")
    assert faults(dark) + wide(dark) == []
