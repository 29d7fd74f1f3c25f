"""Around any table: counts what DynamoDB would charge for all that is asked of it, by the key it falls on.

So an act can be played once on an embedded store, and it is known what it costs on the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from . import limits, units
from .log import layout
from .table import DATA, Item, Key, Numbered, Page, Span, Table, Value, Write
from .units import INDEX

READ, WRITE = "read", "write"


class Charged(NamedTuple):
    """On what units fall: reads or writes of one partition of a table or of the index."""

    kind: str
    place: str
    pk: str


@dataclass(slots=True)
class Bill:
    """Units by what they fall on; and what came to be stored meanwhile."""

    units: defaultdict[Charged, float] = field(default_factory=lambda: defaultdict(float))
    stored: int = 0  # bytes
    largest: int = 0  # bytes of the largest item that was written


class Metered(Table):
    """Says that it is distant, so that everything is laid out as it would be there."""

    is_distant = True
    log_partitions = layout.NEW_LOG_PARTITIONS

    def __init__(self, table: Table):
        self.table = table
        self._bill = Bill()

    def taken(self) -> Bill:
        """What was charged since this was last asked."""
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
        self._bill.units[Charged(READ, key.table, key.pk)] += units.of_get(item)
        return item

    def page(self, span: Span, *, limit: int | None = None, cursor: str | None = None, backwards: bool = False) -> Page:
        page = self.table.page(span, limit=limit, cursor=cursor, backwards=backwards)
        self._read(span, page.items)
        return page

    def count(self, span: Span) -> int:
        self._read(span, list(self.table.each(span)))
        return self.table.count(span)

    def values(self, span: Span, *names: str) -> Iterator[tuple[Value, ...]]:
        """What is left out of an answer was read all the same."""
        for item in self.each(span):
            yield tuple(map(item.get, names))

    def _read(self, span: Span, items: Iterable[Item]) -> None:
        charged = Charged(READ, INDEX if span.index else span.table, span.pk)
        self._bill.units[charged] += units.of_page(sum(map(units.size, items)), index=span.index)

    def everything(self) -> Iterator[tuple[str, Item]]:
        for table, item in self.table.everything():
            self._read(Span(item["PK"], table=table), [item])
            yield table, item

    # --- writing ---

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = limits.unnumbered(writes)
        alone = token is None and len(parts) == 1 and units.is_plain(parts[0])
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
            bill.units[Charged(WRITE, key.table, key.pk)] += units.of_write(old, new, in_transaction=in_transaction)
            if key.table == DATA:
                for pk, more in units.of_index(old, new):
                    bill.units[Charged(WRITE, INDEX, pk)] += more
            bill.stored += units.stored(new) - units.stored(old)
            bill.largest = max(bill.largest, units.size(new))

    # --- what costs nothing ---

    def create(self) -> None:
        self.table.create()

    def sweep(self, limit: int = 1000) -> int:
        return self.table.sweep(limit)

    def close(self) -> None:
        self.table.close()
