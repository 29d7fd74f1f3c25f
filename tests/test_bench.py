"""The measurements measure, print and keep their figures. Nothing here depends on how fast anything is."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime
from importlib import import_module

import pytest

from bench import backups, ballots, parts, rounds, serving, starting, store
from bench.__main__ import main
from bench.ballots import growth, sustained
from bench.report import FILE, MILLISECONDS, Report, readable
from bench.rounds import Comparison

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
OPERATIONS = ("get", "put", "transaction", "query")


@pytest.fixture
def report(tmp_path):
    return Report("store", tmp_path, io.StringIO(), lambda: NOON)


def printed(report):
    return report.output.getvalue()


def kept(report):
    report.finish()
    return json.loads((report.build / FILE).read_text())


def few_words(text):
    return " ".join(text.split())


# --- the report ---


def test_a_comparison_is_printed_with_its_unit_ratio_and_spread(report):
    report.heading("Embedded store", "bare")
    report.compare("sqlite.get", "get", Comparison((50_000, 60_000, 80_000), (100_000, 100_000, 100_000)))
    assert "Embedded store" in printed(report)
    assert "get 60,000 100,000 ops/s 0.60 0.55 to 0.70" in few_words(printed(report))


def test_columns_stand_below_each_other(report):
    report.heading("Embedded store")
    report.compare("get", "get", Comparison((1,), (2,)))
    report.compare("longer", "something longer", Comparison((123_456,), (7,)))
    one, other = printed(report).splitlines()[-2:]
    assert one.index("ops/s") == other.index("ops/s")


def test_a_goal_is_met_or_missed_in_words(report):
    report.compare("fast", "fast one", Comparison((6,), (10,)), at_least=0.6)
    report.compare("slow", "slow one", Comparison((5,), (10,)), at_least=0.6)
    first, second = printed(report).splitlines()
    assert first.endswith("met (at least 0.60)")
    assert second.endswith("missed (at least 0.60)")
    figures = kept(report)
    assert figures["store.fast.goal_met"] is True
    assert figures["store.slow.goal_met"] is False
    assert "Missed: slow one, against bare: 0.50 of at least 0.60." in printed(report)
    assert "Goals met: 1 of 2." in printed(report)


def test_of_waiting_less_is_better(report):
    report.compare("wait", "wait", Comparison((2,), (10,)), MILLISECONDS, peer="PynamoDB")
    figures = kept(report)
    assert figures["store.wait.ratio_to_pynamodb"] == 5
    assert figures["store.wait.milliseconds"] == 2
    assert figures["store.wait.pynamodb_milliseconds"] == 10


def test_figures_are_kept_beside_those_of_other_parts(report):
    (report.build / FILE).write_text('{"web.home.ops_per_second": 7, "store.gone.ops_per_second": 8, "stores.get": 9}')
    report.compare("sqlite.get", "get", Comparison((3,), (4,)))
    figures = kept(report)
    assert figures["web.home.ops_per_second"] == 7
    assert figures["stores.get"] == 9
    assert "store.gone.ops_per_second" not in figures
    assert figures["store.sqlite.get.ops_per_second"] == 3
    assert figures["store.sqlite.get.ratio_to_bare"] == 0.75


def test_the_file_says_on_what_machine_and_when(report):
    figures = kept(report)
    assert {"machine.cores", "machine.python", "machine.sqlite"} <= figures.keys()
    assert figures["store.measured_at"] == "2026-11-15T12:00:00+00:00"


@pytest.mark.parametrize("text", ["", "half a {", "[1, 2]"])
def test_a_file_that_cannot_be_read_is_written_anew(report, text):
    (report.build / FILE).write_text(text)
    report.fact("dynamodb.engine", "ministack")
    assert kept(report)["store.dynamodb.engine"] == "ministack"


@pytest.mark.parametrize(
    ("value", "text"), [(0.8312, "0.83"), (9.999, "10.00"), (12.34, "12.3"), (123.4, "123"), (1234567.8, "1,234,568")]
)
def test_figures_are_short(value, text):
    assert readable(value) == text


# --- turns ---


def test_everyone_warms_up_and_the_first_changes():
    order = []
    turns = [lambda each=each: order.append(each) or each for each in range(3)]
    assert rounds.take_turns(turns, 2) == [(0, 0), (1, 1), (2, 2)]
    assert order == [0, 1, 2, 0, 1, 2, 1, 2, 0]


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_sums():
    assert Comparison((1, 10, 3), (2, 10, 1)).ratio() == (1.0, 0.75, 2.0)


def test_all_of_a_crowd_take_part():
    acts = []
    with rounds.crowd(3) as crowd:
        assert crowd.rate(lambda: acts.append(1), 0.0001) > 0
    assert len(acts) >= 3


# --- parts ---


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "some_bench"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "web.py").write_text("def measure(report):\n    report.fact('pages', 3)\n")
    (folder / "tools.py").write_text("def readable():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("some_bench", "some_bench.web", "some_bench.tools"):  # of another test, whose folder is gone
        monkeypatch.delitem(sys.modules, name, raising=False)
    return import_module("some_bench")


def test_a_module_that_measures_is_a_part_under_its_name(package, report):
    assert list(parts.every_part(package)) == ["web"]
    parts.chosen(["web"], package)["web"].measure(report)
    assert report.figures == {"store.pages": 3}


def test_without_a_name_all_parts_run(package):
    assert list(parts.chosen([], package)) == ["web"]


def test_the_store_is_a_part():
    assert parts.chosen(["store"]) == {"store": store}


def test_an_unknown_part_is_answered_with_a_sentence(tmp_path, capsys):
    assert main(["stone"], tmp_path) == 2
    said = capsys.readouterr()
    assert said.err.startswith("There is no part 'stone' to measure. There is: ")
    assert "store" in said.err
    assert said.out == ""
    assert not list(tmp_path.iterdir())


# --- the part `store`, in small ---


@pytest.fixture
def few(monkeypatch):
    """Ballots of the small election, so that it is small indeed: what is run is the same."""
    monkeypatch.setattr(store.ballots, "SMALL_ITEMS", 50)


def test_a_tiny_run_of_the_embedded_store_has_every_figure(report, few):
    store.measure(report, scale=0.001, engines=("sqlite",))
    expected = {f"store.sqlite.{each}{crowd}" for each in OPERATIONS for crowd in ("", "_8_threads")}
    for key in expected | {"store.sqlite.processes"}:
        assert report.figures[f"{key}.ops_per_second"] > 0
        assert report.figures[f"{key}.ratio_to_bare"] > 0
    assert report.figures["store.sqlite.bulk_read.items_per_second"] > 0
    assert report.figures["store.sqlite.log_record_8_threads.ratio_to_unlogged"] > 0
    assert {
        f"store.sqlite.processes.{each}.milliseconds" for each in ("p50", "p99", "longest")
    } <= report.figures.keys()
    assert not list(report.build.iterdir())


@pytest.mark.slow
def test_a_tiny_run_on_dynamodb_has_every_figure(report, few, monkeypatch):
    monkeypatch.delenv("DYNAMODB_LOCAL_JAR_DIR", raising=False)
    store.measure(report, scale=0.001, engines=("dynamodb",))
    assert report.figures["store.dynamodb.engine"] == "ministack"
    for each in OPERATIONS:
        assert report.figures[f"store.dynamodb.{each}.ratio_to_bare"] > 0
    for each in ("bulk_read", "decode"):
        assert report.figures[f"store.dynamodb.{each}.ratio_to_bare"] > 0
        assert report.figures[f"store.dynamodb.{each}.ratio_to_pynamodb"] > 0
    assert "engine: ministack" in printed(report)


# --- the part `serving`, in small ---


@pytest.mark.slow
def test_a_tiny_run_of_serving_has_every_figure(tmp_path, monkeypatch):
    monkeypatch.setattr(serving, "SLOW", (40,))
    monkeypatch.setattr(serving, "LITTLE_PATIENCE", 0.1)
    report = Report("serving", tmp_path, io.StringIO(), lambda: NOON)
    serving.measure(report, scale=0.01)
    assert report.figures["serving.page.ratio_to_gthread"] > 0
    assert report.figures["serving.page_processor.gthread_processor_microseconds"] > 0
    for slow in serving.SLOW:
        assert report.figures[f"serving.slow_{slow}.ratio_to_without"] > 0, "probes are answered"
        assert f"serving.slow_{slow}_gthread" in report.figures


# --- the part `ballots`, in small ---


# --- other parts, in small ---


@pytest.mark.slow
def test_two_starts_have_every_figure(tmp_path):
    report = Report("starting", tmp_path, io.StringIO(), lambda: NOON)
    starting.measure(report, scale=0.01)
    for start in ("first", "second"):
        for key in ("answers.seconds", "at_rest.megabytes", "looked_at.megabytes"):
            assert report.figures[f"starting.{start}.{key}"] > 0
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_tiny_election_day_has_every_figure(report, monkeypatch, static_files):
    monkeypatch.setattr(ballots, "start_django", lambda folder: None)  # it has started
    monkeypatch.setattr(sustained, "STEPS", 1)
    monkeypatch.setattr(growth, "FEW", 10)
    ballots.measure(report, scale=0.01)
    expected = {"sustained.p99.milliseconds", "sustained_beside_store.store_casts_per_second", "cpu.milliseconds"}
    expected |= {"page.kilobytes", "growth.cast.casts_per_second", "sealing.seconds"}
    for key in expected | {f"trips.{page}" for page in ("ballot", "review", "cast", "receipt")}:
        assert report.figures[f"store.{key}"] > 0
    assert not list(report.build.iterdir())


def test_the_part_about_backups_measures_each_act(report):
    backups.measure(report, scale=0.004)
    assert {f"store.{act}.items_per_second" for act in ("backup", "check", "restore")} <= kept(report).keys()
