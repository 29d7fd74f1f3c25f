"""Closing an election, a poll or anything else people vote in, in three steps that succeed however busy the voting is.

1. *Begin.* One transaction, which touches nothing that votes write, marks the thing as closing. Voters who read it
   from then on are refused, so voting dries up.
2. *Shut the gates*, each by itself (foundation/acts/retry.py): one that is part of another transaction is retried. A
   voter who had read the thing before step 1 and still finds a gate open gets in, and counts.
3. *Record the close* in the log, and in the same transaction delete what must not outlive it.

A vote takes its event number before its transaction, and the close takes its own when all gates are shut. So every vote
that got in has a lower number than the close; one with a higher number has found its gate shut. Counting begins after
the close is recorded, and then nothing can be added.

A process that is killed leaves the mark of step 1. Any number of others may then continue at step 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from foundation.store.log import Event
from foundation.store.table import Conflict, Unavailable, Write

from .refusals import LostRace
from .retry import retry_on_conflict, write_each
from .storage import record, table, write


class Closable(Protocol):
    @property
    def closing(self) -> str | None: ...


T = TypeVar("T", bound=Closable)


@dataclass(frozen=True, slots=True)
class Closing(Generic[T]):
    """How one kind of thing closes: each step returns its writes, the first and the last also the changed thing."""

    beginning: Callable[[T, str], tuple[T, list[Write]]]
    recording: Callable[[T], tuple[T, Event, list[Write]]]
    shutting: Callable[[T], Sequence[Write]] = lambda thing: ()  # of each gate, one; none without voters

    def begin(self, thing: T, who: str, *also: Write) -> T:
        """Refuse new voters from now on."""
        after, writes = self.beginning(thing, who)
        retry_on_conflict(lambda: write(*writes, *also))
        return after

    def shut_gates(self, begun: T) -> None:
        """Let no more votes in. Gates that are already shut are left alone."""
        gates = {write.key: write for write in self.shutting(begun)}
        there = table().get_many(gates) if gates else {}
        write_each(write for key, write in gates.items() if key in there and there[key]["open"])

    def record_closed(self, shut: T) -> tuple[T, bool]:
        """The closed thing, and whether we recorded the close or another process did."""
        after, event, writes = self.recording(shut)
        try:
            retry_on_conflict(lambda: record(event, *writes))
        except LostRace:
            return after, False
        return after, True

    def finish(self, begun: T) -> tuple[T, bool]:
        """The steps after `begin`."""
        self.shut_gates(begun)
        return self.record_closed(begun)

    def try_finish(self, begun: T) -> T:
        """As `finish`; if that does not succeed while the request may wait, the worker does it."""
        with suppress(Conflict, Unavailable):
            return self.finish(begun)[0]
        return begun

    def close(self, thing: T, who: str) -> tuple[T, bool]:
        """All steps, or those that are left."""
        return self.finish(thing if thing.closing else self.begin(thing, who))
