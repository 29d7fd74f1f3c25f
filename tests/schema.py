"""Types of items and events that exist only in a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from foundation.store.schema import SCHEMA, EventType, ItemType


@contextmanager
def with_types(items: Iterable[ItemType] = (), events: Iterable[EventType] = ()) -> Iterator[None]:
    """Add these types inside; they take precedence over the others."""
    before = SCHEMA.items, SCHEMA.events
    SCHEMA.items = (*items, *SCHEMA.items)
    SCHEMA.events = SCHEMA.events | {each.name: each for each in events}
    try:
        yield
    finally:
        SCHEMA.items, SCHEMA.events = before
