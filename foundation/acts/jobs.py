"""Periodic jobs: what a worker looks for again and again. Apps declare theirs; operations/upkeep/worker runs them."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from foundation.store.table import Span

from . import background, pause
from .storage import table


@dataclass(frozen=True, slots=True)
class Job:
    """Something any number of workers may do at once without harm; `work` returns how much was done.

    `waits` checks cheaply whether there is any work, without a lease, so that an idle site is only read. Where it is
    known when there will be, `moment` replaces it: in how many seconds, 0 for now. Jobs of one lane run one after
    another; a job that waits for another server has its own lane, so that nothing else waits with it.
    """

    name: str
    every: int  # seconds
    work: Callable[[], int]
    waits: Callable[[], bool] = lambda: True
    lane: str = ""
    moment: Callable[[], float | None] | None = None
    part: str = ""  # that it belongs to; empty for the core


def anything_in(*spans: Span) -> Callable[[], bool]:
    def look() -> bool:
        pages = (table().page(span, limit=1) for span in spans)
        return any(page.items or page.cursor for page in pages)

    return look


GOES_ON: ContextVar[Callable[[], bool]] = ContextVar("goes_on", default=lambda: True)


def goes_on() -> bool:
    """Whether a long job may continue with its next item: not while the site is paused, nor when the worker stops."""
    return GOES_ON.get()() and pause.cache.current() is None


def tasks(name: str, lane: Span) -> Job:
    """The background tasks of one lane."""
    return Job(
        name, 2, lambda: background.resume_due(goes_on, lane), moment=lambda: background.next_due(lane), lane=name
    )
