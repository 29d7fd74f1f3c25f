"""What the site is called: no page asks for it, the process that changes it knows at once, trouble changes nothing."""

from __future__ import annotations

import pytest

from acts import naming
from acts.naming import FRESH, Watch
from news import site_page
from store import trips
from store.table import Unavailable


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def call(site, name: str) -> None:
    before = site_page.find()
    site.write(*site_page.writing(site_page.changed(before, {"name": name}), before))


def test_a_look_serves_for_seconds_and_is_nobodys_round_trip(site, clock):
    watch = Watch(clock)
    with trips.counted() as counted:
        assert watch.sees().name == ""
        call_of = counted.count
    assert call_of == 0
    call(site, "Bees")
    assert watch.sees().name == ""
    clock.now += FRESH
    assert watch.sees().name == "Bees"
    call(site, "Wasps")
    watch.forget()
    assert watch.sees().name == "Wasps"


def test_a_store_in_trouble_leaves_what_was_known_and_is_not_asked_at_every_page(site, clock, monkeypatch):
    asked = []

    def out_of_reach(key):
        asked.append(key)
        raise Unavailable("Out of reach.")

    watch = Watch(clock)
    call(site, "Bees")
    assert watch.sees().name == "Bees"
    monkeypatch.setattr(site, "get", out_of_reach)
    clock.now += FRESH
    assert [watch.sees().name, watch.sees().name] == ["Bees", "Bees"]
    assert len(asked) == 1


def test_what_was_seen_before_a_change_is_not_kept_after_it(site, clock, monkeypatch):
    watch, get = Watch(clock), site.get

    def slowly(key):
        found = get(key)
        monkeypatch.setattr(site, "get", get)
        call(site, "Bees")  # while the answer is on its way, and the process forgets what it knew
        watch.forget()
        return found

    monkeypatch.setattr(site, "get", slowly)
    watch.sees()
    assert watch.sees().name == "Bees"


def test_another_site_is_looked_at_anew(site, settings, tmp_path):
    call(site, "Bees")
    naming.watch.forget()
    assert naming.site_name() == "Bees"
    settings.STORE_URL = f"sqlite://{tmp_path}/another.sqlite3"
    assert naming.site_name() == settings.SITE_NAME
