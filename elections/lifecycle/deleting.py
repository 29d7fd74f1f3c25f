"""Deleting an election: first the election itself, then the worker deletes the rest."""

from __future__ import annotations

from accounts.models import User
from elections import repository
from elections.actions import check, record
from elections.repository import DELETING, RENAMING
from elections.rules import Action, Election
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.refusals import LostRace
from foundation.acts.retry import retry_on_conflict
from foundation.acts.storage import now_text, table, unchanged, write
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.purging import purge_mark
from foundation.store.table import Check, Delete, Equals, Item, Put, Write

from .closing import CLOSING


def delete(actor: User, election: Election) -> None:
    """Delete everything but the events in the log.

    An open ballot box is shut first (foundation/acts/gates.py), so that every ballot precedes the deletion in the
    log. Until then a task is left, so that a worker finishes it.
    """
    check(actor, election, Action.DELETE)
    task = deletion_task(election, actor.name)
    if not election.allow_vote:
        state = {"state": election.stored_state.value}
        record(actor, "ElectionDeleted", election, state, *deletion(election), task)
        return
    if not election.closing:
        CLOSING.begin(election, actor.name, task)
    else:
        still_there = Check(keys.election(election.name), Equals("created_at", election.created_at))
        try:
            retry_on_conflict(lambda: write(still_there, task))
        except LostRace as lost:
            if 0 in lost.parts:  # it was deleted since it was read; that deletion was requested before is harmless
                raise
    DELETING.start(election.name, batches=1)


def deletion_task(election: Election, by: str) -> Put:
    data: Item = {"by": by, "created_at": election.created_at, "shards": election.shards}
    return DELETING.begin(election.name, due=now_text(), was_secret=election.has_secrets, **data)


@DELETING.step
def delete_batch(task: Task) -> Batch:
    name = task.subject
    election = repository.find(name)
    if election is not None and election.created_at == task.data["created_at"]:
        CLOSING.shut_gates(election)
        event_data = {"election_name": election.name, "state": election.stored_state.value}
        return Batch(deletion(election), event=Event(task.data["by"], "ElectionDeleted", event_data))
    partitions = (keys.all_of_election(name), *keys.all_in_shards(name, task.data["shards"]))
    if left := next_deletions(*partitions, elsewhere=repository.pictures_of):
        return Batch(left)
    return finished(*([purge_mark()] if task.data["was_secret"] else []))


def deletion(election: Election) -> list[Write]:
    own = (keys.lots, keys.for_everyone, keys.public_election, keys.shared_result)
    return [
        Delete(keys.election(election.name), when=unchanged(election)),
        *(Delete(key(election.name)) for key in own),
        *(Delete(keys.sealing(election.name, each.number)) for each in election.questions),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, name)) for name in {election.owner_name, *election.managers}),
        *([purge_mark()] if election.has_secrets else []),
    ]


def clear_name(name: str) -> bool:
    """Finish renaming or deleting an election that had this name; returns whether the name is free."""
    types = {each.key(name): each for each in (RENAMING, DELETING)}
    return all(types[place].start(name) for place in table().get_many(types))
