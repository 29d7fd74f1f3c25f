"""Owner and managers."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.handover import Handover, is_still_owner
from accounts.models import User
from accounts.rules import Permission
from elections import repository, rules
from elections.actions import check, record
from elections.rules import Action, Election
from foundation.acts import storage
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.log import Event


def add_manager(actor: User, election: Election, name: str) -> str:
    check(actor, election, Action.CHANGE_MANAGERS)
    person = _find_organiser(name)
    if len(election.managers) >= rules.MAX_MANAGERS:
        raise rules.WrongState(_("An election has at most %(most)d managers.") % {"most": rules.MAX_MANAGERS})
    if _is_run_by(person.name, election):
        raise rules.NotReady(_("%(name)s already runs this election.") % {"name": person.name})
    writes = repository.change(election, with_manager(election, person.name))
    record(actor, "ManagerAdded", election, {"name": person.name}, *writes, people.is_same_account(person))
    return person.name


def _find_organiser(name: str) -> User:
    person = people.find(name)
    if person is None or not person.can(Permission.USE_APPLICATION):
        raise rules.NotReady(_("Nobody with that name may run elections here."))
    return person


def remove_manager(actor: User, election: Election, name: str) -> None:
    check(actor, election, Action.CHANGE_MANAGERS)
    after = without_manager(election, name)
    if after != election:
        record(actor, "ManagerRemoved", election, {"name": name}, *repository.change(election, after))


def with_manager(election: Election, name: str) -> Election:
    return replace(election, managers=(*election.managers, name))


def without_manager(election: Election, name: str) -> Election:
    left = tuple(each for each in election.managers if keys.fold(each) != keys.fold(name))
    return replace(election, managers=left)


def with_owner(election: Election, name: str) -> Election:
    """The owner is never also a manager."""
    return replace(without_manager(election, name), owner_name=name)


def hand_over(actor: User, election: Election, name: str) -> str:
    check(actor, election, Action.HAND_OVER)
    person = _find_organiser(name)
    after = with_owner(election, person.name)
    if after != election:
        writes = [*repository.change(election, after), people.is_same_account(person)]
        record(actor, "ElectionOwnerChanged", election, {"new_owner": person.name}, *writes)
    return person.name


# --- when a person leaves ---


def _is_run_by(name: str, election: Election) -> bool:
    return keys.fold(name) in map(keys.fold, (election.owner_name, *election.managers))


def _record_heir(election: Election, gone: str, heir: str | None) -> None:
    """The site's owner inherits their elections; they are removed as manager of others."""
    if heir is None:
        return
    was_owner = keys.fold(election.owner_name) == keys.fold(gone)
    after = with_owner(election, heir) if was_owner else without_manager(election, gone)
    kind, data = ("ElectionOwnerChanged", {"new_owner": heir}) if was_owner else ("ManagerRemoved", {"name": gone})
    event = Event("plenum", kind, {"election_name": election.name, **data})
    storage.record(event, *repository.change(election, after), *is_still_owner(heir))


def _run_by(name: str) -> list[str]:
    return [item["name"] for item in table().each(keys.run_by(name))]


pass_on = Handover(_run_by, repository.find, _is_run_by, _record_heir).pass_on
