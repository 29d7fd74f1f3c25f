"""Doors of live sessions: only who hosts one drives it, and sees who plays and what came of it."""

from __future__ import annotations

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from acts.refusals import NotAllowed

from . import repository, rules
from .rules import Game, State

Hosted = tuple[Game, State]


def load_hosted(user: User, game_id: str) -> Hosted | None:
    """A session for somebody who hosts it; refused to everybody else, `None` if there is none."""
    found = repository.find(game_id)
    if found is not None and not rules.hosts(found[0], user.name, user.role):
        raise NotAllowed(rules.NOT_YOURS)
    return found


of_hosts = requires(Permission.USE_APPLICATION, load_for=load_hosted)  # the view gets the session and where it is
