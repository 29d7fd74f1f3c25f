"""Keys of groups: people who vote together again and again, kept by somebody for their elections.

A name is unique among the groups of one person, which only an item of its own can enforce. A use stands under when its
election was made, so that the election before another is the one above it.
"""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape, part


def group(group_id: str) -> Key:
    return Key(f"GROUP#{escape(group_id)}", METADATA)


def all_of_group(group_id: str) -> Span:
    return Span(group(group_id).pk)


def groups_of(person: str) -> Span:
    return Span(f"GROUPS#{part(person)}", index=True)


def group_name(person: str, name: str) -> Key:
    """Which group of somebody has the name."""
    return Key(f"GROUPNAMES#{part(person)}", part(name))


def group_names(person: str) -> Span:
    return Span(f"GROUPNAMES#{part(person)}")


def member(group_id: str, name: str) -> Key:
    return Key(group(group_id).pk, f"MEMBER#{part(name)}")


def members(group_id: str, prefix: str = "") -> Span:
    return Span(group(group_id).pk, prefix=f"MEMBER#{part(prefix)}")


def groups_with(name: str) -> Span:
    """The groups that somebody is in, by name or by address."""
    return Span(f"GROUPED#{part(name)}", index=True)


def group_by_id(group_id: str) -> str:
    return escape(group_id)


def group_use(group_id: str, created_at: str, election_name: str) -> Key:
    return Key(group(group_id).pk, f"USED#{escape(created_at)}#{part(election_name)}")


def group_uses(group_id: str) -> Span:
    return Span(group(group_id).pk, prefix="USED#")


def group_uses_before(group_id: str, created_at: str) -> Span:
    """By elections that were made before this moment."""
    return Span(group(group_id).pk, first="USED#", last=f"USED#{escape(created_at)}")


def coming_members(group_id: str, token: str, number: int) -> Key:
    """Some of a list that is on its way into the group."""
    return Key(group(group_id).pk, f"COMING#{escape(token)}#{number:05d}")


def all_coming_members(group_id: str) -> Span:
    return Span(group(group_id).pk, prefix="COMING#")
