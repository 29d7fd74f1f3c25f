"""What ballots tell somebody of themselves: their own, as far as anybody can tell that they are theirs."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.telling import Part
from acts.site import table
from elections import repository as elections
from elections import telling
from store import keys
from store.table import Item

from . import repository
from .repository import Standing


def told(user: User) -> list[Part]:
    return [("ballots", ballots(user))]


def ballots(user: User) -> Iterator[Item]:
    """One for each roll that says they voted. What the ballot page would not show them, this does not either."""
    for some in telling.entries(user):
        voted = [entry for entry in some if entry["voted"]]
        standings = list(_standings(user, voted)) if voted else []
        places = [place for each in standings if each.is_shown and (place := each.ballot_key)]
        found = table().get_many(places) if places else {}
        yield from (_ballot(each, found.get(each.ballot_key) if each.ballot_key else None) for each in standings)


def _standings(user: User, entries: list[Item]) -> Iterator[Standing]:
    places = {entry["election_name"]: keys.election(entry["election_name"]) for entry in entries}
    salts = {name: keys.salt(name) for name in places}
    found = table().get_many([*places.values(), *salts.values()])
    for entry in entries:
        name = entry["election_name"]
        if places[name] in found:
            election = elections.election_of(found[places[name]])
            yield Standing(election, entry["voter_name"], entry, (), found.get(salts[name]), person=user)


def _ballot(standing: Standing, item: Item | None) -> Item:
    cast = {"election": standing.election.name, "secret": standing.election.secret_ballot}
    if item is None:
        return cast | {"note": _("You have voted. Which ballot is yours nobody can tell, or nobody is shown any more.")}
    names = {str(each.number): each.name for each in repository.candidates_of(standing.election)}
    ballot = repository.ballot_from(item)
    groups = [[names.get(number, f"#{number}") for number in group.split("=")] for group in _groups(ballot.rankings)]
    return cast | {"ranking": groups, "confirmation": ballot.confirmation, "cast_at": ballot.when_cast}


def _groups(rankings: str) -> list[str]:
    return [group for group in rankings.split(">") if group]
