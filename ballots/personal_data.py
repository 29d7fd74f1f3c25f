"""Exports a person's own ballots for their personal data: the public ones, and that there are secret ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from django.utils.translation import gettext as _

from accounts.models import User
from elections import personal_data
from elections import repository as elections
from elections.rolls import weight_fields
from elections.rules import Election
from foundation.acts.storage import table
from foundation.ranking.marks import ranks_of
from foundation.store import keys
from foundation.store.table import Item

from . import repository
from .repository import VoterContext


def export_ballots(user: User) -> Iterator[Item]:
    """One for each roll that says they voted, and each question: of a secret ballot, that it cannot be found."""
    for some in personal_data.entries(user):
        voted = [entry for entry in some if entry["voted"]]
        at = [keys.election(entry["election_name"]) for entry in voted]
        there = table().get_many(set(at)) if at else {}
        contexts = [
            VoterContext(elections.election_of(there[place]), entry["voter_name"], entry, person=user)
            for place, entry in zip(at, voted, strict=True)
            if place in there
        ]
        cast = [
            (question, each.ballot_key(question.number))
            for each in contexts
            if not each.election.secret_ballot
            for question in each.questions
        ]
        found = table().get_many([place for _question, place in cast]) if cast else {}
        yield from (_ballot(question, found[place]) for question, place in cast if place in found)
        note = _("You have voted. Nobody can tell which ballot is yours.")
        secret = (each.election.name for each in contexts if each.election.secret_ballot)
        yield from ({"election": name, "secret": True, "note": note} for name in secret)


def _ballot(question: Election, item: Item) -> Item:
    """A ranking as groups of equals, best first; of other kinds, what each marked candidate was given."""
    ballot = repository.ballot_from(item)
    names = {each.number: each.name for each in elections.candidates_of(question)}
    marks = [(names.get(number, f"#{number}"), value) for number, value in ranks_of(ballot.rankings).items()]
    cast: Item = {"election": question.name, "secret": False}
    cast |= {"question": question.title} if question.more else {}
    if question.kind == "ranked":
        cast["ranking"] = [[name for name, _rank in group] for _rank, group in groupby(marks, lambda mark: mark[1])]
    else:
        cast |= {"kind": question.kind, "marks": dict(marks)}
    cast |= {"confirmation": ballot.confirmation, "cast_at": ballot.when_cast}
    return cast | weight_fields(ballot.weight)
