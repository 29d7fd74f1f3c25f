"""Actions on groups of voters.

People are added by a background task. Their list is stored first, in slices that fit one transaction, then the task.
The digest of the list identifies it, so that sending it again resumes it.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from elections import actions
from elections import repository as elections
from elections.roll import imports
from elections.roll.imports import Import
from elections.roll.list_summary import Skipped
from elections.roll.services import NO_DETAILS, DetailsByName
from elections.rolls import is_by_number, letter_fields
from elections.rules import Action, Election, Relation, State, takes_names
from elections.voter_lists import Details, group_named
from foundation.acts.background import Batch, Task, TaskType, finished, next_deletions
from foundation.acts.queues import process_each
from foundation.acts.refusals import LostRace, NameTaken, NotThere, TooMany
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import SITE, now_text, record, table, write
from foundation.pages import lists
from foundation.pages.names import MAX_NAME_CHARS
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Check, Delete, Exists, Item, Put, Write

from . import repository
from .repository import Group, Member

MAX_MEMBERS = lists.MAX_ROWS  # as many as a list for a roll may have
MAX_GROUPS_PER_PERSON = 200
FILLING = TaskType("fill group", _("Adding people to a group"))
SLICES_PER_WRITE = 40  # of one transaction: 90 long names are 72 KB, and it takes 4 MB
UNUSED_SLICE_SECONDS = 7 * 24 * 3600  # of slices whose task was never stored
NOT_THERE = _("This group no longer exists.")
NAME_TAKEN = _("You already have a group with that name. Please choose another name.")

# --- making ---


def make(user: User, name: str, members: Sequence[Member] = ()) -> Group:
    """A group, for its owner alone."""
    return _make(user, Group(secrets.token_hex(11), name, user.name, now_text()), members)


def _make(user: User, group: Group, members: Sequence[Member], source: Sequence[str] = ()) -> Group:
    if len(repository.names_taken(user.name)) >= MAX_GROUPS_PER_PERSON:
        sentence = _("You have %(most)d groups, the maximum. Delete one you do not need.")
        raise TooMany(sentence % {"most": MAX_GROUPS_PER_PERSON})
    check_room(group, len(members))
    filling, task = begin_filling(group, user.name, members)
    event_data = {"group_id": group.id, "name": group.name, "created_at": group.created_at}
    event = Event(user.name, "GroupMade", event_data | ({"source": list(source)} if source else {}))
    taken = {0: NameTaken(NAME_TAKEN)}
    record(event, *repository.creation(group, source), *task, people.is_same_account(user), refusals=taken)
    fill(filling)
    return group


def check_room(group: Group, more: int) -> None:
    if group.members + more > MAX_MEMBERS:
        sentence = _("A group has at most %(most)d members; with these it would have %(count)d.")
        raise TooMany(sentence % {"most": MAX_MEMBERS, "count": group.members + more})


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, or the first of “Name (2)”, “Name (3)” … that is not taken; the taken ones are folded."""
    endings = ("" if number == 1 else f" ({number})" for number in count(1))
    names = (wanted[: MAX_NAME_CHARS - len(ending)].rstrip() + ending for ending in endings)
    return next(name for name in names if keys.fold(name) not in taken)


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
        name = free_name(election.name, repository.names_taken(user.name))
        source = (election.name, election.created_at)
        return _make(user, Group(number, name, user.name, now_text()), members, source)

    try:
        return save()
    except (LostRace, NameTaken):  # by the same form, or by another group of the name
        return save()


# --- who comes in, as a background task ---


@dataclass(frozen=True, slots=True)
class Filling:
    """Progress of a list."""

    group_id: str
    token: str
    by: str
    slices: int
    done: int = 0
    added: int = 0
    there: int = 0  # in the group already
    gone: int = 0  # whose account no longer exists

    @property
    def subject(self) -> str:
        return f"{self.group_id} {self.token}"


def begin_filling(group: Group, by: str, members: Sequence[Member]) -> tuple[Filling, list[Write]]:
    """Store the list; returns the task to write with the event, or none for an empty list."""
    if not members:
        return Filling(group.id, "", by, 0), []
    names = "\n".join((group.id, *(each.name for each in members)))
    token, until = hashlib.sha256(names.encode()).hexdigest()[:32], int(time.time()) + UNUSED_SLICE_SECONDS
    slices = []  # not read until the task exists
    for number, some in enumerate(by_count(members)):
        place, data = keys.coming_members(group.id, token, number), repository.member_data(some)
        letters = [letter_fields(each.details) for each in some]  # what letters need, which the event must not have
        slices.append(Put({**place.item, "token": token, **data, "letters": letters, "ttl": until}))
    for writes in by_count(slices, SLICES_PER_WRITE):
        table().write(*writes)
    filling = Filling(group.id, token, by, len(slices))
    task = FILLING.begin(filling.subject, group_id=group.id, token=token, by=by, slices=len(slices))
    return filling, [task]


def is_filling(group_id: str) -> bool:
    first = table().page(keys.all_coming_members(group_id), limit=1).items
    return bool(first) and FILLING.find(Filling(group_id, first[0]["token"], "", 0).subject) is not None


def fill(filling: Filling) -> Filling:
    """As far as a request can wait for; the worker does the rest."""
    batches: list[Item] = []
    FILLING.start(filling.subject, watch=batches.append)
    return replace(filling, **batches[-1]) if batches else filling


@FILLING.step
def fill_batch(task: Task) -> Batch:
    filling = Filling(**task.data, **task.progress)
    if repository.find(filling.group_id) is None:
        return finished()  # its slices are deleted with the group
    place = keys.coming_members(filling.group_id, filling.token, filling.done)
    rows = table().get(place)
    members = repository.members_from(rows) if rows else []
    there = repository.existing_members(filling.group_id, (each.name for each in members))
    absent = [each for each in members if keys.fold(each.name) not in there]
    new = repository.current_members(absent)
    progress = {
        "done": filling.done + 1,
        "added": filling.added + len(new),
        "there": filling.there + len(members) - len(absent),
        "gone": filling.gone + len(absent) - len(new),
    }
    event = Event(filling.by, "GroupMembersAdded", {"group_id": filling.group_id, **repository.member_data(new)})
    writes = [
        *(repository.adding(filling.group_id, new) if new else []),
        *([Delete(place, when=Exists())] if rows else []),
    ]
    return Batch(writes, progress, event if new else None, is_last=progress["done"] == filling.slices)


# --- changing ---


def _find_own(user: User, group_id: str) -> Group:
    group = repository.find(group_id)
    if group is None or not group.is_owned_by(user.name):
        raise NotThere(NOT_THERE)
    return group


def rename(user: User, group_id: str, name: str) -> None:
    """Of two concurrent renamings, the second wins."""

    def act() -> None:
        group = _find_own(user, group_id)
        if name != group.name:
            event = Event(user.name, "GroupRenamed", {"group_id": group.id, "name": name})
            refusals = {1: LostRace(), 0: NameTaken(NAME_TAKEN)}
            record(event, *repository.renaming(group, name), refusals=refusals)

    retry_lost_race(act)


def add(user: User, group_id: str, names: Sequence[str], details: DetailsByName = NO_DETAILS) -> Filling:
    """Add known names and all addresses and member numbers; returns how many came in."""
    group = _find_own(user, group_id)
    accounts = repository.find_accounts(names)
    letters = {name: replace(each, groups=None, weight=None) for name, each in details.items() if is_by_number(name)}
    known = [Member(name, accounts.get(keys.fold(name)), letters.get(name, Details())) for name in names]
    known = [each for each in known if not each.is_by_account or each.account]
    check_room(group, len(known))
    filling, task = begin_filling(group, user.name, known)
    if task:
        with suppress(LostRace):  # the same list is on its way already
            is_there = Check(keys.group(group.id), Exists())
            write(*task, is_there, refusals={1: NotThere(NOT_THERE)})
    return fill(filling)


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


def _delete(who: str, group: Group | None) -> None:
    if group is None:
        return
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
    """Elections whose roll it was added to, the newest first; drafts only if this person runs them."""
    uses = table().page(keys.group_uses(group_id), limit=limit, backwards=True).items
    found = filter(None, (elections.find_created(use["election_name"], use["created_at"]) for use in uses))
    return [
        each for each in found if each.stored_state != State.DRAFT or actions.relation(user, each) != Relation.NOBODY
    ]


# --- when a person leaves ---


def forget_person(gone: User) -> None:
    """Remove a leaver from all groups, by name and by address, and delete their own."""

    for name in (gone.name, gone.email):
        there = list(table().each(keys.groups_with(name)))
        process_each(there, lambda item: retry_lost_race(lambda: _remove(SITE, item["group_id"], item["member_name"])))
    own = list(repository.every_group_of(gone.name))
    process_each(own, lambda group: retry_lost_race(lambda: _delete(SITE, repository.find(group.id))))
