"""Exports a person's own ballots for their personal data, as far as they can still be linked to them."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from accounts.models import User
from acts.storage import table
from elections import personal_data, sharding
from elections import repository as elections
from store import keys
from store.table import Item, Key
from tally.ballots import groups_of

from . import repository
from .repository import Standing


def export_ballots(user: User) -> Iterator[Item]:
    """One for each roll that says they voted. What the ballot page would not show them, this does not either."""
    for some in personal_data.entries(user):
        voted = [entry for entry in some if entry["voted"]]
        standings = list(_standings(user, voted)) if voted else []
        own = [place for each in standings if each.may_see_ballot and (place := each.ballot_key)]
        found = table().get_many(own) if own else {}
        yield from (_ballot(each, found.get(each.ballot_key) if each.ballot_key else None) for each in standings)


def _standings(user: User, entries: list[Item]) -> Iterator[Standing]:
    names = list(dict.fromkeys(entry["election_name"] for entry in entries))

    def salts(*shards: int) -> list[Key]:
        return [keys.salt(name, user.name, many) for name, many in zip(names, shards, strict=True)]

    shards, found = sharding.read_all(names, salts)
    salt_of = dict(zip(names, salts(*shards), strict=True))
    for entry in entries:
        name = entry["election_name"]
        if (item := found.get(keys.election(name))) is not None:
            election = elections.election_of(item)
            yield Standing(election, entry["voter_name"], entry, (), found.get(salt_of[name]), person=user)


def _ballot(standing: Standing, item: Item | None) -> Item:
    cast = {"election": standing.election.name, "secret": standing.election.secret_ballot}
    if item is None:
        return cast | {"note": _("You have voted. Your ballot can no longer be linked to you, or is no longer shown.")}
    names = {each.number: each.name for each in elections.candidates_of(standing.election)}
    ballot = repository.ballot_from(item)
    groups = [[names.get(number, f"#{number}") for number in group] for group in groups_of(ballot.rankings)]
    return cast | {"ranking": groups, "confirmation": ballot.confirmation, "cast_at": ballot.when_cast}
