"""The part `admin` of the measurements measures, on a log that is as any other. Nothing here depends on speed."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest

from bench import admin, parts
from bench.report import Report
from store import keys
from store.connect import connect
from store.log.index import names_of
from store.log.seal import verify

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def undone(settings, monkeypatch, static_files):
    """What the part sets for itself is undone afterwards; Django has started."""
    monkeypatch.setattr(admin, "start_django", lambda folder: None)
    settings.STORE_URL = settings.STORE_URL


def test_it_is_a_part():
    assert parts.chosen(["admin"]) == {"admin": admin}


def test_a_tiny_run_has_every_figure(tmp_path, undone):
    report = Report("admin", tmp_path, io.StringIO())
    admin.measure(report, scale=0.0001)
    pages = [key for key in report.figures if key.endswith(".ratio_to_few")]
    assert len(pages) == 15
    for key in pages:
        name = key.removeprefix("admin.page.").removesuffix(".ratio_to_few")
        assert report.figures[f"admin.page.{name}.milliseconds"] > 0
        assert report.figures[f"admin.trips.{name}"] == report.figures[f"admin.trips.few.{name}"] > 0
    assert sum(key.startswith("admin.far.") for key in report.figures) == 10
    assert not list(tmp_path.iterdir())


def test_its_site_is_whole_and_what_is_looked_for_is_there(tmp_path, undone):
    site = admin.make_site(tmp_path / "some.sqlite3", 10)
    verdict = verify(connect(f"sqlite://{tmp_path}/some.sqlite3"))
    assert (verdict.sealed, verdict.unsealed, verdict.flaw, verdict.index_flaw) == (1000, 0, None, None)
    for name, path in site.pages().items():
        assert site.ask(path).content.count(b"<tr>") > 1, name


def test_people_come_back_in_the_log_and_time_goes_on():
    happened = list(admin.events(20, NOON))
    assert [each["event_id"] for each in happened] == list(range(1, 2001))
    assert happened[-1]["when_occurred"] == "2026-11-15T12:00:00.000Z"
    assert [each["when_occurred"] for each in happened] == sorted(each["when_occurred"] for each in happened)
    found = [name for each in happened for name in names_of(each)]
    assert found.count(("election", admin.THE_LONG_ONE)) == 2
    assert found.count(("ballots", admin.election_name(3))) == 86
    assert found.count(("type", "UserRegistered")) == 200
    assert len({keys.part(each["actor"]) for each in happened[:1000]}) < 200
