"""Who is asking: the signed-in person, the holder of a voting link, or nobody we know."""

from __future__ import annotations

from django.http import HttpRequest

from accounts import repository as people
from ballots.services import link_holder
from elections import rolls
from elections.rules import Election

from .rules import Asker


def asker_of(request: HttpRequest, election: Election) -> Asker | None:
    """None for somebody who must type a name and an address."""
    user = request.user
    if user.is_authenticated:
        return Asker(user.display_name or user.name, user.email, user.name, user.created_at)
    voter = link_holder(request, election)
    return Asker(rolls.voter_label(voter), _address_of(voter), voter=voter) if voter else None


def _address_of(voter: str) -> str:
    """None of somebody who is listed by number: they type one."""
    if rolls.is_by_address(voter):
        return voter
    person = people.find(voter)
    return person.email if person else ""
