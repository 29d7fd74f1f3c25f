"""The part `tally` of the measurements measures. Nothing here depends on how fast anything is."""

from __future__ import annotations

import io

from bench import parts, tally
from bench.report import Report
from tally.ballots import Ballots, check


def test_it_is_a_part():
    assert parts.chosen(["tally"]) == {"tally": tally}


def test_a_tiny_run_has_every_figure(tmp_path):
    report = Report("tally", tmp_path, io.StringIO())
    tally.measure(report, scale=0.001)
    for kind, candidates in (
        ("realistic", 5),
        ("realistic", 10),
        ("realistic", 20),
        ("distinct", 10),
        ("distinct", 20),
    ):
        assert report.figures[f"tally.{kind}.{candidates}.1000.plain.milliseconds"] > 0
    for each in ("goal.plain.milliseconds", "memory.megabytes", "growth.few.microseconds", "growth.often.microseconds"):
        assert report.figures[f"tally.{each}"] > 0
    for library in ("pref_voting", "votelib", "pyrankvote"):
        assert library in report.output.getvalue()


def test_its_ballots_are_rankings_and_the_distinct_ones_are_distinct():
    for candidates in (10, 20):
        made = tally.distinct(candidates, 500)
        assert len(set(made)) == 500
        for ranking in made + tally.realistic(candidates, 500):
            check(ranking, candidates)


def test_the_same_seed_gives_the_same_ballots():
    assert tally.realistic(5, 100) == tally.realistic(5, 100)
    assert Ballots.of("ABCDE", tally.realistic(5, 100)).total == 100


def test_every_library_starts_from_the_same_texts_none_of_which_was_seen_before(tmp_path, monkeypatch):
    cast, seen = tally.realistic(10, 200), []
    for library in ("pref_voting", "pyrankvote", "votelib"):
        monkeypatch.setattr(tally, f"_{library}", lambda names, given: seen.append((names, given)))
    monkeypatch.setattr(tally, "find_spec", lambda name: name)
    report = Report("tally", tmp_path, io.StringIO())
    tally._libraries(report, cast)
    tally._fastest(report, cast)
    for key in ("beside.pref_voting", "beside.pyrankvote", "beside.votelib", "fastest"):
        assert report.figures[f"tally.{key}.milliseconds"] > 0
        assert report.figures[f"tally.{key}.goal"] == 10
    strict = [ranking.replace("=", ">") for ranking in cast]
    assert all(given in (cast, strict) and len(names) == 10 for names, given in seen)
    others = [one is other for _, given in seen for one, other in zip(given, cast, strict=True) if len(one) > 1]
    assert not any(others)
