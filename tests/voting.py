"""Voters who keep the secrets of their ballots: to cast, change and withdraw in public and secret elections alike."""

from __future__ import annotations

import hashlib

from accounts.models import User
from ballots import services
from ballots.passes import Pass
from elections import repository as elections
from elections.invitations.voting_link import Link, new_token, read_link
from foundation.acts.storage import table
from foundation.ranking.marks import Ranks
from foundation.store import keys


def secret_for(name: str) -> str:
    """The secret of somebody's ballots, as if their browser always drew the same half."""
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def cast(who: User | Pass, election_name: str, ranks: Ranks, form: str) -> services.Outcome:
    """Cast a ballot, or change the one that was cast before."""
    return services.cast(_actor(who, election_name), election_name, ranks, form, secret=_secret(who))


def withdraw(who: User | Pass, election_name: str, form: str) -> services.Outcome:
    return services.withdraw(_actor(who, election_name), election_name, form, secret=_secret(who))


def _secret(who: User | Pass) -> str:
    return who.secret if isinstance(who, Pass) else secret_for(who.name)


def _actor(who: User | Pass, election_name: str) -> User | Pass | None:
    """Whoever has voted in secret is known by their secret alone."""
    election = elections.find(election_name)
    is_known_by_secret = election is not None and election.secret_ballot and isinstance(who, User)
    if is_known_by_secret and services.voter_context(None, election_name, secret=_secret(who)):
        return None
    return who


def link_to(election_name: str, voter: str, address: str = "") -> Link:
    """The link in somebody's mail: the same again as long as it is good."""
    election, entry = elections.find(election_name), table().get(keys.voter(election_name, voter))
    assert election is not None
    place = election.name, election.created_at, voter, address
    if place not in _links or entry is None or _links[place].mail_on(entry) is None:
        token = new_token(election_name, voter, address, f"mail {len(_links)}")
        assert token is not None, "there are no links in this election"
        _links[place] = read_link(token)
    return _links[place]


_links: dict[tuple[str, ...], Link] = {}
