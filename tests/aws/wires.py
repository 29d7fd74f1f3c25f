"""Attribute values as they go over the wire: kept, measured, and what their units are."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

Wire = dict[str, Any]
Item = dict[str, Wire]

ITEM_BYTES = 400 * 1024
PAGE_BYTES = 1024 * 1024


def kept(item: Mapping[str, Wire]) -> Item:
    """A copy that nobody else holds, with bytes as a reply has them: in base 64."""
    return {name: _kept(value) for name, value in item.items()}


def _kept(value: Wire) -> Wire:
    ((kind, content),) = value.items()
    if kind == "B" and isinstance(content, bytes):
        return {"B": b64encode(content).decode()}
    if kind == "L":
        return {"L": [_kept(each) for each in content]}
    return {"M": kept(content)} if kind == "M" else {kind: content}


def size(item: Mapping[str, Wire]) -> int:
    """The bytes DynamoDB counts for an item: of names and values
    (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html)."""
    return sum(_text(name) + _size(value) for name, value in item.items())


def _size(value: Wire) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return _text(content)
    if kind == "N":
        return len(content.lstrip("-").rstrip("0")) // 2 + int(content.startswith("-")) + 2
    if kind == "B":
        return len(content if isinstance(content, bytes) else b64decode(content))
    if kind == "L":
        return 3 + sum(1 + _size(each) for each in content)
    return 3 + sum(1 + _text(name) + _size(each) for name, each in content.items()) if kind == "M" else 1


def _text(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def write_units(before: Mapping[str, Wire] | None, after: Mapping[str, Wire] | None) -> int:
    """Of a plain write: one for each begun kilobyte of the larger of the two; a missing item counts as one."""
    return max(1, math.ceil(max(size(each) if each else 0 for each in (before, after)) / 1024))


def read_units(bytes_: int, *, consistent: bool) -> float:
    """One for each begun four kilobytes, half of it where a read may be a little old; nothing there costs as little."""
    return max(1, math.ceil(bytes_ / 4096)) * (1.0 if consistent else 0.5)


def index_units(before: Mapping[str, Wire] | None, after: Mapping[str, Wire] | None) -> dict[str, int]:
    """What a write costs in the index, by the partitions there: nothing unless an item in it changes, and a key that
    changes is one delete and one put
    (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations.Writes)."""
    old, new = index_key(before), index_key(after)
    units: dict[str, int] = {}
    if old and old != new:
        units[old[0]] = write_units(before, None)
    if new and (old != new or before != after):
        units[new[0]] = units.get(new[0], 0) + write_units(before if old == new else None, after)
    return units


def index_key(item: Mapping[str, Wire] | None) -> tuple[str, str] | None:
    if item is None or "GSI1PK" not in item or "GSI1SK" not in item:
        return None
    return item["GSI1PK"]["S"], item["GSI1SK"]["S"]
