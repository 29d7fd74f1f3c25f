"""Shows the progress of a long command in a terminal or a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import OutputWrapper

UPDATE_INTERVAL_SECONDS = 0.2
LOG_INTERVAL_SECONDS = 5.0


@contextmanager
def show_count(stream: OutputWrapper, what: str) -> Iterator[Callable[[int], None]]:
    """A counter that overwrites its own line a few times a second; silent without a terminal."""
    start = time.monotonic()
    with _status_line(stream) as report:
        yield lambda items: report(lambda now: f"{what}: {items:,} items, {items / (now - start):,.0f} a second ")


@contextmanager
def show_steps(stream: OutputWrapper, what: str) -> Iterator[Callable[[int, int], None]]:
    """As `show_count`, of a known total. Without a terminal it writes log lines, every few seconds and at the end."""
    if not stream.isatty():
        yield _log_lines(stream, what)
        return
    with _status_line(stream) as report:
        yield lambda done, of: report(lambda now: f"{what}: {done:,} of {of:,} ")


def _log_lines(stream: OutputWrapper, what: str) -> Callable[[int, int], None]:
    last = time.monotonic()

    def report(done: int, of: int) -> None:
        nonlocal last
        if done == of or time.monotonic() - last >= LOG_INTERVAL_SECONDS:
            last = time.monotonic()
            stream.write(f"{what}: {done:,} of {of:,}")
            stream.flush()

    return report


@contextmanager
def _status_line(stream: OutputWrapper) -> Iterator[Callable[[Callable[[float], str]], None]]:
    """One line that is overwritten."""
    start = last = time.monotonic()
    watched = stream.isatty()

    def report(text: Callable[[float], str]) -> None:
        nonlocal last
        if watched and (now := time.monotonic()) - last >= UPDATE_INTERVAL_SECONDS:
            last = now
            stream.write(f"\r{text(now)}", ending="")
            stream.flush()

    try:
        yield report
    finally:
        if watched and last > start:
            stream.write("")
