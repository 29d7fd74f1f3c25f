"""Leases: of all workers on all machines, one at a time does a job, and a killed one does not keep it for good.

A lease is given back when the job is done and renewed while it takes longer. An abandoned one is told by its standing
still: whoever has seen no renewal for `LEASE_SECONDS` on a clock that nobody sets (`ticking`) takes it over, so clocks
may be wrong or moved. The time of day counts only for somebody who has not been watching, and then with
`MAX_CLOCK_SKEW_SECONDS`. Should two hold one job nevertheless, nothing breaks: every job may be done by several at
once, it is only done twice for nothing.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from store import keys
from store.table import Condition, Delete, Equals, Item, Less, Missing, Put, Refused, StoreError, Table, Update
from upkeep import pause

LEASE_SECONDS = 30
RENEWAL_SECONDS = LEASE_SECONDS / 3
MAX_CLOCK_SKEW_SECONDS = 120  # how far the clocks of two machines may be apart


class Leases:
    """What one worker holds, and what it has seen others hold."""

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
        """Hold the lease inside, if nobody else does and the site is not paused; answers which it is."""
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
        taken = {"PK": place.pk, "SK": place.sk, "holder": holder, "since": now, "until": now + LEASE_SECONDS}
        taken["renewals"] = 0
        try:
            self.table.write(Put(taken, when=self._is_free(job, now)))
        except Refused:
            return self._look(job)["holder"] == holder  # it is ours if only the answer to our first try was lost
        return True

    def _is_free(self, job: str, now: int) -> Condition:
        free = Missing() | Less("until", now - MAX_CLOCK_SKEW_SECONDS)
        (holder, renewals), since = self._seen.get(job, (("", 0), self.ticking()))
        if self.ticking() - since <= LEASE_SECONDS:
            return free
        return free | (Equals("holder", holder) & Equals("renewals", renewals))

    def _look(self, job: str) -> Item:
        """See who holds it, and since when nothing has changed about that."""
        lease = self.table.get(keys.lease(job)) or {"holder": "", "renewals": 0}
        now = lease["holder"], lease["renewals"]
        if self._seen.get(job, (None, 0))[0] != now:
            self._seen[job] = now, self.ticking()
        return lease

    def _renew_until(self, done: threading.Event, job: str, holder: str) -> None:
        while not done.wait(self.renewed_every):
            try:
                self._renew(job, holder)
            except Refused:
                return  # taken over while we could not renew; the job is safe to finish
            except StoreError:
                continue  # the next renewal is soon enough

    def _renew(self, job: str, holder: str) -> None:
        until = int(self.clock()) + LEASE_SECONDS
        self.table.write(
            Update(keys.lease(job), set={"until": until}, add={"renewals": 1}, when=Equals("holder", holder))
        )

    def _give_back(self, job: str, holder: str) -> None:
        with suppress(StoreError):  # then it is another's by now, or stands still until it is taken over
            self.table.write(Delete(keys.lease(job), when=Equals("holder", holder)))
