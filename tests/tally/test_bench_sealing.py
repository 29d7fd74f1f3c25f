"""The part `sealing` of the measurements measures. Nothing here depends on how fast anything is."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from contextlib import nullcontext, redirect_stdout

import pytest

from bench import parts, sealing
from bench.report import Report
from store import keys
from store.limits import PAGE_BYTES
from store.sqlite import SqliteTable
from store.table import Put


def test_it_is_a_part():
    assert parts.chosen(["sealing"]) == {"sealing": sealing}


@pytest.fixture
def mostly_here(settings, monkeypatch, static_files):
    """One step in a process of its own, as all of a true run have it; the others here, where Django has started."""
    apart = sealing._step
    monkeypatch.setattr(sealing, "start_django", lambda folder: None)
    settings.STORE_URL = settings.STORE_URL

    def step(*words):
        if words[::2] == ("count", "few"):
            return apart(*words)
        with redirect_stdout(io.StringIO()) as said:
            sealing.main(*map(str, words))
        return json.loads(said.getvalue())

    monkeypatch.setattr(sealing, "_step", step)
    others = {"alone": 1.0, "beside": 1.0, "longest": 1.0}
    monkeypatch.setattr(sealing, "_others", lambda *words: nullcontext(others))


@pytest.mark.slow
def test_a_tiny_run_has_every_figure(tmp_path, monkeypatch, mostly_here):
    monkeypatch.delenv("BALLOTS", raising=False)
    for name, few in (("CANDIDATES", 3), ("ROUNDS", 1)):
        monkeypatch.setattr(sealing, name, few)
    report = Report("sealing", tmp_path, io.StringIO())
    sealing.measure(report, scale=0.001)
    figures = {f"{step}.milliseconds" for step in sealing.STEPS} | {
        "memory.megabytes",
        "sealing.seconds",
        "sealing.processor.seconds",
    }
    for key in figures | {"milliseconds", "bytes_milliseconds", "distinct"}:
        for kind in ("public", "secret"):
            assert report.figures[f"sealing.{kind}.{key}"] > 0
    for key in sealing.WHOLE:
        assert report.figures[f"sealing.whole.{key}"] > 0
    assert report.figures["sealing.page.many.trips"] == report.figures["sealing.page.few.trips"]
    assert report.figures["sealing.page.milliseconds"] > 0
    assert not list(tmp_path.iterdir())


def test_somebody_votes_beside_it_until_nobody_listens(tmp_path, monkeypatch, mostly_here):
    monkeypatch.setattr(sealing, "ALONE", 3)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    sealing._step("fill", tmp_path, "some", 3)
    with redirect_stdout(io.StringIO()) as said:
        sealing.main("vote", str(tmp_path), "some")
    alone, beside = map(json.loads, said.getvalue().splitlines())
    assert (set(alone), set(beside)) == ({"alone"}, {"beside", "longest"})


@pytest.mark.parametrize("length", [10, 400])
def test_the_peer_reads_every_body_of_a_ballot_and_nothing_else(tmp_path, length):
    table = SqliteTable(str(tmp_path / "some.sqlite3"))
    table.create()
    places = [keys.ballot(sealing.NAME, f"voter {number:04}") for number in range(3000)]
    others = [keys.candidate(sealing.NAME, "Ada"), keys.gate(sealing.NAME, 1), keys.ballot("another", "Ada")]
    writes = [Put({"PK": place.pk, "SK": place.sk, "rankings": "x" * length}) for place in [*places, *others]]
    for start in range(0, len(writes), 100):
        table.write(*writes[start : start + 100])
    with sqlite3.connect(table.path) as connection:
        statement = "SELECT sum(length(body)) FROM vote_data WHERE pk = ? AND sk LIKE 'BALLOT#%'"
        (size,) = connection.execute(statement, [places[0].pk]).fetchone()
    assert sealing.read_bytes(tmp_path / "some.sqlite3") == size
    assert (size > PAGE_BYTES) == (length > 10)


def test_the_memory_of_a_process_is_known():
    assert 10 < sealing.peak_memory() < 100_000
