"""How the promises fill a partition and walk through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from foundation.store.table import DATA, Item, Put, Span, Table
from tests.rows import Test, every_row


def fill(table: Table, pk: str, names: Iterable[str], *, where: str = DATA, **attributes: object) -> None:
    """One item for each sort key."""
    for name in names:
        table.write(Put({"PK": pk, "SK": name, **attributes}, table=where))


def pages(table: Table, span: Span, limit: int | None = None, backwards: bool = False) -> list[list[Item]]:
    """All pages from one end to the other."""
    seen = []
    cursor = None
    while True:
        page = table.page(span, limit=limit, cursor=cursor, backwards=backwards)
        seen.append(page.items)
        if (cursor := page.cursor) is None:
            return seen
        assert len(seen) < 10_000, "the walk does not end"


def walk(table: Table, span: Span, limit: int | None = None, backwards: bool = False) -> list[Item]:
    return [item for page in pages(table, span, limit, backwards) for item in page]


def names(items: Iterable[Item]) -> list[str]:
    return [item["SK"] for item in items]


def every_row_apart(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `every_row`, for rows that write: each has a partition of its own."""
    columns = (names,) if isinstance(names, str) else names
    numbered = [(number, *((row,) if isinstance(names, str) else row)) for number, row in enumerate(rows)]

    def as_one_test(test: Test) -> Test:
        @wraps(test)
        def apart(partition: int, pk: str, **others: Any) -> None:
            test(pk=f"{pk}-{partition}", **others)

        return every_row(("partition", *columns), numbered)(apart)

    return as_one_test
