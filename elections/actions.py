"""What every action of an organiser starts and ends with: permission and state checks, and its event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from accounts.models import User
from foundation.acts import storage
from foundation.acts.storage import next_version, now_text
from foundation.store.log import Event
from foundation.store.table import Write

from . import repository, rolls, rules
from .rules import Action, Election


def relation(user: User, election: Election) -> rules.Relation:
    return rules.relation(user.name, user.role, election)


def check(user: User, election: Election, action: Action) -> None:
    """Refuse an action this person may not take, or not now."""
    rules.check_who(relation(user, election), action)
    rules.check_when(election.state(now_text()), action)
    rules.check_not_busy(election, action)


def record(
    actor: User,
    event_type: str,
    election: Election,
    data: dict[str, Any],
    *writes: Write,
    noting: Callable[[int], Iterable[Write]] = lambda number: (),
    once: str | None = None,
) -> None:
    """`noting` returns further writes that need the event's number; with `once`, the mark of a form, only once."""
    event = Event(actor.name, event_type, election.event_subject | data)
    storage.record(event, *writes, noting=noting, once=once)


def change(
    actor: User, election: Election, action: Action, *more_writes: Write, description: str | None = None, **changes: Any
) -> Election:
    """Change the description, the reminders, who may frame the result, or the settings of a draft."""
    check(actor, election, action)
    after = election.with_question(**changes)
    different = {name: value for name, value in changes.items() if getattr(election, name) != value}
    if description is not None and repository.description_of(election.name).description != description:
        different["description"] = description
    if not different:
        return election
    if "kind" in different and changes["kind"] == "yes-no" and repository.candidates(election.name, election.number):
        raise rules.WrongState(rules.HAS_CANDIDATES)
    if "title" in different:
        rules.check_titles(after)
    if after.secret_ballot > election.secret_ballot and max(rolls.weights(election), default=1) > 1:
        raise rules.WrongState(rules.NO_SECRET_WEIGHTS)
    writes = repository.change(election.at(1), after, different.get("description"))
    record(actor, "ElectionUpdated", election, repository.storable(different), *writes, *more_writes)
    return next_version(election, after).at(election.number)
