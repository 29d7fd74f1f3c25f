"""Actions on groups of voters."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from elections import actions
from elections import repository as elections
from elections.roll import imports
from elections.roll.imports import Import
from elections.roll.list_summary import Skipped
from elections.roll.services import NOTHING, Known
from elections.rolls import is_by_number
from elections.rules import Action, Election, Relation, State, takes_names
from elections.voter_lists import Details, group_named
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.queues import process_each
from foundation.acts.refusals import LostRace, NameTaken, NotThere
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import SITE, now_text, record, table, write
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Exists, Item, Write

from . import filling, repository, rules
from .filling import Filling
from .rules import Group, Member

# --- making ---


def make(user: User, name: str, members: Sequence[Member] = ()) -> Group:
    """A group, for its owner alone."""
    return _make(user, Group(secrets.token_hex(11), name, user.name, now_text()), members)


def _make(user: User, group: Group, members: Sequence[Member], source: Sequence[str] = ()) -> Group:
    rules.check_number(len(repository.names_taken(user.name)))
    rules.check_room(group, len(members))
    coming, task = filling.begin(group, user.name, members)
    event_data = {"group_id": group.id, "name": group.name, "created_at": group.created_at}
    event = Event(user.name, "GroupMade", event_data | ({"source": list(source)} if source else {}))
    taken = {0: NameTaken(rules.NAME_TAKEN)}
    record(event, *repository.creation(group, source), *task, people.is_same_account(user), refusals=taken)
    filling.fill(coming)
    return group


def save_roll(user: User, election: Election, form: str) -> Group:
    """Save the roll as a group named after the election. Idempotent: its id derives from the form's token.

    Where voting adds names to the roll in secret, only voters by address are taken, so as not to reveal who voted.
    """
    actions.check(user, election, Action.COPY)
    number = hashlib.sha256("\n".join((user.name, user.created_at, form)).encode()).hexdigest()[:22]

    def save() -> Group:
        if (there := repository.find(number)) is not None:
            return there
        members = list(repository.on_roll(election, by_name=takes_names(election)))
        name = rules.free_name(election.name, repository.names_taken(user.name))
        source = (election.name, election.created_at)
        return _make(user, Group(number, name, user.name, now_text()), members, source)

    try:
        return save()
    except (LostRace, NameTaken):  # by the same form, or by another group of the name
        return save()


# --- changing ---


def _find_own(user: User, group_id: str) -> Group:
    group = repository.find(group_id)
    if group is None or not rules.owns(user.name, group):
        raise NotThere(rules.NOT_THERE)
    return group


def rename(user: User, group_id: str, name: str) -> None:
    """Of two concurrent renamings, the second wins."""

    def act() -> None:
        group = _find_own(user, group_id)
        if name != group.name:
            event = Event(user.name, "GroupRenamed", {"group_id": group.id, "name": name})
            refusals = {1: LostRace(), 0: NameTaken(rules.NAME_TAKEN)}
            record(event, *repository.renaming(group, name), refusals=refusals)

    retry_lost_race(act)


def add(user: User, group_id: str, names: Sequence[str], details: Known = NOTHING) -> Filling:
    """Add known names and all addresses and member numbers; returns how many came in."""
    group = _find_own(user, group_id)
    accounts = repository.find_accounts(names)
    known = [Member(name, accounts.get(keys.fold(name)), _of_letter(name, details)) for name in names]
    known = [each for each in known if not each.is_by_account or each.account]
    rules.check_room(group, len(known))
    coming, task = filling.begin(group, user.name, known)
    if task:
        with suppress(LostRace):  # the same list is on its way already
            is_there = Check(keys.group(group.id), Exists())
            write(*task, is_there, refusals={1: NotThere(rules.NOT_THERE)})
    return filling.fill(coming)


def _of_letter(name: str, details: Known) -> Details:
    return replace(details[name], groups=None, weight=None) if is_by_number(name) and name in details else Details()


def remove(user: User, group_id: str, name: str) -> None:
    """Idempotent."""
    retry_lost_race(lambda: _remove(user.name, _find_own(user, group_id).id, name))


def _remove(who: str, group_id: str, name: str) -> None:
    item = table().get(keys.member(group_id, name))
    if item is None or repository.find(group_id) is None:
        return
    names = [item["member_name"]]
    event = Event(who, "GroupMembersRemoved", {"group_id": group_id, "members": names})
    record(event, *repository.removing(group_id, names))


def delete(user: User, group_id: str) -> None:
    """Rolls that it was put on stay as they are."""
    retry_lost_race(lambda: _delete(user.name, _find_own(user, group_id)))


def _delete(who: str, group: Group) -> None:
    at = now_text()
    event = Event(who, "GroupDeleted", {"group_id": group.id, "at": at})
    record(event, *repository.deletion(group, at))


@repository.DELETING.step
def delete_batch(task: Task) -> Batch:
    left = next_deletions(keys.all_of_group(task.subject))
    return Batch(left) if left else finished()


# --- using one ---


def put_on_roll(user: User, election: Election, group_id: str, *, as_group: bool = False) -> Import:
    """Import the current members to the roll, and into a voter group of that name if wanted, recording the use of the
    group. Repeating it is harmless."""
    group = _find_own(user, group_id)
    members = list(repository.every_member(group.id))
    current = repository.current_members(members)
    # where names come onto the roll by voting in secret, only addresses are put there
    names = [each.name for each in current if not each.is_by_account or takes_names(election)]
    if not names:
        raise NotThere(_("Nobody in this group can be added to this roll."))

    def begin(writes: Sequence[Write]) -> None:
        if election.group == group.id:
            write(*writes)
            return
        event = Event(user.name, "GroupUsed", {"election_name": election.name, "group_id": group.id})
        record(event, *elections.using_group(election, group.id), *writes, Check(keys.group(group.id), Exists()))

    known = {each.name: each.details for each in current if is_by_number(each.name)}
    if as_group:
        known = {name: known.get(name, Details()).also_in((group_named(group.name),)) for name in names}
    return imports.start(user, election, names, Skipped(unusable=len(members) - len(names)), begin, known)


def used_in(user: User, group_id: str, limit: int) -> list[Election]:
    """Elections whose roll it was added to; drafts only if this person runs them."""
    uses = repository.uses(group_id, limit)
    found = filter(None, (elections.find_created(use["election_name"], use["created_at"]) for use in uses))
    return [
        each for each in found if each.stored_state != State.DRAFT or actions.relation(user, each) != Relation.NOBODY
    ]


# --- when a person leaves ---


def forget_person(gone: User) -> None:
    """Remove a leaver from all groups, by name and by address, and delete their own."""

    def leave(item: Item) -> None:
        retry_lost_race(lambda: _remove(SITE, item["group_id"], item["member_name"]))

    def delete_own(group: Group) -> None:
        retry_lost_race(lambda: _delete(SITE, now) if (now := repository.find(group.id)) else None)

    for name in (gone.name, gone.email):
        process_each(list(table().each(keys.groups_with(name))), leave)
    process_each(list(repository.every_group_of(gone.name)), delete_own)
