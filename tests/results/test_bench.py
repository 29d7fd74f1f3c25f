"""The part `sandbox` of the measurements measures. Nothing here depends on speed."""

from __future__ import annotations

import io
import os

import pytest

from bench import parts, sandbox
from bench.report import Report
from results import apart
from results.sandbox_views import job_of
from tally.formats import read


@pytest.fixture
def undone(settings, monkeypatch):
    """What the part sets for itself is undone afterwards."""
    for name in ("DATA_DIR", "HOSTS", "LOG_LEVEL", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    settings.STORE_URL = settings.STORE_URL


def test_it_is_a_part():
    assert parts.chosen(["sandbox"]) == {"sandbox": sandbox}


def test_of_a_kind_as_much_is_sent_as_is_accepted(monkeypatch):
    kind = sandbox.Kind("some", "stv-meek", 5, 2, camps=False)
    monkeypatch.setattr(apart, "MOST_STEPS", 2_000)
    most = sandbox.most_accepted(kind)
    costs = [job.cost(job.size) for n in (most, most + 1) for job in [job_of(kind.ballots(n), "stv-meek", seats=2)]]
    assert costs[0] <= 2_000 < costs[1]
    assert read(sandbox.form_of(kind, most)["ballots"]).ballots.total == most


def test_a_tiny_run_has_its_figures(tmp_path, undone, monkeypatch):
    monkeypatch.setattr(sandbox, "KINDS", (sandbox.Kind("a few", "irv", 3), sandbox.Kind("seats", "stv-meek", 4, 2)))
    monkeypatch.setattr(apart, "MOST_STEPS", 2_000)
    report = Report("sandbox", tmp_path, io.StringIO())
    sandbox.measure(report)
    assert report.figures["sandbox.dearest.seconds"] > 0
    assert {key for key in report.figures if key.endswith(".rankings")} == {
        "sandbox.a few.rankings",
        "sandbox.seats.rankings",
    }
    assert not list(tmp_path.iterdir())
