"""What DynamoDB charges for, as arithmetic: units by the bytes of items, and what one partition key takes in a second.

A write costs a unit for each kilobyte of the item, as large as it was before or is afterwards, and twice that in a
transaction, where looking costs as much as writing. What the index takes over is written once more, never doubled. A
read costs a unit for each 4 KB, half of that in the index, which may lag.
"""

from __future__ import annotations

from collections.abc import Iterator

from .limits import check_item
from .table import Delete, Item, Put, Write

WRITE_UNIT_BYTES, READ_UNIT_BYTES = 1024, 4096  # of one unit
WRITE_UNITS_PER_KEY_SECOND, READ_UNITS_PER_KEY_SECOND = 1000, 3000  # units a second that one partition key takes
WARM_WRITE_UNITS_PER_SECOND, WARM_READ_UNITS_PER_SECOND = 4000, 12_000  # units a second that a new table takes at once
STORAGE_OVERHEAD_BYTES = 100  # bytes that are counted for storing an item, in the table and once more in the index
INDEX = "GSI1"
INDEX_KEYS = ("GSI1PK", "GSI1SK")


def is_plain(write: Write) -> bool:
    """Whether the write leaves the same when sent twice, so that a lost reply does no harm without a transaction."""
    return write.when is None and isinstance(write, Put | Delete)


def size(item: Item | None) -> int:
    return check_item(item) if item else 0


def of_write(before: Item | None, after: Item | None, *, in_transaction: bool) -> int:
    """Of one item; what is only looked at, or was not there, costs as if it were small."""
    units = _rounded(max(size(before), size(after)), WRITE_UNIT_BYTES)
    return 2 * units if in_transaction else units


def of_index(before: Item | None, after: Item | None) -> Iterator[tuple[str, int]]:
    """Of each partition of the index, what a change of one item costs it."""
    old, new = _place(before), _place(after)
    if old != new:
        if old:
            yield old[0], _rounded(size(before), WRITE_UNIT_BYTES)
        if new:
            yield new[0], _rounded(size(after), WRITE_UNIT_BYTES)
    elif new and before != after:
        yield new[0], _rounded(max(size(before), size(after)), WRITE_UNIT_BYTES)


def of_get(item: Item | None) -> float:
    return _rounded(size(item), READ_UNIT_BYTES)


def of_page(size: int, *, index: bool) -> float:
    """Of so many bytes read from one partition at once."""
    return _rounded(size, READ_UNIT_BYTES) * (0.5 if index else 1)


def stored(item: Item | None) -> int:
    """The bytes that keeping an item costs; what ends by itself is not kept."""
    if not item or "ttl" in item:
        return 0
    return (size(item) + STORAGE_OVERHEAD_BYTES) * (2 if _place(item) else 1)


def _place(item: Item | None) -> tuple[str, str] | None:
    """Where an item stands in the index, if it does."""
    return (item["GSI1PK"], item["GSI1SK"]) if item and all(name in item for name in INDEX_KEYS) else None


def _rounded(size: int, unit: int) -> int:
    return max(1, -(-size // unit))
