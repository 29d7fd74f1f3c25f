"""From a `STORE_URL` to the table it names."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from .table import Table


class BadStoreUrl(ValueError):
    """A `STORE_URL` that names no store; the words say what is wrong with it."""


CHAOS = "chaos+"
OPTIONS = {"prefix", "endpoint", "threads", "protected"}  # of a dynamodb:// address
YES_OR_NO = {"yes": True, "no": False}
FAULTS = {"conflicts", "throttling", "lost_replies", "partial", "slowness", "seconds"}


def check(url: str) -> None:
    """Refuse an address that cannot be that of a store, without opening it."""
    if url.startswith(CHAOS):
        _faults(url.removeprefix(CHAOS))
        url = _in_fair_weather(url.removeprefix(CHAOS))
    parts = _split(url)
    if parts.scheme == "sqlite":
        if parts.netloc or parts.query or len(parts.path) < 2:
            raise BadStoreUrl(f"STORE_URL {url!r} should look like sqlite:///folder/plenum.sqlite3.")
    elif parts.scheme == "dynamodb":
        options = dict(parse_qsl(parts.query))
        if not parts.netloc or parts.path.strip("/") or options.keys() - OPTIONS:
            raise BadStoreUrl(
                f"STORE_URL {url!r} should look like dynamodb://eu-central-1?prefix=plenum-&endpoint=http://localhost:8000."
            )
        if not options.get("threads", "1").isdecimal() or options.get("threads") == "0":
            raise BadStoreUrl(f"STORE_URL {url!r} should give threads as a whole number, such as threads=32.")
        if options.get("protected", "yes") not in YES_OR_NO:
            raise BadStoreUrl(f"STORE_URL {url!r} should say protected=yes or protected=no.")
    else:
        raise BadStoreUrl(f"STORE_URL {url!r} must start with sqlite:/// or dynamodb://.")


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise BadStoreUrl(f"STORE_URL {url!r} is no address.") from None


_of_this_process = {"threads": 32}


def expect_threads(number: int) -> None:
    """So many threads of this process ask the store at the same time, unless its address says another number. It is
    said before anybody connects."""
    _of_this_process["threads"] = number


@cache
def connect(url: str) -> Table:
    """The table behind the URL, one for each URL and process: `sqlite:///path/to/file` or `dynamodb://region?prefix=...`.

    `chaos+` before either makes it a table under bad weather: `chaos+sqlite:///path?throttling=0.02&slowness=0.1`.
    """
    check(url)
    if url.startswith(CHAOS):
        return _under_bad_weather(url.removeprefix(CHAOS))
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


def _under_bad_weather(url: str) -> Table:
    from .chaos import Chaos

    return Chaos(connect(_in_fair_weather(url)), Random(), **_faults(url))  # noqa: S311 - chance, no secret


def _in_fair_weather(url: str) -> str:
    parts = _split(url)
    options = [(name, value) for name, value in parse_qsl(parts.query) if name not in FAULTS]
    return parts._replace(query=urlencode(options)).geturl()


def _faults(url: str) -> dict[str, Any]:
    options = parse_qsl(_split(url).query)
    try:
        return {name: float(value) for name, value in options if name in FAULTS}
    except ValueError:
        raise BadStoreUrl(f"STORE_URL {CHAOS}{url!r} should give faults as numbers, such as throttling=0.02.") from None
