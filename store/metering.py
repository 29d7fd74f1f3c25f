"""A wrapper around any table that counts what DynamoDB would charge, by partition key.

An act that is run once on the embedded store shows what it would cost on DynamoDB.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from . import limits
from .capacity_units import (
    INDEX,
    get_units,
    index_units,
    is_idempotent,
    item_bytes,
    page_units,
    stored_bytes,
    write_units,
)
from .log import layout
from .table import DATA, Item, Key, Numbered, Page, Span, Table, Value, Write

READ, WRITE = "read", "write"


class Charged(NamedTuple):
    """What units are charged to: reads or writes of one partition of a table or of the index."""

    kind: str
    place: str
    pk: str


@dataclass(slots=True)
class Bill:
    """Units by what they are charged to, and what was stored."""

    units: defaultdict[Charged, float] = field(default_factory=lambda: defaultdict(float))
    stored: int = 0  # bytes
    largest: int = 0  # bytes of the largest item that was written


class MeteredTable(Table):
    """Claims to be distant, so that everything is laid out as on DynamoDB."""

    is_distant = True
    log_partitions = layout.NEW_LOG_PARTITIONS

    def __init__(self, table: Table):
        self.table = table
        self._bill = Bill()

    def take_bill(self) -> Bill:
        """What was charged since the last call."""
        bill, self._bill = self._bill, Bill()
        return bill

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
        self._bill.units[Charged(READ, key.table, key.pk)] += get_units(item)
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
        self._bill.units[charged] += page_units(sum(map(item_bytes, items)), index=span.index)

    def everything(self) -> Iterator[tuple[str, Item]]:
        for table, item in self.table.everything():
            self._read(Span(item["PK"], table=table), [item])
            yield table, item

    # --- writing ---

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = limits.unnumbered(writes)
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

    def increment(self, key: Key, name: str, by: int = 1, *, also: Mapping[str, Value] | None = None) -> int:
        before = self.table.get_many([key])
        answer = self.table.increment(key, name, by, also=also)
        self._written([key], before, in_transaction=False)
        return answer

    def _written(self, places: Sequence[Key], before: Mapping[Key, Item], *, in_transaction: bool) -> None:
        after, bill = self.table.get_many(places), self._bill
        for key in places:
            old, new = before.get(key), after.get(key)
            bill.units[Charged(WRITE, key.table, key.pk)] += write_units(old, new, in_transaction=in_transaction)
            if key.table == DATA:
                for pk, more in index_units(old, new):
                    bill.units[Charged(WRITE, INDEX, pk)] += more
            bill.stored += stored_bytes(new) - stored_bytes(old)
            bill.largest = max(bill.largest, item_bytes(new))

    # --- what costs nothing ---

    def create(self) -> None:
        self.table.create()

    def sweep(self, limit: int = 1000) -> int:
        return self.table.sweep(limit)

    def close(self) -> None:
        self.table.close()
