"""More than fits one transaction or one item: taken a handful at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from store.table import Delete, Key, Span

from .site import table

A_TRANSACTION = 90  # parts of our own that fit beside the log's

T = TypeVar("T")


def handfuls(things: Iterable[T], most: int = A_TRANSACTION) -> Iterator[list[T]]:
    left = iter(things)
    while some := list(islice(left, most)):
        yield some


def sweep(span: Span) -> None:
    """Remove everything in a span."""
    for some in handfuls(Key(item["PK"], item["SK"]) for item in table().each(span)):
        table().write(*map(Delete, some))
