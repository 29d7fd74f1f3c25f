"""SQLite itself: a connection to the file, and what SQLite says in sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from ..table import Unavailable

PATIENCE = 5.0  # seconds a writer waits until it may begin: for its turn, for other processes, and for SQLite


def connect(path: str, *, create: bool = False) -> sqlite3.Connection:
    address = f"file:{quote(path)}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


@contextmanager
def sentences(path: str) -> Iterator[None]:
    """Turn what SQLite says into what a person can act on."""
    try:
        yield
    except sqlite3.Error as error:
        raise unavailable(path, error) from error


def unavailable(path: str, error: sqlite3.Error) -> Unavailable:
    said = str(error)
    if "unable to open" in said or "no such table" in said:
        return Unavailable(f"The store {path} is not there yet; run: python manage.py create_tables")
    if "readonly" in said:
        return Unavailable(f"The store {path} cannot be written; check who owns the file and its folder.")
    return Unavailable(f"The store {path} cannot be used: {said}.")
