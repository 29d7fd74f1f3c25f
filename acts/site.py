"""What every act has at hand: the site's table, its log and its clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.conf import settings

from store.connect import connect
from store.log import EventLog, as_text, utc_now
from store.table import Table

SITE = "plenum"  # the actor of what happens by itself
_elsewhere: ContextVar[Table | None] = ContextVar("elsewhere", default=None)


def table() -> Table:
    """The site's table, or the one that `acting_on` has put in its place."""
    return _elsewhere.get() or connect(settings.STORE_URL)


@contextmanager
def acting_on(other: Table) -> Iterator[None]:
    """Whatever happens inside happens on another table: a rehearsal, of which nothing is to stay."""
    token = _elsewhere.set(other)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def log(now: datetime | None = None) -> EventLog:
    """For an act that has looked at the clock already, its event tells the very same moment."""
    return EventLog(table(), lambda: now) if now else EventLog(table())


def now_text() -> str:
    return as_text(utc_now())
