"""Optimistic locking: a change is refused if the thing's version has changed since it was read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import Field, replace
from typing import Any, ClassVar, Protocol, TypeVar

from foundation.store.table import Condition, Equals, Item, Key, Missing, Update


class Versioned(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def version(self) -> int: ...


class HasVersion(Protocol):
    """Has a version: a number, or any value that no two of its states share."""

    @property
    def version(self) -> int | str: ...


T = TypeVar("T", bound=Versioned)


def unchanged(thing: HasVersion) -> Equals:
    return Equals("version", thing.version)


def unchanged_or_new(thing: HasVersion) -> Condition:
    """As `unchanged`, for a thing that has no version until it is first written."""
    return unchanged(thing) if thing.version else Missing()


def next_version(before: T, after: T) -> T:
    """`after` with the version that follows that of `before`."""
    return replace(after, version=before.version + 1)


def change(before: T, after: T, item_of: Callable[[T], Item], except_for: Collection[str] = ()) -> Update:
    """Update the thing's own item, except for fields that change in other ways."""
    was, will = item_of(before), item_of(next_version(before, after))
    fixed = {"PK", "SK", *except_for}
    return Update(
        Key(will["PK"], will["SK"]),
        set={name: value for name, value in will.items() if name not in fixed},
        remove=tuple(name for name in was if name not in will and name not in fixed),
        when=unchanged(before),
    )
