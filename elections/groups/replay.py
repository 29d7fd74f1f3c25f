"""Replay of the log for groups: the writes of each event type."""

from __future__ import annotations

from collections.abc import Iterator

from store.replay import DoesNotFit, Happened, Step
from store.schema import EventType

from . import repository
from .rules import Group


def group_of(event: Happened) -> Group:
    group = repository.find(event.data["group_id"])
    if group is None:
        raise DoesNotFit("is about a group that is not there.")
    return group


def made(event: Happened) -> Iterator[Step]:
    data = event.data
    group = Group(data["group_id"], data["name"], event.actor, data["created_at"])
    yield repository.creation(group, data.get("source", ()))


def members_added(event: Happened) -> Iterator[Step]:
    yield repository.adding(group_of(event).id, repository.members_from(event.data))


def deleted(event: Happened) -> Iterator[Step]:
    group = group_of(event)
    yield repository.deletion(group, event.data["at"])
    repository.DELETING.advance(group.id)


EVENTS = (
    EventType("GroupMade", made, "group_id name created_at", "source:list"),
    EventType("GroupRenamed", lambda event: repository.renaming(group_of(event), event.data["name"]), "group_id name"),
    EventType("GroupMembersAdded", members_added, "group_id accounts:list", "members:people"),
    EventType(
        "GroupMembersRemoved",
        lambda event: repository.removing(group_of(event).id, event.data["members"]),
        "group_id",
        "members:people",
    ),
    EventType("GroupDeleted", deleted, "group_id at"),
)
