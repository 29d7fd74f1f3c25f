"""DynamoDB's limits, kept by every adapter before anything is sent, so that all refuse the same things in the same words."""

from __future__ import annotations

from collections.abc import Sequence

from .table import (
    AllOf,
    AnyOf,
    Check,
    Condition,
    Delete,
    Equals,
    Greater,
    Invalid,
    Item,
    Key,
    Less,
    Put,
    Update,
    Value,
    Write,
)

ITEM_BYTES = 400 * 1024
PAGE_BYTES = 1024 * 1024
BATCH_KEYS = 100
WRITES = 100
WRITES_BYTES = 4 * 1024 * 1024
PK_BYTES = 2048
SK_BYTES = 1024
DEPTH = 32
TOKEN_CHARACTERS = 36
KEY_ATTRIBUTES = {"PK": PK_BYTES, "SK": SK_BYTES, "GSI1PK": PK_BYTES, "GSI1SK": SK_BYTES}
LARGEST_NUMBER = 2**63 - 1


def check_key(key: Key) -> None:
    _check_key_text("PK", key.pk)
    _check_key_text("SK", key.sk)


def check_item(item: Item) -> None:
    """Refuse what DynamoDB would refuse of an item: wrong types, empty or long keys, more than 400 KB."""
    for name in ("PK", "SK"):
        if name not in item:
            raise Invalid(f"An item needs the attribute {name}.")
    for name, value in item.items():
        check_attribute(name, value)
    if (size := item_size(item)) > ITEM_BYTES:
        raise Invalid(f"An item may have at most {ITEM_BYTES} bytes; this one has {size}.")


def check_attribute(name: str, value: Value) -> None:
    if name in KEY_ATTRIBUTES:
        _check_key_text(name, value)
    elif name == "ttl" and type(value) is not int:
        raise Invalid("The attribute ttl is a whole number of seconds.")
    else:
        check_value(value)


def check_value(value: Value, depth: int = 1) -> None:
    kind = type(value)
    if kind is str:
        _utf8(value)
    elif kind is int:
        if not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
            raise Invalid("A number has at most 63 bits.")
    elif kind is list or kind is dict:
        if depth >= DEPTH:
            raise Invalid(f"Values nest at most {DEPTH} deep.")
        for each in value if kind is list else value.values():
            check_value(each, depth + 1)
        if kind is dict and not all(type(name) is str and name for name in value):
            raise Invalid("The keys of a map are non-empty strings.")
    elif value is not None and kind is not bool and kind is not bytes:
        raise Invalid(
            f"An item holds text, whole numbers, truth values, null, bytes, lists and maps, not {kind.__name__}."
        )


def check_writes(writes: Sequence[Write], token: str | None = None) -> None:
    """Refuse what DynamoDB would refuse of a transaction, before a round trip is spent on it."""
    if not 1 <= len(writes) <= WRITES:
        raise Invalid(f"A write has 1 to {WRITES} parts; this one has {len(writes)}.")
    if token is not None and not 1 <= len(token) <= TOKEN_CHARACTERS:
        raise Invalid(f"An idempotency token has 1 to {TOKEN_CHARACTERS} characters.")
    seen: set[Key] = set()
    size = 0
    for write in writes:
        size += _check_write(write)
        if write.key in seen:
            raise Invalid("One write may not name the same item twice.")
        seen.add(write.key)
    if size > WRITES_BYTES:
        raise Invalid(f"The items of one write may have at most {WRITES_BYTES} bytes together; these have {size}.")


def check_condition(condition: Condition) -> None:
    if isinstance(condition, AllOf | AnyOf):
        if not condition.parts:
            raise Invalid("A condition made of parts needs at least one.")
        for each in condition.parts:
            check_condition(each)
    elif isinstance(condition, Less | Greater):
        if type(condition.value) not in (str, int, bytes):
            raise Invalid("Only text, numbers and bytes have an order.")
        check_value(condition.value)
    elif isinstance(condition, Equals):
        check_value(condition.value)


def item_size(item: Item) -> int:
    """The bytes DynamoDB counts for an item: the names and the values of its attributes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _check_write(write: Write) -> int:
    if write.when is not None:
        check_condition(write.when)
    if isinstance(write, Put):
        check_item(write.item)
        return item_size(write.item)
    check_key(write.key)
    if isinstance(write, Update):
        _check_update(write)
        return item_size(dict(write.set))
    assert isinstance(write, Delete | Check)
    return 0


def _check_update(update: Update) -> None:
    names = [*update.set, *update.add, *update.remove]
    if not names:
        raise Invalid("An update changes at least one attribute.")
    if len(names) != len(set(names)):
        raise Invalid("An update may not change the same attribute twice.")
    if "PK" in names or "SK" in names:
        raise Invalid("An update may not change the key.")
    for name, value in update.set.items():
        check_attribute(name, value)
    for name, value in update.add.items():
        if type(value) is not int or name in KEY_ATTRIBUTES:
            raise Invalid("An update adds whole numbers to numbers.")


def _check_key_text(name: str, value: Value) -> None:
    if type(value) is not str or not value:
        raise Invalid(f"{name} is text and not empty.")
    if len(_utf8(value)) > KEY_ATTRIBUTES[name]:
        raise Invalid(f"{name} has at most {KEY_ATTRIBUTES[name]} bytes.")


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Invalid("Text must be valid Unicode.") from None


def _value_size(value: Value) -> int:
    kind = type(value)
    if kind is str:
        return len(value.encode())
    if kind is bytes:
        return len(value)
    if kind is int:
        return len(str(abs(value)).rstrip("0")) // 2 + (value < 0) + 2
    if kind is list:
        return 3 + sum(1 + _value_size(each) for each in value)
    if kind is dict:
        return 3 + sum(1 + len(name.encode()) + _value_size(each) for name, each in value.items())
    return 1
