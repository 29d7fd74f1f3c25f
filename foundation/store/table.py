"""The port to the store: the operations of its two tables, conditions, writes and errors.

The contract is tested on every adapter in `tests/store`; where DynamoDB and the embedded file could differ, DynamoDB is
right.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

DATA = "vote_data"
LOG = "vote_event_log"
TABLES = (DATA, LOG)

Value = Any  # str, int, bool, None, bytes, and lists and string-keyed dicts of these; `limits.check_item` enforces it
Item = dict[str, Value]


# --- where things are -----------------------------------------------------------------------------------------------


class Key(NamedTuple):
    """The full primary key of one item."""

    pk: str
    sk: str
    table: str = DATA

    @property
    def item(self) -> dict[str, Any]:
        """The key attributes of an item under this key."""
        return {"PK": self.pk, "SK": self.sk}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one partition in sort-key order: all of it, a prefix, or from `first` to `last`, both included.

    With `index` the partition is one of GSI1, whose reads may lag behind writes.
    """

    pk: str
    prefix: str = ""
    first: str | None = None
    last: str | None = None
    index: bool = False
    table: str = DATA

    def __post_init__(self) -> None:
        if self.prefix and (self.first is not None or self.last is not None):
            raise ValueError("A span is a prefix or a range, not both.")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise ValueError("A span's first key must not come after its last.")

    @property
    def key_names(self) -> tuple[str, ...]:
        """The attributes that fix a place in it: partition, sort key, and for an index the item's own key."""
        return ("GSI1PK", "GSI1SK", "PK", "SK") if self.index else ("PK", "SK")

    def holds(self, sort_key: str) -> bool:
        begins = sort_key.startswith(self.prefix) and (self.first is None or self.first <= sort_key)
        return begins and (self.last is None or sort_key <= self.last)


@dataclass(frozen=True, slots=True)
class Page:
    """Some items of a span, and the cursor of the next page, `None` after the last. Even an empty page may have one."""

    items: list[Item]
    cursor: str | None


# --- conditions -----------------------------------------------------------------------------------------------------


class Condition:
    """What must hold of the stored item for a write to happen. Expired items still count until they are swept."""

    __slots__ = ()

    def __and__(self, other: Condition) -> AllOf:
        return AllOf((self, other))

    def __or__(self, other: Condition) -> AnyOf:
        return AnyOf((self, other))


@dataclass(frozen=True, slots=True)
class Exists(Condition):
    """The attribute exists, even if null. Without a name: the item exists."""

    name: str = "PK"


@dataclass(frozen=True, slots=True)
class Missing(Condition):
    """The attribute does not exist. Without a name: the item does not exist."""

    name: str = "PK"


@dataclass(frozen=True, slots=True)
class Equals(Condition):
    """Same type and same value; a missing attribute equals nothing."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Less(Condition):
    """Numbers by value, strings by their UTF-8 bytes; false for a missing attribute or another type."""

    name: str
    value: str | int | bytes


@dataclass(frozen=True, slots=True)
class Greater(Condition):
    """As `Less`, the other way round."""

    name: str
    value: str | int | bytes


@dataclass(frozen=True, slots=True)
class AllOf(Condition):
    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf(Condition):
    parts: tuple[Condition, ...]


# --- writes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Put:
    """Store the item, replacing any with its key."""

    item: Item
    when: Condition | None = None
    table: str = DATA

    @property
    def key(self) -> Key:
        return Key(self.item["PK"], self.item["SK"], self.table)


@dataclass(frozen=True, slots=True)
class Update:
    """Change some attributes and leave the others; creates a missing item. `add` counts from 0.

    Sums must stay within 63 bits: the embedded adapter refuses larger ones, DynamoDB would keep them.
    """

    key: Key
    set: Mapping[str, Value] = field(default_factory=dict)
    add: Mapping[str, int] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete the item; a missing one is no error."""

    key: Key
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Change nothing, but refuse the whole write unless this holds."""

    key: Key
    when: Condition


Write = Put | Update | Delete | Check


@dataclass(frozen=True, slots=True)
class Numbered:
    """Writes that contain the next number of a counter, which the same transaction takes; the last part of a write.

    They are made from the counter's new item by whichever thread commits, so they may depend on nothing else that
    changes. If nothing is written, no number is taken. Not for a distant store, where all writers would contend for
    the counter.
    """

    key: Key  # of the counter
    name: str  # of its attribute
    parts: Callable[[Item], Sequence[Write]]

    def under(self, number: int) -> Sequence[Write]:
        """The parts as they would be, for inspection only."""
        return self.parts({**self.key.item, self.name: number})


def opened(writes: Iterable[Write | Numbered]) -> list[Write]:
    """All parts of a write, with those made from a number, for inspection."""
    return [part for write in writes for part in (write.under(0) if isinstance(write, Numbered) else (write,))]


# --- errors ---------------------------------------------------------------------------------------------------------


class StoreError(Exception):
    """Any error of the store."""


class Refused(StoreError):
    """A condition did not hold and nothing was written. `parts` are the positions of the writes that were refused."""

    def __init__(self, parts: Iterable[int]):
        self.parts = tuple(parts)
        super().__init__(f"Refused: the condition of write {', '.join(map(str, self.parts))} did not hold.")


class Conflict(StoreError):
    """Other transactions kept conflicting; nothing was written, and the write may be retried."""


class Unavailable(StoreError):
    """The store cannot be reached, is throttled, or is not set up; the message says which."""


class Crowded(Unavailable):
    """The store is throttled: nothing was written; retry a little later."""


class InDoubt(Unavailable):
    """A write without a reply: it may have happened. Sending it again with its token is safe."""


class Unwritable(Unavailable):
    """The store can only be read: its disk is full or read-only, or we lack permission."""


class Invalid(StoreError, ValueError):
    """A request no adapter accepts: too large, a wrong type, one item written twice."""


class KeyTooLong(Invalid):
    """A key too long for any item, so that an address with it leads to nothing."""


class BadCursor(Invalid):
    """A cursor that does not belong to the span it was given with."""


class TokenReused(Invalid):
    """An idempotency token that was used for another write."""


# --- the port -------------------------------------------------------------------------------------------------------


class Table(ABC):
    """Both tables of one site. Safe to share between threads, and between processes after a fork."""

    @abstractmethod
    def create(self) -> None:
        """Create missing tables and wait until they can be used."""

    @abstractmethod
    def get(self, key: Key) -> Item | None:
        """The item, or `None` if it is missing or has expired."""

    @abstractmethod
    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """The items that exist, unordered; each is consistent, but together they are no snapshot."""

    @abstractmethod
    def page(
        self,
        span: Span,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> Page:
        """At most `limit` items and at most 1 MB of the span, in the order of the sort keys' UTF-8 bytes."""

    @abstractmethod
    def count(self, span: Span) -> int:
        """How many items the span has, without transferring them."""

    @abstractmethod
    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        """All of the writes or none, atomically. The same `token` again within ten minutes is the same write.

        If one part is refused and another invalid, either error may be raised; nothing is written.
        """

    @abstractmethod
    def put_all(self, items: Sequence[Item]) -> None:
        """Put these items, at most 25, not atomically.

        When this returns, all of them are stored. If it fails, some may be, and repeating it does no harm.
        """

    @abstractmethod
    def increment(self, key: Key, name: str, by: int = 1, *, setting: Mapping[str, Value] | None = None) -> int:
        """Add to a number and return the new one, setting others with it. Each number is returned once; a lost reply
        may skip some."""

    @abstractmethod
    def sweep(self, limit: int = 1000) -> int:
        """Delete up to `limit` expired items; returns how many. DynamoDB does this by itself."""

    @abstractmethod
    def everything(self) -> Iterator[tuple[str, Item]]:
        """Every item of both tables that has not expired, with its table's name: first all data, then all of the log.

        For backup and replay only: this costs as much as the whole store. The embedded store returns a snapshot.
        DynamoDB is read while others write, but for all data read, the event is in the log that is read after it.
        """

    most_loaded: tuple[int, int] = (100, 512 * 1024)  # items and bytes that `load` takes at once; short requests
    # are throttled less often, and time out less often

    def load(self, entries: Sequence[tuple[str, Item]]) -> None:
        """Put all of these items, each into the table it is named with, in one transaction.

        For filling a store that is not in use yet with items that have been checked already: limits are not checked.
        """
        self.write(*(Put(item, table=name) for name, item in entries))

    @property
    def index_lag(self) -> float:
        """After how many seconds a read of the index is sure to include a write."""
        return 0.0

    def purge_journal(self) -> None:  # noqa: B027 - DynamoDB's files are inaccessible, so it has nothing to do here
        """Remove old versions of items from the store's journal. Quick, however large the store is."""

    def size(self) -> int:
        """Bytes of the store's file, for `compact`."""
        return 0

    def unused_share(self) -> float:
        """How much of the store's files is unused, from 0 to 1: what `compact` would give back."""
        return 0.0

    def compact(self) -> bool:
        """Return unused space to the system, and remove copies of deleted data and the order of arrival from the files;
        whether it was done.

        Writers wait meanwhile, so it gives up if that would take more than a few seconds.
        """
        return False

    def quiet(self) -> float:
        """Seconds since the last write, for `compact`."""
        return math.inf

    is_distant = (
        False  # whether every request is a network round trip and a partition has limited throughput: then independent
    )
    # requests are sent in parallel (foundation/store/parallel.py), what very many write is sharded over partitions, and
    # a number is taken before the write that contains it, not in it (`Numbered`)

    log_partitions = 1  # in which events lie (foundation/store/log/layout.py); fixed for each kind of store

    def run_parallel(self, asks: Sequence[Callable[[], Any]]) -> list[Any]:
        """The result of each, in order; run in parallel where that is quicker."""
        return [ask() for ask in asks]

    @abstractmethod
    def close(self) -> None:
        """Close connections. The table may be used again; it reconnects."""

    def each(self, span: Span, *, backwards: bool = False) -> Iterator[Item]:
        """Every item of the span, read page by page."""
        cursor = None
        while True:
            page = self.page(span, cursor=cursor, backwards=backwards)
            yield from page.items
            if (cursor := page.cursor) is None:
                return

    def values(self, span: Span, *names: str) -> Iterator[tuple[Value, ...]]:
        """Only these attributes of every item of the span, `None` where one is missing; page by page, as `each`.

        Adapters that can skip the rest of an item override this: a count needs one attribute of seven.
        """
        for item in self.each(span):
            yield tuple(map(item.get, names))


# --- Conditions, judged as DynamoDB does ---


def holds(condition: Condition, item: Item | None) -> bool:
    """Whether the condition holds for the stored item, `None` if there is none."""
    if (judge := _JUDGES.get(type(condition))) is None:
        raise TypeError(f"{condition!r} is no condition.")
    return judge(condition, item or {})


def _is_less(condition: Less, item: Item) -> bool:
    return type(item.get(condition.name)) is type(condition.value) and item[condition.name] < condition.value


def _is_greater(condition: Greater, item: Item) -> bool:
    return type(item.get(condition.name)) is type(condition.value) and item[condition.name] > condition.value


_JUDGES: dict[type[Condition], Callable[[Any, Item], bool]] = {
    Missing: lambda condition, item: condition.name not in item,
    Exists: lambda condition, item: condition.name in item,
    Equals: lambda condition, item: condition.name in item and same(item[condition.name], condition.value),
    Less: _is_less,
    Greater: _is_greater,
    AllOf: lambda condition, item: all(holds(part, item) for part in condition.parts),
    AnyOf: lambda condition, item: any(holds(part, item) for part in condition.parts),
}


def same(one: Value, other: Value) -> bool:
    """Equal in type and value at every level: Python's `True == 1` does not hold in DynamoDB."""
    if type(one) is not type(other):
        return False
    if type(one) is list:
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return bool(one == other)
