"""More than fits one transaction or one item: taken a handful at a time."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from store.table import Check, Delete, Item, Key, Span

from .site import table

A_TRANSACTION = 90  # parts of our own that fit beside the log's

T = TypeVar("T")


def handfuls(things: Iterable[T], most: int = A_TRANSACTION) -> Iterator[list[T]]:
    left = iter(things)
    while some := list(islice(left, most)):
        yield some


def alone(item: Item) -> Iterable[Key]:
    """Most things have nothing that lies elsewhere."""
    return ()


def sweep(
    span: Span,
    keep: Container[str],
    *is_gone: Check,
    most: int | None = None,
    elsewhere: Callable[[Item], Iterable[Key]] = alone,
    shards: Sequence[Span] = (),
) -> bool:
    """Remove what something that is gone has left, in so many handfuls at most; whether nothing is left by then.

    What is to be kept is named by its sort key; `shards` are further partitions that the thing was spread over. What an
    item has elsewhere goes before it: whoever is cut off finds it again by the item. Refused if the thing is there
    again.
    """
    items = (item for each in (span, *shards) for item in table().each(each) if item["SK"] not in keep)
    left = handfuls(key for item in items for key in (*elsewhere(item), Key(item["PK"], item["SK"])))
    for handful in islice(left, most):
        table().write(*is_gone, *(Delete(place) for place in handful))
    return next(left, None) is None
