"""From draft to closed. What other apps do at these moments is arranged in config/steps.py."""

from __future__ import annotations

import secrets
from dataclasses import replace

from accounts.models import User
from acts.again import try_again
from acts.closing import Closing
from acts.queues import take_each
from acts.refusals import Overtaken
from acts.site import now_text, table
from acts.steps import Steps
from elections import repository, rules, spreading
from elections.rules import Action, Election, State
from store import keys
from store.log import Event
from store.table import Item, Write
from tally import lots

from .acting import check, record
from .drafts import changing

OPENING = Steps[[Election], list[Write]]("in the transaction that opens an election")
SHUTTING = Steps[[Election], list[Write]]("in the transaction that shuts its ballot box")


# --- opening ---


def open_(actor: User, election: Election, *, editable: bool, shows_skills: bool = False) -> Election:
    check(actor, election, Action.OPEN)
    candidates = repository.candidates(election.name)
    rules.check_opening(election, len(candidates), now_text())
    return open_now(actor, election, editable=editable, shows_skills=shows_skills)


def open_now(actor: User, election: Election, *, editable: bool, shows_skills: bool = False) -> Election:
    """Of one that is known to be ready."""
    election = spreading.with_room(actor, election, _coming(election))
    secret = secrets.token_hex(32)
    after = opened(election, editable=editable, lots_commitment=lots.commitment(secret), opened_at=now_text())
    after = replace(after, shows_skills=shows_skills)
    said = {"editable": editable, "lots_commitment": after.lots_commitment, "opened_at": after.opened_at}
    said |= {"shows_skills": True} if shows_skills else {}
    also = [write for writes in OPENING.taken(after) for write in writes]
    also += [repository.lots(election.name, secret), repository.reminders_from_now(election)]
    record(actor, "ElectionOpened", election, said, *opening(election, after), *also)
    return replace(after, version=election.version + 1)


def _coming(election: Election) -> int:
    """How many come onto the roll by voting, where everybody here may."""
    if election.electorate != "everyone":
        return 0
    return int((table().get(keys.counts()) or {}).get("user_count", 0))


def opened(election: Election, *, editable: bool, lots_commitment: str, opened_at: str | None) -> Election:
    return replace(election, allow_edit=editable, allow_vote=True, lots_commitment=lots_commitment, opened_at=opened_at)


def opening(before: Election, after: Election) -> list[Write]:
    return [*repository.change(before, after), *repository.gates(after, open_=True)]


def fix(actor: User, election: Election) -> Election:
    """From now on the candidates stay as they are."""
    check(actor, election, Action.FIX)
    after = replace(election, allow_edit=False)
    record(actor, "ElectionUpdated", election, {"allow_edit": False}, *changing(election, after))
    return replace(after, version=election.version + 1)


def extend(actor: User, election: Election, end: str | None) -> Election:
    check(actor, election, Action.EXTEND)
    rules.check_new_end(election, end, now_text())
    return move_end(actor, election, end)


def move_end(actor: User, election: Election, end: str | None) -> Election:
    """Of one whose end may move there."""
    if end == election.no_voting_after:
        return election
    after = replace(election, no_voting_after=end)
    record(actor, "ElectionUpdated", election, {"no_voting_after": end}, *changing(election, after))
    return replace(after, version=election.version + 1)


# --- closing ---


def shutting(before: Election, after: Election) -> list[Write]:
    """What shutting the ballot box writes of the election itself."""
    return [*repository.change(before, after), *repository.gates(after, open_=False)]


def closing(shut: Election) -> list[Write]:
    """What telling the close writes, with the mark by which the worker finds the election to seal."""
    after = replace(shut, allow_edit=False, allow_vote=False, closing=None)
    return [*repository.change(shut, after), repository.to_be_sealed(after)]


def _shut(election: Election, who: str) -> tuple[Election, list[Write]]:
    after = replace(election, closing=who, closed_at=now_text())
    also = [write for writes in SHUTTING.taken(after) for write in writes]
    return replace(after, version=election.version + 1), [*shutting(election, after), *also]


def _said(shut: Election) -> tuple[Election, Event, list[Write]]:
    after = replace(shut, allow_edit=False, allow_vote=False, closing=None, version=shut.version + 1)
    said = {"election_name": shut.name} | ({"closed_at": shut.closed_at} if shut.closed_at else {})
    return after, Event(str(shut.closing), "ElectionClosed", said), closing(shut)


CLOSING = Closing(_shut, _said)


def close(actor: User, election: Election) -> Election:
    """Close the election as it is now: that the roll grew meanwhile is no reason to keep it open."""

    def as_it_is_now() -> Election:
        now = repository.find(election.name) or election
        check(actor, now, Action.CLOSE)
        return CLOSING.close(now, actor.name)[0]

    return try_again(as_it_is_now)


def close_what_is_over() -> int:
    """Record the end of elections whose time has come. Any number may do this at once; each end is recorded once."""
    now = now_text()

    def close_listed(item: Item) -> bool:
        listed = repository.listed_of(item)
        return rules.is_over(listed, now) and close_if_over(listed.name)

    return take_each(table().each(repository.list_of(State.OPEN)), close_listed)


def close_if_over(name: str) -> bool:
    """Whether the end of the election was recorded just now."""
    election = repository.find(name)
    if election is None or election.stored_state == State.CLOSED or election.state(now_text()) != State.CLOSED:
        return False
    try:
        return CLOSING.close(election, "plenum")[1]
    except Overtaken:
        return False  # another worker is at it, or its end was moved at the last moment
