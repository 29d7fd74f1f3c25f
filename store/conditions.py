"""Judges a condition against an item as DynamoDB would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .table import AllOf, AnyOf, Condition, Equals, Exists, Greater, Item, Less, Missing, Value


def holds(condition: Condition, item: Item | None) -> bool:
    """Whether the condition holds of the stored item; `None` is an item that is not there."""
    if (judge := _JUDGES.get(type(condition))) is None:
        raise TypeError(f"{condition!r} is no condition.")
    return judge(condition, item or {})


def _is_less(condition: Less, item: Item) -> bool:
    return type(item.get(condition.name)) is type(condition.value) and item[condition.name] < condition.value


def _is_greater(condition: Greater, item: Item) -> bool:
    return type(item.get(condition.name)) is type(condition.value) and item[condition.name] > condition.value


_JUDGES: dict[type[Condition], Callable[[Any, Item], bool]] = {
    Missing: lambda condition, item: condition.name not in item,
    Exists: lambda condition, item: condition.name in item,
    Equals: lambda condition, item: condition.name in item and same(item[condition.name], condition.value),
    Less: _is_less,
    Greater: _is_greater,
    AllOf: lambda condition, item: all(holds(part, item) for part in condition.parts),
    AnyOf: lambda condition, item: any(holds(part, item) for part in condition.parts),
}


def same(one: Value, other: Value) -> bool:
    """Equal in type and value, all the way down: Python's `True == 1` is not DynamoDB's."""
    if type(one) is not type(other):
        return False
    if type(one) is list:
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return bool(one == other)
