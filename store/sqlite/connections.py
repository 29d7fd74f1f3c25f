"""Connections to the SQLite file, and readable messages for SQLite's errors."""

from __future__ import annotations

import errno
import os
import sqlite3
from urllib.parse import quote

from ..table import Unavailable, Unwritable

WRITING_FAILED = {  # SQLite's own names for errors whose message is only "disk I/O error"
    *("SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC", "SQLITE_IOERR_TRUNCATE"),
    *("SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN", "SQLITE_IOERR_SHMMAP", "SQLITE_IOERR_DELETE"),
}
# how long a writer waits before it can begin: for its turn, for other processes and for SQLite
WRITER_TIMEOUT_SECONDS = 5.0


def connect(path: str, *, create: bool = False) -> sqlite3.Connection:
    address = f"file:{quote(path)}?mode={'rwc' if create else 'rw'}"
    connection = sqlite3.connect(
        address, uri=True, timeout=WRITER_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")  # deleted bytes are overwritten; builds of SQLite differ in this
    return connection


class sentences:  # noqa: N801 - used as a function is
    """Turn errors of SQLite and the system into messages that a person can act on."""

    __slots__ = ("path",)

    def __init__(self, path: str):
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        if isinstance(error, sqlite3.Error | OSError):
            raise unavailable(self.path, error) from error


def unavailable(path: str, error: sqlite3.Error | OSError) -> Unavailable:
    if isinstance(error, OSError):  # of the queue's file
        return Unwritable(f"The store {path} cannot be written: {error.strerror}.")
    said, name = str(error), getattr(error, "sqlite_errorname", "")
    if "unable to open" in said or "no such table" in said:
        return _not_opened(path, said)
    if name == "SQLITE_FULL":
        return Unwritable(f"The store {path} cannot be written: its disk is full.")
    if name.startswith("SQLITE_READONLY") or name in WRITING_FAILED:
        why = f"{obstacle}." if (obstacle := _obstacle(path)) else f"{said}. Check who owns the file and its folder."
        return Unwritable(f"The store {path} cannot be written: {why}")
    return Unavailable(f"The store {path} cannot be used: {said}.")


def _not_opened(path: str, said: str) -> Unavailable:
    folder = os.path.dirname(path)
    if os.path.exists(path) and os.path.getsize(path):
        return Unavailable(f"The store {path} cannot be opened: {_obstacle(path) or said}.")
    if os.path.isdir(folder) and (obstacle := _obstacle(folder)):
        return Unavailable(f"The store {path} is not there, and its folder cannot be written: {obstacle}.")
    return Unavailable(f"The store {path} is not there yet; run: python manage.py create_tables")


def _obstacle(path: str) -> str:
    """What prevents writing there, in the system's words, or nothing.

    The file is not opened to find out: closing it would release the locks that SQLite holds in this process.
    """
    for place in (path, os.path.dirname(path)):
        if not os.access(place, os.W_OK):
            is_read_only = os.statvfs(place).f_flag & os.ST_RDONLY
            return os.strerror(errno.EROFS if is_read_only else errno.EACCES)
    return ""
