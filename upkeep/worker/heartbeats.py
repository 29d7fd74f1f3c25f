"""Signs of life: every worker says in the store, again and again, that it is there and what it is at.

So whoever watches the site misses a worker that is gone, on whichever machine it was. The sign is given by a thread of
its own: a worker that takes an hour over a job is busy and not dead, and the sign says at what it is busy.
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

from store import keys
from store.table import Delete, Item, Put, StoreError, Table
from upkeep.disk import DiskWatch
from upkeep.monitoring import metrics

from . import failures
from .failures import Failure

HEARTBEAT_SECONDS = 20
MISSED_SECONDS = 60  # seconds without a sign of any worker; a restart takes a few
RETENTION_SECONDS = 600  # seconds that a sign outlives its worker
log = logging.getLogger("plenum.worker")


@dataclass(frozen=True, slots=True)
class Sign:
    worker: str
    machine: str
    pid: int
    since: int  # when the worker began
    seen: int
    signs: int  # how many it has given
    doing: Mapping[str, int]  # jobs it is at, and since when
    done: Mapping[str, int]  # when it last did each job, or saw that there was nothing to do
    failed: Mapping[str, Failure]  # jobs that went wrong the last time, and why

    def ago(self, now: float) -> float:
        """Clocks of two machines differ, and clocks are set: what comes from the future is from now."""
        return max(0.0, now - self.seen)


def signs(table: Table) -> list[Sign]:
    """Of workers that are there, or ended some minutes ago without saying so; the newest first. One round trip."""
    found = [_sign(item) for item in table.page(keys.WORKERS).items]
    return sorted(found, key=lambda sign: -sign.seen)


def _sign(item: Item) -> Sign:
    names = ("machine", "pid", "since", "seen", "signs", "doing", "done")
    failed = {job: Failure(*each) for job, each in item.get("failed", {}).items()}
    return Sign(item["SK"].removeprefix("WORKER#"), **{name: item[name] for name in names}, failed=failed)


# --- giving them ---


class SignGiver:
    """Gives the signs of one worker. A store in trouble is the jobs' to complain of; the next sign is soon enough."""

    def __init__(self, table: Table, doing: Mapping[str, int], clock: Callable[[], float] = time.time):
        self.table, self.doing, self.clock = table, doing, clock
        self.place = keys.worker(secrets.token_hex(8))
        self.since = int(clock())
        self.given = 0
        self.disk = DiskWatch()

    @contextmanager
    def giving(self, every: float = HEARTBEAT_SECONDS) -> Iterator[None]:
        """Inside, from the first moment on; afterwards the sign is taken away."""
        ended = threading.Event()
        giving = threading.Thread(target=self._until, args=(ended, every), daemon=True)
        giving.start()
        try:
            yield
        finally:
            ended.set()
            giving.join()
            with suppress(StoreError):
                self.table.write(Delete(self.place))

    def _until(self, ended: threading.Event, every: float) -> None:
        while not ended.is_set():
            try:
                self.disk.look()
                self.give()
            except StoreError:
                pass
            except Exception as error:  # whoever dies of it here would be taken for dead as a whole
                log.error("no sign given", extra={"error": type(error).__name__})
            ended.wait(every)

    def give(self) -> None:
        now = int(self.clock())
        self.given += 1
        said = {"machine": socket.gethostname(), "pid": os.getpid(), "since": self.since, "seen": now}
        done = {name: int(moment) for name, moment in metrics.successes_here().items()}
        failed = {job: [each.at, each.reason] for job, each in failures.last().items()}
        said |= {
            "signs": self.given,
            "doing": dict(self.doing),
            "done": done,
            "failed": failed,
            "ttl": now + RETENTION_SECONDS,
        }
        self.table.write(Put({"PK": self.place.pk, "SK": self.place.sk, **said}))


# --- missing them ---


class WorkerWatch:
    """Since when this process has seen no new sign, on a clock that nobody sets. It keeps one site in mind.

    The time of day counts only for the first look. A process that has just begun has missed nobody yet: what is
    started together with its worker need not wait for it.
    """

    def __init__(self, ticking: Callable[[], float] = time.monotonic):
        self.ticking = ticking
        self._url = ""
        self._known: set[tuple[str, int]] = set()
        self._moment = 0.0

    def begin(self) -> None:
        self._url, self._known, self._moment = settings.STORE_URL, set(), self.ticking()

    def silence(self, found: list[Sign], now: float) -> float:
        """Seconds without a sign; `found` are all there are."""
        if self._url != settings.STORE_URL:
            self.begin()
        if fresh := [sign for sign in found if (sign.worker, sign.signs) not in self._known]:
            age = 0.0 if self._known else fresh[0].ago(now)
            self._moment = max(self._moment, self.ticking() - age)
        self._known = {(sign.worker, sign.signs) for sign in found}
        return self.ticking() - self._moment


watch = WorkerWatch()
