"""Who may read a result: members, voters with a pass, and the public if the organiser has chosen so.

A pass opens what a member on the roll would see of its election, and nothing else.
Strangers see what was counted and what they need to check it, but never who voted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest

from accounts.access import current_person, requires
from accounts.models import User
from accounts.rules import Permission
from ballots import passes
from ballots import services as voting
from ballots.passes import Pass
from elections import repository as elections
from elections.access import check_visible
from elections.rules import Election, State
from foundation.pages.client_address import client_network


@dataclass(frozen=True, slots=True)
class Stranger:
    """A reader without an account or a pass, at a result that is public."""

    voter: str = ""  # as a pass has one


STRANGER = Stranger()
Reader = User | Pass | Stranger


def is_shared(election: Election) -> bool:
    return election.results_public and election.stored_state != State.DRAFT


def by_pass(request: HttpRequest, name: str, **_words: Any) -> Pass | None:
    """The pass that opens the result to this browser; none for members, who need none."""
    return None if _is_member(request) else passes.pass_for_election(request, name)


def by_pass_or_stranger(request: HttpRequest, name: str, **_words: Any) -> Pass | Stranger | None:
    if _is_member(request):
        return None
    if (held := passes.pass_for_election(request, name)) is not None:
        return held
    election = elections.find_recent(name)
    return STRANGER if election is not None and is_shared(election) else None


def _is_member(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.can(Permission.VIEW_APPLICATION)


for_voters = partial(requires, Permission.VIEW_APPLICATION, guests=by_pass)
for_anybody = partial(requires, Permission.VIEW_APPLICATION, guests=by_pass_or_stranger)


def check_reads(reader: Reader, election: Election) -> None:
    """Raises if they may not read this election's result."""
    if isinstance(reader, Stranger):
        may_read = is_shared(election)
    elif isinstance(reader, Pass):
        may_read = election.stored_state != State.DRAFT and voting.opens_result(reader, election)
    else:
        return check_visible(reader, election)
    if not may_read:
        raise Http404
    return None


def is_stranger(request: HttpRequest) -> bool:
    """Whether the page must hide who voted."""
    return isinstance(current_person(request), Stranger)


def limit_key(request: HttpRequest) -> str:
    """The rate-limit key of this reader."""
    reader = current_person(request)
    if isinstance(reader, Pass):
        return f"pass {reader.link.hash}"
    return client_network(request) if isinstance(reader, Stranger) else reader.name
