"""Adding a list of people to a group as a background task.

The list is stored first, in slices that fit one transaction, then the task. Its digest identifies it, so that sending
it again resumes it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy as _

from foundation.acts.background import Batch, Task, TaskType, finished
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Exists, Item, Put, Write

from . import repository
from .rules import Group, Member

FILLING = TaskType("fill group", _("Adding people to a group"))
SLICES_PER_WRITE = 40  # of one transaction: 90 long names are 72 KB, and it takes 4 MB
UNUSED_SLICE_SECONDS = 7 * 24 * 3600  # of slices whose task was never stored


@dataclass(frozen=True, slots=True)
class Filling:
    """Progress of a list."""

    group_id: str
    token: str
    by: str
    slices: int
    done: int = 0
    added: int = 0
    there: int = 0  # in the group already
    gone: int = 0  # whose account no longer exists

    @property
    def subject(self) -> str:
        return f"{self.group_id} {self.token}"


def begin(group: Group, by: str, members: Sequence[Member]) -> tuple[Filling, list[Write]]:
    """Store the list; returns the task to write with the event, or none for an empty list."""
    if not members:
        return Filling(group.id, "", by, 0), []
    names = "\n".join((group.id, *(each.name for each in members)))
    token, until = hashlib.sha256(names.encode()).hexdigest()[:32], int(time.time()) + UNUSED_SLICE_SECONDS
    slices = []  # not read until the task exists
    for number, some in enumerate(by_count(members)):
        place, data = keys.coming_members(group.id, token, number), repository.member_data(some)
        known = repository.letter_data(some)
        slices.append(Put({"PK": place.pk, "SK": place.sk, "token": token, **data, **known, "ttl": until}))
    for writes in by_count(slices, SLICES_PER_WRITE):
        table().write(*writes)
    filling = Filling(group.id, token, by, len(slices))
    task = FILLING.begin(filling.subject, group_id=group.id, token=token, by=by, slices=len(slices))
    return filling, [task]


def is_under_way(group_id: str) -> bool:
    first = table().page(keys.all_coming_members(group_id), limit=1).items
    return bool(first) and FILLING.find(Filling(group_id, first[0]["token"], "", 0).subject) is not None


def fill(filling: Filling) -> Filling:
    """As far as a request can wait for; the worker does the rest."""
    batches: list[Item] = []
    FILLING.start(filling.subject, watch=batches.append)
    return replace(filling, **batches[-1]) if batches else filling


@FILLING.step
def fill_batch(task: Task) -> Batch:
    filling = Filling(**task.data, **task.progress)
    if repository.find(filling.group_id) is None:
        return finished()  # its slices are deleted with the group
    place = keys.coming_members(filling.group_id, filling.token, filling.done)
    rows = table().get(place)
    members = repository.members_from(rows) if rows else []
    there = repository.existing_members(filling.group_id, (each.name for each in members))
    absent = [each for each in members if keys.fold(each.name) not in there]
    new = repository.current_members(absent)
    progress = {
        "done": filling.done + 1,
        "added": filling.added + len(new),
        "there": filling.there + len(members) - len(absent),
        "gone": filling.gone + len(absent) - len(new),
    }
    event = Event(filling.by, "GroupMembersAdded", {"group_id": filling.group_id, **repository.member_data(new)})
    writes = [
        *(repository.adding(filling.group_id, new) if new else []),
        *([Delete(place, when=Exists())] if rows else []),
    ]
    return Batch(writes, progress, event if new else None, is_last=progress["done"] == filling.slices)
