"""How far a long command is, for whoever watches it in a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import OutputWrapper

SECONDS_BETWEEN = 0.2


@contextmanager
def shown_on(stream: OutputWrapper, what: str) -> Iterator[Callable[[int], None]]:
    """A progress that writes over its own line a few times a second; where nobody watches, it says nothing."""
    start = said = time.monotonic()

    def say(items: int) -> None:
        nonlocal said
        if (now := time.monotonic()) - said >= SECONDS_BETWEEN:
            said = now
            stream.write(f"\r{what}: {items:,} items, {items / (now - start):,.0f} a second ", ending="")
            stream.flush()

    watched = stream.isatty()
    try:
        yield say if watched else lambda items: None
    finally:
        if watched and said > start:
            stream.write("")
