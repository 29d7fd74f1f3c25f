"""Voting by link: what a link points to now, and the voter's context in the election."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.access import demands_second_factor
from accounts.models import User
from accounts.rules import Permission
from ballots import repository
from ballots.passes import Pass, pass_for_election
from ballots.repository import Lookup, VoterContext
from elections import repository as elections
from elections import rolls, sharding
from elections.invitations.voting_link import NOT_LISTED, STATION, Link, LinkRefused, check_link
from elections.rules import Election
from foundation.store import keys
from foundation.store.table import Item


class SignInInstead(LinkRefused):
    """An account that must sign in, because a link may not bypass its second step."""


SIGN_IN = _("This link belongs to an account with two-step sign-in. Please sign in to vote.")
NO_VOTE = _("This link belongs to an account that is not allowed to vote.")
SIGN_IN_TO_READ = _("This link belongs to an account with two-step sign-in. Please sign in to see the result.")
NO_RESULT = _("This link belongs to an account that is not allowed to see results.")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a link points to: the election, the entry on its roll, and the recipient's account, if any."""

    election: Election
    entry: Item
    person: User | None

    @property
    def label(self) -> str:
        """What pages call the voter."""
        return rolls.voter_label(self.entry["voter_name"], self.entry.get("display_name", ""))


def resolve_link(link: Link, channel: str = "") -> LinkTarget:
    """Raises `LinkRefused` if the link is no longer valid."""
    at = keys.election(link.election_name)
    shards, found = sharding.read(link.election_name, lambda shards: [link.place(shards), link.account_place])
    election = elections.election_of(found[at]) if at in found else None
    entry = found.get(link.place(shards))
    election = check_link(link, election, entry, channel)
    assert entry is not None  # or the link was refused
    return LinkTarget(election, entry, _person(link, entry, found.get(link.account_place)))


def _person(link: Link, entry: Item | None, account: Item | None) -> User | None:
    """For an entry by address, its current owner; for one by name, the account it was made for."""
    if not rolls.is_by_account(link.voter):
        return people.find(account["name"]) if account else None
    person = people.user_of(account) if account else None
    if person is None or not rolls.entries_of(person, [entry] if entry else []) or not link.is_good_for(person):
        raise LinkRefused(NOT_LISTED)
    return person


def check_holder(person: User | None, *, is_seen: bool = False) -> None:
    """An account may do by link what it may do signed in, but a link bypasses no second step; an officer who has seen
    the person does."""
    if is_seen and person is not None and person.can(Permission.VOTE):
        return
    _check_account(person, Permission.VOTE, NO_VOTE, SIGN_IN)


def check_reader(person: User | None) -> None:
    """Like `check_holder`, for reading the result."""
    _check_account(person, Permission.VIEW_APPLICATION, NO_RESULT, SIGN_IN_TO_READ)


def _check_account(person: User | None, permission: Permission, refusal: str, sign_in: str) -> None:
    if person is None:
        return
    if not person.can(permission):
        raise LinkRefused(refusal)
    if person.factors or demands_second_factor(person):
        raise SignInInstead(sign_in)


def link_holder(request: HttpRequest, election: Election) -> str:
    """The voter on the roll whose link this browser holds, as long as the link is valid; else nobody."""
    held = pass_for_election(request, election.name)
    try:
        return resolve_link(held.link, held.channel).entry["voter_name"] if held else ""
    except LinkRefused:
        return ""


def guest_with_link(request: HttpRequest, election_name: str) -> Pass | None:
    """Who may look at the election by the link that this browser holds. Refused if the link is no longer valid."""
    held = pass_for_election(request, election_name)
    election = elections.find(election_name) if held else None
    return held if held and election and opens_result(held, election) else None


def opens_result(held: Pass, election: Election) -> bool:
    """Whether the pass is for this election. Refused if its link is no longer valid."""
    found = resolve_link(held.link, held.channel)
    check_reader(found.person)
    return held.is_of(election.name)


def context_of_pass(held: Pass, lookup: Lookup) -> VoterContext | None:
    """Of the holder of the pass, in one round trip unless they have an account."""
    link, lookup = held.link, replace(lookup, secret=held.secret or lookup.secret)
    found = repository.context_of_link(link, lookup)
    if found is None or found.home is None:
        return None
    items, home, at = found.linked_items, found.home, keys.election(link.election_name)
    check_link(link, elections.election_of(items[at]) if at in items else None, items.get(home), held.channel)
    if not held.is_of(lookup.election_name):
        return None
    person = _person(link, items.get(home), items.get(link.account_place))
    check_holder(person, is_seen=held.channel == STATION)
    if person is not None:
        found = repository.context_of_account(person, lookup)
    return found and replace(
        found, person=person, link=link, link_is_secret=bool(held.secret), home=home, linked_items=items
    )
