"""Several spans read as if they were one: what is spread over partitions, in the order of its sort keys."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from heapq import merge
from itertools import chain, islice
from queue import Empty, Queue, SimpleQueue
from typing import TypeVar

from . import cursors
from .table import Item, Page, Span, Table, Value
from .together import together

T = TypeVar("T")


def each(table: Table, spans: Sequence[Span], *, backwards: bool = False) -> Iterator[Item]:
    """Every item of all spans in the order of their sort keys; the first page of each is asked for at once."""
    if len(spans) == 1:
        return table.each(spans[0], backwards=backwards)
    firsts = together(table, *(lambda span=span: table.page(span, backwards=backwards) for span in spans))
    rows = (_from(table, span, page, backwards) for span, page in zip(spans, firsts, strict=True))
    return merge(*rows, key=lambda item: _place(spans[0], item), reverse=backwards)


def _from(table: Table, span: Span, page: Page, backwards: bool) -> Iterator[Item]:
    yield from page.items
    while page.cursor is not None:
        page = table.page(span, cursor=page.cursor, backwards=backwards)
        yield from page.items


def _place(span: Span, item: Item) -> bytes:
    return str(item["GSI1SK" if span.index else "SK"]).encode()


def page(
    table: Table, spans: Sequence[Span], *, limit: int, cursor: str | None = None, backwards: bool = False
) -> Page:
    """At most `limit` items of all spans, in the order of their sort keys."""
    if len(spans) == 1:
        return table.page(spans[0], limit=limit, cursor=cursor, backwards=backwards)
    whole = replace(spans[0], pk=_common(spans))
    partition, *others = cursors.key_names(whole)
    after = cursors.decode(whole, cursor) if cursor else None

    def some(span: Span) -> Iterator[Item]:
        start = cursors.encode(span, {**after, partition: span.pk}) if after else None
        first = table.page(span, limit=limit + 1, cursor=start, backwards=backwards)
        return iter(list(_up_to(limit + 1, table, span, first, backwards)))

    rows = together(table, *(lambda span=span: some(span) for span in spans))
    found = list(merge(*rows, key=lambda item: [str(item[name]).encode() for name in others], reverse=backwards))
    shown = found[:limit]
    return Page(shown, cursors.encode(whole, {**shown[-1], partition: whole.pk}) if len(found) > limit else None)


def _up_to(most: int, table: Table, span: Span, first: Page, backwards: bool) -> list[Item]:
    """So many of one span, also where the items of a page are large."""
    items, page = list(first.items), first
    while page.cursor is not None and len(items) < most:
        page = table.page(span, limit=most - len(items), cursor=page.cursor, backwards=backwards)
        items += page.items
    return items


def _common(spans: Sequence[Span]) -> str:
    """The partition of a cursor into all of them."""
    return spans[-1].pk.rpartition("#")[0]


def count(table: Table, spans: Sequence[Span]) -> int:
    return sum(together(table, *(lambda span=span: table.count(span) for span in spans)))


def values(table: Table, spans: Sequence[Span], *names: str) -> Iterator[tuple[Value, ...]]:
    """Of every item of all spans only these attributes, in no order. From a distant table several spans are read at the
    same time; no more is held here than those who read are ahead."""
    rows = [table.values(span, *names) for span in spans]
    if len(spans) == 1 or not table.is_distant:
        return chain.from_iterable(rows)
    return _side_by_side(rows)


def ordered_values(table: Table, spans: Sequence[Span], *names: str) -> Iterator[tuple[Value, ...]]:
    """As `each`, of every item only these attributes."""
    if len(spans) == 1:
        return table.values(spans[0], *names)
    return (tuple(map(item.get, names)) for item in each(table, spans))


def gathered(table: Table, spans: Sequence[Span], *names: str) -> list[tuple[Value, ...]]:
    """As `values`, all spans at once: for so few items that a list may hold them."""
    found = together(table, *(partial(_all_values, table, span, names) for span in spans))
    return list(chain.from_iterable(found))


def _all_values(table: Table, span: Span, names: Sequence[str]) -> list[tuple[Value, ...]]:
    return list(table.values(span, *names))


def at_once(table: Table, spans: Sequence[Span]) -> list[Item]:
    """As `each`, in no order, all spans at once: for so few items that a list may hold them."""
    return list(chain.from_iterable(together(table, *(partial(_all, table, span) for span in spans))))


def _all(table: Table, span: Span) -> list[Item]:
    return list(table.each(span))


# --- several at the same time ---

READER = "plenum-reader"
READER_THREADS = 8  # threads that read at once,
BATCH_ROWS = 500  # rows that each hands over at a time,
MAX_BATCHES_AHEAD = 2  # and so many of these it may be ahead of whoever takes them


def _side_by_side(rows: Sequence[Iterator[T]]) -> Iterator[T]:
    """All of these, in no order. Whoever stops taking, or meets an error, leaves no thread behind."""
    left, ready = SimpleQueue[Iterator[T]](), Queue[list[T] | BaseException | None](READER_THREADS * MAX_BATCHES_AHEAD)
    for row in rows:
        left.put(row)
    stop = threading.Event()
    here, task = min(READER_THREADS, len(rows)), (_read, left, ready, stop)
    readers = [threading.Thread(target=copy_context().run, args=task, name=READER) for _ in range(here)]
    for reader in readers:
        reader.start()
    try:
        yield from _taken(ready, here)
    finally:
        stop.set()
        while any(reader.is_alive() for reader in readers):
            with suppress(Empty):  # whoever waits to hand something over is let go
                ready.get(timeout=0.01)


def _taken(ready: Queue[list[T] | BaseException | None], readers: int) -> Iterator[T]:
    while readers:
        some = ready.get()
        if isinstance(some, BaseException):
            raise some
        if some is None:
            readers -= 1
        else:
            yield from some


def _read(left: SimpleQueue[Iterator[T]], ready: Queue[list[T] | BaseException | None], stop: threading.Event) -> None:
    """One row after the other, until none is left."""
    try:
        with suppress(Empty):
            while not stop.is_set():
                row = left.get_nowait()
                while not stop.is_set() and (some := list(islice(row, BATCH_ROWS))):
                    ready.put(some)
        ready.put(None)
    except Exception as error:
        ready.put(error)
