"""Keys of the site as a whole, and of its workers."""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape


def counts() -> Key:
    return Key(METADATA, "COUNTS")


def sync() -> Key:
    return Key(METADATA, "SYNC")


def restoring() -> Key:
    """There only while a restore or a transfer into this store has not come to its end."""
    return Key(METADATA, "RESTORING")


def retention() -> Key:
    """How far today's look for accounts that nobody uses has come."""
    return Key(METADATA, "RETENTION")


def pause() -> Key:
    """There only while the site is paused."""
    return Key(METADATA, "PAUSE")


def figures() -> Key:
    """How many people have which role and how many elections are in which state, as far as the log is counted."""
    return Key(METADATA, "FIGURES")


def figures_of_day(day: str) -> Key:
    return Key(METADATA, f"FIGURES#{day}")


def figures_of_days(first: str, last: str) -> Span:
    """From one day to another, both included."""
    return Span(METADATA, first=f"FIGURES#{first}", last=f"FIGURES#{last}")


def site_page() -> Key:
    """Who runs this site, in their own words; there once somebody has written it."""
    return Key("PORTFOLIO#default", METADATA)


def once(token: str) -> Key:
    return Key(f"ONCE#{escape(token)}", METADATA)


def lease(job: str) -> Key:
    """Who of all workers is at the job just now."""
    return Key(f"LEASE#{escape(job)}", METADATA)


WORKERS = Span("WORKERS")


def worker(name: str) -> Key:
    """That this worker is alive, and what it is at; gone some minutes after it has ended."""
    return Key(WORKERS.pk, f"WORKER#{escape(name)}")


def nightly() -> Key:
    """Which checkpoint was mailed last, and on which day."""
    return Key(METADATA, "NIGHTLY")


def forgetting() -> Key:
    """There while something was deleted that may still be found in the store's files."""
    return Key(METADATA, "FORGETTING")


def last_backup() -> Key:
    """When the newest backup ended, and how much is in it."""
    return Key(METADATA, "LAST_BACKUP")


def secret_key() -> Key:
    """The fingerprint of the key that the site has used last."""
    return Key(METADATA, "SECRETKEY")


def store_format() -> Key:
    """Which format the data is written in, and how far an upgrade to the next one is."""
    return Key(METADATA, "FORMAT")
