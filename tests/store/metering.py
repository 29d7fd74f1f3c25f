"""DynamoDB's capacity units: what each read and write costs, and a table that counts what is done on an embedded store
as DynamoDB would charge it.

A write costs one unit per kilobyte of the item before or after it, whichever is larger, and twice that in a
transaction, where a check costs as much as a write. The index is written once more, never doubled. A read costs one
unit per 4 KB, half of that in the index, which is eventually consistent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from foundation.store.dynamodb.schema import INDEX
from foundation.store.dynamodb.table import is_idempotent
from foundation.store.limits import check_item, unnumbered
from foundation.store.log import layout
from foundation.store.table import DATA, Item, Key, Numbered, Page, Span, Table, Value, Write

WRITE_UNIT_BYTES, READ_UNIT_BYTES = 1024, 4096
READ, WRITE = "read", "write"
INDEX_KEYS = ("GSI1PK", "GSI1SK")


def item_bytes(item: Item | None) -> int:
    return check_item(item) if item else 0


def write_units(before: Item | None, after: Item | None, *, in_transaction: bool) -> int:
    """Units of one write; a check, or an item that is not there, costs the minimum."""
    units = _round_up(max(item_bytes(before), item_bytes(after)), WRITE_UNIT_BYTES)
    return 2 * units if in_transaction else units


def index_units(before: Item | None, after: Item | None) -> Iterator[tuple[str, int]]:
    """Units by partition of the index that a change of one item costs."""
    old, new = _index_key(before), _index_key(after)
    if old != new:
        if old:
            yield old[0], _round_up(item_bytes(before), WRITE_UNIT_BYTES)
        if new:
            yield new[0], _round_up(item_bytes(after), WRITE_UNIT_BYTES)
    elif new and before != after:
        yield new[0], _round_up(max(item_bytes(before), item_bytes(after)), WRITE_UNIT_BYTES)


def get_units(item: Item | None) -> float:
    return _round_up(item_bytes(item), READ_UNIT_BYTES)


def page_units(size: int, *, index: bool) -> float:
    """Units of so many bytes read from one partition at once."""
    return _round_up(size, READ_UNIT_BYTES) * (0.5 if index else 1)


def _index_key(item: Item | None) -> tuple[str, str] | None:
    return (item["GSI1PK"], item["GSI1SK"]) if item and all(name in item for name in INDEX_KEYS) else None


def _round_up(size: int, unit: int) -> int:
    return max(1, -(-size // unit))


# --- metering ---


class Charged(NamedTuple):
    """What units are charged to: reads or writes of one partition of a table or of the index."""

    kind: str
    place: str
    pk: str


class MeteredTable(Table):
    """Counts what DynamoDB would charge, by partition key. Claims to be distant, so that everything is laid out as on
    DynamoDB."""

    is_distant = True
    log_partitions = layout.NEW_LOG_PARTITIONS

    def __init__(self, table: Table):
        self.table = table
        self._units = defaultdict[Charged, float](float)

    def take_units(self) -> dict[Charged, float]:
        """The units charged since the last call."""
        units = dict(self._units)
        self._units.clear()
        return units

    # --- reading ---

    def get(self, key: Key) -> Item | None:
        return self._got(key, self.table.get(key))

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        wanted = list(dict.fromkeys(keys))
        found = self.table.get_many(wanted)
        for key in wanted:
            self._got(key, found.get(key))
        return found

    def _got(self, key: Key, item: Item | None) -> Item | None:
        self._units[Charged(READ, key.table, key.pk)] += get_units(item)
        return item

    def page(self, span: Span, *, limit: int | None = None, cursor: str | None = None, backwards: bool = False) -> Page:
        page = self.table.page(span, limit=limit, cursor=cursor, backwards=backwards)
        self._read(span, page.items)
        return page

    def count(self, span: Span) -> int:
        self._read(span, list(self.table.each(span)))
        return self.table.count(span)

    def values(self, span: Span, *names: str) -> Iterator[tuple[Value, ...]]:
        """Attributes that are left out have been read, and charged, all the same."""
        for item in self.each(span):
            yield tuple(map(item.get, names))

    def _read(self, span: Span, items: Iterable[Item]) -> None:
        charged = Charged(READ, INDEX if span.index else span.table, span.pk)
        self._units[charged] += page_units(sum(map(item_bytes, items)), index=span.index)

    def everything(self) -> Iterator[tuple[str, Item]]:
        for table, item in self.table.everything():
            self._read(Span(item["PK"], table=table), [item])
            yield table, item

    # --- writing ---

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = unnumbered(writes)
        alone = token is None and len(parts) == 1 and is_idempotent(parts[0])
        places = [part.key for part in parts]
        before = self.table.get_many(places)
        self.table.write(*parts, token=token)
        self._written(places, before, in_transaction=not alone)

    def put_all(self, items: Sequence[Item]) -> None:
        places = [Key(item["PK"], item["SK"]) for item in items]
        before = self.table.get_many(places)
        self.table.put_all(items)
        self._written(places, before, in_transaction=False)

    def increment(self, key: Key, name: str, by: int = 1, *, setting: Mapping[str, Value] | None = None) -> int:
        before = self.table.get_many([key])
        answer = self.table.increment(key, name, by, setting=setting)
        self._written([key], before, in_transaction=False)
        return answer

    def _written(self, places: Sequence[Key], before: Mapping[Key, Item], *, in_transaction: bool) -> None:
        after = self.table.get_many(places)
        for key in places:
            old, new = before.get(key), after.get(key)
            self._units[Charged(WRITE, key.table, key.pk)] += write_units(old, new, in_transaction=in_transaction)
            if key.table == DATA:
                for pk, more in index_units(old, new):
                    self._units[Charged(WRITE, INDEX, pk)] += more

    # --- what costs nothing ---

    def create(self) -> None:
        self.table.create()

    def sweep(self, limit: int = 1000) -> int:
        return self.table.sweep(limit)

    def close(self) -> None:
        self.table.close()
