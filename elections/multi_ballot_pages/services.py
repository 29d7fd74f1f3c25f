"""Actions on a multi-question ballot: bind elections together; open, extend and close all of them.

One transaction records the action for all questions; a background task then applies it to each, the leader last.
Until the task is done, conflicting actions on the ballot and its elections are refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from accounts import repository as people
from accounts.models import User
from acts.background import Batch, Task, finished, wait
from acts.refusals import LostRace, NameTaken, NotAllowed, NotNow
from acts.retry import retry_lost_race
from acts.storage import log, now_text, record
from acts.versions import next_version, unchanged
from acts.wakeups import SEALING_JOB, wake_worker
from elections import actions
from elections import repository as elections
from elections import rules as of_elections
from elections.actions import check_actor_and_state
from elections.drafts import services as drafts_services
from elections.lifecycle.closing import CLOSING
from elections.lifecycle.services import move_end, open_now
from elections.multi_ballots import repository, rules
from elections.multi_ballots.rules import MultiBallot
from elections.roll import services as roll
from elections.roll.services import remove_voters
from elections.rules import Action, Election, Relation, State, takes_names
from store import keys
from store.log import Event
from store.splitting import by_count
from store.table import Check, Item, Write

OWNER_WAIT_SECONDS = 5

# --- binding ---


def make(actor: User, name: str, questions: Sequence[str]) -> MultiBallot:
    """A multi-question ballot of these questions: own drafts of these names, and new drafts for the others.

    Drafts that were made before something else was refused are there the next time, and are bound then.
    """
    rules.check_many(questions)
    bound = _distinct([_draft(actor, name, question) for question in questions])
    names = tuple(each.name for each in bound)
    multi_ballot = MultiBallot(secrets.token_hex(6), name, names[0], names, now_text())
    event_data = {"name": name, "questions": list(names), "created_at": multi_ballot.created_at}
    _record(
        actor,
        "BookMade",
        multi_ballot,
        event_data,
        *repository.creation(multi_ballot, bound),
        people.is_same_account(actor),
    )
    return multi_ballot


def _distinct(drafts: Sequence[Election]) -> list[Election]:
    return list({keys.fold(each.name): each for each in drafts}.values())


def _draft(actor: User, multi_ballot_name: str, question: str, **settings: Any) -> Election:
    """The draft of a question: one's own of that name, or a new one."""
    for name in (question, rules.election_name(multi_ballot_name, question)):
        found = elections.find(name)
        if found is not None and actions.relation(actor, found) == Relation.OWNER and rules.is_bindable(found):
            of_elections.check_settled(found, Action.SET_UP)
            return found
    try:
        return drafts_services.create(actor, rules.election_name(multi_ballot_name, question), **settings)
    except NameTaken as refusal:
        raise NameTaken(f"{question}: {refusal}") from None


def add(actor: User, multi_ballot: MultiBallot, questions: Sequence[str]) -> MultiBallot:
    """Add questions, which start with the leader's settings and get them again at the opening."""
    leader = _check_leader(actor, multi_ballot, Action.SET_UP)
    rules.check_many((*multi_ballot.questions, *questions))
    bound = _distinct([_draft(actor, multi_ballot.name, question, **rules.shared_by(leader)) for question in questions])
    after = rules.with_questions(multi_ballot, [each.name for each in bound])
    _change(actor, multi_ballot, after, *(repository.binding(each, multi_ballot.id) for each in bound))
    return after


def take_out(actor: User, multi_ballot: MultiBallot, name: str) -> None:
    """A question is a draft of its own again. What leads stays as long as others are led by it."""
    _check_leader(actor, multi_ballot, Action.SET_UP)
    election = elections.find(name)
    if election is None or election.book != multi_ballot.id:
        raise LostRace
    if multi_ballot.is_led_by(name) and len(multi_ballot.questions) > 1:
        raise NotNow(rules.leads_the_others(name))
    after = rules.without(multi_ballot, name)
    unbound = repository.binding(election, "")
    if after is not None:
        return _change(actor, multi_ballot, after, unbound)
    return _record(
        actor,
        "BookTakenApart",
        multi_ballot,
        {},
        repository.deletion(multi_ballot),
        unbound,
        repository.is_free(multi_ballot.id),
    )


def rename(actor: User, multi_ballot: MultiBallot, name: str) -> None:
    _check_leader(actor, multi_ballot, Action.SET_UP)
    if name != multi_ballot.name:
        _change(actor, multi_ballot, replace(multi_ballot, name=name))


def move(actor: User, multi_ballot: MultiBallot, name: str, *, up: bool) -> None:
    _check_leader(actor, multi_ballot, Action.SET_UP)
    if keys.fold(name) not in map(keys.fold, multi_ballot.questions):
        raise LostRace
    after = rules.moved(multi_ballot, name, up=up)
    if after != multi_ballot:
        _change(actor, multi_ballot, after)


def _change(actor: User, before: MultiBallot, after: MultiBallot, *also: Write) -> None:
    event_data: Item = {"name": after.name} if after.name != before.name else {}
    event_data |= {"questions": list(after.questions)} if after.questions != before.questions else {}
    _record(
        actor, "BookChanged", before, event_data, repository.change(before, after), *also, repository.is_free(before.id)
    )


def _record(actor: User, event_type: str, multi_ballot: MultiBallot, event_data: Item, *writes: Write) -> None:
    record(Event(actor.name, event_type, {"book_id": multi_ballot.id, **event_data}), *writes)


def leader_of(multi_ballot: MultiBallot) -> Election:
    if (leader := elections.find(multi_ballot.leader)) is None:
        raise LostRace
    return leader


def _check_leader(actor: User, multi_ballot: MultiBallot, action: Action) -> Election:
    """The leading election, which decides whether this person may do this to the whole ballot now."""
    leader = leader_of(multi_ballot)
    check_actor_and_state(actor, leader, action)
    if repository.ACTING.find(multi_ballot.id) is not None:
        raise of_elections.WrongState(rules.BUSY)
    return leader


# --- what is done to all questions ---


def open_(actor: User, multi_ballot: MultiBallot) -> None:
    """Every question is looked at first, and everything that is missing is said at once."""
    leader = _check_leader(actor, multi_ballot, Action.OPEN)
    found = _all_questions(multi_ballot)
    for each in found:
        of_elections.check_settled(each, Action.OPEN)
    rules.check_opening(lacking(multi_ballot, leader, found))
    rules.check_candidates(sum(len(elections.candidates(each.name)) for each in found))
    _start_action(actor, "BookOpened", multi_ballot, repository.holding(found), act="open")


def lacking(multi_ballot: MultiBallot, leader: Election, questions: Sequence[Election]) -> Iterator[tuple[str, str]]:
    """Each question with what it lacks before the multi-question ballot can open."""
    for each in questions:
        candidates = len(elections.candidates(each.name))
        yield multi_ballot.short(each.name), rules.missing(each, leader, candidates, now_text())


def _all_questions(multi_ballot: MultiBallot) -> list[Election]:
    found = repository.questions(multi_ballot)
    if len(found) != len(multi_ballot.questions):
        raise LostRace
    return found


def extend(actor: User, multi_ballot: MultiBallot, end: str | None) -> None:
    leader = _check_leader(actor, multi_ballot, Action.EXTEND)
    of_elections.check_new_end(leader, end, now_text())
    if end != leader.no_voting_after:
        _start_action(actor, "BookExtended", multi_ballot, [], act="extend", no_voting_after=end)


def close(actor: User, multi_ballot: MultiBallot) -> None:
    _check_leader(actor, multi_ballot, Action.CLOSE)
    _start_action(actor, "BookClosed", multi_ballot, [], act="close")


def _start_action(
    actor: User, event_type: str, multi_ballot: MultiBallot, held: Sequence[Write], act: str, **more: str | None
) -> None:
    """Record the action with its background task and start it. Refused if the ballot has changed since it was read."""
    task = repository.ACTING.begin(
        multi_ballot.id, act=act, by=actor.name, at=now_text(), no_voting_after=more.get("no_voting_after")
    )
    here = Check(keys.multi_ballot(multi_ballot.id), unchanged(multi_ballot))
    _record(actor, event_type, multi_ballot, dict(more), task, here, *held)
    repository.ACTING.start(multi_ballot.id)


@repository.ACTING.step
def act_batch(task: Task) -> Batch:
    """Do what is asked to the next question. Any number may do this at once, and again: what is done is left as it
    is."""
    multi_ballot, done = repository.find(task.subject), task.progress.get("questions", 0)
    if multi_ballot is None or done == len(multi_ballot.ordered):
        return finished()
    if (actor := _actor(task.data["by"], multi_ballot)) is None:
        return wait(OWNER_WAIT_SECONDS)  # whoever ran it has just left, and it is the heir's in a moment
    retry_lost_race(partial(ACTS[task.data["act"]], actor, multi_ballot, task.data, multi_ballot.ordered[done]))
    return Batch(progress={"questions": done + 1})


def _actor(name: str, multi_ballot: MultiBallot) -> User | None:
    """Who asked for it; if they have left meanwhile, who owns the election that leads."""
    leader = elections.find(multi_ballot.leader)
    return people.find(name) or (people.find(leader.owner_name) if leader else None)


def _open(actor: User, multi_ballot: MultiBallot, task_data: Item, name: str) -> None:
    election, leader = elections.find(name), leader_of(multi_ballot)
    if election is None or election.stored_state != State.DRAFT:
        return
    if not multi_ballot.is_led_by(name):
        election = _apply_shared_settings(actor, election, leader)
        _copy_roll(actor, election, leader)
        election = elections.find(name) or election
    open_now(actor, election, editable=False)


def _apply_shared_settings(actor: User, election: Election, leader: Election) -> Election:
    after = rules.as_led(election, leader)
    if after == election:
        return election
    event_data = {each: value for each, value in rules.shared_by(leader).items() if getattr(election, each) != value}
    event = Event(actor.name, "ElectionUpdated", {"election_name": election.name, **elections.storable(event_data)})
    log().record(event, *elections.change(election, after))
    return next_version(election, after)


def _copy_roll(actor: User, election: Election, leader: Election) -> None:
    """Whoever is on the roll of the one that leads, and nobody else."""
    for some in by_count(elections.current_voters(leader, by_name=takes_names(leader))):
        roll.copy_voters(actor, [election.name], some)
    every = (voter.name for voter in elections.every_voter(election))
    for some in by_count(every):
        there = elections.on_roll(leader, some)
        if gone := [name for name in some if keys.fold(name) not in there]:
            remove_voters(actor, election, gone)


def _extend(actor: User, multi_ballot: MultiBallot, task_data: Item, name: str) -> None:
    election = elections.find(name)
    if election is not None and election.state(now_text()) in (State.EDITABLE, State.OPEN):
        move_end(actor, election, task_data["no_voting_after"])


def _close(actor: User, multi_ballot: MultiBallot, task_data: Item, name: str) -> None:
    election = elections.find(name)
    if election is not None and election.stored_state in (State.EDITABLE, State.OPEN):
        CLOSING.close(election, task_data["by"])
        wake_worker(SEALING_JOB)


ACTS: dict[str, Callable[[User, MultiBallot, Item, str], None]] = {"open": _open, "extend": _extend, "close": _close}


# --- one roll ---


@repository.LISTING.step
def list_voters(task: Task) -> Batch:
    """Voters who were added while it is open, onto the rolls of the other questions."""
    multi_ballot = repository.find(task.data["book_id"])
    leader = elections.find(multi_ballot.leader) if multi_ballot else None
    owner = people.find(leader.owner_name) if leader else None
    if leader is not None and owner is None:
        return wait(OWNER_WAIT_SECONDS)
    with suppress(NotAllowed):
        if leader is not None and owner is not None:
            roll.copy_voters(owner, repository.followers(leader), task.data["voters"])
    return finished()
