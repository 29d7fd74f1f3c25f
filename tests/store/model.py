"""The port as one plain dictionary: slow, forgetful and obviously right, to hold the real adapters against."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy

from foundation.store import limits
from foundation.store.table import (
    DATA,
    TABLES,
    AllOf,
    AnyOf,
    BadCursor,
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Greater,
    Invalid,
    Item,
    Key,
    Less,
    Missing,
    Numbered,
    Page,
    Put,
    Refused,
    Span,
    Table,
    TokenReused,
    Update,
    Value,
    Write,
)

TOKEN_SECONDS = 600
PAGE_BYTES = 1024 * 1024
Place = tuple[
    bytes, ...
]  # where an item stands in its partition; of the index, equal sort keys are told apart by the key


class RefusedAndInvalid(Refused):
    """A write of which one part is refused and another invalid: which of the two is said first is left open."""


class Model(Table):
    """For one thread. Whatever it answers is what every adapter must answer."""

    def __init__(self, clock: Callable[[], float] = time.time):
        self.clock = clock
        self.items: dict[Key, Item] = {}
        self.tokens: dict[str, tuple[float, tuple[Write, ...]]] = {}

    def create(self) -> None:
        pass

    def close(self) -> None:
        pass

    def get(self, key: Key) -> Item | None:
        limits.check_key(key)
        item = self.items.get(key)
        return None if item is None or self.expired(item) else deepcopy(item)

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        return {key: item for key in keys if (item := self.get(key)) is not None}

    def count(self, span: Span) -> int:
        return len(self.listed(span))

    def page(
        self,
        span: Span,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> Page:
        if limit is not None and limit < 1:
            raise Invalid("A page has room for at least one item.")
        rows = self.listed(span)
        if backwards:
            rows.reverse()
        if cursor is not None:
            start = place_of(cursor, span)
            rows = [row for row in rows if (row[0] < start if backwards else row[0] > start)]
        end = min(len(rows), limit or len(rows), whole_page([item for _, item in rows]))
        rest = cursor_of(rows[end - 1][0], span) if end < len(rows) else None
        return Page([deepcopy(item) for _, item in rows[:end]], rest)

    def everything(self) -> Iterator[tuple[str, Item]]:
        for table in TABLES:
            for key, item in self.items.items():
                if key.table == table and not self.expired(item):
                    yield table, deepcopy(item)

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        if writes and isinstance(writes[-1], Numbered) and token is None:
            writes = (*writes[:-1], *self.numbered(writes[-1]))
        limits.check_writes(limits.unnumbered(writes), token)
        if token is not None and self.done_before(token, writes):
            return
        refused = [n for n, write in enumerate(writes) if not holds(write.when, self.items.get(write.key))]
        if refused:
            raise self.refusal(writes, refused)
        after = {write.key: outcome(write, self.items.get(write.key)) for write in writes}
        for key, item in after.items():
            if item is None:
                self.items.pop(key, None)
            else:
                self.items[key] = deepcopy(item)
        if token is not None:
            self.tokens[token] = (self.clock(), deepcopy(writes))

    def numbered(self, numbered: Numbered) -> list[Write]:
        """What it comes to, and the counter as it is from then on."""
        counter = outcome(Update(numbered.key, add={numbered.name: 1}), self.items.get(numbered.key))
        return [*numbered.parts(deepcopy(counter)), Put(counter, table=numbered.key.table)]

    def put_all(self, items: Sequence[Item]) -> None:
        limits.check_puts(items)
        for item in items:
            self.write(Put(item))

    def refusal(self, writes: tuple[Write, ...], refused: list[int]) -> Refused:
        try:
            for write in writes:
                outcome(write, self.items.get(write.key))
        except Invalid:
            return RefusedAndInvalid(refused)
        return Refused(refused)

    def increment(self, key: Key, name: str, by: int = 1, *, setting: Mapping[str, Value] | None = None) -> int:
        self.write(Update(key, set=setting or {}, add={name: by}))
        return int(self.items[key][name])

    def sweep(self, limit: int = 1000) -> int:
        gone = [key for key, item in self.items.items() if key.table == DATA and self.expired(item)][:limit]
        for key in gone:
            del self.items[key]
        return len(gone)

    def expired(self, item: Item) -> bool:
        return "ttl" in item and item["ttl"] <= self.clock()

    def done_before(self, token: str, writes: tuple[Write, ...]) -> bool:
        when, same_writes = self.tokens.get(token, (float("-inf"), ()))
        if self.clock() - when >= TOKEN_SECONDS:
            return False
        if repr(writes) != repr(same_writes):
            raise TokenReused("This token already stands for another write.")
        return True

    def listed(self, span: Span) -> list[tuple[Place, Item]]:
        """What the span holds now, in order."""
        limits.check_span(span)
        rows = []
        for key, item in self.items.items():
            if key.table == span.table and not self.expired(item) and (place := place_in(span, item)) is not None:
                rows.append((place, item))
        return sorted(rows, key=lambda row: row[0])


def place_in(span: Span, item: Item) -> Place | None:
    """Where the item stands in the span, or `None` if it is not in it."""
    pk, sk = ("GSI1PK", "GSI1SK") if span.index else ("PK", "SK")
    if pk not in item or sk not in item or item[pk] != span.pk or not within(span, item[sk].encode()):
        return None
    place = (item[sk].encode(),)
    return (*place, item["PK"].encode(), item["SK"].encode()) if span.index else place


def within(span: Span, sort: bytes) -> bool:
    if not sort.startswith(span.prefix.encode()):
        return False
    if span.first is not None and sort < span.first.encode():
        return False
    return span.last is None or sort <= span.last.encode()


def whole_page(items: list[Item]) -> int:
    """How many of the items fit into one page of 1 MB: at least one."""
    total = 0
    for n, item in enumerate(items):
        total += size_of(item)
        if total > PAGE_BYTES:
            return max(n, 1)
    return max(len(items), 1)


def size_of(value: Value) -> int:
    """The bytes DynamoDB counts for an item or a value, near enough for numbers."""
    if type(value) is dict:
        return sum(len(name.encode()) + size_of(each) for name, each in value.items())
    if type(value) is list:
        return sum(map(size_of, value))
    return len(value.encode() if type(value) is str else value if type(value) is bytes else str(value))


def cursor_of(place: Place, span: Span) -> str:
    words = [span.table, span.index, span.pk, *(part.decode() for part in place)]
    return urlsafe_b64encode(json.dumps(words).encode()).decode()


def place_of(cursor: str, span: Span) -> Place:
    try:
        table, index, pk, *place = json.loads(urlsafe_b64decode(cursor.encode()))
        start = tuple(part.encode() for part in place)
    except (ValueError, TypeError, AttributeError):
        raise BadCursor("This cursor is none of ours.") from None
    if [table, index, pk] != [span.table, span.index, span.pk] or not within(span, start[0]):
        raise BadCursor("This cursor belongs to another span.")
    return start


def outcome(write: Write, item: Item | None) -> Item | None:
    """The item as the write leaves it."""
    match write:
        case Put():
            return write.item
        case Delete():
            return None
        case Check():
            return item
    if item is None and not write.set and not write.add:
        return None  # taking attributes from an item that is not there does not make it
    after = {"PK": write.key.pk, "SK": write.key.sk, **(item or {}), **write.set}
    for name, by in write.add.items():
        if type(after.get(name, 0)) is not int:
            raise Invalid(f"{name} is not a number.")
        after[name] = after.get(name, 0) + by
    for name in write.remove:
        after.pop(name, None)
    limits.check_item(after)
    return after


def holds(condition: Condition | None, item: Item | None) -> bool:
    item = item or {}
    match condition:
        case None:
            return True
        case Exists(name):
            return name in item
        case Missing(name):
            return name not in item
        case Equals(name, value):
            return name in item and same(item[name], value)
        case Less(name, value):
            return comparable(item, name, value) and item[name] < value
        case Greater(name, value):
            return comparable(item, name, value) and item[name] > value
        case AllOf(parts):
            return all(holds(part, item) for part in parts)
        case AnyOf(parts):
            return any(holds(part, item) for part in parts)
    raise AssertionError(f"an unknown condition: {condition}")


def comparable(item: Item, name: str, value: Value) -> bool:
    """Python orders text by code point, which is the order of its UTF-8 bytes."""
    return name in item and type(item[name]) is type(value)


def same(left: Value, right: Value) -> bool:
    """Equal with equal types all the way down: `True` is not 1."""
    if type(left) is not type(right):
        return False
    if type(left) is list:
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) is dict:
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return bool(left == right)
