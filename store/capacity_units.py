"""DynamoDB's capacity units: what each read and write costs, and how many a partition key takes per second.

A write costs one unit per kilobyte of the item before or after it, whichever is larger, and twice that in a
transaction, where a check costs as much as a write. The index is written once more, never doubled. A read costs one
unit per 4 KB, half of that in the index, which is eventually consistent.
"""

from __future__ import annotations

from collections.abc import Iterator

from .limits import check_item
from .table import Delete, Item, Put, Write

WRITE_UNIT_BYTES, READ_UNIT_BYTES = 1024, 4096
WRITE_UNITS_PER_KEY_SECOND, READ_UNITS_PER_KEY_SECOND = 1000, 3000  # limit of one partition key
WARM_WRITE_UNITS_PER_SECOND, WARM_READ_UNITS_PER_SECOND = 4000, 12_000  # limit of a new table
STORAGE_OVERHEAD_BYTES = 100  # per item, in the table and again in the index
INDEX = "GSI1"
INDEX_KEYS = ("GSI1PK", "GSI1SK")


def is_idempotent(write: Write) -> bool:
    """Whether sending it twice does no harm, so that a lost reply can be retried without a transaction."""
    return write.when is None and isinstance(write, Put | Delete)


def item_bytes(item: Item | None) -> int:
    return check_item(item) if item else 0


def write_units(before: Item | None, after: Item | None, *, in_transaction: bool) -> int:
    """Units of one write; a check, or an item that is not there, costs the minimum."""
    units = _round_up(max(item_bytes(before), item_bytes(after)), WRITE_UNIT_BYTES)
    return 2 * units if in_transaction else units


def index_units(before: Item | None, after: Item | None) -> Iterator[tuple[str, int]]:
    """Units by partition of the index that a change of one item costs."""
    old, new = _index_key(before), _index_key(after)
    if old != new:
        if old:
            yield old[0], _round_up(item_bytes(before), WRITE_UNIT_BYTES)
        if new:
            yield new[0], _round_up(item_bytes(after), WRITE_UNIT_BYTES)
    elif new and before != after:
        yield new[0], _round_up(max(item_bytes(before), item_bytes(after)), WRITE_UNIT_BYTES)


def get_units(item: Item | None) -> float:
    return _round_up(item_bytes(item), READ_UNIT_BYTES)


def page_units(size: int, *, index: bool) -> float:
    """Units of so many bytes read from one partition at once."""
    return _round_up(size, READ_UNIT_BYTES) * (0.5 if index else 1)


def stored_bytes(item: Item | None) -> int:
    """Bytes billed for storing an item; one that expires is not counted."""
    if not item or "ttl" in item:
        return 0
    return (item_bytes(item) + STORAGE_OVERHEAD_BYTES) * (2 if _index_key(item) else 1)


def _index_key(item: Item | None) -> tuple[str, str] | None:
    return (item["GSI1PK"], item["GSI1SK"]) if item and all(name in item for name in INDEX_KEYS) else None


def _round_up(size: int, unit: int) -> int:
    return max(1, -(-size // unit))
