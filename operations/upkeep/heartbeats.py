"""Heartbeats: every worker regularly writes to the store that it is alive, what it is doing and which jobs failed.

So a dead worker is noticed, on whichever machine it was. A separate thread sends them: a worker that takes an hour over
a job is busy, not dead.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from django.conf import settings

from foundation.store import keys
from foundation.store.table import Delete, Put, StoreError, Table
from operations.upkeep import metrics
from operations.upkeep.system import DiskWatch

HEARTBEAT_SECONDS = 20
MISSED_SECONDS = 60  # without a heartbeat of any worker; a restart takes a few
RETENTION_SECONDS = 600  # for which a heartbeat outlives its worker
log = logging.getLogger("plenum.worker")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    worker: str
    machine: str
    pid: int
    since: int  # when the worker began
    seen: int
    signs: int  # how many it has sent
    doing: Mapping[str, int]  # running jobs, and since when
    done: Mapping[str, int]  # when it last did each job, or found nothing to do
    failed: Mapping[str, Failure]  # jobs whose last run failed, and why

    def ago(self, now: float) -> float:
        """Seconds since it was sent; never negative, although clocks differ between machines."""
        return max(0.0, now - self.seen)


def read_heartbeats(table: Table) -> list[Heartbeat]:
    """Of workers that are alive or died within the last minutes, newest first, in one round trip."""
    names, found = ("machine", "pid", "since", "seen", "signs", "doing", "done"), []
    for item in table.page(keys.WORKERS).items:
        failed = {job: Failure(*each) for job, each in item.get("failed", {}).items()}
        worker = item["SK"].removeprefix("WORKER#")
        found.append(Heartbeat(worker, **{name: item[name] for name in names}, failed=failed))
    return sorted(found, key=lambda sign: -sign.seen)


# --- sending them ---


class HeartbeatSender:
    """Sends the heartbeats of one worker. If the store is down, the jobs report it."""

    def __init__(self, table: Table, doing: Mapping[str, int], clock: Callable[[], float] = time.time):
        self.table, self.doing, self.clock = table, doing, clock
        self.place = keys.worker(secrets.token_hex(8))
        self.since = int(clock())
        self.sent = 0
        self.disk = DiskWatch()

    @contextmanager
    def sending(self, every: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Send heartbeats inside; afterwards the heartbeat is deleted."""
        ended = threading.Event()
        sender = threading.Thread(target=self._until, args=(ended, every), daemon=True)
        sender.start()
        try:
            yield
        finally:
            ended.set()
            sender.join()
            with suppress(StoreError):
                self.table.write(Delete(self.place))

    def _until(self, ended: threading.Event, every: float) -> None:
        while not ended.is_set():
            try:
                self.disk.look()
                self.send()
            except StoreError:
                pass
            except Exception as error:  # a thread that died here would make the whole worker look dead
                log.error("no heartbeat sent", extra={"error": type(error).__name__})
            ended.wait(every)

    def send(self) -> None:
        now = int(self.clock())
        self.sent += 1
        process = {"machine": socket.gethostname(), "pid": os.getpid(), "since": self.since}
        done = {name: int(moment) for name, moment in metrics.successes_here().items()}
        failed = {job: [each.at, each.reason] for job, each in failures.copy().items()}
        jobs = {"doing": dict(self.doing), "done": done, "failed": failed}
        beat = {"seen": now, "signs": self.sent, "ttl": now + RETENTION_SECONDS}
        self.table.write(Put({**self.place.item, **process, **jobs, **beat}))


# --- missing them ---


class WorkerWatch:
    """How long this process has seen no new heartbeat, by a monotonic clock, for one site.

    The time of day matters only at the first look. A process that has just started has missed nothing yet, so what is
    started together with its worker need not wait for it.
    """

    def __init__(self, ticking: Callable[[], float] = time.monotonic):
        self.ticking = ticking
        self._url = ""
        self._known: set[tuple[str, int]] = set()
        self._moment = 0.0

    def begin(self) -> None:
        self._url, self._known, self._moment = settings.STORE_URL, set(), self.ticking()

    def silence(self, found: list[Heartbeat], now: float) -> float:
        """Seconds without a heartbeat; `found` are all there are."""
        if self._url != settings.STORE_URL:
            self.begin()
        if fresh := [sign for sign in found if (sign.worker, sign.signs) not in self._known]:
            age = 0.0 if self._known else fresh[0].ago(now)
            self._moment = max(self._moment, self.ticking() - age)
        self._known = {(sign.worker, sign.signs) for sign in found}
        return self.ticking() - self._moment


watch = WorkerWatch()


# --- failures ---


MAX_REASON_CHARS = 500  # so that the reasons of all jobs fit into a heartbeat


@dataclass(frozen=True, slots=True)
class Failure:
    at: int  # seconds since 1970
    reason: str


failures: dict[str, Failure] = {}  # of this worker, by job, until it succeeds again
