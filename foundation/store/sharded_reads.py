"""Reads items that are sharded over several partitions as if they were one list, ordered by sort key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from heapq import merge
from itertools import chain, islice
from queue import Empty, Queue, SimpleQueue
from typing import TypeVar

from . import cursors
from .parallel import run_parallel
from .table import Item, Page, Span, Table, Value

T = TypeVar("T")


def each(
    table: Table, spans: Sequence[Span], *, backwards: bool = False, page_size: int | None = None
) -> Iterator[Item]:
    """Every item of all spans by sort key; their first pages are read in parallel."""
    if len(spans) == 1 and page_size is None:
        return table.each(spans[0], backwards=backwards)
    read = partial(table.page, limit=page_size, backwards=backwards)
    firsts = run_parallel(table, *(partial(read, span) for span in spans))
    rows = (_rest_of(read, span, page) for span, page in zip(spans, firsts, strict=True))
    sort_key = "GSI1SK" if spans[0].index else "SK"
    return merge(*rows, key=lambda item: str(item[sort_key]).encode(), reverse=backwards)


def _rest_of(read: Callable[..., Page], span: Span, page: Page) -> Iterator[Item]:
    yield from page.items
    while page.cursor is not None:
        page = read(span, cursor=page.cursor)
        yield from page.items


def page(
    table: Table, spans: Sequence[Span], *, limit: int, cursor: str | None = None, backwards: bool = False
) -> Page:
    """At most `limit` items of all spans, by sort key."""
    if len(spans) == 1:
        return table.page(spans[0], limit=limit, cursor=cursor, backwards=backwards)
    joined = replace(spans[0], pk=spans[-1].pk.rpartition("#")[0])  # for a cursor into all spans
    partition, *others = joined.key_names
    after = cursors.decode(joined, cursor) if cursor else None

    def some(span: Span) -> Iterator[Item]:
        start = cursors.encode(span, {**after, partition: span.pk}) if after else None
        first = table.page(span, limit=limit + 1, cursor=start, backwards=backwards)
        return iter(list(_read_up_to(limit + 1, table, span, first, backwards)))

    rows = run_parallel(table, *(lambda span=span: some(span) for span in spans))
    found = list(merge(*rows, key=lambda item: [str(item[name]).encode() for name in others], reverse=backwards))
    items = found[:limit]
    return Page(items, cursors.encode(joined, {**items[-1], partition: joined.pk}) if len(found) > limit else None)


def _read_up_to(most: int, table: Table, span: Span, first: Page, backwards: bool) -> list[Item]:
    """So many items of one span, even if pages are short because items are large."""
    items, page = list(first.items), first
    while page.cursor is not None and len(items) < most:
        page = table.page(span, limit=most - len(items), cursor=page.cursor, backwards=backwards)
        items += page.items
    return items


def count(table: Table, spans: Sequence[Span]) -> int:
    return sum(run_parallel(table, *(lambda span=span: table.count(span) for span in spans)))


def values(table: Table, spans: Sequence[Span], *names: str) -> Iterator[tuple[Value, ...]]:
    """These attributes of every item of all spans, unordered. A distant table's spans are read in parallel threads, a
    bounded number of batches ahead."""
    rows = [table.values(span, *names) for span in spans]
    if len(spans) == 1 or not table.is_distant:
        return chain.from_iterable(rows)
    return _read_parallel(rows)


def ordered_values(table: Table, spans: Sequence[Span], *names: str) -> Iterator[tuple[Value, ...]]:
    """These attributes of every item, by sort key."""
    if len(spans) == 1:
        return table.values(spans[0], *names)
    return (tuple(map(item.get, names)) for item in each(table, spans))


def list_values(table: Table, spans: Sequence[Span], *names: str) -> list[tuple[Value, ...]]:
    """As `values`, in one list: for few items."""
    found = run_parallel(table, *(lambda span=span: list(table.values(span, *names)) for span in spans))
    return list(chain.from_iterable(found))


def list_items(table: Table, spans: Sequence[Span]) -> list[Item]:
    """Every item of all spans, unordered, in one list: for few items."""
    found = run_parallel(table, *(lambda span=span: list(table.each(span)) for span in spans))
    return list(chain.from_iterable(found))


# --- in parallel threads ---

READER = "plenum-reader"
READER_THREADS = 8
BATCH_ROWS = 500
MAX_BATCHES_AHEAD = 2  # for each reader, of the consumer


def _read_parallel(rows: Sequence[Iterator[T]]) -> Iterator[T]:
    """All rows, unordered. A consumer that stops early, or an error, leaves no thread behind."""
    left, ready = SimpleQueue[Iterator[T]](), Queue[list[T] | BaseException | None](READER_THREADS * MAX_BATCHES_AHEAD)
    for row in rows:
        left.put(row)
    stop = threading.Event()
    count, task = min(READER_THREADS, len(rows)), (_read, left, ready, stop)
    readers = [threading.Thread(target=copy_context().run, args=task, name=READER) for _ in range(count)]
    for reader in readers:
        reader.start()
    try:
        while count:
            some = ready.get()
            if isinstance(some, BaseException):
                raise some
            if some is None:
                count -= 1
            else:
                yield from some
    finally:
        stop.set()
        while any(reader.is_alive() for reader in readers):
            with suppress(Empty):  # frees readers that wait for a place in the queue
                ready.get(timeout=0.01)


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
