"""How the site is just now: its log, figures, outbox and worker, at a cost that does not grow with the site."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from mail import outbox
from store import keys
from store.log import utc_now
from store.table import Item, StoreError, Table

from . import metrics, system
from .jobs import JOBS
from .pause import Pause, pause_of

if TYPE_CHECKING:
    from store.dynamodb import TableState

MOST_MAILS = 500  # are counted of each state: the outbox keeps no count of its own, and nobody waits for a long one


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """What a store that is paid for says of itself. The embedded one says nothing, and costs nothing."""

    tables: tuple[TableState, ...]  # none if not known
    read: float  # units of capacity that this process has consumed
    written: float
    retries: dict[str, int]  # what this process asked once more, by reason


@dataclass(frozen=True, slots=True)
class Health:
    """What a round trip for the items and one for the oldest unsealed event tell."""

    counts: Item
    figures: Item
    pause: Pause | None
    last_event: int
    last_sealed: int
    waiting_since: str | None  # when the oldest event happened that is not sealed yet
    leases: dict[str, Item]
    backup: Item | None = None  # the newest: when it ended, and what is in it

    @property
    def store(self) -> StoreHealth:
        capacity, retries = metrics.capacity(), metrics.retries()
        read, written = (capacity.get(kind, 0.0) for kind in ("read", "write"))
        return StoreHealth(system.tables(), read, written, {reason: int(retries[reason]) for reason in retries})

    @property
    def unsealed(self) -> int:
        """Numbers from the oldest unsealed event on, those that will turn out void included. Void ones after the last
        event wait for no seal."""
        return max(0, self.last_event - self.last_sealed) if self.waiting_since else 0

    @property
    def uncounted(self) -> int:
        """Numbers that the figures do not know of yet."""
        return self.unsealed + max(0, self.last_sealed - self.figures.get("last_event_id", 0))

    def backup_age(self, now: datetime) -> float:
        """Seconds since the newest backup ended, or less than none."""
        if self.backup is None:
            return -1
        return max(0, (now - datetime.fromisoformat(self.backup["ended_at"])).total_seconds())

    def lag(self, now: datetime) -> float:
        """How many seconds the oldest unsealed event has waited."""
        if self.waiting_since is None:
            return 0
        return max(0, (now - datetime.fromisoformat(self.waiting_since)).total_seconds())


@dataclass(frozen=True, slots=True)
class Bounded:
    """A number, or that there are more."""

    count: int
    is_more: bool

    def __str__(self) -> str:
        return f"{self.count}+" if self.is_more else str(self.count)


@dataclass(frozen=True, slots=True)
class JobHealth:
    name: str
    every: int
    seconds_ago: float | None  # since the worker of this machine did it or saw nothing to do
    held_for: float | None  # while some worker is at it


def health_of(table: Table) -> Health:
    leases = {job.name: keys.lease(job.name) for job in JOBS}
    site = [keys.counts(), keys.figures(), keys.pause(), keys.sync(), keys.event_number(), keys.last_backup()]
    found = table.get_many([*site, *leases.values()])
    sealed = found.get(keys.sync(), {}).get("last_event_id", 0)
    oldest = table.page(keys.events(sealed + 1), limit=1).items
    return Health(
        counts=found.get(keys.counts(), {}),
        figures=found.get(keys.figures(), {}),
        pause=pause_of(found.get(keys.pause())),
        last_event=found.get(keys.event_number(), {}).get("last", 0),
        last_sealed=sealed,
        waiting_since=oldest[0]["when_occurred"] if oldest else None,
        leases={name: found[place] for name, place in leases.items() if place in found},
        backup=found.get(keys.last_backup()),
    )


def mails(table: Table, *states: str) -> dict[str, Bounded]:
    """How many mails there are in each state, a round trip each."""
    return {state: _bounded(table, state) for state in states}


def _bounded(table: Table, state: str) -> Bounded:
    page = table.page(keys.mails(state), limit=MOST_MAILS)
    return Bounded(len(page.items), page.cursor is not None)


def jobs(found: Health) -> list[JobHealth]:
    """Every job of the worker. When it last looked is known of the worker beside this server only."""
    looked, now = metrics.last_successes(), time.time()
    return [
        JobHealth(
            job.name,
            job.every,
            max(0, now - looked[job.name]) if job.name in looked else None,
            max(0, now - found.leases[job.name].get("since", now)) if job.name in found.leases else None,
        )
        for job in JOBS
    ]


# --- for a monitor ---


def as_metrics(table: Table) -> Iterator[Metric]:
    """What the store knows, in four round trips; if it does not answer, just that."""
    words = "Since the worker last did a job, or saw that there was nothing to do."
    ages = GaugeMetricFamily("plenum_worker_age_seconds", words, labels=["name"])
    for name, moment in metrics.last_successes().items():
        ages.add_metric([name], max(0, time.time() - moment))
    yield ages
    try:
        found, waiting = health_of(table), mails(table, outbox.QUEUED, outbox.SENDING)
    except StoreError:
        yield GaugeMetricFamily("plenum_store_up", "Whether the store answers.", 0)
        return
    yield GaugeMetricFamily("plenum_store_up", "Whether the store answers.", 1)
    yield GaugeMetricFamily("plenum_paused", "Whether the site is paused.", int(found.pause is not None))
    yield GaugeMetricFamily("plenum_log_unsealed", "Event numbers given out and not sealed yet.", found.unsealed)
    yield GaugeMetricFamily(
        "plenum_log_lag_seconds", "How long the oldest unsealed event has waited.", found.lag(utc_now())
    )
    yield GaugeMetricFamily(
        "plenum_backup_age_seconds", "Since the newest backup ended; -1 if there is none.", found.backup_age(utc_now())
    )
    depth = GaugeMetricFamily("plenum_outbox_mails", f"Mails by state; {MOST_MAILS} may be more.", labels=["state"])
    for state, bounded in waiting.items():
        depth.add_metric([state], bounded.count)
    yield depth
