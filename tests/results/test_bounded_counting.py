"""Counts that somebody waits for: billed before they begin, stopped when they lie, ended when the visitor leaves."""

from __future__ import annotations

import random
import signal
import subprocess
from dataclasses import replace

import pytest

from foundation.pages.streams import CLIENT_GONE
from foundation.tally import count_job as jobs
from foundation.tally.ballots import Ballots, ranking_of
from foundation.tally.count_job import CountJob, PairwiseJob
from foundation.tally.methods import KINDS
from results import bounded_counting
from results.bounded_counting import ClientGone, Limits, TooExpensive
from results.repository import build_report

PAGE = "/sandbox/"
NAMES = tuple(f"C{number:02}" for number in range(100))


def camps(candidates: int, rankings: int, equals: int = 1) -> Ballots:
    """Everybody ranks all, in about the same order: the dearest that was found for Meek's rule."""
    chance = random.Random(1)
    counts = {}
    while len(counts) < rankings:
        order = sorted(range(candidates), key=lambda each: each * 0.3 + chance.gauss(0, 3))
        groups = [order[at : at + equals] for at in range(0, candidates, equals)]
        counts[ranking_of(groups)] = chance.randint(1, 3)
    return Ballots(NAMES[:candidates], counts)


def still_there() -> bool:
    return False


def typed(ballots: Ballots) -> str:
    """As lines for the sandbox."""
    rows = (
        (count, " > ".join(" = ".join(ballots.candidates[int(each)] for each in group.split("=")) for group in groups))
        for ranking, count in ballots.counts.items()
        if (groups := ranking.split(">"))
    )
    return "".join(f"{count}: {row}\n" for count, row in rows)


@pytest.fixture
def processes(monkeypatch) -> list[subprocess.Popen]:
    """Every process that was started."""
    started = []

    class Seen(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(bounded_counting.subprocess, "Popen", Seen)
    return started


# --- billed before it begins ---


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("rankings", "equals", "method", "seats", "sentence"),
    [
        (200, 1, "stv-meek", 60, "too many seats for so many candidates"),
        (200, 1, "stv-meek", 90, "too many seats for so many candidates"),
        (200, 1, "stv-scottish", 60, "too many seats for so many candidates"),
        (100, 20, "stv-meek", 90, "too many seats for so many candidates"),
        (400, 50, "schulze", 1, "too many candidates are ranked equally"),
    ],
    ids=["60 seats", "90 seats", "beside another method", "ties and seats", "ties"],
)
def test_the_dearest_requests_are_refused_before_anything_is_counted(
    site, client, processes, monkeypatch, rankings, equals, method, seats, sentence
):
    monkeypatch.setattr(jobs, "count", lambda *_, **__: pytest.fail("it was counted"))
    text = typed(camps(100, rankings, equals))
    answer = client.post(PAGE, {"ballots": text, "method": method, "seats": seats})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert sentence in page
    assert text.splitlines()[0].replace(">", "&gt;") in page, "nothing that was typed is lost"
    assert processes == []


def test_what_people_come_with_is_counted(site):
    for ballots, method, seats in (
        (camps(100, 20), "schulze", 1),
        (camps(15, 500), "stv-meek", 4),
        (camps(10, 3_000), "irv", 1),
    ):
        job = CountJob(ballots, method, {"seats": seats})
        bounded_counting.check(job.size, job.cost)


# --- in a process of its own ---


@pytest.mark.few(3)
@pytest.mark.parametrize("method", KINDS["ranked"])
def test_what_is_counted_apart_is_the_same_to_the_last_byte(site, processes, method):
    seats = 3 if method.startswith("stv") else 1
    settings = {"seats": seats, "unranked": "no-opinion", "seed": "a ☃ seed"}
    ballots = Ballots(("Zoë", "Bo", "Cy", "Dê", "E"), {"0>1=2>3": 7, "1=4>2": 7, "3": 2, "4>3": 2, "": 5})
    job = CountJob(ballots, method, settings)
    there = build_report(bounded_counting.run_in_subprocess(job, still_there, bounded_counting.LIMITS)).as_json()
    assert there == build_report(job.run()).as_json()
    assert [each.returncode for each in processes] == [0]


def test_a_comparison_made_apart_is_the_same(site):
    comparison = PairwiseJob(camps(7, 40, equals=2))
    assert bounded_counting.run_in_subprocess(comparison, still_there, bounded_counting.LIMITS) == comparison.run()


def test_the_process_knows_nothing_of_the_site(site, monkeypatch, processes):
    monkeypatch.setenv("SECRET_KEY", "you do not have access")
    seen = []
    popen = bounded_counting.subprocess.Popen
    monkeypatch.setattr(
        bounded_counting.subprocess,
        "Popen",
        lambda *arguments, **options: seen.append(options) or popen(*arguments, **options),
    )
    bounded_counting.run_in_subprocess(CountJob(camps(3, 3), "irv"), still_there, bounded_counting.LIMITS)
    assert seen[0]["env"] == {}


@pytest.mark.deep
def test_a_count_that_costs_more_than_it_said_is_stopped_by_the_kernel(site, client, processes, monkeypatch):
    monkeypatch.setattr(bounded_counting, "MAX_STEPS", 10**12)
    monkeypatch.setattr(bounded_counting, "LIMITS", Limits(processor_seconds=1, seconds=600))
    answer = client.post(PAGE, {"ballots": typed(camps(100, 200)), "method": "stv-meek", "seats": 60})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "This count was stopped because it took too long." in page
    assert page.count("C01") >= 200, "nothing that was typed is lost"
    assert [each.returncode for each in processes] == [-signal.SIGXCPU]


def test_a_count_that_takes_too_much_memory_is_stopped(site, processes):
    job = CountJob(camps(100, 200), "schulze")
    with pytest.raises(TooExpensive):
        bounded_counting.run_in_subprocess(job, still_there, replace(bounded_counting.LIMITS, megabytes=1))
    assert processes[0].returncode not in (0, None)


def test_a_count_is_stopped_by_the_clock_too(site, processes):
    with pytest.raises(TooExpensive):
        bounded_counting.run_in_subprocess(
            CountJob(camps(100, 200), "stv-meek", {"seats": 60}), still_there, Limits(processor_seconds=60, seconds=0)
        )
    assert [each.returncode for each in processes] == [-signal.SIGKILL]


# --- the visitor ---


def test_a_visitor_who_leaves_ends_the_count(site, client, processes, monkeypatch):
    monkeypatch.setattr(bounded_counting, "MAX_STEPS", 10**12)
    monkeypatch.setattr(bounded_counting, "LIMITS", Limits(processor_seconds=60, seconds=600))
    dear = {"ballots": typed(camps(100, 200)), "method": "stv-meek", "seats": 60}
    client.post(PAGE, dear, **{CLIENT_GONE: lambda: True})
    assert [each.returncode for each in processes] == [-signal.SIGKILL]


def test_who_left_is_told_in_the_words_of_a_refusal(site):
    with pytest.raises(ClientGone):
        bounded_counting.run_in_subprocess(
            CountJob(camps(100, 200), "stv-meek", {"seats": 60}), lambda: True, Limits(processor_seconds=60)
        )
