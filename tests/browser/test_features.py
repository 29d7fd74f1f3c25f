"""The owner says what the site is for and switches features, by keyboard; what is off is gone for everybody."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .test_access import faults
from .test_people import set_up


def test_features_are_chosen_and_switched_by_keyboard(visit, fresh_server: str, tmp_path):
    owner = visit("/", address=fresh_server, width=390, color_scheme="dark")
    set_up(owner, tmp_path)

    owner.goto("/admin/purpose/")
    assert faults(owner) == []
    owner.get_by_label("A school or events").focus()
    owner.keyboard.press("Space")
    owner.get_by_role("button", name="Continue").press("Enter")
    expect(owner.locator("main")).to_contain_text("Your site is ready.")
    nav = owner.locator("#site-nav")
    expect(nav.get_by_text("Live", exact=True)).to_have_count(1)
    expect(nav.get_by_text("News", exact=True)).to_have_count(0)
    expect(owner).to_have_url(re.compile("/admin/features/$"))
    assert faults(owner) == []
    news, live = (owner.get_by_role("switch", name=name) for name in ("News", "Live sessions"))
    expect(news).not_to_be_checked()
    expect(live).to_be_checked()
    news.press("Enter")
    expect(news).to_be_checked()
    live.press("Space")
    expect(owner.get_by_role("heading", level=1)).to_have_text("Switch off “Live sessions”?")
    assert faults(owner) == []
    owner.get_by_role("button", name="Switch off").press("Enter")
    expect(live).not_to_be_checked()
    expect(owner.locator("main")).to_contain_text("Live sessions: off. Nothing was deleted.")
    expect(nav.get_by_text("News", exact=True)).to_have_count(1)
    expect(nav.get_by_text("Live", exact=True)).to_have_count(0)
