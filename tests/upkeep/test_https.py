"""HSTS: a day at first, a year once the site has run over HTTPS for a week; a setting holds in place of both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from upkeep.https import Https, https

START = datetime(2026, 11, 15, 20, tzinfo=UTC)
DAY, YEAR = 86400, 365 * 86400


@pytest.fixture
def in_production(site, settings):
    settings.HSTS_GROWS, settings.SECURE_HSTS_SECONDS = True, DAY


def after(**time):
    return lambda: START + timedelta(**time)


def test_it_grows_after_a_week(in_production):
    known = Https()
    known.record_start(after())
    found = [known.hsts_seconds(after(hours=hours)) for hours in (0, 24, 7 * 24 - 1, 7 * 24, 999)]
    assert found == [DAY, DAY, DAY, YEAR, YEAR]


def test_later_starts_and_other_machines_do_not_begin_anew(in_production):
    for days in (0, 3, 6):
        known = Https()
        known.record_start(after(days=days))
        assert known.since == START
    assert known.header(after(days=7)) == f"max-age={YEAR}"


def test_a_process_that_could_not_ask_the_store_stays_with_a_day(in_production):
    assert Https().hsts_seconds(after(days=999)) == DAY


def test_a_setting_holds_in_place_of_both(in_production, settings):
    settings.HSTS_GROWS, settings.SECURE_HSTS_SECONDS = False, 60
    known = Https()
    known.record_start(after())
    assert known.header(after(days=999)) == "max-age=60"


def test_browsers_are_told_over_https_only(in_production, settings, monkeypatch):
    monkeypatch.setattr(https, "since", START - timedelta(days=8))
    assert Client().get("/healthz", secure=True)["Strict-Transport-Security"] == f"max-age={YEAR}"
    assert "Strict-Transport-Security" not in Client().get("/healthz")
