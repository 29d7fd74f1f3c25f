"""DynamoDB's JSON: plain values to and from attribute values, and a client that does not parse replies any further.

botocore looks up the shape of every attribute of every item it reads, which takes most of the time of a long page.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import boto3
import botocore.session
import orjson
from botocore import xform_name
from botocore.config import Config
from botocore.loaders import Loader, create_loader
from botocore.parsers import JSONParser, ResponseParserError, ResponseParserFactory

from foundation.store import wait_budget

from ..table import Invalid, Item, Key, Value

CONNECT_TIMEOUT_SECONDS = 1
READ_TIMEOUT_SECONDS = 3
SPARE_CONNECTIONS = 4  # for what runs beside requests: heartbeats, the pause, open pages
MAX_SDK_ATTEMPTS = 4  # of the SDK, for creating and describing tables; everything else is retried by `connection`

READ, WRITE = "read", "write"

# What each operation is charged for. Their replies contain items, or nothing we read; those of all others keep
# botocore's own parser, which handles dates.
CHARGED = {
    "get_item": READ,
    "batch_get_item": READ,
    "query": READ,
    "scan": READ,
    "put_item": WRITE,
    "delete_item": WRITE,
    "update_item": WRITE,
    "transact_write_items": WRITE,
    "batch_write_item": WRITE,
}

AMAZONS = (".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu", ".api.aws", ".api.amazonwebservices.com.cn")

# An endpoint of our own requires a signature, but not by whom.
NO_ONE = {"access_key": "plenum", "secret_key": "plenum"}

Wire = dict[str, Any]  # one attribute value, such as {"S": "text"}


# --- values ---------------------------------------------------------------------------------------------------------


def encode(value: Value) -> Wire:
    return _ENCODERS[type(value)](value)


def encode_item(item: Mapping[str, Value]) -> dict[str, Wire]:
    return {name: encode(value) for name, value in item.items()}


def encode_key(key: Key) -> dict[str, Wire]:
    return {"PK": {"S": key.pk}, "SK": {"S": key.sk}}


_ENCODERS: dict[type, Callable[[Any], Wire]] = {
    str: lambda value: {"S": value},
    int: lambda value: {"N": str(value)},
    bool: lambda value: {"BOOL": value},
    type(None): lambda value: {"NULL": True},
    bytes: lambda value: {"B": value},
    list: lambda value: {"L": [encode(each) for each in value]},
    dict: lambda value: {"M": encode_item(value)},
}


def decode_item(wire: dict[str, Wire]) -> Item:
    # Most attributes are text or numbers; checking for these inline is cheaper than a call: a count reads a million.
    return {
        name: value["S"] if "S" in value else _whole_number(value["N"]) if "N" in value else decode(value)
        for name, value in wire.items()
    }


def decode(wire: Wire) -> Value:
    ((kind, content),) = wire.items()
    try:
        decoder = _DECODERS[kind]
    except KeyError:
        raise Invalid(f"The table holds a value of DynamoDB's type {kind}, which Plenum does not use.") from None
    return decoder(content)


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # DynamoDB writes some large numbers with an exponent
        number = Decimal(text)
    if number != number.to_integral_value():
        raise Invalid(f"The table holds a number that is not whole: {text}.")
    return int(number)


_DECODERS: dict[str, Callable[[Any], Value]] = {
    "S": lambda content: content,
    "N": _whole_number,
    "BOOL": lambda content: content,
    "NULL": lambda content: None,
    "B": b64decode,
    "L": lambda content: [decode(each) for each in content],
    "M": decode_item,
}


# --- what a request costs -------------------------------------------------------------------------------------------


def charges(method: str, reply: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The capacity units that the reply says were consumed, with their kind, table by table."""
    consumed = reply.get("ConsumedCapacity") or ()
    for each in [consumed] if isinstance(consumed, dict) else consumed:
        units_by_kind = {READ: each.get("ReadCapacityUnits"), WRITE: each.get("WriteCapacityUnits")}
        if not any(units_by_kind.values()):  # a repeated transaction is charged for reads, and reports them as such
            units_by_kind = {CHARGED[method]: each.get("CapacityUnits")}
        yield from ((kind, float(units)) for kind, units in units_by_kind.items() if units)


# --- the client -----------------------------------------------------------------------------------------------------


class _PlainParser(JSONParser):  # type: ignore[misc]
    """Leaves a reply as it is; errors, and replies that contain dates, are parsed by botocore."""

    def parse(self, response: dict[str, Any], shape: Any) -> dict[str, Any]:
        status = response["status_code"]
        if status != HTTPStatus.OK or xform_name(response["context"].get("operation_name", "")) not in CHARGED:
            parsed: dict[str, Any] = super().parse(response, shape)
            return parsed
        try:
            parsed = orjson.loads(response["body"] or b"{}")
        except ValueError as error:
            raise ResponseParserError(str(error)) from error
        if type(parsed) is not dict:
            raise ResponseParserError("The reply is no JSON object.")
        parsed["ResponseMetadata"] = {"HTTPStatusCode": status, "HTTPHeaders": dict(response["headers"])}
        return parsed


class PlainParserFactory(ResponseParserFactory):  # type: ignore[misc]
    def create_parser(self, protocol_name: str) -> Any:
        return _PlainParser() if protocol_name == "json" else super().create_parser(protocol_name)


@cache
def _loader(data_path: str | None) -> Loader:
    """Caches parsed service descriptions, so that only the first client of a process reads them."""
    return create_loader(data_path)


def client(region: str, endpoint: str | None, threads: int, attempts: int = 1) -> Any:
    """A low-level DynamoDB client. With a custom endpoint and no credentials, it signs with dummy ones."""
    session = botocore.session.Session()
    session.register_component("data_loader", _loader(session.get_config_variable("data_path")))
    session.register_component("response_parser_factory", PlainParserFactory())
    if not is_amazons(endpoint):
        # A custom endpoint: asking the machine for its role would only cost seconds.
        session.get_component("credential_provider").remove("iam-role")
        if session.get_credentials() is None:
            session.set_credentials(**NO_ONE)
    ours = boto3.session.Session(region_name=region, botocore_session=session)
    config = Config(
        retries={"mode": "standard", "total_max_attempts": attempts},
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=READ_TIMEOUT_SECONDS,
        max_pool_connections=threads + SPARE_CONNECTIONS,
        tcp_keepalive=True,
        parameter_validation=False,  # `limits` has checked everything already
    )
    made = ours.client("dynamodb", endpoint_url=endpoint, config=config)
    made.meta.events.register("request-created.dynamodb", _wait_no_longer)
    return made


def _wait_no_longer(request: Any, **_: Any) -> None:
    """Called by the SDK just before each request is sent: limits the wait for a reply to what is left of the wait
    budget."""
    if (left := wait_budget.left()) < CONNECT_TIMEOUT_SECONDS + READ_TIMEOUT_SECONDS:
        request.context["read_timeout"] = max(left - CONNECT_TIMEOUT_SECONDS, 0.001)


def is_amazons(endpoint: str | None) -> bool:
    """Whether the endpoint is AWS, including a private one into its network. Without an endpoint, it is."""
    if endpoint is None:
        return True
    with suppress(ValueError):  # reported later as a bad address
        return (urlsplit(endpoint).hostname or "").endswith(AMAZONS)
    return False
