"""Everything open that the owner of an address may vote in: by the address, by their account, or as a member."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from accounts import repository as people
from accounts.models import User
from elections import repository, rolls
from elections.invitations.mailing import INVITED
from elections.rules import Election
from foundation.acts.storage import now_text
from foundation.store import keys
from foundation.store.table import Item


@dataclass(frozen=True, slots=True)
class OpenVote:
    """An election, and the entry on its roll."""

    election: Election
    voter: str  # as on the roll; where every member may vote, the account
    was_invited: bool


@dataclass(frozen=True, slots=True)
class OpenVotes:
    """What one address may vote in, the one that ends first on top."""

    to: str  # as it is stored, never as it was typed
    name: str  # to greet them by
    person: User | None
    votes: list[OpenVote]


def find(address: str) -> OpenVotes:
    person = people.find_by_email(address)
    if person is not None and not person.can_vote:
        return OpenVotes(person.email, "", person, [])
    entries = _entries(address, person)
    everyone = rolls.newest_entries(keys.FOR_EVERYONE) if person else []
    names = {keys.fold(each["election_name"]): each["election_name"] for each in (*entries, *everyone)}
    open_ = repository.open_elections(names.values(), now_text())
    own = {keys.fold(each.name): vote for each in open_ if (vote := _vote(each, entries, person))}
    votes = sorted(own.values(), key=lambda each: each.election.no_voting_after or "~")
    first = next(iter(entries), {})
    if person is not None:
        return OpenVotes(person.email, person.display_name or person.name, person, votes)
    return OpenVotes(first.get("voter_name", ""), first.get("display_name", ""), None, votes)


def _entries(address: str, person: User | None) -> list[Item]:
    by_address = rolls.newest_entries(keys.elections_of_voter(address))
    if person is None:
        return by_address
    return rolls.entries_of(person, [*by_address, *rolls.newest_entries(keys.elections_of_voter(person.name))])


def _vote(election: Election, entries: Iterable[Item], person: User | None) -> OpenVote | None:
    """By an entry on its roll, the one that voted if there are two; or as a member."""
    here = [each for each in entries if keys.fold(each["election_name"]) == keys.fold(election.name)]
    entitled = [each for each in here if election.questions_for(rolls.groups_of(each))]
    if entitled:
        entry = min(entitled, key=lambda each: not each["voted"])
        return OpenVote(election, entry["voter_name"], INVITED in entry)
    is_open = person is not None and not here and election.is_open_to(person.votes_since)
    return OpenVote(election, person.name, True) if person and is_open else None
