"""Worker and server are watched: signs of life, a worker that comes back, one server a folder, figures of all."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from itertools import pairwise
from random import Random
from types import SimpleNamespace

import pytest

from accounts.rules import Role
from foundation.store import keys
from operations.upkeep import heartbeats, metrics, server
from operations.upkeep.doctor import health
from operations.upkeep.heartbeats import (
    HEARTBEAT_SECONDS,
    MISSED_SECONDS,
    RETENTION_SECONDS,
    HeartbeatSender,
    WorkerWatch,
)
from operations.upkeep.jobs import Leases
from operations.upkeep.server import (
    MAX_RESTART_SECONDS,
    MIN_RESTART_SECONDS,
    STARTED_WELL_SECONDS,
    FolderTaken,
    WorkerSupervisor,
    lock_folder,
)
from tests.chaos import Chaos

from .test_jobs import NOON, Clocks, until

# --- signs of life ---


def sender(site, clocks: Clocks, **doing: int) -> HeartbeatSender:
    return HeartbeatSender(site, doing, lambda: clocks.wall)


def test_a_sign_says_what_the_worker_is_at_and_what_it_has_done(site, monkeypatch):
    monkeypatch.setattr(metrics, "successes_here", lambda: {"log": NOON - 3.5})
    sender(site, Clocks(), mail=NOON - 60).send()
    (sign,) = heartbeats.read_heartbeats(site)
    assert (sign.pid, sign.since, sign.seen, sign.signs) == (os.getpid(), NOON, NOON, 1)
    assert (sign.doing, sign.done) == ({"mail": NOON - 60}, {"log": NOON - 4})
    assert site.get(keys.worker(sign.worker))["ttl"] == NOON + RETENTION_SECONDS


def test_what_a_worker_holds_a_lease_for_is_what_it_is_at(site):
    leases = Clocks().leases(site)
    with leases.held("ballots"):
        assert leases.at_work == {"ballots": NOON}
    assert leases.at_work == {}


def test_a_worker_gives_signs_until_it_ends_also_while_a_job_takes_long(site):
    with HeartbeatSender(site, {"slow": NOON}).sending(every=0.01):
        until(
            lambda: [sign for sign in heartbeats.read_heartbeats(site) if sign.signs > 2]
        )  # nobody has done anything meanwhile
    assert heartbeats.read_heartbeats(site) == []


def test_a_store_in_trouble_does_not_end_the_signs(site):
    weather = Chaos(site, Random(1), slowness=0.0, read_only=True)
    with HeartbeatSender(weather, {}).sending(every=0.01):
        assert heartbeats.read_heartbeats(site) == []
        weather.read_only = False
        until(lambda: heartbeats.read_heartbeats(site))


def test_whoever_looks_is_told_how_long_ago(site):
    assert health.last_seen(heartbeats.read_heartbeats(site)) is None
    clocks = Clocks(time.time() - 25)
    sender(site, clocks).send()
    assert 25 <= health.last_seen(heartbeats.read_heartbeats(site)) < 60
    clocks.wall += 1000  # a machine whose clock is ahead
    sender(site, clocks).send()
    assert health.last_seen(heartbeats.read_heartbeats(site)) == 0


def silence(watch: WorkerWatch, site, clocks: Clocks) -> float:
    return watch.silence(heartbeats.read_heartbeats(site), clocks.wall)


@pytest.fixture
def clocks(site, monkeypatch) -> Clocks:
    """Of the server that looks, by which the store goes too."""
    clocks = Clocks()
    monkeypatch.setattr(site, "clock", lambda: clocks.wall)
    return clocks


def test_a_worker_is_missed_only_after_some_signs_have_failed_to_come(site, clocks):
    watch, worker = WorkerWatch(lambda: clocks.ticks), sender(site, clocks)
    worker.send()
    assert silence(watch, site, clocks) == 0
    for _ in range(10):
        clocks.pass_(HEARTBEAT_SECONDS)
        worker.send()
        assert silence(watch, site, clocks) == 0
    clocks.pass_(MISSED_SECONDS)
    assert silence(watch, site, clocks) == MISSED_SECONDS
    worker.send()
    assert silence(watch, site, clocks) == 0


def test_a_process_that_has_just_begun_has_missed_nobody(site, clocks):
    watch = WorkerWatch(lambda: clocks.ticks)
    watch.begin()
    clocks.pass_(5)
    assert silence(watch, site, clocks) == 5
    clocks.pass_(MISSED_SECONDS)
    assert silence(watch, site, clocks) == MISSED_SECONDS + 5


@pytest.mark.parametrize("hours", [-1000, -1, 1, 1000])
def test_a_clock_that_jumps_makes_no_worker_missing_and_hides_no_missing_one(site, clocks, hours):
    watch, worker = WorkerWatch(lambda: clocks.ticks), sender(site, clocks)
    worker.send()
    silence(watch, site, clocks)
    clocks.wall += hours * 3600
    clocks.pass_(HEARTBEAT_SECONDS / 2)
    assert silence(watch, site, clocks) == HEARTBEAT_SECONDS / 2
    worker.send()
    assert silence(watch, site, clocks) == 0
    clocks.pass_(MISSED_SECONDS)
    assert silence(watch, site, clocks) == MISSED_SECONDS


@pytest.fixture
def watched(monkeypatch) -> Clocks:
    clocks = Clocks()
    monkeypatch.setattr(heartbeats, "watch", WorkerWatch(lambda: clocks.ticks))
    return clocks


def value_of(name: str, text: str) -> float:
    return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)[1])


def test_a_missing_worker_is_missed_by_readyz_and_by_metrics(client, site, watched):
    worker = HeartbeatSender(site, {"mail": int(time.time()) - 90})
    worker.send()
    assert client.get("/readyz").content == b"ok\n"
    text = client.get("/metrics").content.decode()
    assert "plenum_worker_up 1.0" in text
    watched.pass_(MISSED_SECONDS + 5)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.content == b"No worker has been running for 65 seconds. Mails, closing and counting wait.\n"
    assert "plenum_worker_up 0.0" in client.get("/metrics").content.decode()
    worker.send()
    assert client.get("/readyz").content == b"ok\n"
    assert "plenum_worker_up 1.0" in client.get("/metrics").content.decode()


def test_a_load_balancer_may_ask_for_the_store_alone(client, site, watched, settings, tmp_path):
    assert client.get("/readyz").status_code == 200
    watched.pass_(MISSED_SECONDS)
    assert client.get("/readyz").status_code == 503
    assert client.get("/readyz?store").content == b"ok\n"
    assert client.post("/readyz?store").status_code == 405
    settings.STORE_URL = f"sqlite://{tmp_path}/nowhere.sqlite3"
    assert client.get("/readyz?store").status_code == 503


def test_the_ages_of_jobs_are_known_of_workers_elsewhere(client, site, monkeypatch):
    monkeypatch.setattr(metrics, "successes_here", lambda: {"a job elsewhere": time.time() - 30})
    HeartbeatSender(site, {}).send()
    monkeypatch.undo()
    text = client.get("/metrics").content.decode()
    assert value_of('plenum_worker_age_seconds{name="a job elsewhere"}', text) >= 29


def test_the_system_page_says_whether_a_worker_is_there(site, signed_in):
    owner = signed_in("Olga", Role.OWNER)
    assert "No worker has reported" in owner.get("/admin/system/").content.decode()
    HeartbeatSender(site, {}).send()
    assert re.search(r"1 worker; last reported \d+ s ago\.", owner.get("/admin/system/").content.decode())


# --- a worker that comes back ---


class Ended:
    """A worker that ends at once, or after some looks."""

    def __init__(self, looks: int = 0):
        self.looks = looks

    def poll(self) -> int | None:
        self.looks -= 1
        return -9 if self.looks < 0 else None


def kept(*lives: int) -> list[float]:
    """When a worker was started, if each lives for so many seconds."""
    clocks, starts, said = Clocks(), [], []

    def start() -> Ended:
        starts.append(clocks.ticks)
        return Ended(int(lives[len(starts) - 1] / server.CHECK_INTERVAL_SECONDS))

    WorkerSupervisor(
        lambda: len(starts) < len(lives), said.append, start, lambda: clocks.ticks, clocks.pass_
    ).supervise()
    assert len(said) == max(0, len(starts) - 1)
    return [after - before for before, after in pairwise(starts)]


def test_pauses_before_the_next_worker_grow_and_are_forgotten_once_one_has_lived():
    assert kept(0, 0, 0, 0) == [MIN_RESTART_SECONDS, 2, 4]
    assert kept(*[0] * 12)[-1] == MAX_RESTART_SECONDS
    assert kept(0, 0, int(STARTED_WELL_SECONDS), 0, 0) == [
        MIN_RESTART_SECONDS,
        2,
        STARTED_WELL_SECONDS + MIN_RESTART_SECONDS,
        2,
    ]


def test_a_worker_that_cannot_be_started_is_tried_again():
    said, tries = [], []

    def start() -> Ended:
        tries.append(1)
        raise OSError(12, "Cannot allocate memory")

    clocks = Clocks()
    WorkerSupervisor(lambda: len(tries) < 3, said.append, start, lambda: clocks.ticks, clocks.pass_).supervise()
    assert "The worker could not be started: Cannot allocate memory." in said


def test_a_killed_process_is_followed_by_another_until_the_server_stops():
    started: list[subprocess.Popen[bytes]] = []
    stops = threading.Event()

    def start() -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "600"]))
        return started[-1]

    keeper = WorkerSupervisor(lambda: not stops.is_set(), lambda sentence: None, start, rest=lambda _: time.sleep(0.01))
    keeping = threading.Thread(target=keeper.supervise)
    keeping.start()
    try:
        until(lambda: started)
        started[0].kill()
        until(lambda: len(started) == 2)
        assert started[1].poll() is None
    finally:
        stops.set()
        keeping.join()
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize(("worker", "starts"), [("beside", 1), ("apart", 0)])
def test_the_server_starts_a_worker_unless_somebody_else_does(site, settings, tmp_path, monkeypatch, worker, starts):
    from config import gunicorn

    kept: list[tuple[WorkerSupervisor, server.Process]] = []

    def go(keeper: WorkerSupervisor, first: server.Process) -> None:
        kept.append((keeper, first))

    monkeypatch.setattr(WorkerSupervisor, "start_thread", go)
    monkeypatch.setattr(server, "fork_worker", lambda leave: Ended())
    monkeypatch.setattr(gunicorn, "stopped", threading.Event())
    settings.WORKER, settings.DATA_DIR, settings.METRICS_DIR = worker, tmp_path, tmp_path / "metrics"
    arbiter = SimpleNamespace(log=SimpleNamespace(error=print, warning=print))
    gunicorn.on_starting(arbiter)
    gunicorn.release_lock()
    assert len(kept) == starts
    for keeper, first in kept:
        assert first.poll() == -9
        assert keeper.goes_on()
        gunicorn.on_exit(arbiter)
        assert not keeper.goes_on()


@pytest.mark.parametrize("reaped_by_gunicorn", [True, False])
def test_a_forked_worker_that_ends_is_followed_by_another(reaped_by_gunicorn):
    starts: list[Ended] = []
    forked = os.fork()
    if not forked:
        os._exit(3)
    if reaped_by_gunicorn:
        os.waitpid(forked, 0)

    def start() -> Ended:
        starts.append(Ended())
        return starts[-1]

    keeper = WorkerSupervisor(lambda: not starts, lambda sentence: None, start, rest=lambda _: None)
    keeper.supervise(server.Forked(forked))
    assert len(starts) == 1


# --- one server ---


def test_a_second_server_on_one_folder_is_told_who_serves_it(tmp_path):
    first = lock_folder(tmp_path)
    with pytest.raises(FolderTaken, match=rf"Another server is using DATA_DIR .* \(process {os.getpid()}\)"):
        lock_folder(tmp_path)
    os.close(first)
    os.close(lock_folder(tmp_path))


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FolderTaken, match=r"DATA_DIR .*file/data cannot be written: Not a directory\."):
        lock_folder(tmp_path / "file" / "data")


def test_a_process_that_outlives_its_server_does_not_keep_the_next_one_out(tmp_path):
    from config import gunicorn

    gunicorn.held.append(lock_folder(tmp_path))
    child = os.fork()
    if not child:
        gunicorn.post_fork(None, SimpleNamespace(cfg=SimpleNamespace(worker_connections=16)))
        signal.pause()
        os._exit(0)
    try:
        os.close(gunicorn.held.pop())

        def is_free() -> bool:
            try:
                os.close(lock_folder(tmp_path))
            except FolderTaken:
                return False
            return True

        until(is_free)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_lease_held_by_nobody_is_nobodys_work(site):
    leases = Leases(site)
    with Leases(site).held("job"), leases.held("job") as ours:
        assert (ours, leases.at_work) == (False, {})
