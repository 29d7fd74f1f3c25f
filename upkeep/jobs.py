"""What has to happen again and again beside the server: which jobs there are, how often, and how a worker does them."""

from __future__ import annotations

import logging
import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.core.management.base import CommandError

from accounts.services import see_off_all
from acts.site import table
from ballots.services import are_old_boxes_full, empty_old_boxes, seal_what_is_closed
from elections import copying, imports
from elections.invitations import take_mailings_on
from elections.reminders import remind_by_the_clock
from elections.renaming import finish_all
from elections.repository import list_of
from elections.rules import State
from elections.services import clear_away_all, close_what_is_over
from mail import outbox
from mail.letters import compose
from mail.sending import send_waiting
from polls import services as polls
from polls.sealing import anything_over, seal_what_is_over
from store import forgetting, keys
from store.log import EventLog
from store.log.publish import Publisher
from store.table import Span, Unavailable

from . import metrics, names, nightly, retention
from . import pause as pausing
from .leases import Leases
from .sealer import site_sealer

log = logging.getLogger("plenum.worker")

LONGEST_PAUSE = 60  # seconds between two tries of a job that keeps failing
A_NAP = 0.5  # how soon a worker at rest notices that it is to stop
A_SWEEP = 1000


class Outcome(StrEnum):
    DONE = "done"
    NOTHING = "nothing"  # to do
    ELSEWHERE = "elsewhere"  # another worker is at it
    RESTING = "resting"  # the site is paused
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """Something any number of workers may do at once without harm; `work` answers how much was done.

    `waits` is a cheap look at whether there is any work, without a lease: so a site at rest is read and not written.
    """

    name: str
    every: int  # seconds
    work: Callable[[], int]
    waits: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class Run:
    outcome: Outcome
    done: int = 0
    words: str = ""  # what the store said, if it is in trouble


# --- the jobs ---


def anything_in(*spans: Span) -> Callable[[], bool]:
    def look() -> bool:
        pages = (table().page(span, limit=1) for span in spans)
        return any(page.items or page.cursor for page in pages)

    return look


def _anything_to_seal() -> bool:
    """An event, or a checkpoint that is to be public by now."""
    newest = EventLog(table()).newest_checkpoint()
    return anything_in(keys.events(newest["event_id"] + 1 if newest else 0))() or Publisher(table()).is_due()


def _seal() -> int:
    return site_sealer().seal()


def _send() -> int:
    return send_waiting(compose, goes_on=lambda: pausing.watch.sees() is None)


def _sweep() -> int:
    swept = 0
    while (some := table().sweep(A_SWEEP)) == A_SWEEP:
        swept += some
    return swept + some


def _is_to_be_forgotten() -> bool:
    return forgetting.is_due(table(), time.time(), more_to_come=anything_in(keys.SEALING))


def _forget() -> int:
    return forgetting.forget(table(), time.time())


REMOVALS = Job("removals", 10, see_off_all, anything_in(keys.LEAVING))
RENAMES = Job("renames", 10, finish_all, anything_in(keys.RENAMED))
DELETIONS = Job("deletions", 2, clear_away_all, anything_in(keys.DELETED))
DELETED_POLLS = Job("deleted polls", 5, polls.clear_away_all, anything_in(keys.DELETED_POLLS))
COPIES = Job("copies", 10, copying.finish_all, anything_in(keys.FILLING))
IMPORTS = Job("imports", 10, imports.take_up_all, anything_in(keys.IMPORTS))
ENDS = Job("ends", 5, close_what_is_over, anything_in(list_of(State.OPEN)))
BALLOTS = Job("ballots", 2, seal_what_is_closed, anything_in(keys.SEALING))
BOXES = Job("boxes", 10, empty_old_boxes, are_old_boxes_full)
FORGETTING = Job("forgetting", 2, _forget, _is_to_be_forgotten)
POLLS = Job("polls", 5, seal_what_is_over, anything_over)
REMINDERS = Job("reminders", 30, remind_by_the_clock, anything_in(list_of(State.OPEN)))
MAILINGS = Job("mailings", 2, take_mailings_on, anything_in(keys.MAILINGS))
MAIL = Job("mail", 2, _send, anything_in(keys.mails(outbox.QUEUED), keys.mails(outbox.SENDING)))
LOG = Job("log", 2, _seal, _anything_to_seal)
NIGHTLY = Job("nightly", 300, nightly.mail_checkpoint, nightly.is_due)
SWEEP = Job("sweep", 30, _sweep)
NAMES = Job("names", 60, names.forget_names, names.is_due)
RETENTION = Job("retention", 60, retention.look_for_unused, retention.is_due)

# Forgetting comes first: after the others it would never be quiet.
JOBS = (
    *(FORGETTING, REMOVALS, RENAMES, DELETIONS, DELETED_POLLS, COPIES, IMPORTS, ENDS, BALLOTS, BOXES, POLLS, REMINDERS),
    *(MAILINGS, MAIL, LOG, NIGHTLY, SWEEP, NAMES, RETENTION),
)


# --- doing them ---


def run(job: Job, leases: Leases) -> Run:
    """Do a job once, unless nothing waits, another worker has it or the site is paused. What goes wrong stays here."""
    try:
        ended = _under_lease(job, leases) if job.waits() else Run(Outcome.NOTHING)
    except pausing.Paused:
        ended = Run(Outcome.RESTING)
    except Exception as error:
        ended = _failure(job, error)
    metrics.observe_job(job.name, ended.outcome, ended.outcome in (Outcome.DONE, Outcome.NOTHING))
    return ended


def _under_lease(job: Job, leases: Leases) -> Run:
    with leases.held(job.name) as ours:
        if ours:
            return Run(Outcome.DONE, job.work())
        return Run(Outcome.RESTING if pausing.rests(job.name, leases.table) else Outcome.ELSEWHERE)


def _failure(job: Job, error: Exception) -> Run:
    """Recorded with its kind and where it was raised, but the store's own words only: others may quote a person."""
    where, words = "".join(traceback.format_tb(error.__traceback__)), str(error) * isinstance(error, Unavailable)
    log.error("failure", extra={"job": job.name, "error": type(error).__name__, "words": words, "where": where})
    return Run(Outcome.FAILED, words=words)


def run_each(jobs: Iterable[Job], leases: Leases) -> dict[str, Run]:
    return {job.name: run(job, leases) for job in jobs}


def refuse_failures(runs: dict[str, Run]) -> None:
    """A command that did its jobs once ends with a sentence about those that failed."""
    failed = {name: ended.words for name, ended in runs.items() if ended.outcome == Outcome.FAILED}
    if failed:
        said = " ".join(sorted(set(failed.values()) - {""}))
        raise CommandError(f"Failed, and the log says where: {', '.join(failed)}. {said}".strip())


class Worker:
    """Does each job when it is due, one after another, for as long as `goes_on` says so."""

    def __init__(self, jobs: Iterable[Job], leases: Leases, goes_on: Callable[[], bool]):
        self.jobs = tuple(jobs)
        self.leases = leases
        self.goes_on = goes_on
        self._failures: Counter[str] = Counter()
        self._due = {job.name: 0.0 for job in self.jobs}

    def go(self) -> None:
        while self.goes_on():
            self._round()
            time.sleep(A_NAP)

    def _round(self) -> None:
        for job in self.jobs:
            if self._due[job.name] <= time.monotonic() and self.goes_on():
                ended = run(job, self.leases)
                self._failures[job.name] = self._failures[job.name] + 1 if ended.outcome == Outcome.FAILED else 0
                self._due[job.name] = time.monotonic() + pause(job, self._failures[job.name])


def pause(job: Job, failures: int) -> float:
    """Until the job's next turn: longer after each failure in a row, and then not for all workers the same."""
    if not failures:
        return job.every
    longest = min(LONGEST_PAUSE, job.every * 2 ** min(failures, 10))
    return longest * random.uniform(0.5, 1)  # noqa: S311 - nobody gains by guessing it
