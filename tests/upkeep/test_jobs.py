"""The worker: each job by one at a time, whoever is killed, whatever fails, whichever way the clocks go."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from prometheus_client import REGISTRY

from accounts import repository as people
from ballots.services import cast
from config.settings import BASE_DIR
from elections import repository as elections
from elections.lifecycle.closing import close
from foundation.store import keys, purging
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog, publish, utc_now
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Missing, Put, Refused, Unavailable, Update
from operations.upkeep import jobs
from operations.upkeep.heartbeats import read_heartbeats
from operations.upkeep.jobs import (
    BALLOTS,
    FORGETTING,
    JOBS,
    LEASE_SECONDS,
    MAX_CLOCK_SKEW_SECONDS,
    SWEEP,
    Job,
    Leases,
    Outcome,
    Worker,
    retry_delay,
    run_job,
    run_jobs,
)
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.ports import free_port

from .test_serve import read, serving

NOON = 1_900_000_000


class Clocks:
    """A clock on the wall, which anybody may set, and one that only ticks."""

    def __init__(self, wall: float = NOON):
        self.wall, self.ticks = wall, 100.0

    def pass_(self, seconds: float) -> None:
        self.wall, self.ticks = self.wall + seconds, self.ticks + seconds

    def leases(self, table, **options) -> Leases:
        return Leases(table, lambda: self.wall, lambda: self.ticks, **options)


def takes(leases: Leases, name: str = "job") -> bool:
    """Whether it can have the lease now; gives it back."""
    with leases.held(name) as ours:
        return ours


def abandoned(leases: Leases, name: str = "job") -> None:
    """A lease taken by somebody who was killed before giving it back."""
    assert leases._take(name, "the killed one")


# --- leases ---


def test_of_two_one_has_the_lease_until_it_is_given_back(site):
    one, other = Clocks().leases(site), Clocks().leases(site)
    with one.held("job") as ours:
        assert ours
        assert not takes(other)
        assert takes(other, "another job")
    assert site.get(keys.lease("job")) is None
    assert takes(other)


def test_a_lease_is_given_back_when_the_job_fails(site):
    leases = Clocks().leases(site)
    with pytest.raises(RuntimeError), leases.held("job"):
        raise RuntimeError
    assert takes(leases)


def test_an_abandoned_lease_goes_to_whoever_has_watched_it_stand_still(site):
    clocks = Clocks()
    abandoned(clocks.leases(site))
    watching = clocks.leases(site)
    assert not takes(watching)
    clocks.pass_(LEASE_SECONDS)
    assert not takes(watching)
    clocks.pass_(1)
    assert not takes(clocks.leases(site)), "who has only just come cannot know"
    assert takes(watching)


def test_whoever_has_not_watched_goes_by_the_time_of_day(site):
    clocks = Clocks()
    abandoned(clocks.leases(site))
    clocks.pass_(LEASE_SECONDS + MAX_CLOCK_SKEW_SECONDS)
    assert not takes(clocks.leases(site))
    clocks.pass_(1)
    assert takes(clocks.leases(site))


def test_a_clock_moved_back_keeps_no_job_from_being_done(site):
    clocks = Clocks()
    abandoned(clocks.leases(site))
    clocks.wall -= 24 * 60 * 60
    watching = clocks.leases(site)
    assert not takes(watching)
    clocks.pass_(LEASE_SECONDS + 1)
    assert takes(watching)


def test_a_clock_that_is_ahead_takes_no_lease_from_one_at_work(site):
    with Clocks().leases(site).held("job"):
        assert not takes(Clocks(NOON + LEASE_SECONDS + MAX_CLOCK_SKEW_SECONDS).leases(site))


def test_a_lease_is_renewed_while_the_job_takes_long(site):
    working, watching = Clocks(), Clocks()
    others = watching.leases(site)
    with working.leases(site, renewed_every=0.01).held("job"):
        for _ in range(5):
            assert not takes(others)
            seen = site.get(keys.lease("job"))["renewals"]
            until(lambda seen=seen: site.get(keys.lease("job"))["renewals"] > seen)
            watching.pass_(LEASE_SECONDS + 1)
    assert takes(others)


def test_who_was_overtaken_gives_back_nothing_of_the_other(site):
    clocks = Clocks()
    slow, other = clocks.leases(site, renewed_every=1000), clocks.leases(site)
    with slow.held("job"):
        assert not takes(other)
        clocks.pass_(LEASE_SECONDS + 1)
        assert other._take("job", "the other")
    assert site.get(keys.lease("job"))["holder"] == "the other"


def test_a_lease_whose_confirmation_was_lost_is_ours(site):
    class SendsTwice(SqliteTable):
        """As a client does that got no answer to the first try."""

        def write(self, *writes, token=None):
            super().write(*writes)
            super().write(*writes)

    table = SendsTwice(site.path)
    with pytest.raises(Refused):
        table.write(Put({"PK": "a", "SK": "b"}, when=Missing()))
    assert Clocks().leases(table)._take("job", "me")


# --- jobs ---


def until(holds, seconds: float = 120) -> None:
    for _ in range(int(seconds / 0.01)):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError(f"still not so after {seconds} seconds")


def test_two_workers_at_once_do_each_job_one_at_a_time(site, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_WAIT_SECONDS", 0.001)
    at_work, overlaps, done = {"a": 0, "b": 0}, [], []

    def job(name: str, worker: str) -> Job:
        def work() -> int:
            at_work[name] += 1
            overlaps.extend([name] * (at_work[name] > 1))
            time.sleep(0.003)
            at_work[name] -= 1
            done.append((name, worker))
            return 1

        return Job(name, 0, work)

    def everybody_has_worked() -> bool:
        return all(done.count((name, worker)) > 4 for name in "ab" for worker in ("one", "two"))

    stop = threading.Event()
    each = [
        Worker([job("a", name), job("b", name)], Leases(site), lambda: not stop.is_set()) for name in ("one", "two")
    ]
    threads = [threading.Thread(target=worker.run) for worker in each]
    for thread in threads:
        thread.start()
    try:
        until(everybody_has_worked)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert overlaps == []


def failing(error: Exception) -> Job:
    def work() -> int:
        raise error

    return Job(type(error).__name__, 2, work)


def counted(name: str, outcome: str) -> float:
    return REGISTRY.get_sample_value("plenum_worker_runs_total", {"name": name, "outcome": outcome}) or 0


def last_success(name: str) -> float | None:
    return REGISTRY.get_sample_value("plenum_worker_last_success_timestamp_seconds", {"name": name})


def test_a_job_that_fails_does_not_stop_the_others(site, caplog):
    failures = failing(ValueError("Olga <olga@example.org>")), failing(Unavailable("The store is away."))
    before = counted("ValueError", "failed")
    runs = run_jobs([*failures, Job("other", 2, lambda: 7)], Leases(site))
    assert [(run.outcome, run.done) for run in runs.values()] == [
        (Outcome.FAILED, 0),
        (Outcome.FAILED, 0),
        (Outcome.DONE, 7),
    ]
    first, second = caplog.records
    assert (first.job, first.error, first.words) == ("ValueError", "ValueError", "")
    assert "in work" in first.where
    assert "olga" not in str(vars(first)).lower()
    assert second.words == "The store is away."
    assert counted("ValueError", "failed") == before + 1
    assert last_success("ValueError") is None
    assert time.time() - last_success("other") < 10


def test_a_worker_goes_on_after_failures(site, monkeypatch):
    monkeypatch.setattr(jobs, "MAX_WAIT_SECONDS", 0.001)
    monkeypatch.setattr(jobs, "MAX_PAUSE_SECONDS", 0.01)
    tries = []

    def work() -> int:
        tries.append(time.monotonic())
        raise Unavailable("The store is away.")

    Worker([Job("job", 2, work)], Leases(site), lambda: len(tries) < 4).run()
    assert len(tries) == 4


def test_pauses_grow_with_failures_and_differ_between_workers():
    job = Job("job", 2, lambda: 0)
    assert retry_delay(job, 0) == 2
    for failures, longest in ((1, 4), (2, 8), (3, 16), (5, 60), (5000, 60)):
        pauses = [retry_delay(job, failures) for _ in range(50)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest


def test_a_job_another_is_at_is_left_to_it(site):
    with Leases(site).held("job"):
        assert run_job(Job("job", 2, pytest.fail), Leases(site)).outcome == Outcome.ELSEWHERE


def test_a_site_at_rest_is_read_and_not_written(site, monkeypatch):
    monkeypatch.setattr(site, "write", pytest.fail)
    runs = run_jobs([job for job in JOBS if job != SWEEP], Leases(site))
    assert {run.outcome for run in runs.values()} == {Outcome.NOTHING}


@pytest.fixture
def _no_quarter_ends_meanwhile(monkeypatch):
    """Else a checkpoint becomes public, and that is something to do."""
    now = publish.quarter_of(utc_now())
    monkeypatch.setattr(publish, "quarter_of", lambda moment: now)


@pytest.mark.usefixtures("_no_quarter_ends_meanwhile")
def test_a_checkpoint_becomes_public_though_nothing_more_happens(site):
    """On a quiet site nobody gives the sealer a reason to run when the quarter is over."""
    EventLog(site).record(Event("ada", "ThingMade"))
    assert run_job(jobs.LOG, Leases(site)).outcome == Outcome.DONE
    assert run_job(jobs.LOG, Leases(site)).outcome == Outcome.NOTHING
    site.write(Update(keys.checkpoint(1), set={"when_sealed": "2026-01-01T14:07:31.250Z"}))  # as if it was long ago
    assert run_job(jobs.LOG, Leases(site)).outcome == Outcome.DONE
    assert EventLog(site).newest_public()["event_id"] == 1
    assert run_job(jobs.LOG, Leases(site)).outcome == Outcome.NOTHING


def test_nothing_to_do_is_a_success(site):
    run_job(Job("idle", 2, pytest.fail, lambda: False), Leases(site))
    assert counted("idle", "nothing") == 1
    assert time.time() - last_success("idle") < 10


def test_the_worker_clears_up_after_a_secret_close_without_rewriting_the_file(site, person, opened, monkeypatch):  # noqa: F811
    monkeypatch.setattr(SqliteTable, "compact", lambda self: pytest.fail("writers would wait"))
    opened("Eve")
    cast(person("Eve"), "Board", ranks(Bo=1), "form")
    close(people.find("the organiser"), elections.find("Board"))
    leases = Leases(site)
    run_job(BALLOTS, leases)
    assert run_job(FORGETTING, leases).done == 1
    assert run_job(FORGETTING, leases).outcome == Outcome.NOTHING


HOURS = {  # in Berlin, which is an hour or two ahead of UTC
    "2026-01-10T00:59:00+00:00": False,
    "2026-01-10T01:00:00+00:00": True,
    "2026-07-10T02:59:00+00:00": True,
    "2026-07-10T03:00:00+00:00": False,
}


@pytest.mark.parametrize("moment", HOURS)
def test_the_file_is_compacted_at_night_when_it_is_quiet_and_worth_it(site, settings, monkeypatch, moment):
    settings.SITE_TIME_ZONE = "Europe/Berlin"
    store = {"quiet": jobs.QUIET_SECONDS, "unused_share": jobs.MIN_UNUSED_SHARE}
    for name in store:
        monkeypatch.setattr(SqliteTable, name, lambda self, name=name: store[name])
    assert jobs.is_compacting_due(lambda: datetime.fromisoformat(moment)) is HOURS[moment]
    for name in store:
        with monkeypatch.context() as less:
            less.setitem(store, name, store[name] / 2)
            assert not jobs.is_compacting_due(lambda: datetime.fromisoformat(moment))


@pytest.mark.parametrize(("size", "is_night"), [(0, False), (jobs.MAX_DAYTIME_BYTES + 1, True)])
def test_copies_of_deleted_secrets_are_removed_by_day_from_a_small_file_else_at_night(
    site, settings, monkeypatch, size, is_night
):
    settings.SITE_TIME_ZONE = "UTC"
    monkeypatch.setattr(SqliteTable, "quiet", lambda self: jobs.QUIET_SECONDS)
    monkeypatch.setattr(SqliteTable, "size", lambda self: size)
    noon, night = (partial(datetime.fromisoformat, f"2026-01-10T{hour}:00:00+00:00") for hour in ("12", "03"))
    assert not jobs.is_compacting_due(noon)
    site.write(purging.purge_mark())
    assert (jobs.is_compacting_due(noon), jobs.is_compacting_due(night)) == (not is_night, True)
    monkeypatch.setattr(SqliteTable, "quiet", lambda self: 0.0)
    assert not jobs.is_compacting_due(night)


# --- commands ---


def once(command: str, **options) -> str:
    said = StringIO()
    call_command(command, stdout=said, **options)
    return said.getvalue()


@pytest.mark.usefixtures("_no_quarter_ends_meanwhile")
def test_worker_once_does_every_job(site):
    EventLog(site).record(Event("ada", "ThingMade"))
    lines = once("worker", once=True).splitlines()
    assert [line.split(":")[0] for line in lines] == [job.name for job in JOBS]
    assert "log: done, 1" in lines
    assert "sweep: done" in lines
    assert "log: nothing" in once("worker", once=True)


@pytest.mark.parametrize("command", ["tick", "worker"])
def test_a_store_that_is_not_there_is_a_sentence(settings, tmp_path, command):
    settings.STORE_URL = f"sqlite://{tmp_path}/nothing.sqlite3"
    with pytest.raises(CommandError, match=r"forgetting, .*log.*create_tables"):
        once(command, **({"once": True} if command == "worker" else {}))


def test_tick_leaves_to_the_worker_what_it_is_at(site):
    EventLog(site).record(Event("ada", "ThingMade"))
    with Leases(site).held("log"):
        assert "0 event numbers sealed" in once("tick")
    assert "1 event numbers sealed" in once("tick")


# --- processes ---

A_SLOW_WORKER = """
import os, time, django
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()
from operations.upkeep import jobs
from django.core.management import call_command

def work():
    print("begun", os.getpid(), flush=True)
    time.sleep(SECONDS)
    print("finished", flush=True)
    return 1

jobs.JOBS = (jobs.Job("slow", 0, work), jobs.Job("later", 1000, lambda: print("later", flush=True) or 0))
call_command("worker")
"""


@contextmanager
def slow_worker(folder, seconds: float, command: tuple[str, ...] = (sys.executable, "-c")):
    """A worker in the middle of a slow job: its starter and its own process id."""
    connect(f"sqlite://{folder}/plenum.sqlite3").create()
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder)}
    script = A_SLOW_WORKER.replace("SECONDS", str(seconds))
    process = subprocess.Popen(
        [*command, script], env=environment, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process, int(process.stdout.readline().removeprefix("begun"))
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=240)


@pytest.mark.deep
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_told_to_stop_finishes_the_job_at_hand(tmp_path, number):
    with slow_worker(tmp_path, 0.5) as (process, _):
        process.send_signal(number)
        said, _ = process.communicate(timeout=240)
    assert (process.returncode, said) == (0, "finished\n")
    assert connect(f"sqlite://{tmp_path}/plenum.sqlite3").get(keys.lease("slow")) is None


@pytest.mark.deep
def test_a_worker_told_twice_stops_at_once(tmp_path):
    with slow_worker(tmp_path, 60) as (process, _):
        process.terminate()
        time.sleep(0.2)
        process.terminate()
        assert process.wait(timeout=10) == -signal.SIGTERM


def test_a_worker_ends_when_the_process_that_started_it_is_gone(tmp_path):
    starter = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    with slow_worker(tmp_path, 0.5, (sys.executable, "-c", starter)) as (process, worker):
        process.kill()
        said, _ = process.communicate(timeout=240)  # which ends when nobody is left who could say anything
        assert worker != process.pid
        assert said == "finished\n"


@pytest.mark.deep
def test_the_job_of_a_killed_worker_is_taken_over(tmp_path):
    table, clocks = connect(f"sqlite://{tmp_path}/plenum.sqlite3"), Clocks(time.time())
    job, watching = Job("slow", 2, lambda: 1), clocks.leases(table)
    with slow_worker(tmp_path, 60) as (process, _):
        assert run_job(job, watching).outcome == Outcome.ELSEWHERE
        process.kill()
        process.wait(timeout=10)
        clocks.pass_(LEASE_SECONDS)
        assert run_job(job, watching).outcome == Outcome.ELSEWHERE
        clocks.pass_(1)
        assert run_job(job, watching).outcome == Outcome.DONE


@pytest.mark.deep
def test_the_server_tells_what_its_worker_does_and_starts_another_when_it_is_killed(tmp_path):
    port = free_port()
    with serving(tmp_path, port, "--no-demo"):
        found = r'plenum_worker_last_success_timestamp_seconds\{name="sweep"\} \d'
        until(lambda: re.search(found, read(port, "/metrics")))
        assert 'plenum_worker_runs_total{name="sweep",outcome="done"} 1.0' in read(port, "/metrics")
        table = connect(f"sqlite://{tmp_path}/plenum.sqlite3")
        (killed,) = (sign.pid for sign in read_heartbeats(table))
        os.kill(killed, signal.SIGKILL)
        until(lambda: {sign.pid for sign in read_heartbeats(table)} - {killed})
        assert "plenum_worker_up 1.0" in read(port, "/metrics")
