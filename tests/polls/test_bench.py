"""The measurement of polls measures, and what it says was acknowledged is there."""

from __future__ import annotations

import io

import pytest

from bench import parts, polls
from bench.report import Report


def test_polls_are_a_part():
    assert parts.chosen(["polls"]) == {"polls": polls}


@pytest.mark.slow
def test_a_tiny_run_has_every_figure(tmp_path, monkeypatch, static_files):
    monkeypatch.setattr(polls, "start_django", lambda folder: None)  # it has started
    report = Report("polls", tmp_path, io.StringIO())
    monkeypatch.setattr(polls, "FEW", 20)
    monkeypatch.setattr(polls, "CANDIDATES", 3)
    polls.measure(report, scale=0.002)
    for key in ("votes.p50", "votes.p99", "casts.p50", "casts.p99", "open", "closed"):
        assert report.figures[f"polls.{key}.milliseconds"] > 0
    assert report.figures["polls.votes.errors"] == report.figures["polls.casts.errors"] == 0
    assert report.figures["polls.open.trips_grow"] is report.figures["polls.closed.trips_grow"] is False
