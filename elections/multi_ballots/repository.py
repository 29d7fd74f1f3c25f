"""Multi-question ballots in the table, and the writes that keep them and their elections in step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace

from django.utils.translation import gettext_lazy as _

from elections import repository as elections
from elections.rules import Action, Election, State
from foundation.acts import versions
from foundation.acts.background import TaskType
from foundation.acts.storage import table
from foundation.acts.versions import unchanged
from foundation.store import keys
from foundation.store.table import Check, Delete, Item, Missing, Put, Update, Write

from . import rules
from .rules import MultiBallot

ACTING = TaskType("act on ballot", _("Opening, extending or closing all questions of a ballot"))
LISTING = TaskType("add to rolls", _("Adding voters to the other questions of a ballot"))


def find(ballot_id: str) -> MultiBallot | None:
    item = table().get(keys.multi_ballot(ballot_id))
    return multi_ballot_of(item) if item else None


def find_all(ids: Sequence[str]) -> dict[str, MultiBallot]:
    """Those of the multi-question ballots that are there, by number, in one round trip."""
    found = table().get_many([keys.multi_ballot(ballot_id) for ballot_id in ids]) if ids else {}
    return {item["id"]: multi_ballot_of(item) for item in found.values()}


def find_with_task(ballot_id: str) -> tuple[MultiBallot | None, Item | None]:
    """The multi-question ballot and the running task on all its elections, in one round trip."""
    at, work = keys.multi_ballot(ballot_id), ACTING.key(ballot_id)
    found = table().get_many([at, work])
    return (multi_ballot_of(found[at]) if at in found else None), found.get(work)


def multi_ballot_of(item: Item) -> MultiBallot:
    fields = {name: item[name] for name in ("id", "name", "leader", "created_at", "version")}
    return MultiBallot(questions=tuple(item["questions"]), **fields)


def questions(ballot: MultiBallot) -> list[Election]:
    """Its elections in their order; one that is just being deleted is missing."""
    places = [keys.election(name) for name in ballot.questions]
    found = table().get_many(places)
    return [elections.election_of(found[place]) for place in places if place in found]


def other_questions(election: Election) -> list[Election]:
    """The other questions on the ballot of this one, if there are any."""
    ballot = find(election.book) if election.book else None
    return [each for each in questions(ballot) if keys.fold(each.name) != keys.fold(election.name)] if ballot else []


def check_single_question(election: Election, action: Action, settings: Iterable[str] = ()) -> None:
    """Refuse what cannot be done to one question of a multi-question ballot alone."""
    if election.book:
        ballot, work = find_with_task(election.book)
        rules.check_single_question(ballot, work is not None, election, action, settings)


def as_led(election: Election) -> Election:
    """With the settings and the roll that a draft gets by the opening: on a ballot, those of its leading question."""
    ballot = find(election.book) if election.book and election.stored_state == State.DRAFT else None
    leader = elections.find(ballot.leader) if ballot and not ballot.is_led_by(election.name) else None
    if leader is None:
        return election
    return replace(rules.as_led(election, leader), voter_count=leader.voter_count, voter_groups=leader.voter_groups)


# --- writes; each returns parts of a transaction ---


def creation(ballot: MultiBallot, bound: Iterable[Election]) -> list[Write]:
    return [Put(_item(ballot), when=Missing()), *binding(bound, ballot.id)]


def _item(ballot: MultiBallot) -> Item:
    place = keys.multi_ballot(ballot.id)
    own = {"PK": place.pk, "SK": place.sk, "entity_type": "BOOK"}
    return own | asdict(ballot) | {"questions": list(ballot.questions)}


def binding(elections: Iterable[Election], ballot_id: str) -> Iterator[Update]:
    """Refused if one of them has changed since it was read."""
    for each in elections:
        set_ = {"book": ballot_id, "version": each.version + 1}
        yield Update(keys.election(each.name), set=set_, when=unchanged(each))
        yield Update(keys.listed_election(each.name), set={"book": ballot_id})


def change(before: MultiBallot, after: MultiBallot) -> Update:
    return versions.change(before, after, _item)


def deletion(ballot: MultiBallot) -> Delete:
    return Delete(keys.multi_ballot(ballot.id), when=unchanged(ballot))


def is_free(ballot_id: str) -> Check:
    """That no task is running on all its elections."""
    return Check(ACTING.key(ballot_id), Missing())


def leaving(election: Election) -> list[Write]:
    """What the deletion of an election does to the multi-question ballot it is bound into."""
    ballot = find(election.book) if election.book else None
    if ballot is None or keys.fold(election.name) not in map(keys.fold, ballot.questions):
        return []
    after = rules.without(ballot, election.name)
    return [deletion(ballot) if after is None else change(ballot, after), is_free(ballot.id)]


def holding(questions: Iterable[Election]) -> list[Write]:
    """A new version for each, so that decisions on an older one are refused."""
    return [
        Update(keys.election(each.name), set={"version": each.version + 1}, when=unchanged(each)) for each in questions
    ]


def followers(election: Election) -> list[str]:
    """The questions whose rolls follow this one's: none while they are drafts, for they get theirs by the opening."""
    if not election.book or election.stored_state == State.DRAFT:
        return []
    ballot = find(election.book)
    if ballot is None or not ballot.is_led_by(election.name):
        return []
    return [name for name in ballot.questions if not ballot.is_led_by(name)]
