"""The current health of the site: log, figures, outbox and worker, at a cost that does not grow with the site; and a
finding of a check: ok, a warning or broken, with a sentence and what to do.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from functools import partial

from django.utils.translation import gettext as _
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from foundation.acts import key_mark
from foundation.acts.pause import Pause, pause_of
from foundation.mail import bounces, outages, outbox
from foundation.store import keys, sharded_reads
from foundation.store.log import as_text, layout, utc_now
from foundation.store.parallel import run_parallel
from foundation.store.table import Item, Key, StoreError, Table
from operations.upkeep import figures, heartbeats, metrics, system
from operations.upkeep.heartbeats import Failure, Heartbeat
from operations.upkeep.jobs import JOBS

WATCHED = (outbox.QUEUED, outbox.SENDING, outbox.FAILED, outbox.UNKNOWN)
MAX_CLOCK_SKEW_SECONDS = 30  # allowed between two clocks
# counted in each state: the outbox has no counter, and counting must be quick
MAX_COUNTED_MAILS = 500


@dataclass(frozen=True, slots=True)
class Health:
    """The results of one round trip for the items and one for the oldest unsealed event."""

    counts: Item
    figures: Item
    pause: Pause | None
    last_event: int
    last_sealed: int
    waiting_since: str | None  # when the oldest unsealed event happened
    leases: dict[str, Item]
    format: int | None = None  # as recorded in the store
    bounces: Item | None = None  # the state of the bounce mailbox
    key_mark: Item | None = None
    backup: Item | None = None  # the newest: when it ended, and what it contains
    seconds: float = 0  # of the round trip for the items

    @property
    def unsealed(self) -> int:
        """Numbers from the oldest unsealed event on, including those that will turn out void. Void ones after the last
        event need no seal."""
        return max(0, self.last_event - self.last_sealed) if self.waiting_since else 0

    @property
    def uncounted(self) -> int:
        """Numbers not yet included in the figures."""
        return self.unsealed + max(0, self.last_sealed - self.figures.get("last_event_id", 0))

    def backup_age(self, now: datetime) -> float:
        """Seconds since the newest backup ended; negative if there is none."""
        if self.backup is None:
            return -1
        return max(0, (now - datetime.fromisoformat(self.backup["ended_at"])).total_seconds())

    def lag(self, now: datetime) -> float:
        """How many seconds the oldest unsealed event has been waiting."""
        if self.waiting_since is None:
            return 0
        return max(0, (now - datetime.fromisoformat(self.waiting_since)).total_seconds())


@dataclass(frozen=True, slots=True)
class BoundedCount:
    """A count, or a lower bound."""

    count: int
    is_more: bool

    def __str__(self) -> str:
        return f"{self.count}+" if self.is_more else str(self.count)


@dataclass(frozen=True, slots=True)
class JobHealth:
    name: str
    every: int
    seconds_ago: float | None  # since a worker did it or found nothing to do
    held_for: float | None  # while a worker is doing it
    failure: str = ""  # of the last run, unless it has succeeded since


def read_health(table: Table) -> Health:
    leases = {job.name: keys.lease(job.name) for job in JOBS}
    site = [keys.COUNTS, keys.FIGURES, keys.PAUSE, keys.SYNC, keys.EVENT_NUMBER]
    site += [keys.STORE_FORMAT, keys.LAST_BACKUP, keys.BOUNCES_READ, keys.KEY_MARK]
    start = time.perf_counter()
    found = table.get_many([*site, *leases.values()])
    seconds = time.perf_counter() - start
    sealed = found.get(keys.SYNC, {}).get("last_event_id", 0)
    oldest = layout.first_of_all(table, sealed + 1)
    return Health(
        counts=found.get(keys.COUNTS, {}),
        figures=found.get(keys.FIGURES, {}),
        pause=pause_of(found.get(keys.PAUSE)),
        last_event=found.get(keys.EVENT_NUMBER, {}).get("last", 0),
        last_sealed=sealed,
        waiting_since=oldest["when_occurred"] if oldest else None,
        leases={name: found[place] for name, place in leases.items() if place in found},
        format=found.get(keys.STORE_FORMAT, {}).get("number"),
        key_mark=found.get(keys.KEY_MARK),
        backup=found.get(keys.LAST_BACKUP),
        bounces=found.get(keys.BOUNCES_READ),
        seconds=seconds,
    )


# --- worker and disk ---


def last_seen(found: Iterable[Heartbeat]) -> float | None:
    """Seconds since the last heartbeat of any worker, on any machine; `None` if not within ten minutes."""
    now = time.time()
    return min((sign.ago(now) for sign in found), default=None)


def silence(found: Iterable[Heartbeat]) -> float:
    """Seconds without a heartbeat of any worker, as far as this process knows."""
    return heartbeats.watch.silence(list(found), time.time())


def problem(found: Iterable[Heartbeat]) -> str:
    """What is not working although the store answers, in a sentence; of several problems, the cause."""
    if trouble := system.write_problem():
        return trouble
    if (seconds := silence(found)) < heartbeats.MISSED_SECONDS:
        return ""
    return _("No worker has been running for %(seconds)d seconds. Mails, closing and counting wait.") % {
        "seconds": seconds
    }


# --- less urgent problems ---

WARNING_KEYS = (keys.BOUNCES_READ, keys.FIGURES, keys.KEY_MARK)


def warnings(found: Mapping[Key, Item], unknown: bool, now: datetime) -> list[str]:
    """Problems that do not prevent voting, a sentence each."""
    latest = found.get(keys.FIGURES, {}).get(figures.LATEST, "")
    is_future = latest > as_text(now + timedelta(seconds=MAX_CLOCK_SKEW_SECONDS))
    is_dead = bounces.has_mailbox() and bounces.mailbox_state(found.get(keys.BOUNCES_READ)).trouble
    return [
        *([key_mark.sentence()] if key_mark.is_replaced(found.get(keys.KEY_MARK)) else ()),
        *([_("The bounce mailbox cannot be read.")] if is_dead else ()),
        *([_("Some mails may or may not have been sent.")] if unknown else ()),
        *([_("The log contains events from the future: the clock is or was wrong.")] if is_future else ()),
    ]


def has_unknown_mails(table: Table) -> bool:
    return bool(sharded_reads.page(table, outbox.lists_of(outbox.UNKNOWN), limit=1).items)


def count_mails(table: Table, *states: str) -> dict[str, BoundedCount]:
    """How many mails there are in each state; one round trip each, in parallel."""

    def count(state: str) -> BoundedCount:
        page = sharded_reads.page(table, outbox.lists_of(state), limit=MAX_COUNTED_MAILS)
        return BoundedCount(len(page.items), page.cursor is not None)

    return dict(zip(states, run_parallel(table, *(partial(count, state) for state in states)), strict=True))


def last_successes(workers: Iterable[Heartbeat]) -> dict[str, float]:
    """When a worker last did each job, or found nothing to do: of a local worker immediately, of others by their
    heartbeats."""
    known = metrics.last_successes()
    for sign in workers:
        known |= {name: max(moment, known.get(name, 0)) for name, moment in sign.done.items()}
    return known


def last_failures(workers: Iterable[Heartbeat], done: Mapping[str, float]) -> dict[str, Failure]:
    """The last failure of each job that no worker has done successfully since."""
    found = sorted((each for sign in workers for each in sign.failed.items()), key=lambda each: each[1].at)
    return {job: failure for job, failure in found if failure.at >= int(done.get(job, 0))}


def job_health(found: Health, workers: Iterable[Heartbeat]) -> list[JobHealth]:
    """The health of every job of the worker."""
    looked, now = last_successes(workers), time.time()
    failed = last_failures(workers, looked)
    return [
        JobHealth(
            job.name,
            job.every,
            max(0, now - looked[job.name]) if job.name in looked else None,
            max(0, now - found.leases[job.name].get("since", now)) if job.name in found.leases else None,
            failed[job.name].reason if job.name in failed else "",
        )
        for job in JOBS
    ]


# --- for a monitor ---


def as_metrics(table: Table) -> Iterator[Metric]:
    """What the disks and the store report, in eight round trips; if the store is unavailable, only that."""
    periods = {job.name: job.every for job in JOBS}
    yield _by_label("plenum_worker_every_seconds", "Between two looks of a job.", "name", periods)
    free = {str(each.folder): each.free for each in system.disks()}
    yield _by_label("plenum_disk_free_bytes", "Free on the disks the site writes to.", "folder", free)
    try:
        found, waiting = read_health(table), count_mails(table, *WATCHED)
        workers = heartbeats.read_heartbeats(table)
        unreached = {each.lane: each for each in outages.all_outages(table)}
    except StoreError:
        yield GaugeMetricFamily("plenum_store_up", "Whether the store answers.", 0)
        yield from _worker_metrics([])
        return
    yield GaugeMetricFamily("plenum_store_up", "Whether the store answers.", 1)
    yield from _worker_metrics(workers)
    yield GaugeMetricFamily("plenum_paused", "Whether the site is paused.", int(found.pause is not None))
    yield GaugeMetricFamily(
        "plenum_log_lag_seconds", "How long the oldest unsealed event has waited.", found.lag(utc_now())
    )
    yield GaugeMetricFamily(
        "plenum_backup_age_seconds", "Since the newest backup ended; -1 if there is none.", found.backup_age(utc_now())
    )
    text = f"Mails by state; {MAX_COUNTED_MAILS} may be more."
    yield _by_label("plenum_outbox_mails", text, "state", {state: mails.count for state, mails in waiting.items()})
    failures = {lane: unreached[lane].failures if lane in unreached else 0 for lane in outages.LANES}
    yield _by_label("plenum_mail_server_failures", "Failures in a row to reach it.", "lane", failures)


def _worker_metrics(found: list[Heartbeat]) -> Iterator[Metric]:
    """From the heartbeats in the store, so workers on other machines are included."""
    now = time.time()
    text = "Whether any worker has given a sign of life within a minute."
    yield GaugeMetricFamily("plenum_worker_up", text, int(silence(found) < heartbeats.MISSED_SECONDS))
    text = "Since a worker last did a job, or saw that there was nothing to do."
    ages = {name: max(0, now - moment) for name, moment in last_successes(found).items()}
    yield _by_label("plenum_worker_age_seconds", text, "name", ages)


def _by_label(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=[label])
    for each, value in values.items():
        family.add_metric([each], value)
    return family


# --- findings of checks ---


class Grade(IntEnum):
    BROKEN = 0
    WARNING = 1
    OK = 2

    @property
    def label(self) -> str:
        return {Grade.OK: _("OK"), Grade.WARNING: _("Needs attention"), Grade.BROKEN: _("Broken")}[self]


@dataclass(frozen=True, slots=True)
class Finding:
    about: str
    grade: Grade
    sentence: str
    todo: str = ""


def ok(about: str, sentence: str) -> Finding:
    return Finding(about, Grade.OK, sentence)


def warn(about: str, sentence: str, todo: str = "") -> Finding:
    return Finding(about, Grade.WARNING, sentence, todo)


def broken(about: str, sentence: str, todo: str = "") -> Finding:
    return Finding(about, Grade.BROKEN, sentence, todo)
