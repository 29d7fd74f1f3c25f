"""The measurement of live sessions measures, and what is told there counts. Nothing here depends on speed."""

from __future__ import annotations

import io

import pytest

from bench import live, parts
from bench.report import Report


@pytest.mark.slow
def test_a_tiny_run_has_every_figure(tmp_path, settings, monkeypatch, static_files):
    assert parts.chosen(["live"]) == {"live": live}
    monkeypatch.setattr(live, "start_django", lambda folder: None)  # it has started
    for name, value in (("HALLS", (4,)), ("BACK_AFTER", (0.0, 0.1)), ("ANSWERS_OVER", 0.1), ("DROPS", 1)):
        monkeypatch.setattr(live, name, value)
    monkeypatch.setattr(live, "PAGES_SECONDS", 0.01)
    settings.STORE_URL = settings.STORE_URL
    report = Report("live", tmp_path, io.StringIO())
    live.measure(report, scale=1)
    figures = {key.removeprefix("live.players_4."): value for key, value in report.figures.items()}
    assert figures["told"] == figures["counted"] == 4
    assert figures["unchanged"]
    assert [value for key, value in figures.items() if key.endswith(".missing")] == [0] * 6
