"""Upgrading: from the format a store has to the one this program writes, step by step.

Every step may be interrupted anywhere and is safe to repeat. The store records which steps are finished; when all
steps to a format are, the store is marked with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from foundation.store import formats
from foundation.store.backup import Progress
from foundation.store.table import StoreError, Table

from .jobs import LEASE_SECONDS, LOG, Leases

Report = Callable[[str], AbstractContextManager[Progress]]  # shows the progress of a step under its title


class Busy(StoreError):
    """Another process is sealing the log, or upgrading, and does not finish."""


@dataclass(frozen=True, slots=True)
class UpgradeStep:
    to: int  # the format that is reached when all steps to it are finished
    name: str
    title: str
    run: Callable[[Table, Progress], None]


STEPS: tuple[UpgradeStep, ...] = ()  # format 1 is the first


def steps_from(number: int) -> list[UpgradeStep]:
    return [step for step in STEPS if step.to > number]


def upgrade(table: Table, report: Report, rest: Callable[[float], None] = time.sleep) -> int:
    """Run all remaining steps; returns the format the store had. No other process seals or upgrades meanwhile."""
    with alone(table, rest):
        number = formats.check(table, oldest=0)
        began = formats.FORMAT if number is None else number
        for next_one in range(began + 1, formats.FORMAT + 1):
            formats.mark(table, next_one - 1)
            done = formats.steps_done(table)
            for step in (each for each in STEPS if each.to == next_one and each.name not in done):
                with report(step.title) as progress:
                    step.run(table, progress)
                formats.mark_step(table, next_one - 1, done := (*done, step.name))
            formats.mark(table, next_one)
        formats.mark(table, formats.FORMAT)
    return began


@contextmanager
def alone(table: Table, rest: Callable[[float], None]) -> Iterator[None]:
    """A killed process leaves its lease behind, which expires when it has not been renewed for half a minute."""
    leases = Leases(table)
    for _ in range(LEASE_SECONDS + 10):
        with leases.held(LOG.name) as ours:
            if ours:
                yield
                return
        rest(1)
    raise Busy("Another process is sealing the log or upgrading the store. Stop the site and try again.")
