"""From a `STORE_URL` to the table it names."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from .table import Table


class BadStoreUrl(ValueError):
    """A `STORE_URL` that names no store; the words say what is wrong with it."""


CHAOS = "chaos+"
FAULTS = {"conflicts", "throttling", "lost_replies", "slowness", "seconds"}


@cache
def connect(url: str) -> Table:
    """The table behind the URL, one for each URL and process: `sqlite:///path/to/file` or `dynamodb://region?prefix=...`.

    `chaos+` before either makes it a table under bad weather: `chaos+sqlite:///path?throttling=0.02&slowness=0.1`.
    """
    if url.startswith(CHAOS):
        return _under_bad_weather(url.removeprefix(CHAOS))
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        from .sqlite import SqliteTable

        if parts.netloc or parts.query or len(parts.path) < 2:
            raise BadStoreUrl(f"STORE_URL {url!r} should look like sqlite:///folder/plenum.sqlite3.")
        return SqliteTable(parts.path)
    if parts.scheme == "dynamodb":
        from .dynamodb import DynamoDbTable

        options = dict(parse_qsl(parts.query))
        if not parts.netloc or parts.path.strip("/") or options.keys() - {"prefix", "endpoint"}:
            raise BadStoreUrl(
                f"STORE_URL {url!r} should look like dynamodb://eu-central-1?prefix=plenum-&endpoint=http://localhost:8000."
            )
        return DynamoDbTable(region=parts.netloc, prefix=options.get("prefix", ""), endpoint=options.get("endpoint"))
    raise BadStoreUrl(f"STORE_URL {url!r} must start with sqlite:/// or dynamodb://.")


def _under_bad_weather(url: str) -> Table:
    from .chaos import Chaos

    parts = urlsplit(url)
    options = dict(parse_qsl(parts.query))
    try:
        faults: dict[str, Any] = {name: float(value) for name, value in options.items() if name in FAULTS}
    except ValueError:
        raise BadStoreUrl(f"STORE_URL {CHAOS}{url!r} should give faults as numbers, such as throttling=0.02.") from None
    rest = urlencode({name: value for name, value in options.items() if name not in FAULTS})
    return Chaos(connect(parts._replace(query=rest).geturl()), Random(), **faults)  # noqa: S311 - chance, no secret
