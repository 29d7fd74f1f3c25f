"""Voters who keep the secrets of their ballots: to cast, change and withdraw in public and secret elections alike."""

from __future__ import annotations

import hashlib

from accounts.models import User
from ballots import services
from ballots.passes import Pass
from elections import repository as elections
from ranking.rankings import Ranks


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
    if is_known_by_secret and services.standing_of(None, election_name, secret=_secret(who)):
        return None
    return who
