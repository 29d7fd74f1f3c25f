"""What Plenum's commands share: errors end them with a message, not a traceback, and long ones show their progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from foundation.acts.refusals import Refusal
from foundation.store import formats
from foundation.store.connect import BadStoreUrl, connect
from foundation.store.table import StoreError, Table, Unavailable

UPDATE_INTERVAL_SECONDS = 0.2
LOG_INTERVAL_SECONDS = 5.0


class StoreCommand(BaseCommand):
    """A command that works on the site's table, `self.table`.

    It refuses a format it does not understand: one that is too new, or older than `oldest`. Commands that create a
    store, or work on another one, set None and check for themselves.
    """

    requires_system_checks: list[str] = []
    oldest: int | None = formats.OLDEST_SERVED
    table: Table

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            self.table = connect(settings.STORE_URL)
            if self.oldest is not None:
                with suppress(Unavailable):  # reported when it is needed; a worker waits for it
                    formats.check(self.table, self.oldest)
            return super().execute(*args, **options)
        except (StoreError, BadStoreUrl, Refusal) as error:
            raise CommandError(str(error)) from error


# --- progress ---


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
