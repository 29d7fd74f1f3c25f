"""What the site runs on: the store without secrets, its disks, versions, settings in force.

Problems of the disks, and that they are getting full, are reported before and after they are full.
"""

from __future__ import annotations

import logging
import os
import platform
import sqlite3
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from foundation.store.connect import connect
from foundation.store.table import StoreError

from .server import LOCK

if TYPE_CHECKING:
    from foundation.store.dynamodb import DynamoDbTable, TableState

SECONDS_PER_MINUTE = 60
MEGABYTE = 1024**2
LOW_MB = 500  # free, below which the log and every page under /admin/ say so
MIN_FREE_BYTES = MEGABYTE  # with less than this, a write may fail at any moment
REPEAT_WARNING_SECONDS = 3600  # between two log lines about the same problem
log = logging.getLogger("plenum.disk")

# Settings a page may show. An explicit list, so that a secret is never shown by mistake.
SHOWN_SETTINGS = (
    *("PROFILE", "DEBUG", "HOST", "PORT", "ALLOWED_HOSTS", "SITE_URL", "DATA_DIR"),
    *("WEB_PROCESSES", "WEB_THREADS", "WEB_CONNECTIONS", "REQUEST_SECONDS", "STORE_SECONDS", "WORKER"),
    "METRICS_DIR",
    *("REGISTRATION", "REGISTRATION_DOMAINS", "DEFAULT_ROLE", "MAILS_A_DAY", "SECOND_FACTOR_FOR_ADMINS"),
    *("TRUSTED_PROXIES", "SIGN_IN_FAILURES_PER_ADDRESS", "REGISTRATIONS_PER_ADDRESS"),
    *("FORGET_AFTER_DAYS", "SESSION_COOKIE_AGE", "PASSWORD_RESET_TIMEOUT"),
    *("DEFAULT_FROM_EMAIL", "EMAIL_BACKEND", "EMAIL_HOST", "MAIL_REPLY_TO", "MAIL_CA"),
    *("OUTGOING_ALLOWED", "OUTGOING_CA"),
    *("LANGUAGE_CODE", "SITE_NAME", "SITE_LOGO", "SITE_COLOUR", "SITE_TIME_ZONE"),
    *("SECURE_HSTS_SECONDS", "BACKUP_MAX_AGE_DAYS"),
)


def is_embedded() -> bool:
    return urlsplit(settings.STORE_URL).scheme == "sqlite"


def store_address() -> str:
    """`STORE_URL` reassembled from the parts that contain no secret."""
    url = urlsplit(settings.STORE_URL)
    if is_embedded():
        return f"sqlite://{url.path}"
    parameters = {name: values[-1] for name, values in parse_qs(url.query).items()}
    known = [f"prefix={parameters['prefix']}"] if "prefix" in parameters else []
    if "endpoint" in parameters:
        endpoint = urlsplit(parameters["endpoint"])
        port = f":{endpoint.port}" if endpoint.port else ""
        known.append(f"endpoint={endpoint.scheme}://{endpoint.hostname or ''}{port}")
    return f"{url.scheme}://{url.hostname or ''}" + (f"?{'&'.join(known)}" if known else "")


def store_files() -> list[Path]:
    """The file of the embedded store, and those of its journal, which need not exist; none of another store."""
    path = urlsplit(settings.STORE_URL).path
    return [Path(path + ending) for ending in ("", "-wal", "-shm")] if is_embedded() else []


def store_size() -> int | None:
    """Bytes of the embedded store with its journal, or of DynamoDB's tables some hours ago; `None` if not known."""
    if not is_embedded():
        return sum(each.size for each in found) if (found := tables()) else None
    return sum(file.stat().st_size for file in store_files() if file.exists())


def tables() -> tuple[TableState, ...]:
    """The state of DynamoDB's tables, read once a minute; empty for another store, or if it cannot be read."""
    return _tables(settings.STORE_URL, int(time.monotonic() // SECONDS_PER_MINUTE))


@lru_cache(maxsize=1)
def _tables(url: str, _minute: int) -> tuple[TableState, ...]:
    if urlsplit(url).scheme != "dynamodb":
        return ()
    try:
        return tuple(cast("DynamoDbTable", connect(url)).states())
    except StoreError:  # probably a role without this permission, which serving does not need
        return ()


@cache
def versions() -> dict[str, str]:
    own = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
    store = {"SQLite": sqlite3.sqlite_version} if is_embedded() else {"boto3": version("boto3")}
    return {"Plenum": own, "Django": version("django"), "Python": platform.python_version(), **store}


def settings_in_force() -> dict[str, str]:
    values = {name: getattr(settings, name) for name in SHOWN_SETTINGS}
    lists = {name: ", ".join(map(str, each)) for name, each in values.items() if isinstance(each, list | tuple)}
    return {name: str(each) for name, each in values.items()} | lists


# --- disks ---


@dataclass(frozen=True, slots=True)
class Disk:
    """The file system that contains one of our folders."""

    folder: Path
    free: int  # bytes, for users other than root
    is_read_only: bool
    has_names: bool  # whether there are free inodes

    @property
    def megabytes(self) -> int:
        return self.free // MEGABYTE

    @property
    def is_full(self) -> bool:
        return self.free < MIN_FREE_BYTES or not self.has_names

    @property
    def is_low(self) -> bool:
        return self.megabytes < LOW_MB or not self.has_names

    @property
    def trouble(self) -> str:
        """Why nothing can be written, in a sentence, or nothing."""
        if self.is_read_only:
            return _("The disk holding %(folder)s is read-only.") % {"folder": self.folder}
        return _("The disk holding %(folder)s is full.") % {"folder": self.folder} if self.is_full else ""


def disks() -> list[Disk]:
    """Each file system once: that of DATA_DIR and, if it is a file, that of the store."""
    found: dict[int, Disk] = {}
    for folder in (settings.DATA_DIR, *(file.parent for file in store_files()[:1])):
        if os.path.isdir(folder):  # unlike its method, says no where we may not look
            state = os.statvfs(folder)
            has_names = state.f_favail > 0 or not state.f_files  # some file systems do not count inodes
            disk = Disk(folder, state.f_bavail * state.f_frsize, bool(state.f_flag & os.ST_RDONLY), has_names)
            found.setdefault(os.stat(folder).st_dev, disk)
    return list(found.values())


def write_problem() -> str:
    """Why nothing can be written right now, as far as the disks show."""
    if found := " ".join(disk.trouble for disk in disks() if disk.trouble):
        return found
    unusable_paths = unusable()
    return _("The site's user cannot read and write %(path)s.") % {"path": unusable_paths[0]} if unusable_paths else ""


def unusable() -> list[Path]:
    """Files that the site must read and write but may not, such as those of another user after a manual copy. A site
    that has them open already runs on for a while and fails at its next start."""
    others = (settings.DATA_DIR / LOCK, settings.STATIC_ROOT, *store_files())
    paths = (settings.DATA_DIR, *filter(os.path.exists, others))
    wanted = {path: os.R_OK | os.W_OK | (os.X_OK if os.path.isdir(path) else 0) for path in paths}
    return [path for path, mode in wanted.items() if not os.access(path, mode)]


def low_disks() -> list[Disk]:
    """Disks with little room left."""
    return [disk for disk in disks() if disk.is_low]


class DiskWatch:
    """Logs that space is running out, at once and then hourly, and when there is space again."""

    def __init__(self, ticking: Callable[[], float] = time.monotonic):
        self.ticking = ticking
        self._said: float | None = None

    def look(self) -> None:
        found = low_disks()
        if found and (self._said is None or self.ticking() - self._said >= REPEAT_WARNING_SECONDS):
            self._said = self.ticking()
            for disk in found:
                log.warning("little room", extra={"folder": str(disk.folder), "free_megabytes": disk.megabytes})
        if not found and self._said is not None:
            self._said = None
            log.warning("room again")
