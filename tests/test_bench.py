"""Every part of the measurements runs at its smallest size and prints its figures. Nothing here depends on speed."""

from __future__ import annotations

import io
import json
import os
from importlib import import_module

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
BEFORE = "BEFORE" in os.environ  # as `make test-bench` has it: the same code, measured beside itself
QUICK = ("voting", "store", "tally")  # which use most of what the others do


@pytest.mark.deep
@pytest.mark.parametrize("part", PARTS if BEFORE else QUICK)
def test_a_part_prints_its_figures(part, tmp_path, monkeypatch):
    monkeypatch.setattr(ballots, "SMALL_ITEMS", 50)
    report = Report(part, tmp_path, io.StringIO())
    import_module(f"tests.bench.{part}").measure(report, SMALLEST_SCALE)
    report.finish()
    labels = {row["label"] for row in json.loads((tmp_path / FILE).read_text())[part]["rows"]}
    assert labels >= EXPECTED[part]
    assert all(f"| {label} " in report.output.getvalue() for label in labels)
    assert all(row["ratio"] for row in report.rows if BEFORE and part == "voting")
    assert [each.name for each in tmp_path.iterdir()] == [FILE], "nothing else is left behind"
