"""What happens to groups when the log is replayed: for each kind of event, the writes of the live act."""

from __future__ import annotations

from collections.abc import Iterator

from elections import repository as elections
from elections.replay import election_of
from store import keys
from store.replay import Act, DoesNotFit, Exempt, Happened, Step, like

from . import repository
from .rules import Group


def group_of(event: Happened) -> Group:
    group = repository.find(event.said["group_id"])
    if group is None:
        raise DoesNotFit("is about a group that is not there.")
    return group


def made(event: Happened) -> Iterator[Step]:
    said = event.said
    group = Group(said["group_id"], said["name"], event.actor, said["created_at"])
    yield repository.creation(group, said.get("source", ()))


def renamed(event: Happened) -> Iterator[Step]:
    yield repository.renaming(group_of(event), event.said["name"])


def members_added(event: Happened) -> Iterator[Step]:
    yield repository.adding(group_of(event).id, repository.members_of(event.said))


def members_removed(event: Happened) -> Iterator[Step]:
    yield repository.removing(group_of(event).id, event.said["members"])


def used(event: Happened) -> Iterator[Step]:
    yield elections.with_group(election_of(event), group_of(event).id)


def deleted(event: Happened) -> Iterator[Step]:
    group = group_of(event)
    yield repository.deletion(group, event.said["at"])
    repository.DELETING.advance(group.id)


REPLAY: dict[str, Act] = {
    "GroupMade": made,
    "GroupRenamed": renamed,
    "GroupMembersAdded": members_added,
    "GroupMembersRemoved": members_removed,
    "GroupUsed": used,
    "GroupDeleted": deleted,
}

COMING = "A list on its way into a group; each member who arrives has an event."
EXEMPT = (
    Exempt(like(keys.coming_members("", "", 0)), COMING),
    Exempt(
        like(keys.group(""))._replace(sk=""),
        "What a deleted group left behind, until a worker has cleared it away.",
        within=keys.group(""),
    ),
)
