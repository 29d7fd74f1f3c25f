"""Making a draft, asking several questions in it, and renaming it.

Renaming moves its items to the keys of the new name: one transaction creates the election under the new name and
removes the old one; a background task moves candidates and voters. Until then `renamed_from` is set, the election
cannot be changed, and the old name stays taken.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from elections import repository, rolls, rules, sharding
from elections.actions import check, record
from elections.candidates import as_now, remove_candidates
from elections.lifecycle.services import clear_name
from elections.repository import RENAMING
from elections.rules import Action, Election, Question, check_titles
from foundation.acts import storage
from foundation.acts.background import Batch, Task, finished
from foundation.acts.refusals import LostRace, NameTaken
from foundation.acts.storage import next_version, now_text, table, unchanged
from foundation.pages import markdown
from foundation.store import keys, sharded_reads
from foundation.store.log import Event
from foundation.store.table import Delete, Equals, Exists, Item, Key, Missing, Put, Update, Write

# set by later events
NOT_IN_CREATION_EVENT = (
    *("filling", "lots_commitment", "opened_at", "closed_at", "shows_skills"),
    *("voter_groups", "excluded", "weighted", "extra_votes", "unasked"),
)
# in the creation event only if they differ from these
OMITTED_DEFAULTS: Item = {
    **{"convened": None, "group": "", "for_groups": [], "title": "", "order": [], "more": []},
    **{"kind": "ranked", "fewest": 0, "most": 0, "majority": ""},
}
NAME_TAKEN = _("There is already an election with that name. Please choose another one.")
CANDIDATES_AT_ONCE = 10  # removed with their pictures in one transaction, with room for the election and who runs it
ITEMS_PER_BATCH = 30  # moved in one transaction: each is made there, removed here, and may have a task


def create(actor: User, name: str, *, mark: str | None = None, description: str = "", **settings: Any) -> Election:
    """Idempotent for the same `mark` of a form (see acts/once.py)."""
    shards = sharding.shards_of_new()
    election = Election(name=name, owner_name=actor.name, created_at=now_text(), shards=shards, **settings)
    check_titles(election)
    create_draft(actor, election, mark=mark, description=description)
    return election


def create_draft(
    actor: User, election: Election, *more_writes: Write, mark: str | None = None, description: str = "", **data: Any
) -> None:
    _free_name(election.name)
    fields = repository.fields_of(election).items()
    event_data = {each: value for each, value in fields if each not in NOT_IN_CREATION_EVENT}
    event_data = {each: value for each, value in event_data.items() if value != OMITTED_DEFAULTS.get(each, ...)}
    event_data |= {"election_name": election.name, "description": description, **data}
    writes = repository.creation(election, description)
    event = Event(actor.name, "ElectionCreated", event_data)
    taken = dict.fromkeys(range(len(writes)), NameTaken(NAME_TAKEN))
    storage.record(event, *writes, *more_writes, people.is_same_account(actor), once=mark, refusals=taken)


def _free_name(name: str) -> None:
    if not clear_name(name):
        raise NameTaken(
            _(
                "An election with that name was deleted and is still being cleaned up. Please choose another "
                "name, or try again in a moment."
            )
        )


# --- several questions ---


def add_question(
    actor: User, election: Election, title: str, *, first_title: str = "", mark: str | None = None, **settings: Any
) -> Election:
    """Ask another question; returns the election as it asks it. The first one gets a title, too, once it is no longer
    alone: the name of the election, unless another is given. Idempotent for the same `mark` of a form."""
    check(actor, election, Action.SET_UP)
    whole = election.at(1)
    if len(whole.questions) >= rules.MAX_QUESTIONS:
        raise rules.WrongState(_("An election has at most %(most)d questions.") % {"most": rules.MAX_QUESTIONS})
    number = max((each.number for each in whole.more), default=1) + 1
    after = replace(
        whole,
        title=first_title or whole.title or whole.name,
        more=(*whole.more, Question(number, title, **settings)),
        order=(*whole.order, number) if whole.order else (),
    )
    check_titles(after)
    return _change_questions(actor, whole, after, mark=mark).at(number)


def remove_question(actor: User, question: Election) -> Election:
    """With its candidates, the last few of them together with it. The first one stays as long as there are others:
    everything else is stored with it."""
    check(actor, question, Action.SET_UP)
    if question.number == 1:
        raise rules.WrongState(_("The first question cannot be removed. Change it instead, or remove the others."))
    names = [each.name for each in repository.candidates(question.name, question.number)]
    while len(names) > CANDIDATES_AT_ONCE:
        some, names = names[:CANDIDATES_AT_ONCE], names[CANDIDATES_AT_ONCE:]
        remove_candidates(actor, question, *some)
        question = as_now(question)
    whole = question.at(1)
    more = tuple(each for each in whole.more if each.number != question.number)
    order = tuple(each for each in whole.order if each != question.number) if more else ()
    after = replace(whole, more=more, order=order, title=whole.title if more else "")
    gone = [write for name in names for write in repository.removing_candidate(question.name, name, question.number)]
    return _change_questions(actor, whole, after, *gone)


def move_question(actor: User, question: Election, *, up: bool) -> Election:
    """Exchange it with the one before it or after it on the ballot."""
    check(actor, question, Action.SET_UP)
    order = [each.number for each in question.questions]
    at = order.index(question.number)
    other = at - 1 if up else at + 1
    if not 0 <= other < len(order):
        return question
    order[at], order[other] = order[other], order[at]
    whole = question.at(1)
    return _change_questions(actor, whole, replace(whole, order=tuple(order))).at(question.number)


def _change_questions(
    actor: User, before: Election, after: Election, *more_writes: Write, mark: str | None = None
) -> Election:
    fields = {name: getattr(after, name) for name in ("title", "more", "order")}
    different = {name: value for name, value in fields.items() if getattr(before, name) != value}
    writes = (*repository.change(before, after), *more_writes)
    record(actor, "ElectionUpdated", before, repository.storable(different), *writes, once=mark)
    return next_version(before, after)


# --- renaming ---


def rename(actor: User, election: Election, name: str) -> Election:
    """A draft under another name, with all it has."""
    check(actor, election, Action.RENAME)
    if name == election.name:
        return election
    if keys.fold(name) == keys.fold(election.name):
        record(actor, "ElectionRenamed", election, {"new_name": name}, *respelling(election, name))
        return replace(election, name=name, version=election.version + 1)
    _free_name(name)
    stored = table().get(keys.election(election.name))
    if stored is None:
        raise LostRace
    writes = renaming(election, name, stored)
    event = Event(actor.name, "ElectionRenamed", {"election_name": election.name, "new_name": name})
    taken = dict.fromkeys((0, len(writes) - 2, len(writes) - 1), NameTaken(NAME_TAKEN))
    storage.record(event, *writes, refusals=taken)
    return repository.find_settled(name) or election


def respelling(election: Election, name: str) -> list[Write]:
    """The same name to every key, but other letters to show."""
    first, *others = repository.change(election, replace(election, name=name))
    return [replace(first, set={**first.set, "name": name}), *others]


def renaming(election: Election, name: str, stored: Item) -> list[Write]:
    """Refused in part 0 or the last two if the name is taken; elsewhere, if the election has changed since."""
    old, created_at, shards = election.name, election.created_at, election.shards
    after = replace(election, name=name, renamed_from=old, version=election.version + 1)
    created, *others = repository.creation(after)
    *listed, moved_out, cleared = others
    people = {keys.fold(each): each for each in (election.owner_name, *election.managers)}
    helpers = [each for folded, each in people.items() if folded != keys.fold(election.owner_name)]
    return [
        Put({**stored, **created.item}, when=Missing()),
        *listed,
        *(repository.manager_entry(after, each) for each in helpers),
        Delete(keys.election(old), when=unchanged(election)),
        Delete(keys.listed_election(old)),
        *(Delete(keys.manager(old, each)) for each in people.values()),
        RENAMING.begin(old, new_name=name, created_at=created_at, shards=shards),
        moved_out,
        cleared,
    ]


@RENAMING.step
def rename_batch(task: Task) -> Batch:
    old, new, created_at = task.subject, task.data["new_name"], task.data["created_at"]
    partitions = [keys.all_of_election(old), *keys.all_in_shards(old, task.data["shards"])]
    left = list(islice(sharded_reads.each(table(), partitions), ITEMS_PER_BATCH))
    if not left:
        arrived = Equals("renamed_from", old)
        return finished(Update(keys.election(new), set={"renamed_from": ""}, when=arrived))
    writes: list[Write] = []
    for item in left:  # without cached HTML: a batch of it would exceed one transaction
        moved = {**markdown.without_long_html(item), "PK": keys.under_new_name(item["PK"], old, new)}
        if "election_name" in item:
            moved["election_name"] = new
        if item.get("GSI1SK") == keys.by_date(created_at, old):
            moved["GSI1SK"] = keys.by_date(created_at, new)
        writes += [Put(moved), Delete(Key(item["PK"], item["SK"]), when=Exists())]
        if {"digest", "asked_by"} <= item.keys():
            writes.append(rolls.import_task(new, item["digest"], item["asked_by"]))
    return Batch(writes)
