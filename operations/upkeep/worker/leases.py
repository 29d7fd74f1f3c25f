"""Leases: across all workers on all machines, one at a time does a job, and a killed one does not block it for good.

A lease is released when the job is done and renewed while it takes longer. An abandoned lease is recognised by the lack
of renewals: a worker that has seen none for `LEASE_SECONDS` on a monotonic clock (`ticking`) takes it over, so wall
clocks may be wrong or be adjusted. The time of day matters only to a worker that has not been watching, and then with a
margin of `MAX_CLOCK_SKEW_SECONDS`. If two workers hold the same lease nevertheless, nothing breaks: every job is safe
to run concurrently, and the work is merely done twice.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from foundation.acts import pause
from foundation.store import keys
from foundation.store.table import (
    Condition,
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

LEASE_SECONDS = 30
RENEWAL_SECONDS = LEASE_SECONDS / 3
MAX_CLOCK_SKEW_SECONDS = 120  # between two machines


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
            self._give_back(job, holder)

    def _take(self, job: str, holder: str) -> bool:
        place, now = keys.lease(job), int(self.clock())
        lease = {"holder": holder, "since": now, "until": now + LEASE_SECONDS, "renewals": 0}
        try:
            self.table.write(Put({**place.item, **lease}, when=self._is_free(job, now)))
        except Refused:
            return self._look(job)["holder"] == holder  # ours if only the reply to our first attempt was lost
        return True

    def _is_free(self, job: str, now: int) -> Condition:
        free = Missing() | Less("until", now - MAX_CLOCK_SKEW_SECONDS)
        (holder, renewals), since = self._seen.get(job, (("", 0), self.ticking()))
        if self.ticking() - since <= LEASE_SECONDS:
            return free
        return free | (Equals("holder", holder) & Equals("renewals", renewals))

    def _look(self, job: str) -> Item:
        """Read who holds it, and note since when it has not changed."""
        lease = self.table.get(keys.lease(job)) or {"holder": "", "renewals": 0}
        now = lease["holder"], lease["renewals"]
        if self._seen.get(job, (None, 0))[0] != now:
            self._seen[job] = now, self.ticking()
        return lease

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

    def _give_back(self, job: str, holder: str) -> None:
        with suppress(StoreError):  # else another worker has it by now, or it expires
            self.table.write(Delete(keys.lease(job), when=Equals("holder", holder)))
