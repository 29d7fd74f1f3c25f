"""Who may open which page about an election, and what every such page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from acts.site import now_text

from . import renaming, rules, services
from .rules import Action, Election, Relation, State


def visible(user: User, election: Election) -> None:
    """A draft is there for those who run it, and for nobody else."""
    if election.stored_state == State.DRAFT and services.relation(user, election) == Relation.NOBODY:
        raise Http404


def may(action: Action) -> Callable[[User, Election], None]:
    def rule(user: User, election: Election) -> None:
        visible(user, election)
        rules.check_who(services.relation(user, election), action)

    return rule


def run(action: Action) -> Any:
    """A page of somebody who runs the election."""
    return requires(Permission.USE_APPLICATION, load=renaming.found, rule=may(action))


def context_of(request: HttpRequest, election: Election, **more: Any) -> dict[str, Any]:
    """What every page about one election shows: the election, its state, and what this person may do now."""
    state = election.state(now_text())
    user = request.user
    who = services.relation(user, election) if user.is_authenticated else Relation.NOBODY
    offered = {action.name for action in rules.offered(who, state)}
    return {"election": election, "state": state, "offered": offered, **more}
