"""Opening an election, and actions while it is open. Other apps join in through config/hooks.py."""

from __future__ import annotations

import secrets
from dataclasses import replace

from accounts.models import User
from elections import opening_rules, repository, rolls, rules
from elections.actions import check, record
from elections.rules import Action, Election
from elections.turnout.counts import starting
from foundation.acts.gates import MAX_GATES_PER_TRANSACTION
from foundation.acts.hooks import Hooks
from foundation.acts.retry import retry_on_conflict, write_each
from foundation.acts.storage import next_version, now_text
from foundation.store.table import Write
from foundation.tally import lots

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
