"""Every part of the measurements runs at its smallest size and prints its figures. Nothing here depends on speed."""

from __future__ import annotations

import io
import json
from importlib import import_module

import pytest

from bench import data
from bench.__main__ import PARTS, main
from bench.report import FILE, Report
from bench.store import ballots

SMALLEST_SCALE = 0.001
EXPECTED = {
    "voting": {"home", "ballot", "receipt", "results", "cast", "result seen by another voter"},
    "live": {"a question reaches: 95%", "an answer is acknowledged: 95%", "answers that count", "pages"},
    "store": {"get", "transaction of 3 items", "query of 1,000 items", "client's CPU for a page of 1 MB"},
    "tally": {"time", "memory, at its highest"},
    "replay": {"casts", "events of all kinds"},
    "starting": {"second start", "memory at rest, second start"},
}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_part_prints_its_figures(part, tmp_path, monkeypatch):
    """Voting is measured beside another revision, which is the same code here."""
    monkeypatch.setattr(ballots, "SMALL_ITEMS", 50)
    if part == "voting":
        monkeypatch.setenv("BEFORE", str(data.ROOT))
    report = Report(part, tmp_path, io.StringIO())
    import_module(f"bench.{part}").measure(report, SMALLEST_SCALE)
    report.finish()
    labels = {row["label"] for row in json.loads((tmp_path / FILE).read_text())[part]["rows"]}
    assert labels >= EXPECTED[part]
    assert all(f"| {label} " in report.output.getvalue() for label in labels)
    assert all(row["ratio"] for row in report.rows if part == "voting")
    assert [each.name for each in tmp_path.iterdir()] == [FILE], "nothing else is left behind"


def test_an_unknown_part_is_an_error(capsys):
    assert main(["stone"]) == 2
    assert "There is no part 'stone' to measure. There are: voting, " in capsys.readouterr().err
