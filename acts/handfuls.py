"""More than fits one transaction or one item: taken a handful at a time."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from store.table import Check, Delete, Key, Span

from .site import table

A_TRANSACTION = 90  # parts of our own that fit beside the log's

T = TypeVar("T")


def handfuls(things: Iterable[T], most: int = A_TRANSACTION) -> Iterator[list[T]]:
    left = iter(things)
    while some := list(islice(left, most)):
        yield some


def sweep(span: Span, keep: Container[str], *is_gone: Check, most: int | None = None) -> bool:
    """Remove what something that is gone has left, in so many handfuls at most; whether nothing is left by then.

    What is to be kept is named by its sort key. Refused if the thing is there again.
    """
    items = table().each(span)
    left = handfuls(Key(item["PK"], item["SK"]) for item in items if item["SK"] not in keep)
    for handful in islice(left, most):
        table().write(*is_gone, *(Delete(place) for place in handful))
    return next(left, None) is None
