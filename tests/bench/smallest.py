"""Every part of the measurements at its smallest size, beside itself, prints its figures (`make test-bench`)."""

from __future__ import annotations

import io
import json
from importlib import import_module
from pathlib import Path

import pytest

from tests.bench.__main__ import PARTS
from tests.bench.report import FILE, Report
from tests.bench.store import ballots

SMALLEST_SCALE = 0.001
EXPECTED = {
    "voting": {
        "home",
        "ballot",
        "receipt",
        "results",
        "cast",
        "cast: choose",
        "cast: score",
        "whole way, to the thank-you",
        "result seen by another voter",
    },
    "live": {"a question reaches: 95%", "an answer is acknowledged: 95%", "answers that count", "pages"},
    "store": {"get", "transaction of 3 items", "query of 1,000 items", "client's CPU for a page of 1 MB"},
    "tally": {"time", "memory, at its highest", "approval: approval", "score: star"},
    "starting": {"second start", "memory at rest, second start"},
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_prints_its_figures(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ballots, "SMALL_ITEMS", 50)
    printed = io.StringIO()
    report = Report(part, tmp_path, printed)
    import_module(f"tests.bench.{part}").measure(report, SMALLEST_SCALE)
    report.finish()
    labels = {row["label"] for row in json.loads((tmp_path / FILE).read_text())[part]["rows"]}
    assert labels >= EXPECTED[part]
    assert all(f"| {label} " in printed.getvalue() for label in labels)
    assert all(row["ratio"] for row in report.rows if part == "voting")
    assert [each.name for each in tmp_path.iterdir()] == [FILE], "nothing else is left behind"
