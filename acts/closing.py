"""Closing what people vote in, however busy the voting: first the thing says so, then its gates are shut, then the log
tells it.

1. *It is said.* One transaction touches nothing that votes write: the thing says who is closing it. Whoever reads it
   from now on is refused, so that voting dries up by itself.
2. *The gates are shut*, each by itself (acts/retry.py): one that is in somebody's transaction is left for the next
   round. Whoever had read the thing before step 1 and still finds a gate open gets in, and counts: they were voting
   while it was being closed.
3. *The log tells it*, and in the same transaction goes what must not outlive the close.

A vote takes its number in the log before its transaction, and the close takes its own when all gates are shut. So every
vote that got in has a lower number than the close: one with a higher number has taken it after the last gate was shut,
and so has found it shut. Counting begins when the log has told the close, and then nothing can come any more.

Whoever is killed on the way has left the thing saying that it is being closed. Whoever comes by next takes it up at
step 2, any number of them at once: gates that are shut are left alone, and one of them tells the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from acts.retry import retry_on_conflict, write_each
from acts.storage import record, write
from store.log import Event
from store.table import Conflict, Unavailable, Write

from .refusals import LostRace
from .storage import table


class Closable(Protocol):
    @property
    def closing(self) -> str | None: ...


T = TypeVar("T", bound=Closable)


def no_gates(thing: object) -> Sequence[Write]:
    """Of what nobody votes in."""
    return ()


@dataclass(frozen=True, slots=True)
class Closing(Generic[T]):
    """How one kind of thing closes: each step answers what is written, and the first and the last the thing as it is
    afterwards."""

    beginning: Callable[[T, str], tuple[T, list[Write]]]
    recording: Callable[[T], tuple[T, Event, list[Write]]]
    shutting: Callable[[T], Sequence[Write]] = no_gates  # of each gate, one

    def begin(self, thing: T, who: str, *also: Write) -> T:
        """From now on nobody is let in who comes."""
        after, writes = self.beginning(thing, who)
        retry_on_conflict(lambda: write(*writes, *also))
        return after

    def shut_gates(self, begun: T) -> None:
        """From now on nobody gets in. Gates that are shut already are left alone."""
        gates = {write.key: write for write in self.shutting(begun)}
        there = table().get_many(gates) if gates else {}
        write_each(write for key, write in gates.items() if key in there and there[key]["open"])

    def record_closed(self, shut: T) -> tuple[T, bool]:
        """The thing once the log has told its close; and whether we told it, or somebody who came by meanwhile."""
        after, event, writes = self.recording(shut)
        try:
            retry_on_conflict(lambda: record(event, *writes))
        except LostRace:
            return after, False
        return after, True

    def finish(self, begun: T) -> tuple[T, bool]:
        """What is left to do once it is said."""
        self.shut_gates(begun)
        return self.record_closed(begun)

    def try_finish(self, begun: T) -> T:
        """As `finish`; what does not get through now, or not while a request may wait, a worker does. Nobody who comes
        is let in either way."""
        with suppress(Conflict, Unavailable):
            return self.finish(begun)[0]
        return begun

    def close(self, thing: T, who: str) -> tuple[T, bool]:
        """All steps, or those that are left."""
        return self.finish(thing if thing.closing else self.begin(thing, who))
