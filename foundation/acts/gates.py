"""Gates and shards: how voters do not contend for one item, and things lie in several partitions.

Every vote passes one of an election's or a poll's gates at random and is counted by it. Closing shuts them one by one,
because in a busy distant store they are almost never all free at once. Their counts add up to the turnout.

A gate knows whether it is open, not until when: a voter has read the end in the thing itself, so moving the end touches
no gate. It also knows as of which state it was last changed, so that a delayed write cannot undo a later one.

A thing's own item has the number of its shards, fixed when it is created and usual for the kind of store. So the usual
number is tried first and compared with the item in the same reply; only a thing copied from another kind of store takes
a second round trip.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Generic, Protocol, TypeVar

from foundation.store.log import Event
from foundation.store.table import (
    Check,
    Condition,
    Conflict,
    Equals,
    Item,
    Key,
    Less,
    Missing,
    Unavailable,
    Update,
    Write,
)

from .caches import Cacheable, get_cached
from .refusals import LostRace
from .retry import retry_on_conflict, write_each
from .storage import record, table, write

MAX_GATES_PER_TRANSACTION = 16  # opened in the transaction that opens their election or poll; others open before it


@dataclass(frozen=True, slots=True)
class Gates:
    """The gates of one kind of thing: how many, and the key of each."""

    count: int
    key: Callable[[str, int], Key]

    def keys(self, name: str) -> list[Key]:
        return [self.key(name, number) for number in range(self.count)]

    def opening(self, name: str, as_of: str, **counts: int) -> list[Write]:
        """Create or reopen all of them; they keep their counts."""
        moved = {"open": True, "as_of": as_of, **counts}
        return [Update(place, set=moved, when=is_not_later(as_of)) for place in self.keys(name)]

    def shutting(self, name: str, as_of: str) -> list[Write]:
        """Shut all of them. Each is refused if it was changed since then or is gone."""
        earlier = Less("as_of", as_of)
        return [Update(place, set={"open": False, "as_of": as_of}, when=earlier) for place in self.keys(name)]

    def passing(self, name: str, number: int, counted: Mapping[str, int], *conditions: Condition) -> Write:
        """Let a vote through one gate and count it. Refused if it is shut."""
        place, when = self.key(name, number), reduce(and_, conditions, Equals("open", True))
        changed = {each: by for each, by in counted.items() if by}
        return Update(place, add=changed, when=when) if changed else Check(place, when)

    def pick(self) -> int:
        return random.randrange(self.count)  # noqa: S311 - only to spread the load


def as_of(made: str, version: int) -> str:
    """A text that sorts by the state of the thing whose gates change, even if another thing gets its name later."""
    return f"{made}#{version:010d}"


def is_not_later(as_of: str) -> Condition:
    """That a gate was last changed as of this state or an earlier one."""
    return Missing("as_of") | Less("as_of", as_of) | Equals("as_of", as_of)


def count_votes(gates: Iterable[Item]) -> int:
    return sum(gate.get("voted", 0) for gate in gates)


# --- shards ---


def shards_in(item: Item | None) -> int:
    return int(item.get("shards", 1)) if item else 1


def new_shards(distant: int) -> int:
    """How many shards a new thing gets here: `distant` in a distant store, else one."""
    return distant if table().is_distant else 1


def read_sharded(
    own: Sequence[Key], where: Callable[..., Iterable[Key]], expected: int, recently: Cacheable | None = None
) -> tuple[list[int], dict[Key, Item]]:
    """The shard numbers of these things, and their items with those in `where`, which is called with these numbers.
    `expected` is tried first. Keys in `recently` may come from the cache."""
    supposed, recently = [expected for _ in own], recently or Cacheable(())
    while True:
        wanted = dict.fromkeys([*own, *where(*supposed)])
        found = get_cached(recently, (at for at in wanted if at not in recently.keys))
        actual = [shards_in(found[at]) if at in found else expected for at in own]
        if actual == supposed:
            return actual, found
        supposed = actual


# --- closing ---

# Anything people vote in closes in three steps that succeed however busy the voting is.
#
# 1. *Begin.* One transaction, which touches nothing that votes write, marks the thing as closing. Voters who read it
#    from then on are refused, so voting dries up.
# 2. *Shut the gates*, each by itself (foundation/acts/retry.py): one that is part of another transaction is retried. A
#    voter who had read the thing before step 1 and still finds a gate open gets in, and counts.
# 3. *Record the close* in the log, and in the same transaction delete what must not outlive it.
#
# A vote takes its event number before its transaction, and the close takes its own when all gates are shut. So every
# vote that got in has a lower number than the close; one with a higher number has found its gate shut. Counting begins
# after the close is recorded, and then nothing can be added.
#
# A process that is killed leaves the mark of step 1. Any number of others may then continue at step 2.


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

    def begin(self, thing: T, who: str, *more: Write) -> T:
        """Refuse new voters from now on."""
        after, writes = self.beginning(thing, who)
        retry_on_conflict(lambda: write(*writes, *more))
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
