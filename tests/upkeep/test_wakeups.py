"""A close is followed at once: the worker is rung for. What was not heard is found at the next look."""

from __future__ import annotations

import os
import resource
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from accounts import repository as people
from ballots import services
from ballots.services import cast
from elections import repository as elections
from elections.lifecycle import closing
from foundation.acts import storage, wakeups
from foundation.acts.wakeups import pipe_path, wake_worker
from foundation.store.log import as_text, utc_now
from operations.upkeep import jobs
from operations.upkeep.jobs import BALLOTS, ENDS, Job, Leases, Outcome, Worker, run_job
from results import repository as sealed
from results import services as results
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture
from tests.people import sign_in

TIMEOUT_SECONDS = 120  # seconds for a machine that is busy with other things
SECONDS_PER_HOUR = 3600


@pytest.fixture(autouse=True)
def nobody_looks(settings, tmp_path, monkeypatch):
    """But once an hour; and whoever waits for the worker does so until it is done."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(jobs, "MAX_WAIT_SECONDS", SECONDS_PER_HOUR)
    monkeypatch.setattr(results, "MAX_BALLOTS_COUNTED_IN_REQUEST", 0)
    monkeypatch.setattr(results, "WAIT_SECONDS", TIMEOUT_SECONDS)


def until(holds) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not holds():
        assert time.monotonic() < end, "still not so"
        time.sleep(0.005)


@contextmanager
def a_worker(site, *each: Job):
    """That has looked at all of its jobs, and sleeps by now."""
    looked: set[str] = set()

    def last(job: Job) -> Job:
        def waits() -> bool:
            looked.add(job.name)
            return job.waits()

        def moment() -> float | None:
            looked.add(job.name)
            return job.moment() if job.moment else None

        return replace(job, every=SECONDS_PER_HOUR, waits=waits, moment=moment if job.moment else None)

    worker = Worker(map(last, each), Leases(site), lambda: True)
    thread = threading.Thread(target=worker.run)
    with wakeups.listening(worker.wake):
        thread.start()
        until(lambda: len(looked) == len(each))
        try:
            yield worker
        finally:
            worker.end()
            thread.join()


@pytest.fixture
def voted(opened, person):  # noqa: F811
    def vote(**settings) -> None:
        opened("Eve", **settings)
        cast(person("Eve"), "Board", ranks(Bo=1), "form")

    return vote


def test_whoever_closes_an_election_finds_the_result_on_the_next_page(site, voted):
    voted()
    organiser = sign_in(people.find("the organiser"))
    with a_worker(site, BALLOTS):
        assert organiser.post("/election/Board/close/").status_code == 302
        assert organiser.get("/election/Board/results/").status_code == 200


@pytest.fixture
def ending(voted, monkeypatch):
    """Opened and voted in an hour before it ends, which is now."""
    with monkeypatch.context() as earlier:
        for module in (storage, services):
            earlier.setattr(module, "utc_now", lambda: utc_now() - timedelta(hours=1))
        voted(no_voting_after=as_text(utc_now() + timedelta(seconds=1)))


def test_an_election_ends_when_its_time_has_come_and_is_sealed_then(site, ending):
    with a_worker(site, ENDS, BALLOTS):
        until(lambda: sealed.is_sealed("Board"))


def test_whoever_finds_an_election_over_has_it_sealed(site, ending):
    with a_worker(site, BALLOTS):
        until(lambda: results.find("Board").report is not None)


def test_nobody_waits_for_a_worker_that_is_not_there_and_the_next_look_finds_it(site, voted):
    voted()
    organiser = sign_in(people.find("the organiser"))
    assert organiser.post("/election/Board/close/").status_code == 302
    assert organiser.get("/election/Board/results/").status_code == 202
    assert run_job(BALLOTS, Leases(site)).outcome == Outcome.DONE
    assert organiser.get("/election/Board/results/").status_code == 200


def test_what_a_worker_has_heard_that_was_killed_the_next_one_finds(site, voted):
    voted()
    heard: list[str] = []
    with wakeups.listening(heard.append):
        closing.close(people.find("the organiser"), elections.find("Board"))
        assert wake_worker(BALLOTS.name)
        until(lambda: heard)
    assert not wake_worker(BALLOTS.name)
    assert not sealed.is_sealed("Board")
    with a_worker(site, BALLOTS):
        until(lambda: sealed.is_sealed("Board"))


def test_who_is_called_while_at_work_looks_once_more(site):
    begun, go, done = threading.Event(), threading.Event(), []

    def work() -> int:
        begun.set()
        assert go.wait(TIMEOUT_SECONDS)
        done.append(1)
        return 1

    with a_worker(site, Job("job", 1, work)):
        assert begun.wait(TIMEOUT_SECONDS)
        assert wake_worker("job")
        go.set()
        until(lambda: len(done) == 2)


def test_ringing_for_what_a_worker_does_not_do_wakes_nobody(site):
    done: list[int] = []
    with a_worker(site, Job("job", 1, lambda: done.append(1) or 1), Job("other", 1, lambda: 0)):
        until(lambda: done)
        assert wake_worker("nothing of the kind")
        assert wake_worker("job")
        until(lambda: len(done) == 2)


def test_it_is_heard_however_many_files_are_open(site):
    """`select` itself knows no file numbers beyond a thousand."""
    most, heard = resource.getrlimit(resource.RLIMIT_NOFILE), []
    resource.setrlimit(resource.RLIMIT_NOFILE, (most[1], most[1]))
    with ExitStack() as files:
        files.callback(resource.setrlimit, resource.RLIMIT_NOFILE, most)
        for _ in range(1100):
            files.enter_context(open(os.devnull))
        with wakeups.listening(heard.append):
            assert wake_worker("job")
            until(lambda: heard == ["job"])


@pytest.mark.deep
def test_the_pipe_is_nobody_elses_and_a_full_one_keeps_nobody_waiting(site):
    os.mkfifo(pipe_path(), 0o600)
    reader = os.open(pipe_path(), os.O_RDONLY | os.O_NONBLOCK)
    try:
        for _ in range(20_000):
            assert wake_worker("x" * 60)
    finally:
        os.close(reader)
    with wakeups.listening(lambda job: None):
        assert pipe_path().stat().st_mode & 0o077 == 0


def test_where_there_can_be_no_pipe_all_goes_by_the_looks(site, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "not there"
    with wakeups.listening(pytest.fail):
        assert not wake_worker("job")
