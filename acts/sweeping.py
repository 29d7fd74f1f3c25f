"""Removing what something that is gone has left, a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import islice

from store.splitting import by_count
from store.table import Check, Delete, Item, Key, Span

from .site import table


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
    """Remove what something that is gone has left, in so many batches at most; whether nothing is left by then.

    What is to be kept is named by its sort key; `shards` are further partitions that the thing was spread over. What an
    item has elsewhere goes before it: whoever is cut off finds it again by the item. Refused if the thing is there
    again.
    """
    items = (item for each in (span, *shards) for item in table().each(each) if item["SK"] not in keep)
    left = by_count(key for item in items for key in (*elsewhere(item), Key(item["PK"], item["SK"])))
    for batch in islice(left, most):
        table().write(*is_gone, *(Delete(place) for place in batch))
    return next(left, None) is None
