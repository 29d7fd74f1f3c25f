"""Actions on a multi-question ballot: bind elections together; open, extend and close all of them.

One transaction records the action for all questions; a background task then applies it to each, the leader last.
Until the task is done, conflicting actions on the ballot and its elections are refused.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from accounts import repository as people
from accounts.models import User
from elections import actions, rolls
from elections import repository as elections
from elections import rules as of_elections
from elections.actions import check_actor_and_state
from elections.candidates.services import add_candidates
from elections.dashboard.checklist import Question
from elections.drafts import services as drafts_services
from elections.lifecycle.closing import CLOSING
from elections.lifecycle.services import move_end, open_now
from elections.multi_ballots import repository, rules
from elections.multi_ballots.rules import MultiBallot
from elections.roll import services as roll
from elections.roll.services import remove_voters
from elections.rules import Action, Election, Relation, State, takes_names
from foundation.acts.background import Batch, Task, finished, wait
from foundation.acts.refusals import LostRace, NameTaken, NotAllowed, NotNow
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import log, now_text, record, table
from foundation.acts.versions import next_version, unchanged
from foundation.acts.wakeups import SEALING_JOB, wake_worker
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.parallel import run_parallel
from foundation.store.splitting import by_count
from foundation.store.table import Check, Item, Write

OWNER_WAIT_SECONDS = 5

# --- binding ---


def make(actor: User, name: str, questions: Sequence[str], *, mark: str | None = None, **settings: Any) -> MultiBallot:
    """Create a ballot from own drafts of these names and new drafts with these settings for the others; a retry reuses
    the drafts. Idempotent for the same `mark` of a form."""
    rules.check_many(questions)
    bound = _distinct([_draft(actor, name, question, **settings) for question in questions])
    names = tuple(each.name for each in bound)
    ballot = MultiBallot(ballot_id(mark or secrets.token_hex()), name, names[0], names, now_text())
    event = {"book_id": ballot.id, "name": name, "questions": list(names), "created_at": ballot.created_at}
    writes = [*repository.creation(ballot, bound), people.is_same_account(actor)]
    record(Event(actor.name, "BookMade", event), *writes, once=mark)
    return ballot


def ballot_id(mark: str) -> str:
    """Of the ballot that a form with this mark makes, however often it is sent."""
    return hashlib.sha256(mark.encode()).hexdigest()[:12]


def _distinct(drafts: Sequence[Election]) -> list[Election]:
    return list({keys.fold(each.name): each for each in drafts}.values())


def _draft(actor: User, multi_ballot_name: str, question: str, **settings: Any) -> Election:
    """The draft of a question: one's own of that name, or a new one."""
    for name in (question, rules.election_name(multi_ballot_name, question)):
        found = elections.find(name)
        if found is None or actions.relation(actor, found) != Relation.OWNER:
            continue
        if found.stored_state == State.DRAFT and not found.book:  # none is on two ballots
            of_elections.check_settled(found, Action.SET_UP)
            return found
    try:
        return drafts_services.create(actor, rules.election_name(multi_ballot_name, question), **settings)
    except NameTaken as refusal:
        raise NameTaken(f"{question}: {refusal}") from None


def prepare(actor: User, election: Election, names: Sequence[str], **settings: Any) -> None:
    """Change how a question of a draft is voted on and counted, and add candidates to it, if it has any."""
    change = lambda: actions.change(actor, elections.find(election.name) or election, Action.SET_UP, **settings)  # noqa: E731
    changed = retry_lost_race(change)
    if names and changed.kind != "yes-no":
        add_candidates(actor, election, [Candidate(name) for name in names])


def add(actor: User, ballot: MultiBallot, questions: Sequence[str]) -> MultiBallot:
    """Add questions, if any, which start with the leader's settings and get them again at the opening."""
    if not questions:
        return ballot
    leader = _check_leader(actor, ballot, Action.SET_UP)
    rules.check_many((*ballot.questions, *questions))
    bound = _distinct([_draft(actor, ballot.name, question, **rules.shared_by(leader)) for question in questions])
    after = rules.with_questions(ballot, [each.name for each in bound])
    _change(actor, ballot, after, *repository.binding(bound, ballot.id))
    return after


def take_out(actor: User, ballot: MultiBallot, name: str) -> None:
    """The question becomes a separate draft again. The leading one stays as long as there are others."""
    _check_leader(actor, ballot, Action.SET_UP)
    election = elections.find(name)
    if election is None or election.book != ballot.id:
        raise LostRace
    if ballot.is_led_by(name) and len(ballot.questions) > 1:
        sentence = _("“%(name)s” holds the roll and the voting period for all questions. Remove the others first.")
        raise NotNow(sentence % {"name": name})
    after, unbound = rules.without(ballot, name), repository.binding([election], "")
    if after is not None:
        return _change(actor, ballot, after, *unbound)
    writes: list[Write] = [repository.deletion(ballot), *unbound, repository.is_free(ballot.id)]
    return _record(actor, "BookTakenApart", ballot, {}, *writes)


def rename(actor: User, ballot: MultiBallot, name: str) -> None:
    _check_leader(actor, ballot, Action.SET_UP)
    if name != ballot.name:
        _change(actor, ballot, replace(ballot, name=name))


def move(actor: User, ballot: MultiBallot, name: str, *, up: bool) -> None:
    _check_leader(actor, ballot, Action.SET_UP)
    if keys.fold(name) not in map(keys.fold, ballot.questions):
        raise LostRace
    after = rules.moved(ballot, name, up=up)
    if after != ballot:
        _change(actor, ballot, after)


def _change(actor: User, before: MultiBallot, after: MultiBallot, *also: Write) -> None:
    event_data: Item = {"name": after.name} if after.name != before.name else {}
    event_data |= {"questions": list(after.questions)} if after.questions != before.questions else {}
    writes = [repository.change(before, after), *also, repository.is_free(before.id)]
    _record(actor, "BookChanged", before, event_data, *writes)


def _record(actor: User, event_type: str, ballot: MultiBallot, event_data: Item, *writes: Write) -> None:
    record(Event(actor.name, event_type, {"book_id": ballot.id, **event_data}), *writes)


def questions_shown_to(person: User, ballot: MultiBallot, leader: Election) -> tuple[list[Election], list[rolls.Voter]]:
    """The questions, and this person's entries on their rolls. Voters who do not run it see only what they are
    asked."""
    questions = repository.questions(ballot)
    entries = run_parallel(table(), *(partial(rolls.find_with_entry, each.name, person) for each in questions))
    listed = [entry for _election, entry in filter(None, entries) if entry is not None]
    if listed and actions.relation(person, leader) == Relation.NOBODY:
        questions = [each for each, own in zip(questions, entries, strict=True) if own and own[1]]
    return questions, listed


def leader_of(ballot: MultiBallot) -> Election:
    if (leader := elections.find(ballot.leader)) is None:
        raise LostRace
    return leader


def _check_leader(actor: User, ballot: MultiBallot, action: Action) -> Election:
    """The leading election, which decides whether this person may do this to the entire ballot now."""
    leader = leader_of(ballot)
    check_actor_and_state(actor, leader, action)
    if repository.ACTING.find(ballot.id) is not None:
        raise of_elections.WrongState(rules.BUSY)
    return leader


# --- what is done to all questions ---


def open_(actor: User, ballot: MultiBallot) -> None:
    """Check every question first, and name everything missing at once."""
    leader = _check_leader(actor, ballot, Action.OPEN)
    questions = repository.questions(ballot)
    if len(questions) != len(ballot.questions):
        raise LostRace
    lacking, candidates = [], 0
    named = [(ballot.short(each.name), each, elections.candidates(each.name)) for each in questions]
    for name, each, there in as_opened(leader, named)[0]:
        of_elections.check_settled(each, Action.OPEN)
        lacking.append((name, rules.missing(each, len(there), now_text())))
        candidates += len(there)
    rules.check_opening(lacking)
    rules.check_candidates(candidates)
    _start_action(actor, "BookOpened", ballot, "open", {}, *repository.holding(questions))


def as_opened(leader: Election, questions: Sequence[Question]) -> tuple[list[Question], int]:
    """The questions as they would open today, and how many on the roll none of them is for. The roll is read only if
    some are for some groups, or votes have weights."""
    every = [each for _name, each, _there in questions]
    is_open = leader.stored_state != State.CLOSED
    matters = leader.weighted or any(each.for_groups for each in every)
    sizes = rolls.sizes_by_weight(leader) if is_open and matters else {}
    unasked = sum(size for (groups, _weight), size in sizes.items() if not any(each.is_for(groups) for each in every))
    if leader.stored_state != State.DRAFT:
        return list(questions), unasked
    return [(name, rules.as_opened(each, leader, sizes), there) for name, each, there in questions], unasked


def extend(actor: User, ballot: MultiBallot, end: str | None) -> None:
    leader = _check_leader(actor, ballot, Action.EXTEND)
    of_elections.check_new_end(leader, end, now_text())
    if end != leader.no_voting_after:
        _start_action(actor, "BookExtended", ballot, "extend", {"no_voting_after": end})


def close(actor: User, ballot: MultiBallot) -> None:
    _check_leader(actor, ballot, Action.CLOSE)
    _start_action(actor, "BookClosed", ballot, "close", {})


def _start_action(actor: User, event_type: str, ballot: MultiBallot, act: str, event_data: Item, *also: Write) -> None:
    """Record the action with its background task and start it. Refused if the ballot has changed since it was read."""
    data = {"act": act, "by": actor.name, "at": now_text(), "no_voting_after": event_data.get("no_voting_after")}
    is_same = Check(keys.multi_ballot(ballot.id), unchanged(ballot))
    _record(actor, event_type, ballot, event_data, repository.ACTING.begin(ballot.id, **data), is_same, *also)
    repository.ACTING.start(ballot.id)


@repository.ACTING.step
def act_batch(task: Task) -> Batch:
    """Apply the action to the next question; idempotent."""
    ballot, done = repository.find(task.subject), task.progress.get("questions", 0)
    if ballot is None or done == len(ballot.ordered):
        return finished()
    leader = elections.find(ballot.leader)
    actor = people.find(task.data["by"]) or (people.find(leader.owner_name) if leader else None)
    if actor is None:
        return wait(OWNER_WAIT_SECONDS)  # the owner has just left; the heir takes over in a moment
    retry_lost_race(partial(ACTS[task.data["act"]], actor, ballot, task.data, ballot.ordered[done]))
    return Batch(progress={"questions": done + 1})


def _open(actor: User, ballot: MultiBallot, task_data: Item, name: str) -> None:
    election, leader = elections.find(name), leader_of(ballot)
    if election is None or election.stored_state != State.DRAFT:
        return
    if not ballot.is_led_by(name):
        election = _apply_shared_settings(actor, election, leader)
        _copy_roll(actor, election, leader)
        election = elections.find(name) or election
    open_now(actor, rolls.as_it_would_open(election), editable=False)


def _apply_shared_settings(actor: User, election: Election, leader: Election) -> Election:
    after = rules.as_led(election, leader)
    if after == election:
        return election
    event_data = {each: value for each, value in rules.shared_by(leader).items() if getattr(election, each) != value}
    event = Event(actor.name, "ElectionUpdated", {"election_name": election.name, **elections.storable(event_data)})
    log().record(event, *elections.change(election, after))
    return next_version(election, after)


def _copy_roll(actor: User, election: Election, leader: Election) -> None:
    """Make the roll the same as the leader's, without those whom the question is not for."""
    for some in by_count(rolls.current_voters(leader, by_name=takes_names(leader))):
        roll.copy_voters(actor, leader, [election.name], some)
    every = (voter.name for voter in rolls.every_voter(election))
    for some in by_count(every):
        there = {name for name, voter in rolls.on_roll(leader, some).items() if election.is_for(voter.groups)}
        if gone := [name for name in some if keys.fold(name) not in there]:
            remove_voters(actor, election, gone)


def _extend(actor: User, ballot: MultiBallot, task_data: Item, name: str) -> None:
    election = elections.find(name)
    if election is not None and election.state(now_text()) in (State.EDITABLE, State.OPEN):
        move_end(actor, election, task_data["no_voting_after"])


def _close(actor: User, ballot: MultiBallot, task_data: Item, name: str) -> None:
    election = elections.find(name)
    if election is not None and election.stored_state in (State.EDITABLE, State.OPEN):
        CLOSING.close(election, task_data["by"])
        wake_worker(SEALING_JOB)


ACTS: dict[str, Callable[[User, MultiBallot, Item, str], None]] = {"open": _open, "extend": _extend, "close": _close}


# --- one roll ---


@repository.LISTING.step
def list_voters(task: Task) -> Batch:
    """Voters who were added while it is open, onto the rolls of the other questions."""
    ballot = repository.find(task.data["book_id"])
    leader = elections.find(ballot.leader) if ballot else None
    owner = people.find(leader.owner_name) if leader else None
    if leader is not None and owner is None:
        return wait(OWNER_WAIT_SECONDS)
    with suppress(NotAllowed):
        if leader is not None and owner is not None:
            roll.copy_voters(owner, leader, repository.followers(leader), task.data["voters"])
    return finished()
