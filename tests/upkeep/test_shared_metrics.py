"""Metrics of several processes: added up, in a folder that is safe to use, and cleared of processes that are gone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.conf import settings
from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from operations.upkeep import metrics, shared_metrics

JOB = "from operations.upkeep import metrics; metrics.observe_job('sweep', 'done', True); metrics.OPEN_STREAMS.set(3)"
READ = "from operations.upkeep import metrics; {}; print(metrics.as_text().decode())"


def run(program: str, folder: Path | None) -> tuple[int, str]:
    """The id of a process that runs the program, and what it printed."""
    shared = shared_metrics.environment(folder) if folder else {}
    command = [sys.executable, "-c", f"import os; {program}; print('pid', os.getpid())"]
    done = subprocess.run(command, env=shared, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    return int(done.stdout.rpartition("pid ")[2]), done.stdout


def sample(text: str, name: str) -> float | None:
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else None


RUNS = 'plenum_worker_runs_total{name="sweep",outcome="done"}'


@pytest.mark.deep
def test_processes_add_up_what_they_count_also_when_one_has_ended(tmp_path):
    first, _ = run(JOB, tmp_path)
    second, _ = run(JOB, tmp_path)
    text = run(READ.format(f"metrics.forget_process({first})"), tmp_path)[1]
    assert sample(text, RUNS) == 2
    assert sample(text, "plenum_open_streams") == 3, "none are open in a process that has ended"
    assert sample(text, 'plenum_worker_last_success_timestamp_seconds{name="sweep"}') > 1.7e9
    assert first != second


def test_without_a_folder_a_process_has_its_own_metrics():
    assert sample(run(f"{JOB}; {READ.format('metrics.forget_process(1)')}", None)[1], RUNS) == 1


def test_a_folder_that_is_gone_is_no_error(tmp_path):
    gone = tmp_path / "gone"
    program = f"{JOB}; import shutil; shutil.rmtree({str(gone)!r}); {READ.format('metrics.JOBS')}"
    assert sample(run(program, gone)[1], RUNS) == 1


@pytest.mark.deep
def test_the_file_of_a_process_that_is_just_starting_is_no_error(tmp_path):
    run(JOB, tmp_path)
    (tmp_path / "counter_1.db").touch()  # as prometheus_client creates it, before it gives it a size
    assert sample(run(READ.format("metrics.JOBS"), tmp_path)[1], RUNS) == 1


@pytest.mark.deep
def test_a_file_removed_while_the_folder_is_read_is_no_error(tmp_path):
    ended, _ = run(JOB, tmp_path)
    run(JOB, tmp_path)

    def remove_and_merge(files: list[str]) -> Iterable[Metric]:
        (tmp_path / f"counter_{ended}.db").unlink(missing_ok=True)
        return MultiProcessCollector.merge(files)

    registry = CollectorRegistry()
    registry.register(metrics.AllProcesses(tmp_path, remove_and_merge))
    assert sample(generate_latest(registry).decode(), RUNS) == 1


def test_the_folder_is_in_memory_where_the_system_has_one(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_metrics, "MEMORY", tmp_path)
    one, other = (shared_metrics.default_folder(Path(data)) for data in ("/srv/one", "/srv/other"))
    assert one.parent == other.parent == tmp_path
    assert one != other
    monkeypatch.setattr(shared_metrics, "MEMORY", tmp_path / "missing")
    assert shared_metrics.default_folder(tmp_path) == tmp_path / "metrics"


def test_a_new_folder_is_for_its_owner_alone(tmp_path):
    folder = tmp_path / "new" / "folder"
    assert shared_metrics.environment(folder) == {"PROMETHEUS_MULTIPROC_DIR": str(folder)}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_may_be_somebody_elses_is_not_used(tmp_path):
    mine, link, file = tmp_path / "mine", tmp_path / "link", tmp_path / "file"
    mine.mkdir()
    link.symlink_to(mine)
    file.write_text("")
    for folder in (link, file, file / "below"):
        assert shared_metrics.problem(folder)
        assert shared_metrics.environment(folder) == {}
    assert shared_metrics.problem(mine) == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_used(tmp_path):
    os.chown(tmp_path, 12345, -1)
    assert shared_metrics.problem(tmp_path) == "It belongs to somebody else"


def test_a_worker_that_crashes_all_day_does_not_fill_the_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(shared_metrics, "MAX_FILES", 2)
    for number in range(3):
        (tmp_path / f"counter_crashed{number}.db").touch()
    shared_metrics.environment(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_start_clears_what_ended_processes_have_counted(tmp_path):
    ended, _ = run(JOB, tmp_path)
    (tmp_path / "counter_unknown.db").touch()
    (tmp_path / f"counter_{os.getpid()}.db").touch()
    assert list(tmp_path.glob(f"*_{ended}.db"))
    shared_metrics.clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"counter_{os.getpid()}.db"]
    shared_metrics.clear(tmp_path, os.getpid())
    assert list(tmp_path.iterdir()) == []


# --- which processes share ---


def started(folder: Path, *command: str) -> str:
    env = {"METRICS_DIR": str(folder), "DATA_DIR": str(folder.parent / "data")}
    words = [sys.executable, *command]
    return subprocess.run(
        words, env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=120
    ).stdout


@pytest.mark.deep
def test_server_and_worker_share_their_metrics_and_other_commands_do_not(tmp_path):
    folder = tmp_path / "metrics"
    for command in (("seal", "--help"), ("worker", "--once", "--help")):
        started(folder, "manage.py", *command)
        assert not folder.exists(), command
    for count, command in enumerate((("worker", "--help"), ("serve", "--help")), start=1):
        started(folder, "manage.py", *command)
        assert len(list(folder.glob("gauge_livesum_*.db"))) == count, command


@pytest.mark.deep
def test_gunicorn_sets_the_folder_before_anything_counts(tmp_path):
    program = "import sys, config.gunicorn as ours; print(ours.raw_env, 'prometheus_client' in sys.modules)"
    folder = tmp_path / "metrics"
    assert started(folder, "-c", program) == f"['PROMETHEUS_MULTIPROC_DIR={folder}'] False\n"


@pytest.mark.deep
def test_a_folder_that_was_cleared_away_is_there_again_for_the_next_process(tmp_path):
    folder = tmp_path / "metrics"
    started(
        folder, "-c", "import config.gunicorn as ours; ours.settings.METRICS_DIR.rmdir(); ours.pre_fork(None, None)"
    )
    assert folder.is_dir()
