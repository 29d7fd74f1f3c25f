"""The worker's periodic jobs: which there are, how often they run, and how a worker schedules them."""

from __future__ import annotations

import logging
import random
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from django.core.management.base import CommandError

from ballots import sealing
from elections.invitations.reminders import send_due_reminders
from elections.lifecycle.closing import close_ended_elections, next_end
from elections.repository import list_of
from elections.rules import State
from foundation.acts import features, wakeups
from foundation.acts import pause as pausing
from foundation.acts.background import GOES_ON, Job, anything_in, goes_on, tasks
from foundation.acts.queues import failure_reason, safe_message
from foundation.acts.storage import table
from foundation.mail import bounces, undelivered
from foundation.mail.emails import compose
from foundation.mail.outages import BULK, URGENT
from foundation.mail.sending import anything_due, send_waiting
from foundation.parts import parts
from foundation.store import keys, purging
from foundation.store.log import EventLog, layout
from foundation.store.log.publish import Publisher
from operations.upkeep.backups import alarms
from operations.upkeep.erasure import compacting, log_erasure
from operations.upkeep.log import nightly
from operations.upkeep.log.figures import site_sealer
from operations.upkeep.monitoring import metrics
from operations.upkeep.worker import heartbeats
from operations.upkeep.worker.leases import Leases

log = logging.getLogger("plenum.worker")

MAX_PAUSE_SECONDS = 60  # between two attempts of a job that keeps failing
MAX_WAIT_SECONDS = 0.5  # until an idle worker notices that it must stop
MIN_WAIT_SECONDS = 0.01  # between two polls
SWEEP_ITEMS = 1000


class Outcome(StrEnum):
    DONE = "done"
    NOTHING = "nothing"  # to do
    ELSEWHERE = "elsewhere"  # another worker is doing it
    RESTING = "resting"  # the site is paused
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Run:
    outcome: Outcome
    done: int = 0
    message: str = ""  # of the error, if it may be shown
    left: float | None = None  # seconds until there is work, where that is known


# --- the jobs ---


def _anything_to_seal() -> bool:
    """Whether an event is unsealed or a checkpoint due to be published."""
    newest = EventLog(table()).newest_checkpoint()
    return (
        layout.first_of_all(table(), newest["event_id"] + 1 if newest else 0) is not None or Publisher(table()).is_due()
    )


def _send(lane: str) -> int:
    return send_waiting(compose, goes_on=goes_on, lanes=[lane])


def _is_due(lane: str) -> bool:
    return anything_due(lane, time.time())


def _sweep() -> int:
    swept = 0
    while (some := table().sweep(SWEEP_ITEMS)) == SWEEP_ITEMS:
        swept += some
    return swept + some


BACKGROUND = tasks("background work", keys.TASKS)
LINKS = tasks("links on request", keys.LINK_TASKS)
BALLOTS = tasks(wakeups.SEALING_JOB, keys.SEALING_TASKS)
WITHOUT_TASK = Job("work without a task", 60, sealing.take_over, anything_in(keys.SEALING))
ENDS = Job("ends", 5, close_ended_elections, moment=next_end)
FORGETTING = Job("forgetting", 2, lambda: purging.purge_journal(table()), lambda: purging.is_due(table()))
COMPACTING = Job("compacting", 60, lambda: int(purging.rewrite_file(table())), compacting.is_due)
REMINDERS = Job("reminders", 30, send_due_reminders, anything_in(list_of(State.OPEN)))
URGENT_MAIL = Job("urgent mail", 1, partial(_send, URGENT), partial(_is_due, URGENT), lane="urgent mail")
MAIL = Job("mail", 2, partial(_send, BULK), partial(_is_due, BULK), lane="mail")
MAILS_AGAIN = Job("mails again", 5, lambda: undelivered.carry_out(goes_on), undelivered.is_requested, lane="mail")
BOUNCES = Job("bounces", 60, lambda: bounces.read_bounces(goes_on), bounces.has_mailbox, lane="bounces")
LOG = Job("log", 2, lambda: site_sealer().seal(), _anything_to_seal)
NIGHTLY = Job("nightly", 300, nightly.mail_checkpoint, nightly.is_due)
BACKUPS = Job("backups", 3600, alarms.warn_of_late, alarms.is_late)
SWEEP = Job("sweep", 30, _sweep)
NAMES = Job("names", 60, log_erasure.erase_names, log_erasure.is_due)

# Compacting comes first: after the others it would never be quiet.
JOBS = (
    *(COMPACTING, FORGETTING, ENDS, BALLOTS, REMINDERS, LOG, NIGHTLY, BACKUPS, SWEEP, NAMES),
    *(URGENT_MAIL, MAILS_AGAIN, MAIL, BOUNCES, BACKGROUND, LINKS, WITHOUT_TASK),
    *(replace(job, part=part.label) for part in parts() for job in part.jobs()),
)


# --- doing them ---


def run_job(job: Job, leases: Leases) -> Run:
    """Do a job once, unless there is no work, another worker has it, its part is switched off or the site is paused.
    Errors are recorded."""
    if not features.is_on(job.part):
        return Run(Outcome.NOTHING)
    try:
        left = job.moment() if job.moment else 0 if job.waits() else None
        ended = _under_lease(job, leases) if left == 0 else Run(Outcome.NOTHING, left=left)
    except pausing.Paused:
        ended = Run(Outcome.RESTING)
    except Exception as error:
        ended = _failure(job, error)
    is_well = ended.outcome in (Outcome.DONE, Outcome.NOTHING)
    metrics.observe_job(job.name, ended.outcome, is_well)
    if is_well:
        heartbeats.failures.pop(job.name, None)
    return ended


def _under_lease(job: Job, leases: Leases) -> Run:
    with leases.held(job.name) as ours:
        if ours:
            return Run(Outcome.DONE, job.work())
        return Run(Outcome.RESTING if pausing.must_rest(job.name, leases.table) else Outcome.ELSEWHERE)


def _failure(job: Job, error: Exception) -> Run:
    """Log it; the system page shows the reason until the job succeeds again."""
    where, message = "".join(traceback.format_tb(error.__traceback__)), safe_message(error)
    reason = failure_reason(error)[: heartbeats.MAX_REASON_CHARS]
    heartbeats.failures[job.name] = heartbeats.Failure(int(time.time()), reason)
    log.error("failure", extra={"job": job.name, "error": type(error).__name__, "words": message, "where": where})
    return Run(Outcome.FAILED, message=message)


def run_jobs(jobs: Iterable[Job], leases: Leases) -> dict[str, Run]:
    return {job.name: run_job(job, leases) for job in jobs}


def raise_failures(runs: dict[str, Run]) -> None:
    """End a command that ran jobs once with an error about those that failed."""
    failed = {name: ended.message for name, ended in runs.items() if ended.outcome == Outcome.FAILED}
    if failed:
        messages = " ".join(sorted(set(failed.values()) - {""}))
        raise CommandError(f"Failed (see the log): {', '.join(failed)}. {messages}".strip())


class Worker:
    """Runs each job when it is due while `goes_on` is true; each lane has its own thread."""

    def __init__(self, jobs: Iterable[Job], leases: Leases, goes_on: Callable[[], bool]):
        self.jobs = tuple(jobs)
        self.leases = leases
        self.goes_on = goes_on
        self._is_over = threading.Event()
        self._failures: Counter[str] = Counter()
        self._due = {job.name: 0.0 for job in self.jobs}
        self._called: set[str] = set()
        self._bells = {job.lane: threading.Event() for job in self.jobs}

    def run(self) -> None:
        """Run until all lanes end. One that breaks ends the others, and its error is raised here."""
        with ThreadPoolExecutor(len(self._bells), "lane") as pool:
            lanes = [pool.submit(self._run_lane, lane) for lane in self._bells]
        for lane in lanes:
            lane.result()

    def _run_lane(self, lane: str) -> None:
        GOES_ON.set(self.may_continue)
        try:
            while self.may_continue():
                self._bells[lane].clear()
                self.run_due(lane)
                self._bells[lane].wait(self.sleep_seconds(lane))
        finally:
            self.end()

    def may_continue(self) -> bool:
        return not self._is_over.is_set() and self.goes_on()

    def run_due(self, lane: str) -> None:
        for job in self.jobs:
            if job.lane == lane and self._is_due(job) and self.may_continue():
                ended = run_job(job, self.leases)
                self._failures[job.name] = self._failures[job.name] + 1 if ended.outcome == Outcome.FAILED else 0
                self._due[job.name] = time.monotonic() + self._next_delay(job, ended)

    def wake(self, name: str) -> None:
        """Run this job as soon as its lane is free, and once more if it is running."""
        self._called.add(name)
        for bell in self._bells.values():
            bell.set()

    def sleep_seconds(self, lane: str) -> float:
        """How long the lane may sleep unless it is woken."""
        moments = (self._due[job.name] - time.monotonic() for job in self.jobs if job.lane == lane and job.moment)
        return min((MAX_WAIT_SECONDS, *(max(left, MIN_WAIT_SECONDS) for left in moments)))

    def _is_due(self, job: Job) -> bool:
        if job.name in self._called:
            self._called.discard(job.name)
            return True
        return self._due[job.name] <= time.monotonic()

    def _next_delay(self, job: Job, ended: Run) -> float:
        """Seconds until its next poll, or until there is work if that is known and comes first."""
        left = 0 if job.moment and ended.done else ended.left
        longest = retry_delay(job, self._failures[job.name])
        return longest if left is None else min(longest, max(left, MIN_WAIT_SECONDS))

    def end(self) -> None:
        self._is_over.set()
        for bell in self._bells.values():
            bell.set()


def retry_delay(job: Job, failures: int) -> float:
    """Seconds until the job's next run: exponential backoff with jitter after failures."""
    if not failures:
        return job.every
    longest = min(MAX_PAUSE_SECONDS, job.every * 2 ** min(failures, 10))
    return longest * random.uniform(0.5, 1)  # noqa: S311 - not security-sensitive
