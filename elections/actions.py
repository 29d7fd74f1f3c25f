"""What every act of an organiser begins and ends with: whether it is allowed now, and the event that tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from accounts.models import User
from acts import storage
from acts.storage import now_text
from acts.versions import next_version
from store.log import Event
from store.table import Write

from . import repository, rules
from .multi_ballots import repository as multi_ballots
from .rules import Action, Election


def relation(user: User, election: Election) -> rules.Relation:
    return rules.relation(user.name, user.role, election)


def check(user: User, election: Election, action: Action) -> None:
    """Refuse what this person may not do, what cannot be done now, or not to one question on a ballot alone."""
    check_actor_and_state(user, election, action)
    multi_ballots.check_single_question(election, action)


def check_actor_and_state(user: User, election: Election, action: Action) -> None:
    """As `check`, of what is done to all questions on a ballot."""
    rules.check_who(relation(user, election), action)
    rules.check_when(election.state(now_text()), action)
    rules.check_settled(election, action)


def record(
    actor: User,
    event_type: str,
    election: Election,
    data: dict[str, Any],
    *writes: Write,
    noting: Callable[[int], Iterable[Write]] = lambda number: (),
) -> None:
    """`noting` makes of the event's number what is to be written besides."""
    event = Event(actor.name, event_type, {"election_name": election.name, **data})
    storage.record(event, *writes, noting=noting)


def change(
    actor: User, election: Election, action: Action, *also: Write, description: str | None = None, **changes: Any
) -> Election:
    """Change the description, the reminders, or the settings of a draft."""
    check(actor, election, action)
    after = replace(election, **changes)
    different = {name: value for name, value in changes.items() if getattr(election, name) != value}
    if description is not None and repository.description_of(election.name).description != description:
        different["description"] = description
    if not different:
        return election
    writes = repository.change(election, after, different.get("description"))
    record(actor, "ElectionUpdated", election, repository.storable(different), *writes, *also)
    return next_version(election, after)
