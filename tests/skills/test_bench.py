"""The measurement of finding people measures, and a search costs what it costs with fewer people. Nothing here depends
on speed."""

from __future__ import annotations

import io

from bench import parts, skills
from bench.report import Report


def test_skills_are_a_part():
    assert parts.chosen(["skills"]) == {"skills": skills}


def test_a_tiny_run_has_every_figure(tmp_path, settings, monkeypatch, static_files):
    monkeypatch.setattr(skills, "start_django", lambda folder: None)  # it has started
    settings.STORE_URL = settings.STORE_URL
    monkeypatch.setattr(skills, "TIMES", 1)
    monkeypatch.setattr("pages.paging.A_PAGE", 5)
    report = Report("skills", tmp_path, io.StringIO())
    skills.measure(report, scale=0.0001)
    figures = {key.removeprefix("skills."): value for key, value in report.figures.items()}
    for name in skills.SEARCHES:
        assert figures[f"find.{name}.milliseconds"] > 0
        assert 1 < figures[f"page.{name}"] < skills.MOST_KILOBYTES
    for name in ("a skill", "skill and level"):
        assert figures[f"trips.{name}"] == figures[f"trips.few.{name}"]
    assert figures["trips.spread"] == figures["trips.skill and level"] + 8
    assert not list(tmp_path.iterdir())
