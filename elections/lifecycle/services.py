"""Opening an election, actions while it is open, and deleting one: first the election itself, then the worker deletes
the rest. Other apps join in through config/hooks.py.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from accounts.models import User
from elections import opening_rules, repository, rolls, rules
from elections.actions import check, record
from elections.repository import DELETING, RENAMING
from elections.rules import Action, Election
from elections.turnout.counts import starting
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.gates import MAX_GATES_PER_TRANSACTION
from foundation.acts.hooks import Hooks
from foundation.acts.refusals import LostRace
from foundation.acts.retry import retry_on_conflict, write_each
from foundation.acts.storage import next_version, now_text, table, unchanged, write
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.purging import purge_mark
from foundation.store.table import Check, Delete, Equals, Item, Put, Write
from foundation.tally import lots

from .closing import CLOSING

OPENING = Hooks[[Election], list[Write]]("in the transaction that opens an election")


# --- opening ---


def open_(actor: User, election: Election, *, editable: bool = False, shows_skills: bool = False) -> Election:
    check(actor, election, Action.OPEN)
    election = rolls.as_it_would_open(election)
    opening_rules.check_opening(election, repository.candidate_counts(election), now_text())
    editable = editable and any(each.kind != "yes-no" for each in election.questions)
    return open_now(actor, election, editable=editable, shows_skills=shows_skills)


def open_now(actor: User, election: Election, *, editable: bool, shows_skills: bool = False) -> Election:
    """Open an election that is known to be ready."""
    secret = secrets.token_hex(32)
    after = opened(election, editable=editable, lots_commitment=lots.commitment(secret), opened_at=now_text())
    after = replace(after, shows_skills=shows_skills)
    event_data = {"editable": editable, "lots_commitment": after.lots_commitment, "opened_at": after.opened_at}
    event_data |= {"shows_skills": True} if shows_skills else {}
    event_data |= {
        name: number for name in ("excluded", "extra_votes", "unasked") if (number := getattr(election, name))
    }
    event_data |= repository.storable({"more": election.more}) if election.more else {}
    also = [write for step in OPENING for write in step(after)]
    also += [repository.lots(election.name, secret), repository.reminders_from_now(election)]
    early, writes = opening(election, after)
    write_each(early)
    record(
        actor, "ElectionOpened", election, event_data, *writes, *also, noting=lambda number: [starting(after, number)]
    )
    return next_version(election, after)


def opened(election: Election, *, editable: bool, lots_commitment: str, opened_at: str | None) -> Election:
    return replace(election, allow_edit=editable, allow_vote=True, lots_commitment=lots_commitment, opened_at=opened_at)


def opening(before: Election, after: Election) -> tuple[list[Write], list[Write]]:
    """The writes before and with the event that opens an election: gates that do not fit its transaction go first."""
    gates = repository.opened_gates(next_version(before, after))
    own = [*repository.change(before, after), *repository.open_electorate_entry(after, open_=True)]
    own += [*repository.public_entry(after), *repository.open_marks(after, open_=True)]
    return gates[MAX_GATES_PER_TRANSACTION:], [*own, *gates[:MAX_GATES_PER_TRANSACTION]]


def fix(actor: User, election: Election) -> Election:
    """From now on the candidates stay as they are."""
    check(actor, election, Action.FIX)
    after = replace(election, allow_edit=False)
    record(actor, "ElectionUpdated", election, {"allow_edit": False}, *repository.change(election, after))
    return next_version(election, after)


def extend(actor: User, election: Election, end: str | None) -> Election:
    check(actor, election, Action.EXTEND)
    rules.check_new_end(election, end, now_text())
    return move_end(actor, election, end)


def move_end(actor: User, election: Election, end: str | None) -> Election:
    """Move the end to a time that has been checked."""
    if end == election.no_voting_after:
        return election
    after = replace(election, no_voting_after=end)
    writes = repository.change(election, after)
    retry_on_conflict(lambda: record(actor, "ElectionUpdated", election, {"no_voting_after": end}, *writes))
    return next_version(election, after)


# --- deleting ---


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
