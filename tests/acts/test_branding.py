"""What the site is called: no page asks for it, the process that changes it knows at once, trouble changes nothing."""

from __future__ import annotations

import pytest

from foundation.acts import branding
from foundation.acts.branding import FRESH_SECONDS
from foundation.acts.caches import SiteCache
from foundation.store.table import Unavailable
from results.front_page import site_page


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def cached(clock: Clock) -> SiteCache:
    return SiteCache(branding.read_branding, branding.DEFAULT_BRANDING, FRESH_SECONDS, clock)


def call(site, name: str) -> None:
    before = site_page.find()
    site.write(*site_page.writing(site_page.changed(before, {"name": name}), before))


def test_a_store_in_trouble_leaves_what_was_known_and_is_not_asked_at_every_page(site, clock, monkeypatch):
    asked = []

    def out_of_reach(key):
        asked.append(key)
        raise Unavailable("Out of reach.")

    watch = cached(clock)
    call(site, "Bees")
    assert watch.last_known().name == "Bees"
    monkeypatch.setattr(site, "get", out_of_reach)
    clock.now += FRESH_SECONDS
    assert [watch.last_known().name, watch.last_known().name] == ["Bees", "Bees"]
    assert len(asked) == 1


def test_what_was_seen_before_a_change_is_not_kept_after_it(site, clock, monkeypatch):
    watch, get = cached(clock), site.get

    def slowly(key):
        found = get(key)
        monkeypatch.setattr(site, "get", get)
        call(site, "Bees")  # while the answer is on its way, and the process forgets what it knew
        watch.forget()
        return found

    monkeypatch.setattr(site, "get", slowly)
    watch.last_known()
    assert watch.last_known().name == "Bees"


def test_another_site_is_looked_at_anew(site, settings, tmp_path):
    call(site, "Bees")
    branding.cache.forget()
    assert branding.site_name() == "Bees"
    settings.STORE_URL = f"sqlite://{tmp_path}/another.sqlite3"
    assert branding.site_name() == settings.SITE_NAME


def test_nothing_of_another_site_is_shown_while_a_store_does_not_answer(site, settings, tmp_path, clock):
    call(site, "Bees")
    watch = cached(clock)
    assert watch.last_known().name == "Bees"
    settings.STORE_URL = f"sqlite://{tmp_path}/nowhere/none.sqlite3"
    assert [watch.last_known().name, watch.last_known().name] == ["", ""]
