"""How the promises fill a partition and walk through it."""

from __future__ import annotations

from collections.abc import Iterable

from store.table import DATA, Item, Put, Span, Table


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
