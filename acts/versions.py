"""Changing a stored thing: refused if anybody changed it since it was read, which its version tells."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import Field, replace
from typing import Any, ClassVar, Protocol, TypeVar

from store.table import Condition, Equals, Item, Key, Missing, Update


class Versioned(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def version(self) -> int: ...


class HasVersion(Protocol):
    """Whose version is a number, or anything else that no two states of it share."""

    @property
    def version(self) -> int | str: ...


T = TypeVar("T", bound=Versioned)


def unchanged(thing: HasVersion) -> Equals:
    return Equals("version", thing.version)


def unchanged_or_new(thing: HasVersion) -> Condition:
    """Of a thing that has no version, or the version 0, until it is first written."""
    return unchanged(thing) if thing.version else Missing()


def next_version(before: T, after: T) -> T:
    """What a change makes of `before`."""
    return replace(after, version=before.version + 1)


def change(before: T, after: T, item_of: Callable[[T], Item], except_for: Collection[str] = ()) -> Update:
    """The thing's own item as it is afterwards, but for fields that change by other ways."""
    was, will = item_of(before), item_of(next_version(before, after))
    fixed = {"PK", "SK", *except_for}
    return Update(
        Key(will["PK"], will["SK"]),
        set={name: value for name, value in will.items() if name not in fixed},
        remove=tuple(name for name in was if name not in will and name not in fixed),
        when=unchanged(before),
    )
