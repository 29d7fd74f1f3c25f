"""Judges a condition against an item as DynamoDB would."""

from __future__ import annotations

from .table import AllOf, AnyOf, Condition, Equals, Exists, Greater, Item, Less, Missing, Value


def holds(condition: Condition, item: Item | None) -> bool:
    """Whether the condition holds of the stored item; `None` is an item that is not there."""
    attributes = item or {}
    if type(condition) is Missing:  # of every item that is new
        return condition.name not in attributes
    match condition:
        case Missing(name):
            return name not in attributes
        case Exists(name):
            return name in attributes
        case Equals(name, value):
            return name in attributes and same(attributes[name], value)
        case Less(name, value):
            return type(attributes.get(name)) is type(value) and attributes[name] < value
        case Greater(name, value):
            return type(attributes.get(name)) is type(value) and attributes[name] > value
        case AllOf(parts):
            return all(holds(part, item) for part in parts)
        case AnyOf(parts):
            return any(holds(part, item) for part in parts)
    raise TypeError(f"{condition!r} is no condition.")


def same(one: Value, other: Value) -> bool:
    """Equal in type and value, all the way down: Python's `True == 1` is not DynamoDB's."""
    if type(one) is not type(other):
        return False
    if type(one) is list:
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    return bool(one == other)
