"""Doors of live sessions: only who hosts one drives it, and sees who plays and what came of it."""

from __future__ import annotations

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from acts.refusals import NotAllowed
from store import keys

from . import repository, rules, seats
from .rules import Game, State
from .seats import Seat

Hosted = tuple[Game, State]


def load_hosted(user: User, game_id: str) -> Hosted | None:
    """A session for somebody who hosts it; refused to everybody else, `None` if there is none."""
    found = repository.find(game_id)
    if found is not None:
        check_hosts(user, found[0])
    return found


def load_seated(user: User, game_id: str, player: str) -> tuple[Game, Seat] | None:
    """Somebody who has a seat in a session, for those who host it."""
    place = keys.seat(game_id, player)
    found, items = repository.find_with(game_id, place)
    if found is None:
        return None
    check_hosts(user, found[0])
    return (found[0], seats.seat_of(items[place])) if place in items else None


def load_removable(user: User, game_id: str) -> Hosted | None:
    """A session for somebody who hosts it, or who looks after the site."""
    found = repository.find(game_id)
    if found is not None and not rules.moderates(user.role):
        check_hosts(user, found[0])
    return found


def check_hosts(user: User, game: Game) -> None:
    if not rules.hosts(game, user.name, user.role):
        raise NotAllowed(rules.NOT_YOURS)


of_hosts = requires(Permission.USE_APPLICATION, load_for=load_hosted)  # the view gets the session and where it is
of_hosts_and_moderators = requires(Permission.USE_APPLICATION, load_for=load_removable)
of_a_seat = requires(Permission.USE_APPLICATION, load_for=load_seated)  # it gets the session and the seat
