"""DynamoDB's limits, enforced by every adapter before anything is sent, so that all refuse alike with the same
messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from .table import (
    DATA,
    TABLES,
    AllOf,
    AnyOf,
    Condition,
    Equals,
    Exists,
    Greater,
    Invalid,
    Item,
    Key,
    KeyTooLong,
    Less,
    Missing,
    Numbered,
    Put,
    Span,
    Update,
    Value,
    Write,
    holds,
)

MAX_ITEM_BYTES = 400 * 1024
PAGE_BYTES = 1024 * 1024
BATCH_KEYS = 100
MAX_TRANSACTION_ITEMS = 100
BATCH_PUTS = 25
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 32
MAX_TOKEN_CHARS = 36
KEY_BYTES = {"PK": 2048, "SK": 1024, "GSI1PK": 2048, "GSI1SK": 1024}
MAX_NUMBER = 2**63 - 1


def check_writes(
    writes: Sequence[Write], token: str | None = None, *, before: Sequence[Write] = (), size: int = 0
) -> int:
    """Refuse a transaction that DynamoDB would refuse, before spending a round trip on it; returns its size in bytes.

    `before` are parts of the same transaction that have been checked already, `size` their bytes.
    """
    if not 1 <= len(before) + len(writes) <= MAX_TRANSACTION_ITEMS:
        raise Invalid(f"A write has 1 to {MAX_TRANSACTION_ITEMS} parts; this one has {len(before) + len(writes)}.")
    if token is not None and not 1 <= len(token) <= MAX_TOKEN_CHARS:
        raise Invalid(f"An idempotency token has 1 to {MAX_TOKEN_CHARS} characters.")
    for write in writes:
        if write.when is not None:
            check_condition(write.when)
        if isinstance(write, Put):
            _check_table(write.table)
            size += check_item(write.item)
        else:
            check_key(write.key)
            size += _check_update(write) if isinstance(write, Update) else 0
    if size > MAX_TRANSACTION_BYTES:
        raise Invalid(
            f"The items of one write may have at most {MAX_TRANSACTION_BYTES} bytes together; these have {size}."
        )
    if len({write.key for each in (before, writes) for write in each}) < len(before) + len(writes):
        raise Invalid("One write may not name the same item twice.")
    return size


def unnumbered(writes: Sequence[Write | Numbered]) -> Sequence[Write]:
    """The same writes, if the store has nothing to number in them."""
    if Numbered in map(type, writes):
        raise Invalid(
            "A number is given out at the end of a write, by a store that is not distant, and without a token."
        )
    return writes  # type: ignore[return-value]  # as checked above


def check_puts(items: Sequence[Item]) -> None:
    """Refuse a batch of puts that DynamoDB would refuse."""
    if not 1 <= len(items) <= BATCH_PUTS:
        raise Invalid(f"One batch has 1 to {BATCH_PUTS} items; this one has {len(items)}.")
    for item in items:
        check_item(item)
    if len({(item["PK"], item["SK"]) for item in items}) < len(items):
        raise Invalid("One batch may not name the same item twice.")


def check_item(item: Item) -> int:
    """The item's size as DynamoDB counts it: names and values of its attributes. Refuses what DynamoDB would refuse."""
    if "PK" not in item or "SK" not in item:
        raise Invalid("An item needs the attributes PK and SK.")
    size = _check_attributes(item)
    if size > MAX_ITEM_BYTES:
        raise Invalid(f"An item may have at most {MAX_ITEM_BYTES} bytes; this one has {size}.")
    return size


def check_key(key: Key) -> None:
    pk, sk, table = key
    _check_table(table)
    _check_key_texts({"PK": pk, "SK": sk})


def check_span(span: Span) -> None:
    _check_table(span.table)
    if span.index and span.table != DATA:
        raise Invalid("Only the data table has an index.")
    _check_key_texts({"PK": span.pk})
    for bound in (span.prefix or None, span.first, span.last):
        if bound is not None:
            _check_key_texts({"SK": bound})


def check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise Invalid("A page holds at least one item.")


def check_value(value: Value, depth: int = 1) -> int:
    """The value's size as DynamoDB counts it, if an item can hold it."""
    kind = type(value)
    if kind is str:
        return _utf8_size(value)
    if kind is int:
        if not -MAX_NUMBER <= value <= MAX_NUMBER:
            raise Invalid("A number has at most 63 bits.")
        return len(str(abs(value)).rstrip("0")) // 2 + int(value < 0) + 2
    if value is None or kind is bool:
        return 1
    if kind is bytes:
        return len(value)
    if kind is list or kind is dict:
        return _check_nested(value, depth)
    raise Invalid(f"An item holds text, whole numbers, truth values, null, bytes, lists and maps, not {kind.__name__}.")


def check_condition(condition: Condition) -> None:
    if isinstance(condition, (AllOf, AnyOf)):
        if not condition.parts:
            raise Invalid("A condition made of parts needs at least one.")
        for each in condition.parts:
            check_condition(each)
        return
    assert isinstance(condition, (Missing, Exists, Equals, Less, Greater))
    _check_names((condition.name,))
    if isinstance(condition, (Less, Greater)) and type(condition.value) not in (str, int, bytes):
        raise Invalid("Only text, numbers and bytes have an order.")
    if isinstance(condition, (Equals, Less, Greater)):
        check_value(condition.value)


def _check_update(update: Update) -> int:
    names = [*update.set, *update.add, *update.remove]
    if not names:
        raise Invalid("An update changes at least one attribute.")
    if len(names) != len(set(names)):
        raise Invalid("An update may not change the same attribute twice.")
    if "PK" in names or "SK" in names:
        raise Invalid("An update may not change the key.")
    if not update.set and not update.add and (update.when is None or holds(update.when, None)):
        # Engines differ in whether this creates the item.
        raise Invalid("An update that only removes needs a condition that the item is there.")
    _check_names((*update.add, *update.remove))
    for name, value in update.add.items():
        if type(value) is not int or name in KEY_BYTES:
            raise Invalid("An update adds whole numbers to numbers.")
        check_value(value)
    return _check_attributes(update.set)


def _check_attributes(attributes: Mapping[str, Value]) -> int:
    size = _check_names(attributes) + _check_values(attributes.values(), 1)
    _check_key_texts(attributes)
    if type(attributes.get("ttl", 0)) is not int:
        raise Invalid("The attribute ttl is a whole number of seconds.")
    return size


def _check_nested(value: list[Value] | dict[str, Value], depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise Invalid(f"Values nest at most {MAX_DEPTH} deep.")
    if isinstance(value, list):
        if (size := _size_of_table(value, depth)) is not None:
            return size
        return 3 + len(value) + _check_values(value, depth + 1)
    return 3 + len(value) + _check_names(value) + _check_values(value.values(), depth + 1)


def _check_values(values: Iterable[Value], depth: int) -> int:
    size = 0
    for value in values:
        size += len(value) if type(value) is str and value.isascii() else check_value(value, depth)
    return size


def _size_of_table(rows: list[Value], depth: int) -> int | None:
    """The size of many maps of plain text, such as a part of published ballots, measured at once in a tenth of the
    time; `None` for anything else."""
    if depth + 1 >= MAX_DEPTH or set(map(type, rows)) != {dict}:
        return None
    names = list(chain.from_iterable(rows))
    values = list(chain.from_iterable(map(dict.values, rows)))
    if {*map(type, names), *map(type, values)} != {str} or "" in names:
        return None
    return 3 + 4 * len(rows) + len(names) + _utf8_size("".join(names)) + _utf8_size("".join(values))


def _check_table(table: str) -> None:
    if table not in TABLES:
        raise Invalid(f"There is no table {table}.")


def _check_names(names: Collection[str]) -> int:
    """Their size together: measured one by one, they would take a tenth of a cast."""
    if not set(map(type, names)) <= {str} or "" in names:
        raise Invalid("The name of an attribute is text and not empty.")
    return _utf8_size("".join(names))


def _check_key_texts(attributes: Mapping[str, Value]) -> None:
    """Those of an item that are part of a key."""
    for name, most in KEY_BYTES.items():
        if name not in attributes:
            continue
        text = attributes[name]
        if type(text) is not str or not text:
            raise Invalid(f"{name} is text and not empty.")
        if (len(text) if text.isascii() else _utf8_size(text)) > most:
            raise KeyTooLong(f"{name} has at most {most} bytes.")


def _utf8_size(text: str) -> int:
    if text.isascii():  # as almost all text is; measuring it then needs no copy
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise Invalid("Text must be valid Unicode.") from None
