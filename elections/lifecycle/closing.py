"""Closing an election under load (see foundation/acts/gates.py). Other apps join in through config/hooks.py."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from accounts.models import User
from elections import repository, rules
from elections.actions import check
from elections.rules import Action, Election, State
from foundation.acts.background import OVERWRITE
from foundation.acts.gates import Closing
from foundation.acts.hooks import Hooks
from foundation.acts.queues import process_each
from foundation.acts.refusals import LostRace
from foundation.acts.retry import retry_lost_race, retry_on_conflict
from foundation.acts.storage import next_version, now_text, table
from foundation.acts.wakeups import SEALING_JOB, wake_worker
from foundation.store.log import Event
from foundation.store.purging import purge_marks
from foundation.store.table import Item, Write

AFTER_CLOSING = Hooks[[Election], None]("when somebody has closed an election and is about to look at it")
SHUTTING = Hooks[[Election], list[Write]]("in the transaction that tells its close, when its ballot box is shut")


def starting_close(before: Election, after: Election) -> list[Write]:
    """Writes that mark it as closing; they touch nothing that casts write."""
    entry, marks = repository.open_electorate_entry(after, open_=False), repository.open_marks(after, open_=False)
    return [*repository.change(before, after), *entry, *marks]


def finishing_close(shut: Election) -> list[Write]:
    """Writes of the close event, with the marks that say how far the election is sealed."""
    after = replace(shut, allow_edit=False, allow_vote=False, closing=None)
    return [*repository.change(shut, after), *repository.sealing_marks(after)]


def _begin(election: Election, who: str) -> tuple[Election, list[Write]]:
    if marks := repository.open_marks(election, open_=False):
        retry_on_conflict(lambda: table().write(*marks))  # first: from now on every cast reads the election itself
    after = replace(election, closing=who, closed_at=now_text())
    return next_version(election, after), starting_close(election, after)


def _close_event(shut: Election) -> tuple[Election, Event, list[Write]]:
    after = replace(shut, allow_edit=False, allow_vote=False, closing=None, version=shut.version + 1)
    event_data = {"election_name": shut.name, "closed_at": shut.closed_at}
    sealing = repository.SEALING.begin(shut.name, due=now_text(), when=OVERWRITE)
    also = [sealing, *(write for step in SHUTTING for write in step(shut))]
    if shut.has_secrets:
        also += purge_marks(table())  # the journal has every cast with its ballot
    return after, Event(str(shut.closing), "ElectionClosed", event_data), [*finishing_close(shut), *also]


CLOSING = Closing(_begin, _close_event, repository.shut_gates)


def close(actor: User, election: Election) -> Election:
    """Close the election in its current version. Marking it as closing stops voting, and a worker finishes it."""

    def begun() -> Election:
        now = repository.find(election.name) or election
        if now.closing == actor.name and now.stored_state != State.CLOSED:
            return now  # they were cut off
        check(actor, now, Action.CLOSE)
        return CLOSING.begin(now, actor.name)

    return CLOSING.try_finish(retry_lost_race(begun))


def close_and_follow_up(actor: User, election: Election) -> None:
    """Like `close`, then run the hooks for a person who waits for the result."""
    closed = close(actor, election)
    if closed.stored_state == State.CLOSED:
        for step in AFTER_CLOSING:
            step(closed)


def close_ended_elections() -> int:
    """Record the end of elections whose time has come. Any number may do this at once; each end is recorded once."""
    now = now_text()

    def close_listed(item: Item) -> bool:
        listed = repository.listed_of(item)
        return rules.is_over(listed, now) and close_if_over(listed.name)

    closed = process_each(table().each(repository.list_of(State.OPEN)), close_listed)
    if closed:
        wake_worker(SEALING_JOB)
    return closed


def next_end() -> float | None:
    """In how many seconds the next of the open elections ends, or 0 if one is over by now; `None` if none ever is."""
    now = now_text()
    left = (_seconds_left(item, now) for item in table().each(repository.list_of(State.OPEN)))
    return min((seconds for seconds in left if seconds is not None), default=None)


def _seconds_left(item: Item, now: str) -> float | None:
    """An unreadable entry is due, so that closing reports it."""
    try:
        listed = repository.listed_of(item)
        if rules.is_over(listed, now):
            return 0.0
        end = listed.no_voting_after
        return (datetime.fromisoformat(end) - datetime.fromisoformat(now)).total_seconds() if end else None
    except Exception:
        return 0.0


def close_if_over(name: str) -> bool:
    """Whether the end of the election was recorded just now."""
    election = repository.find(name)
    if election is None or election.stored_state == State.CLOSED or election.state(now_text()) != State.CLOSED:
        return False
    try:
        return CLOSING.close(election, "plenum")[1]
    except LostRace:
        return False  # another worker is at it, or its end was moved at the last moment
