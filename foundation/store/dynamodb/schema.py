"""The two tables as PynamoDB models, and how they are created and protected."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError
from pynamodb.attributes import Attribute, TTLAttribute, UnicodeAttribute
from pynamodb.constants import PAY_PER_REQUEST_BILLING_MODE
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model

from ..table import DATA, LOG, Unavailable

INDEX = "GSI1"
BUSY = {
    "ResourceInUseException",
    "LimitExceededException",
    "ContinuousBackupsUnavailableException",
    "TableInUseException",
}
UNKNOWN = {"UnknownOperationException", "NotImplemented", "NotImplementedException", "InvalidAction", "501"}
FORBIDDEN = {"AccessDeniedException", "AccessDenied"}
TIMEOUT_SECONDS = 180.0
VISIBLE_SECONDS = 5.0


class Gsi1(GlobalSecondaryIndex):  # type: ignore[misc]
    class Meta:
        index_name = INDEX
        projection = AllProjection()
        billing_mode = PAY_PER_REQUEST_BILLING_MODE

    gsi1pk = UnicodeAttribute(hash_key=True, attr_name="GSI1PK")
    gsi1sk = UnicodeAttribute(range_key=True, attr_name="GSI1SK")


class DataItem(Model):  # type: ignore[misc]
    class Meta:
        table_name = DATA
        billing_mode = PAY_PER_REQUEST_BILLING_MODE

    pk = UnicodeAttribute(hash_key=True, attr_name="PK")
    sk = UnicodeAttribute(range_key=True, attr_name="SK")
    ttl = TTLAttribute(null=True)
    gsi1 = Gsi1()


class LogItem(Model):  # type: ignore[misc]
    class Meta:
        table_name = LOG
        billing_mode = PAY_PER_REQUEST_BILLING_MODE

    pk = UnicodeAttribute(hash_key=True, attr_name="PK")
    sk = UnicodeAttribute(range_key=True, attr_name="SK")


MODELS: tuple[tuple[Any, tuple[Any, ...]], ...] = ((DataItem, (Gsi1,)), (LogItem, ()))


@dataclass(frozen=True, slots=True)
class Protection:
    """A protection to switch on for an existing table."""

    what: str
    sentence: str  # if the engine does not support it
    is_on: Callable[[], bool]
    turn_on: Callable[[], object]


def create(client: Any, prefix: str = "", *, protected: bool = True) -> list[str]:
    """Create missing tables, wait until all are usable, and switch on what is still off. Idempotent and safe to run
    concurrently. Returns a sentence for each protection that the engine does not support, or that we are not permitted
    to inspect or switch on.

    If all tables exist, a missing permission is no error: a role that may only serve must be able to start.
    """
    definitions = [definition(model, indexes, prefix) for model, indexes in MODELS]
    made = [_make(client, wanted | {"DeletionProtectionEnabled": protected}) for wanted in definitions]
    for wanted in definitions:
        found = _keys(_wait_until_active(client, wanted["TableName"]))
        if any(found.get(name) != keys for name, keys in _keys(wanted).items()):
            raise Unavailable(f"There is a table {wanted['TableName']} already, but it has other keys than Plenum's.")
    return [
        text
        for protection in _protections(client, prefix, protected)
        if (text := _switch_on(protection, is_ours=any(made)))
    ]


def _switch_on(protection: Protection, is_ours: bool) -> str:
    """Switch the protection on; why it is not on, or nothing. If we have just created a table, a missing permission is
    an error."""
    try:
        return "" if protection.is_on() or _turn_on(protection) else protection.sentence
    except ClientError as error:
        if _code(error) in UNKNOWN:
            return protection.sentence
        if is_ours or _code(error) not in FORBIDDEN:
            raise
        return f"{protection.what} may be off, and we may not look or switch it on. Whoever keeps the tables can."


def lacking(client: Any, prefix: str = "", *, protected: bool = True) -> list[str]:
    """A sentence for each protection that is off or unsupported by the engine. Changes nothing."""
    texts: list[str] = []
    for protection in _protections(client, prefix, protected):
        try:
            texts += [] if protection.is_on() else [f"{protection.what} is off."]
        except ClientError as error:
            if _code(error) not in UNKNOWN:
                raise
            texts.append(protection.sentence)
    return texts


def definition(model: Any, indexes: tuple[Any, ...], prefix: str) -> dict[str, Any]:
    """The model's table definition, in boto3's format."""
    table_keys = [each for each in model.get_attributes().values() if each.is_hash_key or each.is_range_key]
    index_keys = [list(index.Meta.attributes.values()) for index in indexes]
    wanted: dict[str, Any] = {
        "TableName": prefix + model.Meta.table_name,
        "BillingMode": model.Meta.billing_mode,
        "KeySchema": _key_schema(table_keys),
        "AttributeDefinitions": [
            {"AttributeName": each.attr_name, "AttributeType": each.attr_type} for each in sum(index_keys, table_keys)
        ],
    }
    if indexes:
        wanted["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index.Meta.index_name,
                "KeySchema": _key_schema(keys),
                "Projection": {"ProjectionType": index.Meta.projection.projection_type},
            }
            for index, keys in zip(indexes, index_keys, strict=True)
        ]
    return wanted


def _key_schema(keys: list[Attribute[Any]]) -> list[dict[str, str]]:
    in_order = sorted(keys, key=lambda each: bool(each.is_range_key))
    return [{"AttributeName": key.attr_name, "KeyType": "RANGE" if key.is_range_key else "HASH"} for key in in_order]


# --- making ---------------------------------------------------------------------------------------------------------


def _make(client: Any, wanted: dict[str, Any]) -> bool:
    """Create the table if it is missing; whether we did."""
    if _describe(client, wanted["TableName"]) is not None:
        return False
    try:
        client.create_table(**wanted)
    except ClientError as error:
        if _code(error) not in BUSY:  # another process is creating it right now
            raise
    return True


def _describe(client: Any, name: str) -> dict[str, Any] | None:
    try:
        table: dict[str, Any] = client.describe_table(TableName=name)["Table"]
    except ClientError as error:
        if _code(error) != "ResourceNotFoundException":
            raise
        return None
    return table


def _wait_until_active(client: Any, name: str) -> dict[str, Any]:
    for _ in _polling():
        table = _describe(client, name)
        indexes = table.get("GlobalSecondaryIndexes", ()) if table else ()
        if table and {table["TableStatus"], *(each.get("IndexStatus", "ACTIVE") for each in indexes)} == {"ACTIVE"}:
            return table
    raise Unavailable(f"The table {name} is being made, but is still not ready after {TIMEOUT_SECONDS:.0f} seconds.")


def _keys(table: dict[str, Any]) -> dict[str, list[dict[str, str]]]:
    indexes = {index["IndexName"]: index["KeySchema"] for index in table.get("GlobalSecondaryIndexes", ())}
    return {"": table["KeySchema"]} | indexes


# --- what protects them ---------------------------------------------------------------------------------------------


def _protections(client: Any, prefix: str, protected: bool) -> Iterator[Protection]:
    for model, _ in MODELS:
        name = prefix + model.Meta.table_name
        if model is DataItem:
            yield _expiry(client, name, DataItem.ttl.attr_name)
        yield _recovery(client, name)
        if protected:
            yield _deletion_protection(client, name)


def _expiry(client: Any, name: str, attribute: str) -> Protection:
    def is_on() -> bool:
        found = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        return found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")

    def turn_on() -> None:
        wanted = {"Enabled": True, "AttributeName": attribute}
        client.update_time_to_live(TableName=name, TimeToLiveSpecification=wanted)

    return Protection(
        f"{name}: deleting expired items", f"{name}: this engine does not delete expired items.", is_on, turn_on
    )


def _recovery(client: Any, name: str) -> Protection:
    def is_on() -> bool:
        found = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
        return bool(found.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED")

    def turn_on() -> None:
        wanted = {"PointInTimeRecoveryEnabled": True}
        client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=wanted)

    return Protection(
        f"{name}: point-in-time recovery", f"{name}: this engine has no point-in-time recovery.", is_on, turn_on
    )


def _deletion_protection(client: Any, name: str) -> Protection:
    def is_on() -> bool:
        return bool(_wait_until_active(client, name).get("DeletionProtectionEnabled"))

    def turn_on() -> None:
        client.update_table(TableName=name, DeletionProtectionEnabled=True)

    what = f"{name}: protection against deletion"
    return Protection(what, f"{name}: this engine has no protection against deletion.", is_on, turn_on)


def _turn_on(protection: Protection) -> bool:
    for _ in _polling():
        try:
            protection.turn_on()
        except ClientError as error:
            if not protection.is_on() and _code(error) not in BUSY:
                raise
        else:
            return any(protection.is_on() for _ in _polling(VISIBLE_SECONDS))
        if protection.is_on():  # another process was quicker
            return True
    raise Unavailable(f"DynamoDB was too busy for {TIMEOUT_SECONDS:.0f} seconds. Still off is: {protection.sentence}")


def _polling(seconds: float = TIMEOUT_SECONDS) -> Iterator[None]:
    """Poll, at first quickly, until the timeout."""
    deadline, pause = time.monotonic() + seconds, 0.05
    while time.monotonic() < deadline:
        yield
        time.sleep(pause)
        pause = min(pause * 1.5, 3.0)


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
