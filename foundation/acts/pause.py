"""The pause: while the site is paused it is read-only, in every process on every machine.

The pause is one item in the store. A process caches it for at most a second; one read serves all of its requests. It is
checked when a request comes in, and again before every write of a request or job that has been running for longer than
that. Pausing returns only after that second has passed: from then on no process sends another write. A write already on
its way to the store can still arrive; and if the store takes longer than a second to read the item, the second is
extended by that.

Exempt are signing in and out (an owner must get in to resume), "last seen" of sessions, and the sealing of the log,
which changes no content and puts the pause itself under a checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from foundation.acts.caches import SiteCache
from foundation.acts.refusals import NotNow, Refusal
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog, as_text, utc_now
from foundation.store.table import Delete, Exists, Item, Missing, Put, Refused, Table, Unavailable, Write

FRESH_SECONDS = 1.0
WRITES = ("write", "put_all", "increment")
EXEMPT_JOBS = ("log",)  # the worker's jobs that run during a pause
# Jobs not to be stopped between two writes: a mail that was sent has to be marked as sent.
UNINTERRUPTED_JOBS = ("mail", "urgent mail")
MAX_MESSAGE_CHARS = 300
MAX_PAUSE_MINUTES = 7 * 24 * 60
# bounds of Retry-After, whatever was promised
MIN_RETRY_SECONDS, MAX_RETRY_SECONDS = 30, 3600


class Paused(Unavailable):
    """The site is paused, and this would have changed something."""


@dataclass(frozen=True, slots=True)
class Pause:
    by: str
    since: str
    minutes: int  # expected duration
    sentence: str = ""

    @property
    def until(self) -> datetime:
        return datetime.fromisoformat(self.since) + timedelta(minutes=self.minutes)

    def retry_after(self, now: datetime) -> int:
        return round(min(max((self.until - now).total_seconds(), MIN_RETRY_SECONDS), MAX_RETRY_SECONDS))


# --- knowing ---


def pause_of(item: Item | None) -> Pause | None:
    if item is None:
        return None
    return Pause(item["by"], item["since"], item["minutes"], item["sentence"])


def read_pause(table: Table) -> Pause | None:
    return pause_of(table.get(keys.PAUSE))


cache = SiteCache(read_pause, None, FRESH_SECONDS)


# --- refusing ---

_is_guarded: ContextVar[bool] = ContextVar("is_guarded", default=False)


@contextmanager
def guarded(whether: bool = True) -> Iterator[None]:
    """Inside, nothing is written while the site is paused."""
    token = _is_guarded.set(whether)
    try:
        yield
    finally:
        _is_guarded.reset(token)


def guard_from_here() -> None:
    """As `guarded`, until the end of the `guarded` around it."""
    _is_guarded.set(True)


def refuse_writes(operation: str) -> None:
    """Called before every round trip to the store: see `apps.py`."""
    if operation in WRITES and _is_guarded.get() and cache.current() is not None:
        raise Paused("The site is paused; nothing is changed meanwhile.")


def must_rest(job: str, table: Table) -> bool:
    """Whether a worker must not start the job; it can afford an uncached read."""
    return job not in EXEMPT_JOBS and table.get(keys.PAUSE) is not None


def may_be_stopped(job: str) -> bool:
    """Whether a pause stops the job at its next write; others finish first."""
    return job not in EXEMPT_JOBS + UNINTERRUPTED_JOBS


# --- pausing and resuming ---


def pause(actor: str, minutes: int, sentence: str = "", *also: Write) -> None:
    """Pause the site; returns when every process on every machine knows."""
    pause = Pause(actor, as_text(utc_now()), minutes, sentence)
    data = {"since": pause.since, "minutes": minutes, "sentence": sentence}
    _record(Event(actor, "SitePaused", data), pause_item(pause), *also, refusal=NotNow(ALREADY))
    wait_until_known()


def wait_until_known() -> None:
    time.sleep(cache.seconds)


def resume(actor: str, *also: Write) -> None:
    """Resume writing; within a second every process knows."""
    gone = Delete(keys.PAUSE, when=Exists())
    _record(Event(actor, "SiteResumed"), gone, *also, refusal=NotNow(NOT_PAUSED))


def pause_item(pause: Pause) -> Put:
    return Put({**keys.PAUSE.item, **asdict(pause)}, when=Missing())


def _record(event: Event, change: Write, *also: Write, refusal: Refusal) -> None:
    try:
        EventLog(connect(settings.STORE_URL)).record(event, change, *also)
    except Refused as refused:
        if 0 in refused.parts:
            raise refusal from None
        raise Refusal(CHANGED) from None
    finally:
        cache.forget()


ALREADY = _("The site is already paused. To change the message, resume it first.")
NOT_PAUSED = _("The site is not paused.")
CHANGED = _("Your role was just changed, so nothing was done.")
