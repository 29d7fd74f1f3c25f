"""From a `STORE_URL` to the table it names."""

from __future__ import annotations

from functools import cache
from urllib.parse import parse_qs, urlsplit

from .table import Table


class BadStoreUrl(ValueError):
    """A `STORE_URL` that names no store; the words say what is wrong with it."""


@cache
def connect(url: str) -> Table:
    """The table behind the URL, one for each URL and process: `sqlite:///path/to/file` or `dynamodb://region?prefix=...`."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        from .sqlite import SqliteTable

        if parts.netloc or parts.query or len(parts.path) < 2:
            raise BadStoreUrl(f"STORE_URL {url!r} should look like sqlite:///folder/plenum.sqlite3.")
        return SqliteTable(parts.path)
    if parts.scheme == "dynamodb":
        from .dynamodb import DynamoDbTable

        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if not parts.netloc or parts.path.strip("/") or options.keys() - {"prefix", "endpoint"}:
            raise BadStoreUrl(
                f"STORE_URL {url!r} should look like dynamodb://eu-central-1?prefix=plenum-&endpoint=http://localhost:8000."
            )
        return DynamoDbTable(region=parts.netloc, prefix=options.get("prefix", ""), endpoint=options.get("endpoint"))
    raise BadStoreUrl(f"STORE_URL {url!r} must start with sqlite:/// or dynamodb://.")
