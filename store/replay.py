"""Replay: the state of a store rebuilt from its log alone, and compared with its actual state.

Every kind of event has an act that returns the writes of the live act. What does not follow from events is listed, with
the reason, in a table of exceptions: nothing else may differ.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from . import keys
from .backup import SEALED_TOGETHER, Progress, Snapshot, canonical, contents, no_progress
from .log.layout import number_of
from .sqlite import BufferedTable, SqliteTable
from .table import (
    DATA,
    LOG,
    Conflict,
    Delete,
    Item,
    Key,
    Numbered,
    Put,
    Refused,
    Span,
    Table,
    Unavailable,
    Value,
    Write,
    opened,
    same,
)

T = TypeVar("T", bound=SqliteTable)
BATCH_ITEMS = 1000  # items copied at once


class DoesNotFit(Exception):
    """An event that is impossible after the events before it; the message says why."""


# --- exceptions ---


ANYWHERE = Key("", "")


def always(item: Item) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Exempt:
    """Items like this one are not compared, or only in part, for this reason."""

    reason: str
    attributes: str = ""  # only these are not compared
    until: Key | None = None  # compared once the partition has this item
    within: Key | None = None  # compared only while the partition has this item
    where: Callable[[Item], bool] = always
    summed: bool = False  # compared as the sum of all such items of the partition, and of its shards
    named: Callable[[Item], Key] | None = None  # compared under this key, if it exists
    may_be_gone: bool = False  # compared only if it exists
    like: Key = ANYWHERE  # prefix of the keys of these items; without a sort key, the whole partition

    def spares(self, attribute: str) -> bool:
        """Whether this attribute is not compared; anything after a # in its name is ignored."""
        return attribute.partition("#")[0] in self.attributes.split()

    @property
    def is_whole(self) -> bool:
        """Whether these items are never compared at all."""
        partly = (self.attributes, self.until, self.within, self.summed, self.named, self.may_be_gone)
        return not any(partly)


class Exemptions:
    """The table of exceptions, looked up by an item's key."""

    def __init__(self, rows: Sequence[Exempt]):
        self._rows: defaultdict[tuple[str, str], list[tuple[Exempt, bool]]] = defaultdict(list)
        for row in rows:
            self._rows[row.like.pk, row.like.sk].append((row, row.is_whole))
        whole = (row for row in rows if row.is_whole and row.where is always)
        self._whole = {(row.like.pk, row.like.sk) for row in whole}  # key prefixes that are never compared

    def may_compare(self, pk: str, sk: str) -> bool:
        """Whether an item with this key is compared, or may be, depending on its content."""
        begin = begins(pk)
        return (begin, begins(sk)) not in self._whole and (begin, "") not in self._whole

    def of(self, item: Item) -> list[Exempt] | None:
        """The exceptions for this item; `None` if it is never compared."""
        pk = begins(item["PK"])
        found = []
        for place in ((pk, ""), (pk, begins(item["SK"]))):
            for row, is_whole in self._rows.get(place, ()):
                if row.where(item):
                    if is_whole:
                        return None
                    found.append(row)
        return found


def begins(text: str) -> str:
    """A key up to its first name."""
    head, hash_, _ = text.partition("#")
    return head + hash_


def like(key: Key) -> Key:
    """The key without its names."""
    return Key(begins(key.pk), begins(key.sk), key.table)


# --- replaying ---


@dataclass(slots=True)
class Happened:
    """An event as its act reads it."""

    number: int
    kind: str
    actor: str
    when: str
    data: Item


Step = Sequence[Write]  # of one transaction
Act = Callable[[Happened], Step | Iterator[Step]]  # one step, or several, each computed after the one before is written


def nothing_kept(event: Happened) -> Step:
    """The act of an event that changes nothing but what is exempt."""
    return ()


@dataclass(frozen=True, slots=True)
class Difference:
    """One disagreement between the log and the store."""

    place: str  # an item's key, or an event
    attribute: str
    message: str

    def __str__(self) -> str:
        named = f"{self.place}, {self.attribute}" if self.attribute else self.place
        return f"{named}: {self.message}"


class Unlogged:
    """A table whose log does not change: an act that is repeated on it does not write its event, which is kept here."""

    def __init__(self, table: Table):
        self._table = table
        self.get = table.get  # the most frequent call: set here, it bypasses `__getattr__`
        self.announced: Item = {}  # the newest event that was not written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = opened(writes)
        if data := [part for part in parts if part.key.table != LOG]:
            self._table.write(*data, token=token)
        for write in parts:
            if isinstance(write, Put) and keys.holds_events(write.key.pk):
                self.announced = write.item

    def increment(self, key: Key, name: str, by: int = 1, *, also: Mapping[str, Value] | None = None) -> int:
        return 0 if key.table == LOG else self._table.increment(key, name, by, also=also)


def announced(table: Table) -> Item:
    """The data of the newest event that was not written on this table."""
    assert isinstance(table, Unlogged)
    return dict(table.announced["event_data"])


def copy(
    source: Table, at: Snapshot, there: BufferedTable, exempt: Sequence[Exempt], progress: Progress = no_progress
) -> None:
    """Copy the events and all data that may be compared as of one moment, but the sealer's items as of the snapshot."""
    may_compare = Exemptions(exempt).may_compare
    # Not for subclasses: some of a buffered table's data is not in its file yet.
    if type(source) is SqliteTable:
        progress(there.copy(source, may_compare, keys.events()))
        there.write(*(Put(at.moved[key]) if key in at.moved else Delete(key) for key in SEALED_TOGETHER))
        return
    copied = 0
    chosen = (
        (name, item)
        for name, item in contents(source, at)
        if (may_compare(item["PK"], item["SK"]) if name == DATA else is_event(item))
    )
    while some := list(islice(chosen, BATCH_ITEMS)):
        there.load(some)
        progress(copied := copied + len(some))


@contextmanager
def stage(kind: type[T]) -> Iterator[T]:
    """A temporary store in which nothing expires from now on.

    It need not survive a power cut, so it does not sync to disk.
    """
    now = time.time()
    with TemporaryDirectory(prefix="plenum-replay-") as folder:
        table = kind(str(Path(folder) / "stage.sqlite3"), clock=lambda: now)
        table.create()
        table.wait_for_no_disk()
        try:
            yield table
        finally:
            table.close()


class Theatre:
    """Replays events one after another."""

    def __init__(self, table: Table, acts: Mapping[str, Act]):
        self.table = table
        self.acts = acts
        self.last = 0

    def take(self, item: Item) -> Iterator[Difference]:
        """Replay one event; yields why it was not possible, if so."""
        event = _happened(item)
        if event.number <= self.last:
            yield _misfit(event, "comes after one that happened later.")
        self.last = max(self.last, event.number)
        try:
            self._carry_out(event)
        except (Conflict, Unavailable):
            raise
        except DoesNotFit as misfit:
            yield _misfit(event, str(misfit))
        except Exception as error:  # a tampered event may break its act in any way
            yield _misfit(event, f"cannot have happened ({type(error).__name__}: {error}).")

    def _carry_out(self, event: Happened) -> None:
        if event.kind not in self.acts:
            raise DoesNotFit("is of a kind that nobody here knows.")
        made = self.acts[event.kind](event)
        for step in made if isinstance(made, Iterator) else (made,):
            try:
                if step:
                    self.table.write(*step)
            except Refused as refused:
                key = step[refused.parts[0]].key
                raise DoesNotFit(f"is not possible, because of what {_place(key)} is by then.") from None


def is_event(item: Item) -> bool:
    return keys.holds_events(item["PK"])


def _happened(item: Item) -> Happened:
    kind, actor, when = str(item.get("event_type")), str(item.get("actor")), str(item.get("when_occurred"))
    return Happened(number_of(item), kind, actor, when, item.get("event_data") or {})


def _misfit(event: Happened, message: str) -> Difference:
    return Difference(f"event {event.number} ({event.kind})", "", message)


# --- comparing ---


class Comparison:
    """Compares the actual state with the one that follows from the log. Both are in temporary stores, not in memory."""

    def __init__(self, there: BufferedTable, made: BufferedTable, exempt: Sequence[Exempt]):
        self.there = there
        self.made = made
        self.exempt = Exemptions(exempt)
        self._summed: set[tuple[str, str]] = set()
        self._named: set[Key] = set()  # the `named` keys encountered so far
        self._has = lru_cache(1000)(self._has_each)

    def differences(self, progress: Progress = no_progress) -> Iterator[Difference]:
        for done, (there, made) in enumerate(self.there.differing(self.made)):
            progress(done)
            yield from self._compared(there, made)

    def _compared(self, there: Item | None, made: Item | None) -> Iterator[Difference]:
        item = there or made or {}
        key, rows = Key(item["PK"], item["SK"]), self.exempt.of(item)
        if rows is None:
            return
        if there is not None and (naming := [row.named for row in rows if row.named]):
            yield from self._compared_as(naming[-1](there), there, rows)
        elif not self._are_left_out(rows, key):
            yield from self._compared_at(key, there, made, rows)

    def _compared_as(self, key: Key, there: Item, rows: Sequence[Exempt]) -> Iterator[Difference]:
        """Compare an item that the log creates under another key. Two items with the same such key are a difference:
        the second is noticed in its turn, or, if it is already stored under that key, by reading it."""
        own, is_met, is_left_out = Key(there["PK"], there["SK"]), key in self._named, self._are_left_out(rows, key)
        self._named.add(key)
        if is_met or (own != key and not is_left_out and self.there.get(key) is not None):
            yield Difference(_place(own), "", "is in the store more than once.")
        elif not is_left_out:
            yield from self._compared_at(key, {**there, "PK": key.pk, "SK": key.sk}, self.made.get(key), rows)

    def _compared_at(
        self, key: Key, there: Item | None, made: Item | None, rows: Sequence[Exempt]
    ) -> Iterator[Difference]:
        if any(row.summed for row in rows):
            yield from self._compared_sums(key, rows)
        elif there is not None:
            yield from _different(key, there, made, rows)
        elif not any(row.may_be_gone for row in rows):
            yield Difference(_place(key), "", "follows from the log, but is not in the store.")

    def _has_each(self, key: Key) -> tuple[bool, bool]:
        """Whether the item is in the actual state, and in the replayed one."""
        return self.there.get(key) is not None, self.made.get(key) is not None

    def _are_left_out(self, rows: Sequence[Exempt], key: Key) -> bool:
        for row in rows:
            if row.until is not None and not self._has(Key(keys.home(key.pk), row.until.sk))[1]:
                return True
            if row.within is not None and not any(self._has(Key(keys.home(key.pk), row.within.sk))):
                return True
        return False

    def _compared_sums(self, key: Key, rows: Sequence[Exempt]) -> Iterator[Difference]:
        kind = (keys.home(key.pk), begins(key.sk))
        if kind not in self._summed:
            self._summed.add(kind)
            there, made = (_sum(_in_all_shards(table, *kind)) for table in (self.there, self.made))
            yield from _different(Key(*kind), there, made, rows)


def _in_all_shards(table: Table, pk: str, prefix: str) -> Iterator[Item]:
    """All items with this prefix in a thing's partition, or in all of its shards."""
    shards = (table.get(Key(pk, keys.METADATA)) or {}).get("shards", 1)
    for each in range(shards):
        yield from table.each(Span(keys.sharded(pk, each, shards), prefix=prefix))


def _different(key: Key, there: Item, made: Item | None, rows: Sequence[Exempt]) -> Iterator[Difference]:
    if made is None:
        yield Difference(_place(key), "", "is in the store, but does not follow from the log.")
        return
    for name in sorted(there.keys() | made.keys()):
        is_same = name in there and name in made and same(there[name], made[name])
        if not is_same and not any(row.spares(name) for row in rows):
            yield Difference(_place(key), name, "is not what follows from the log.")


def _sum(items: Iterable[Item]) -> Item:
    """Numbers are added up; for anything else, the set of values."""
    numbers, others = Counter[str](), dict[str, dict[bytes, Value]]()
    for item in items:
        for name, value in item.items():
            if type(value) is int:
                numbers[name] += value
            elif name != "SK":
                others.setdefault(name, {})[canonical(value)] = value
    different = {name: [values[text] for text in sorted(values)] for name, values in others.items()}
    return different | {name: [number, *different.get(name, [])] for name, number in numbers.items() if number}


def _place(key: Key) -> str:
    return f"{key.pk} / {key.sk}"
