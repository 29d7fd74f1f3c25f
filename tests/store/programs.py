"""Random programs of store operations, and how to run one on a table so that two tables' answers can be compared.

The universe is small, so that keys collide, conditions hold about as often as not, and expired items get in the way.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from foundation.store.table import (
    DATA,
    LOG,
    AllOf,
    AnyOf,
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Greater,
    Item,
    Key,
    Less,
    Missing,
    Put,
    Refused,
    Span,
    StoreError,
    Table,
    Update,
    Value,
    Write,
)

from .walks import walk

START = 4_102_444_800  # in the year 2100, so that no engine tidies up by itself
SORT_KEYS = ["A", "B", "a", "a#1", "a%", "a_b", "aab", "b", "é", "e\u0301", "\uffff", "🗳"]
KEYS = [Key(pk, sk, table) for table in (DATA, LOG) for pk in ("p", "P") for sk in SORT_KEYS]
SHELVES = ["p", "shelf"]
VALUES = [0, 1, True, False, None] * 3  # the ones most easily taken for one another
VALUES += [-1, 2**62, "", "a", "A", "é", "\uffff", "🗳", b"", b"\xff", b"\x00", [], [1], [True], [None, "a"]]
VALUES += [{}, {"x": 1}, {"x": True}, {"x": {"y": [b"\x00"]}}]
SORTABLE = [value for value in VALUES if type(value) in (str, int, bytes)]
POOLS: dict[str, list[Value]] = {
    "GSI1PK": SHELVES,
    "GSI1SK": ["1", "2", "é", "🗳"],
    "ttl": [START - 5, START, START + 3, START + 10, START + 10_000],
}


# --- operations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Writing:
    writes: tuple[Write, ...]
    token: int | None = None
    times: int = 1


@dataclass(frozen=True)
class Asking:
    """Which of these conditions hold of an item."""

    key: Key
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Incrementing:
    key: Key
    name: str
    by: int
    also: dict[str, Value]


@dataclass(frozen=True)
class Getting:
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class Walking:
    """From one end to the other; or, with `between`, a few items, then a write, then the rest."""

    span: Span
    limit: int | None
    backwards: bool
    taken: int = 0
    between: tuple[Write, ...] = ()


@dataclass(frozen=True)
class Waiting:
    seconds: int


@dataclass(frozen=True)
class Sweeping:
    pass


Operation = Writing | Asking | Incrementing | Getting | Walking | Waiting | Sweeping
Program = tuple[Operation, ...]


# --- writing programs ------------------------------------------------------------------------------------------------


def program(seed: int, *, sweeps: bool = False) -> Program:
    """The program of this seed: a stock of items, then some operations."""
    return Author(random.Random(seed), sweeps).program()


@dataclass(frozen=True)
class Author:
    """Thinks of operations. Plain random numbers: a library that draws each value costs more than the operations do."""

    chance: random.Random
    sweeps: bool = False

    def program(self) -> Program:
        acts = [self.stocking, self.writing, self.writing, self.writing, self.asking, self.incrementing]
        acts += [self.getting, self.walking, self.walking, self.waiting]
        acts += [Sweeping] if self.sweeps else []
        return (self.stocking(), *(self.one_of(acts)() for _ in range(self.chance.randrange(5, 25))))

    def one_of(self, choices: Sequence[Any]) -> Any:
        return self.chance.choice(choices)

    def sometimes(self, share: float) -> bool:
        return self.chance.random() < share

    # --- operations ---

    def stocking(self) -> Writing:
        several = self.chance.sample(KEYS, self.one_of([3, 10, 20, 30]))
        return Writing(tuple(Put(self.item(key), table=key.table) for key in several))

    def writing(self) -> Writing:
        token = self.one_of([None, 0, 1])
        return Writing(self.writes(self.one_of([1, 1, 2, 3, 5])), token, 1 if token is None else self.one_of([1, 2]))

    def asking(self) -> Asking:
        return Asking(self.key(), tuple(self.condition() for _ in range(5)))

    def incrementing(self) -> Incrementing:
        name = self.one_of(["n", "v"])
        also = {each: value for each, value in self.attributes(0.2).items() if each != name}
        return Incrementing(self.key(), name, self.one_of([1, 5, -3]), also)

    def getting(self) -> Getting:
        return Getting(tuple(self.chance.choices(KEYS, k=6)))

    def walking(self) -> Walking:
        span = self.span()
        taken = 0 if span.index else self.one_of([0, 1, 2, 3])
        between = self.writes(self.one_of([1, 2])) if taken else ()
        return Walking(span, self.one_of([None, 1, 2, 3]), self.sometimes(0.5), taken, between)

    def waiting(self) -> Waiting:
        return Waiting(self.one_of([1, 3, 7]))

    # --- their parts ---

    def key(self) -> Key:
        return self.one_of(KEYS)

    def attributes(self, share: float = 0.6) -> dict[str, Value]:
        """About that share of all the attributes there are; an expiry less often."""
        chosen = [name for name in ("n", "v", "a.b", "GSI1PK", "GSI1SK") if self.sometimes(share)]
        chosen += ["ttl"] if self.sometimes(share / 2) else []
        return {name: self.one_of(POOLS.get(name, VALUES)) for name in chosen}

    def item(self, key: Key) -> Item:
        return {**self.attributes(), "PK": key.pk, "SK": key.sk}

    def writes(self, count: int) -> tuple[Write, ...]:
        kinds = [self.put, self.put, self.update, self.update, self.delete, self.check]
        return tuple(self.one_of(kinds)(key) for key in self.chance.sample(KEYS, count))

    def put(self, key: Key) -> Put:
        return Put(self.item(key), self.perhaps(), key.table)

    def delete(self, key: Key) -> Delete:
        return Delete(key, self.perhaps())

    def check(self, key: Key) -> Check:
        return Check(key, self.condition())

    def update(self, key: Key) -> Update:
        """AWS does not make an item by only removing from it, but no local engine knows: those ask that it exists."""
        changes: dict[str, dict[str, Value]] = {"set": {}, "add": {}, "remove": {}}
        for name, value in (self.attributes(0.4) or {"n": 0}).items():
            kind = self.one_of(["set", "set", "remove"] if name in POOLS else ["set", "add", "remove"])
            changes[kind][name] = self.one_of([1, -2, 0]) if kind == "add" else value
        when = self.perhaps()
        if not changes["set"] and not changes["add"]:
            when = Exists() if when is None else Exists() & when
        return Update(key, changes["set"], changes["add"], tuple(changes["remove"]), when)

    def perhaps(self) -> Condition | None:
        return self.condition() if self.sometimes(0.4) else None

    def condition(self, depth: int = 0) -> Condition:
        if depth < 2 and self.sometimes(0.3):
            parts = tuple(self.condition(depth + 1) for _ in range(self.one_of([1, 2, 2, 3])))
            return AllOf(parts) if self.sometimes(0.5) else AnyOf(parts)
        kind = self.one_of([Equals, Equals, Less, Greater, Exists, Missing])
        name = self.one_of(["n", "v", "n", "v", "a.b", "GSI1SK", "ttl", "nothing"])
        if kind in (Exists, Missing):
            return kind(self.one_of(["PK", "SK", name, name]))
        return kind(name, self.one_of(POOLS.get(name, VALUES if kind is Equals else SORTABLE)))

    def span(self) -> Span:
        index = self.sometimes(0.4)
        pk, where = (self.one_of(SHELVES), DATA) if index else (self.one_of(["p", "P"]), self.one_of([DATA, DATA, LOG]))
        pool = POOLS["GSI1SK"] if index else SORT_KEYS
        kind = self.one_of(["all", "prefix", "range"])
        if kind == "prefix":
            return Span(pk, prefix=self.one_of(["a", "a_", "a%", "A", "e", "é", "1", "🗳"]), index=index, table=where)
        if kind == "range":
            first, last = sorted([self.one_of(pool), self.one_of(pool)])
            return Span(pk, "", self.one_of([first, first, None]), self.one_of([last, last, None]), index, where)
        return Span(pk, index=index, table=where)


# --- running ---------------------------------------------------------------------------------------------------------


class Clock:
    """Stands still until somebody moves it."""

    def __init__(self) -> None:
        self.now: float = START

    def __call__(self) -> float:
        return self.now


class Disagreement(AssertionError):
    """Two tables answered differently."""


def run(program: Program, table: Table, clock: Clock) -> list[Any]:
    """What the table answers to each operation, and what it holds in the end."""
    clock.now = START
    table.write(*map(Delete, KEYS))
    tokens = uuid.uuid4().hex[:20]
    answers = [answer(lambda operation=operation: perform(operation, table, clock, tokens)) for operation in program]
    clock.now = 0  # so that nothing has expired
    whole = [Span(pk, table=where) for pk in ("p", "P") for where in (DATA, LOG)]
    whole += [Span(shelf, index=True) for shelf in SHELVES]
    return answers + [listing(span, walk(table, span)) for span in whole]


def answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Refused as refused:
        return (type(refused).__name__, refused.parts)
    except StoreError as error:
        return (type(error).__name__,)


def perform(operation: Operation, table: Table, clock: Clock, tokens: str) -> Any:
    match operation:
        case Writing(writes, token, times):
            word = None if token is None else f"{tokens}-{token}"
            return [answer(lambda: table.write(*writes, token=word)) for _ in range(times)]
        case Asking(key, conditions):
            return [answer(lambda each=each: table.write(Check(key, each))) for each in conditions]
        case Incrementing(key, name, by, also):
            return table.increment(key, name, by, setting=also)
        case Getting(keys):
            each = [exact(table.get(key)) for key in keys]
            return each, sorted((key, exact(item)) for key, item in table.get_many(keys).items())
        case Walking():
            return walked(operation, table), table.count(operation.span)
        case Waiting(seconds):
            clock.now += seconds
        case Sweeping():
            return table.sweep()
    return None


def walked(walking: Walking, table: Table) -> Any:
    """The items seen. Taken one by one first, so that every table stands at the same item when the write comes."""
    span = walking.span
    if not walking.taken or len(walk(table, span)) <= walking.taken:
        return listing(span, rest(table, walking, None))
    seen: list[Item] = []
    cursor = None
    while len(seen) < walking.taken:
        page = table.page(span, limit=1, cursor=cursor, backwards=walking.backwards)
        seen += page.items
        if (cursor := page.cursor) is None:
            break
    outcome = answer(lambda: table.write(*walking.between))
    return listing(span, seen + (rest(table, walking, cursor) if cursor else [])), outcome


def rest(table: Table, walking: Walking, cursor: str | None) -> list[Item]:
    """The items from the cursor on, or all of them."""
    seen: list[Item] = []
    while True:
        page = table.page(walking.span, limit=walking.limit, cursor=cursor, backwards=walking.backwards)
        if walking.limit is not None and len(page.items) > walking.limit:
            raise Disagreement(f"{type(table).__name__} gave {len(page.items)} items when asked for {walking.limit}.")
        seen += page.items
        if (cursor := page.cursor) is None:
            return seen


def listing(span: Span, items: list[Item]) -> Any:
    """The items in order; those that share an index sort key in any."""
    if not span.index:
        return [exact(item) for item in items]
    return [(sk, sorted(map(exact, same))) for sk, same in groupby(items, key=lambda item: item["GSI1SK"])]


def exact(value: Value) -> str:
    """So written that equal texts mean equal types and values, whatever the order of a map."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name!r}: {exact(each)}" for name, each in sorted(value.items())) + "}"
    return f"[{', '.join(map(exact, value))}]" if isinstance(value, list) else repr(value)


def compare(program: Program, clock: Clock, model: Table, *tables: Table) -> None:
    """Run the program on each table; every answer must be the model's."""
    expected = run(program, model, clock)
    for table in tables:
        for step, (right, found) in enumerate(zip(expected, run(program, table, clock), strict=True)):
            if not agree(right, found):
                what = program[step] if step < len(program) else "what is stored in the end"
                raise Disagreement(f"{type(table).__name__} at step {step}, {what}:\n  {found}\nand not\n  {right}")


def agree(right: Any, found: Any) -> bool:
    """Of a write that is to be refused and is invalid as well, either may be said."""
    if isinstance(right, tuple) and right[:1] == ("RefusedAndInvalid",):
        return bool(found in (("Refused", *right[1:]), ("Invalid",)))
    if isinstance(right, list | tuple) and isinstance(found, type(right)) and len(right) == len(found):
        return all(map(agree, right, found))
    return bool(right == found)


def shortened(program: Program, is_wrong: Callable[[Program], bool]) -> Program:
    """The program without the operations, and without the parts of its writes, that have no part in going wrong."""
    step = len(program)
    while step := step // 2:
        for start in reversed(range(0, len(program), step)):
            shorter = program[:start] + program[start + step :]
            program = shorter if is_wrong(shorter) else program
    for place, operation in enumerate(program):
        for part in reversed(getattr(operation, "writes", ())):
            less = replace(program[place], writes=tuple(each for each in program[place].writes if each != part))
            shorter = (*program[:place], less, *program[place + 1 :])
            program = shorter if less.writes and is_wrong(shorter) else program
    return program


def search(seeds: Iterable[int], clock: Clock, model: Callable[[], Table], *tables: Table, sweeps: bool = False) -> int:
    """Compare the program of each seed and say how many operations that were, or show the shortest that goes wrong."""

    def is_wrong(tried: Program) -> bool:
        try:
            compare(tried, clock, model(), *tables)
        except Disagreement:
            return True
        return False

    done = 0
    for seed in seeds:
        long = program(seed, sweeps=sweeps)
        try:
            compare(long, clock, model(), *tables)
        except Disagreement as found:
            steps = "\n".join(map(repr, shortened(long, is_wrong)))
            raise Disagreement(f"{found}\nSeed {seed}, shortened to:\n{steps}") from None
        done += len(long)
    return done
