"""Connects to the table that a `STORE_URL` names."""

from __future__ import annotations

from functools import cache
from urllib.parse import parse_qsl, urlsplit

from .table import Table


class BadStoreUrl(ValueError):
    """A `STORE_URL` that names no store; the message says what is wrong with it."""


OPTIONS = {"prefix", "endpoint", "threads", "protected"}  # of a dynamodb:// address
YES_OR_NO = {"yes": True, "no": False}


def check(url: str) -> None:
    """Refuse an address that cannot name a store, without opening it, and without repeating it: it may hold a
    password, if it was meant for another kind of store."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadStoreUrl("STORE_URL is no address.") from None
    if parts.scheme == "sqlite":
        if parts.netloc or parts.query or len(parts.path) < 2 or parts.path.startswith("//"):
            raise BadStoreUrl("STORE_URL should look like sqlite:///folder/plenum.sqlite3, with three slashes.")
    elif parts.scheme == "dynamodb":
        options = dict(parse_qsl(parts.query))
        if not parts.netloc or parts.path.strip("/") or options.keys() - OPTIONS:
            raise BadStoreUrl(
                "STORE_URL should look like dynamodb://eu-central-1?prefix=plenum-&endpoint=http://localhost:8000."
            )
        if not options.get("threads", "1").isdecimal() or options.get("threads") == "0":
            raise BadStoreUrl("STORE_URL should give threads as a whole number, such as threads=32.")
        if options.get("protected", "yes") not in YES_OR_NO:
            raise BadStoreUrl("STORE_URL should say protected=yes or protected=no.")
    else:
        raise BadStoreUrl("STORE_URL must start with sqlite:/// or dynamodb://.")


_of_this_process = {"threads": 32}


def expect_threads(number: int) -> None:
    """Set how many threads of this process use the store at once, unless STORE_URL says so; before `connect`."""
    _of_this_process["threads"] = number


@cache
def connect(url: str) -> Table:
    """The table behind the URL, cached for each URL and process: `sqlite:///path/to/file` or `dynamodb://region?...`."""
    check(url)
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        from .sqlite import SqliteTable

        return SqliteTable(parts.path)
    from .dynamodb import DynamoDbTable

    options = dict(parse_qsl(parts.query))
    return DynamoDbTable(
        region=parts.netloc,
        prefix=options.get("prefix", ""),
        endpoint=options.get("endpoint"),
        threads=int(options.get("threads", _of_this_process["threads"])),
        protected=YES_OR_NO.get(options.get("protected", "")),
    )
