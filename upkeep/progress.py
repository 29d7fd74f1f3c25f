"""How far a long command is, for whoever watches it in a terminal, or reads its log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import OutputWrapper

UPDATE_INTERVAL_SECONDS = 0.2
LOG_INTERVAL_SECONDS = 5.0


@contextmanager
def show_count(stream: OutputWrapper, what: str) -> Iterator[Callable[[int], None]]:
    """A progress that writes over its own line a few times a second; where nobody watches, it says nothing."""
    start = time.monotonic()
    with _status_line(stream) as say:
        yield lambda items: say(lambda now: f"{what}: {items:,} items, {items / (now - start):,.0f} a second ")


@contextmanager
def show_steps(stream: OutputWrapper, what: str) -> Iterator[Callable[[int, int], None]]:
    """As `show_count`, of something whose end is known: it is told how many of how many are done. Where there is no
    terminal, it says so in lines of a log, every few seconds and at the end."""
    if not stream.isatty():
        yield _log_lines(stream, what)
        return
    with _status_line(stream) as say:
        yield lambda done, of: say(lambda now: f"{what}: {done:,} of {of:,} ")


def _log_lines(stream: OutputWrapper, what: str) -> Callable[[int, int], None]:
    said = time.monotonic()

    def say(done: int, of: int) -> None:
        nonlocal said
        if done == of or time.monotonic() - said >= LOG_INTERVAL_SECONDS:
            said = time.monotonic()
            stream.write(f"{what}: {done:,} of {of:,}")
            stream.flush()

    return say


@contextmanager
def _status_line(stream: OutputWrapper) -> Iterator[Callable[[Callable[[float], str]], None]]:
    """One line, written over by what it is to say now."""
    start = said = time.monotonic()
    watched = stream.isatty()

    def say(words: Callable[[float], str]) -> None:
        nonlocal said
        if watched and (now := time.monotonic()) - said >= UPDATE_INTERVAL_SECONDS:
            said = now
            stream.write(f"\r{words(now)}", ending="")
            stream.flush()

    try:
        yield say
    finally:
        if watched and said > start:
            stream.write("")
