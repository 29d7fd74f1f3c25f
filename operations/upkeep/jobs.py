"""The worker's periodic jobs: which there are, how often they run, and how a worker schedules them under leases.

A lease makes one worker at a time do a job, across all machines, and a killed one does not block it for good. It is
released when the job is done and renewed while it takes longer. An abandoned lease is recognised by the lack of
renewals: a worker that has seen none for `LEASE_SECONDS` on a monotonic clock (`ticking`) takes it over, so wall clocks
may be wrong or be adjusted. The time of day matters only to a worker that has not been watching, and then with a margin
of `MAX_CLOCK_SKEW_SECONDS`. If two workers hold the same lease nevertheless, nothing breaks: every job is safe to run
concurrently, and the work is merely done twice.
"""

from __future__ import annotations

import logging
import random
import secrets
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import CommandError

from ballots import sealing
from elections.invitations.reminders import send_due_reminders
from elections.lifecycle.closing import close_ended_elections, next_end
from elections.repository import list_of
from elections.rules import State
from foundation.acts import features, pause, wakeups
from foundation.acts.background import GOES_ON, Job, anything_in, goes_on, tasks
from foundation.acts.queues import failure_reason, safe_message
from foundation.acts.storage import table
from foundation.mail import bounces, undelivered
from foundation.mail.emails import compose
from foundation.mail.outages import BULK, URGENT
from foundation.mail.sending import anything_due, send_waiting
from foundation.parts import parts
from foundation.store import keys, purging
from foundation.store.log import EventLog, layout, utc_now
from foundation.store.log.publish import Publisher
from foundation.store.table import (
    Delete,
    Equals,
    Item,
    Less,
    Missing,
    Put,
    Refused,
    StoreError,
    Table,
    Update,
)
from operations.upkeep import erasure, heartbeats, metrics, watchers
from operations.upkeep.figures import site_sealer

log = logging.getLogger("plenum.worker")

MAX_PAUSE_SECONDS = 60  # between two attempts of a job that keeps failing
MAX_WAIT_SECONDS = 0.5  # until an idle worker notices that it must stop
MIN_WAIT_SECONDS = 0.01  # between two polls
SWEEP_ITEMS = 1000
NIGHT = range(2, 5)  # hours
QUIET_SECONDS = 5.0  # less than the interval of a worker's heartbeats, which are writes too
MAX_DAYTIME_BYTES = 32 * 1024 * 1024  # a file that can be rewritten by day
MIN_UNUSED_SHARE = 0.25  # of the file is unused
LEASE_SECONDS = 30
RENEWAL_SECONDS = LEASE_SECONDS / 3
MAX_CLOCK_SKEW_SECONDS = 120  # between two machines


# --- leases ---


class Leases:
    """The leases one worker holds, and those it has seen others hold."""

    def __init__(
        self,
        table: Table,
        clock: Callable[[], float] = time.time,
        ticking: Callable[[], float] = time.monotonic,
        renewed_every: float = RENEWAL_SECONDS,
    ):
        self.table = table
        self.clock = clock
        self.ticking = ticking
        self.renewed_every = renewed_every
        self.at_work: dict[str, int] = {}  # what it holds, and since when
        self._seen: dict[str, tuple[tuple[str, int], float]] = {}

    @contextmanager
    def held(self, job: str) -> Iterator[bool]:
        """Hold the lease inside, if no other worker does and the site is not paused; yields whether it is held."""
        holder = secrets.token_hex(8)
        if pause.must_rest(job, self.table) or not self._take(job, holder):
            yield False
            return
        done = threading.Event()
        renewing = threading.Thread(target=self._renew_until, args=(done, job, holder), daemon=True)
        renewing.start()
        self.at_work[job] = int(self.clock())
        try:
            with pause.guarded(pause.may_be_stopped(job)):
                yield True
        finally:
            done.set()
            renewing.join()
            self.at_work.pop(job, None)
            with suppress(StoreError):  # else another worker has it by now, or it expires
                self.table.write(Delete(keys.lease(job), when=Equals("holder", holder)))

    def _take(self, job: str, holder: str) -> bool:
        place, now = keys.lease(job), int(self.clock())
        free = Missing() | Less("until", now - MAX_CLOCK_SKEW_SECONDS)
        (before, renewals), since = self._seen.get(job, (("", 0), self.ticking()))
        if self.ticking() - since > LEASE_SECONDS:
            free |= Equals("holder", before) & Equals("renewals", renewals)
        lease: Item = {"holder": holder, "since": now, "until": now + LEASE_SECONDS, "renewals": 0}
        try:
            self.table.write(Put({**place.item, **lease}, when=free))
        except Refused:  # note who holds it, and since when that has not changed
            lease = self.table.get(place) or {"holder": "", "renewals": 0}
            seen = lease["holder"], lease["renewals"]
            if self._seen.get(job, (None, 0))[0] != seen:
                self._seen[job] = seen, self.ticking()
        return bool(lease["holder"] == holder)  # also if only the reply to our first attempt was lost

    def _renew_until(self, done: threading.Event, job: str, holder: str) -> None:
        while not done.wait(self.renewed_every):
            until = int(self.clock()) + LEASE_SECONDS
            renewed = Update(keys.lease(job), set={"until": until}, add={"renewals": 1}, when=Equals("holder", holder))
            try:
                self.table.write(renewed)
            except Refused:
                return  # taken over while we could not renew; the job is safe to finish
            except StoreError:
                continue  # the next renewal is soon enough


# --- the jobs ---


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


def is_compacting_due(clock: Callable[[], datetime] = utc_now) -> bool:
    """Whether to rewrite the embedded store's file, so that it contains no copy of deleted secrets and unused space is
    given back.

    Rewriting blocks writers, so it happens only when there have been no writes for a moment: for secrets in a small
    file at any time, which takes a fraction of a second, and otherwise at night by the site's clock. A file that would
    take longer than writers can wait is left alone (`Table.compact`).
    """
    if table().quiet() < QUIET_SECONDS:
        return False
    is_night = clock().astimezone(ZoneInfo(settings.SITE_TIME_ZONE or "UTC")).hour in NIGHT
    if is_night and table().unused_share() >= MIN_UNUSED_SHARE:
        return True
    return (is_night or table().size() <= MAX_DAYTIME_BYTES) and purging.has_remnants(table())


BACKGROUND = tasks("background work", keys.TASKS)
LINKS = tasks("links on request", keys.LINK_TASKS)
BALLOTS = tasks(wakeups.SEALING_JOB, keys.SEALING_TASKS)
WITHOUT_TASK = Job("work without a task", 60, sealing.take_over, anything_in(keys.SEALING))
ENDS = Job("ends", 5, close_ended_elections, moment=next_end)
FORGETTING = Job("forgetting", 2, lambda: purging.purge_journal(table()), lambda: purging.is_due(table()))
COMPACTING = Job("compacting", 60, lambda: int(purging.rewrite_file(table())), is_compacting_due)
REMINDERS = Job("reminders", 30, send_due_reminders, anything_in(list_of(State.OPEN)))
URGENT_MAIL = Job("urgent mail", 1, partial(_send, URGENT), partial(_is_due, URGENT), lane="urgent mail")
MAIL = Job("mail", 2, partial(_send, BULK), partial(_is_due, BULK), lane="mail")
MAILS_AGAIN = Job("mails again", 5, lambda: undelivered.carry_out(goes_on), undelivered.is_requested, lane="mail")
BOUNCES = Job("bounces", 60, lambda: bounces.read_bounces(goes_on), bounces.has_mailbox, lane="bounces")
LOG = Job("log", 2, lambda: site_sealer().seal(), _anything_to_seal)
NIGHTLY = Job("nightly", 300, watchers.mail_checkpoint, watchers.is_checkpoint_due)
BACKUPS = Job("backups", 3600, watchers.warn_of_late, watchers.is_late)
SWEEP = Job("sweep", 30, _sweep)
NAMES = Job("names", 60, erasure.erase_names, erasure.is_due)

# Compacting comes first: after the others it would never be quiet.
JOBS = (
    *(COMPACTING, FORGETTING, ENDS, BALLOTS, REMINDERS, LOG, NIGHTLY, BACKUPS, SWEEP, NAMES),
    *(URGENT_MAIL, MAILS_AGAIN, MAIL, BOUNCES, BACKGROUND, LINKS, WITHOUT_TASK),
    *(replace(job, part=part.label) for part in parts() for job in part.jobs()),
)


# --- running them ---


def run_job(job: Job, leases: Leases) -> Run:
    """Do a job once, unless there is no work, another worker has it, its part is switched off or the site is paused.
    Errors are logged, and the system page shows the reason until the job succeeds again."""
    if not features.is_on(job.part):
        return Run(Outcome.NOTHING)
    try:
        left = job.moment() if job.moment else 0 if job.waits() else None
        ended = Run(Outcome.NOTHING, left=left)
        if left == 0:
            with leases.held(job.name) as ours:
                if ours:
                    ended = Run(Outcome.DONE, job.work())
                else:
                    ended = Run(Outcome.RESTING if pause.must_rest(job.name, leases.table) else Outcome.ELSEWHERE)
    except pause.Paused:
        ended = Run(Outcome.RESTING)
    except Exception as error:
        where, message = "".join(traceback.format_tb(error.__traceback__)), safe_message(error)
        reason = failure_reason(error)[: heartbeats.MAX_REASON_CHARS]
        heartbeats.failures[job.name] = heartbeats.Failure(int(time.time()), reason)
        log.error("failure", extra={"job": job.name, "error": type(error).__name__, "words": message, "where": where})
        ended = Run(Outcome.FAILED, message=message)
    is_well = ended.outcome in (Outcome.DONE, Outcome.NOTHING)
    metrics.observe_job(job.name, ended.outcome, is_well)
    if is_well:
        heartbeats.failures.pop(job.name, None)
    return ended


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
                left = 0 if job.moment and ended.done else ended.left  # seconds until there is work, if that is known
                longest = retry_delay(job, self._failures[job.name])
                delay = longest if left is None else min(longest, max(left, MIN_WAIT_SECONDS))
                self._due[job.name] = time.monotonic() + delay

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
