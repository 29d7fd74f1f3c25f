"""What the site runs on, for the system page: the store without secrets, versions, settings in force."""

from __future__ import annotations

import platform
import sqlite3
import time
import tomllib
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

from django.conf import settings

from foundation.store.connect import connect
from foundation.store.table import StoreError

if TYPE_CHECKING:
    from foundation.store.dynamodb import DynamoDbTable, TableState

SECONDS_PER_MINUTE = 60

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
    return {name: _as_text(getattr(settings, name)) for name in SHOWN_SETTINGS}


def _as_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
