"""Making, changing and renaming an election."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from acts import storage
from acts.refusals import LostRace, NameTaken, Refusal
from acts.storage import now_text, table
from elections import repository, sharding
from elections.actions import check, record
from elections.lifecycle.deleting import clear_name
from elections.rules import Action, Election
from store import keys
from store.log import Event
from store.table import Write

from . import renaming

NOT_IN_CREATION_EVENT = (
    "filling",
    "lots_commitment",
    "opened_at",
    "closed_at",
    "shows_skills",
)  # so that the event which makes it says nothing of them


OMITTED_DEFAULTS = {"convened": None, "group": "", "book": ""}  # unless they are as of most


NAME_TAKEN = _("There is already an election with that name. Please choose another one.")


BEING_CLEARED = _(
    "An election with that name was deleted and is still being cleaned up. Please choose another "
    "name, or try again in a moment."
)


def create(actor: User, name: str, *, mark: str | None = None, description: str = "", **settings: Any) -> Election:
    """Idempotent for the same `mark` of a form (see acts/once.py)."""
    shards = sharding.shards_of_new()
    election = Election(name=name, owner_name=actor.name, created_at=now_text(), shards=shards, **settings)
    create_draft(actor, election, mark=mark, description=description)
    return election


def create_draft(
    actor: User, election: Election, *also: Write, mark: str | None = None, description: str = "", **data: Any
) -> None:
    _free_name(election.name)
    fields = repository.storable(asdict(election)).items()
    event_data = {each: value for each, value in fields if each not in NOT_IN_CREATION_EVENT}
    event_data = {each: value for each, value in event_data.items() if value != OMITTED_DEFAULTS.get(each, ...)}
    event_data |= {"election_name": election.name, "description": description, **data}
    writes = repository.creation(election, description)
    event, taken = Event(actor.name, "ElectionCreated", event_data), _name_taken_at(range(len(writes)))
    storage.record(event, *writes, *also, people.is_same_account(actor), once=mark, refusals=taken)


def _name_taken_at(parts: Iterable[int]) -> dict[int, Refusal]:
    return dict.fromkeys(parts, NameTaken(NAME_TAKEN))


def _free_name(name: str) -> None:
    if not clear_name(name):
        raise NameTaken(BEING_CLEARED)


def rename(actor: User, election: Election, name: str) -> Election:
    """A draft under another name, with all it has."""
    check(actor, election, Action.RENAME)
    if name == election.name:
        return election
    if keys.fold(name) == keys.fold(election.name):
        return _respell(actor, election, name)
    _free_name(name)
    _rename(actor, election, name)
    return repository.find_settled(name) or election


def _rename(actor: User, election: Election, name: str) -> None:
    stored = table().get(keys.election(election.name))
    if stored is None:
        raise LostRace
    writes = renaming.rename(election, name, stored)
    event = Event(actor.name, "ElectionRenamed", {"election_name": election.name, "new_name": name})
    storage.record(event, *writes, refusals=_name_taken_at((0, len(writes) - 2, len(writes) - 1)))


def _respell(actor: User, election: Election, name: str) -> Election:
    record(actor, "ElectionRenamed", election, {"new_name": name}, *respelling(election, name))
    return replace(election, name=name, version=election.version + 1)


def respelling(election: Election, name: str) -> list[Write]:
    """The same name to every key, but other letters to show."""
    first, *others = repository.change(election, replace(election, name=name))
    return [replace(first, set={**first.set, "name": name}), *others]
