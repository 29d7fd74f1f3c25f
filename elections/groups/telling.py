"""What groups tell somebody of themselves: which they keep, and in whose they are; and what goes when they leave."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from acts.site import table
from store import keys
from store.splitting import by_count
from store.table import Item

from . import repository

BATCH_GROUPS = 50  # groups that are read together


def kept_by(user: User) -> Iterator[Item]:
    """Without the members: they are other people."""
    for group in repository.each_of(user.name):
        yield {"group": group.name, "made_at": group.created_at, "members": group.members}


def those_with(user: User) -> Iterator[Item]:
    """Which groups they are in, and whose these are; by name, and by address."""
    for name in (user.name, user.email):
        for some in by_count(table().each(keys.groups_with(name)), BATCH_GROUPS):
            groups = table().get_many(keys.group(item["group_id"]) for item in some)
            for item in some:
                if (found := groups.get(keys.group(item["group_id"]))) and _is_theirs(user, item):
                    yield {"group": found["name"], "kept_by": found["owner_name"], "listed_as": item["member_name"]}


def _is_theirs(user: User, item: Item) -> bool:
    return item.get("account", user.created_at) == user.created_at


def how_many(user: User) -> tuple[int]:
    """Of their own, which go with them."""
    return (len(repository.names_taken(user.name)),)
