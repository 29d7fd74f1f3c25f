"""The voting link, which opens the ballot without signing in, and the result after the close.

It names the election, the voter and the turn, a counter on the roll: a newer link ends older ones. Nothing else of a
link is stored. It works as long as the election exists.
"""

from __future__ import annotations

import secrets
from dataclasses import astuple, dataclass

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from acts.refusals import NotAllowed
from acts.tokens import create_token, read_token
from elections import sharding
from elections.repository import election_of
from elections.rolls import is_by_address
from elections.rules import Election, State
from store import keys
from store.table import Condition, Equals, Exists, Item, Key, Missing, Update

TURN = "turn"  # on the roll; where it is missing no newer link was sent


class LinkRefused(NotAllowed):
    """A link that is not ours, or is no longer valid."""


NOT_LISTED = _("The person it was sent to is not on the roll of this election.")


@dataclass(frozen=True, slots=True)
class Link:
    """Identifies a voter in an election."""

    election_name: str
    created_at: str  # of the election: another one may have its name later
    voter: str  # as on the roll
    turn: str
    address: str = ""  # where it was mailed to, if the roll has the name of an account

    @property
    def token(self) -> str:
        return create_token("vote", *astuple(self))

    def place(self, shards: int) -> Key:
        """Of the entry on the roll that it was made for."""
        return keys.voter(self.election_name, self.voter, shards)

    @property
    def account_place(self) -> Key:
        """The item that says which account the voter has: an address's guard, or the account itself."""
        return keys.email(self.voter) if is_by_address(self.voter) else keys.user(self.voter)

    @property
    def is_newest(self) -> Condition:
        """Holds on the roll entry as long as no newer link was sent."""
        return Missing(TURN) if self.turn == "0" else Equals(TURN, int(self.turn))

    def is_good_for(self, person: User) -> bool:
        """Whether the account still has the address it was mailed to; one by address is whose address it is."""
        return is_by_address(self.voter) or keys.fold(person.email) == keys.fold(self.address)


def link_to(election: Election, entry: Item, address: str) -> Link:
    voter = entry["voter_name"]
    mailed = "" if is_by_address(voter) else address
    return Link(election.name, election.created_at, voter, str(entry.get(TURN, 0)), mailed)


def token_for(election_name: str, voter: str, address: str) -> str | None:
    """The token of a voter's link, if the election allows voting by link."""
    item, entry = sharding.read_with_entry(election_name, voter)
    if item is None or entry is None or not (election := election_of(item)).vote_by_link:
        return None
    return link_to(election, entry, address).token


def read_link(token: str) -> Link:
    parts = read_token("vote", token, None)
    if parts is None or len(parts) != len(Link.__dataclass_fields__):
        raise LinkRefused(_("It is not one of ours, or part of it is missing. Please open it from the mail itself."))
    return Link(*parts)


def check_link(link: Link, election: Election | None, entry: Item | None) -> Election:
    """Refuse a link that is no longer valid, given its election and its entry on the roll as they are now."""
    if election is None or election.created_at != link.created_at or not election.vote_by_link:
        raise LinkRefused(_("The election it led to no longer exists."))
    if entry is None:
        raise LinkRefused(NOT_LISTED)
    if str(entry.get(TURN, 0)) != link.turn:
        sentence = _("A newer link has replaced it. Please open the one in the latest mail about this election.")
        raise LinkRefused(sentence)
    return election


# --- turns ---


def first_turn(election: Election) -> int:
    """The turn of a new entry, at random, so that links of an earlier entry do not fit."""
    return secrets.randbelow(10**9) + 1 if election.vote_by_link and election.stored_state != State.DRAFT else 0


def next_turn(election: Election) -> dict[str, int]:
    """What sending the link again adds to the entry on the roll."""
    return {TURN: 1} if election.vote_by_link else {}


def renewing(election: Election, voter: str) -> Update:
    return Update(sharding.voter_key(election, voter), add=next_turn(election), when=Exists())
