"""The measurement of news measures, counts exactly, and a list costs what it costs with fewer posts. Nothing here
depends on speed."""

from __future__ import annotations

import io

from bench import news, parts
from bench.report import Report


def test_a_tiny_run_has_every_figure(tmp_path, settings, monkeypatch, static_files):
    assert parts.chosen(["news"]) == {"news": news}
    monkeypatch.setattr(news, "start_django", lambda folder: None)  # it has started
    settings.STORE_URL = settings.STORE_URL
    report = Report("news", tmp_path, io.StringIO())
    news.measure(report, scale=0.001)
    figures = {key.removeprefix("news."): value for key, value in report.figures.items()}
    assert figures["likes.pace.ops_per_second"] > 0
    for weather in ("peace", "weather"):
        assert figures[f"likes.{weather}.changes"] == 80
        assert figures[f"likes.{weather}.off"] == 0
    assert [figures[f"spread.{counters}.off"] for counters in (1, 16)] == [0, 0]
    for name in ("the list", "a tag", "a post"):
        assert figures[f"trips.{name}"] == figures[f"trips.few.{name}"]
    assert not list(tmp_path.iterdir())
