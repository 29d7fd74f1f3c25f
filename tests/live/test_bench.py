"""The measurement of live sessions measures, and what it says was told is what counts. Nothing here depends on speed."""

from __future__ import annotations

import io
import os

import pytest

from bench import live, parts
from bench.report import Report


@pytest.mark.slow
def test_a_tiny_run_has_every_figure(tmp_path, settings, monkeypatch):
    assert parts.chosen(["live"]) == {"live": live}
    for name in ("DATA_DIR", "HOSTS", "LOG_LEVEL", "DJANGO_SETTINGS_MODULE"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # so that what the part sets is undone
    for name, value in (("FEW", 0), ("BACK_AFTER", (0.0, 0.1)), ("ANSWERS_OVER", 0.1), ("DROPS", 1)):
        monkeypatch.setattr(live, name, value)
    monkeypatch.setattr(live, "PAGES_SECONDS", 0.01)
    settings.STORE_URL = settings.STORE_URL
    report = Report("live", tmp_path, io.StringIO())
    live.measure(report, scale=0.004)
    for players in (3, 4):
        figures = {key: value for key, value in report.figures.items() if key.startswith(f"live.players_{players}.")}
        assert figures[f"live.players_{players}.told"] == figures[f"live.players_{players}.counted"] == players
        assert figures[f"live.players_{players}.unchanged"]
        assert [value for key, value in figures.items() if key.endswith(".missing")] == [0] * 5
