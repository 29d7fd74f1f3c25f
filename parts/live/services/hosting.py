"""Limits on creating sessions, and adding and removing hosts."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.rate_limits import SECONDS_PER_DAY, Limit, count
from foundation.acts.refusals import NotAllowed, Refusal
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import record
from foundation.store.keys import fold
from foundation.store.log import Event
from parts.live import changes, repository, rules

from ..rules import Game

MAX_RUNNING_SESSIONS = 30  # per creator, including prepared ones
MADE = Limit("live-maker-day", 50, SECONDS_PER_DAY)
NOBODY = _("Nobody with that name may run live sessions here.")
ALREADY = _("%(name)s already runs this session.")
TOO_MANY = _("A session can have at most %(most)d other hosts.")
TOO_MANY_RUNNING = _("You have %(most)d sessions prepared or running. End one before you create another.")
ONLY_THE_MAKER = _("Only the person who created the session can choose its hosts.")
OVER = _("The session has ended.")


class NotReady(Refusal):
    """A host cannot be added, or no more sessions can be created."""


def check_makes_another(host: User) -> None:
    """Check the limits for another session, and count it towards the daily one."""
    own = (each for each in repository.running_of(host.name) if fold(each.created_by) == fold(host.name))
    if sum(1 for _each in own) >= MAX_RUNNING_SESSIONS:
        raise NotReady(TOO_MANY_RUNNING % {"most": MAX_RUNNING_SESSIONS})
    count(MADE, host.name)


def add(maker: User, game_id: str, name: str) -> str:
    """Add a host, and the session to their history; return their name as spelt in their account."""
    return retry_lost_race(lambda: _added(maker, game_id, name))


def _added(maker: User, game_id: str, name: str) -> str:
    game, person = _made_by(maker, game_id), people.find(name)
    if game.ended_at:
        raise NotReady(OVER)
    if person is None or not person.can(Permission.USE_APPLICATION):
        raise NotReady(NOBODY)
    if fold(person.name) in map(fold, (game.created_by, *game.hosts)):
        raise NotReady(ALREADY % {"name": person.name})
    if len(game.hosts) >= rules.MAX_HOSTS:
        raise NotReady(TOO_MANY % {"most": rules.MAX_HOSTS})
    after = replace(game, hosts=(*game.hosts, person.name))
    event = Event(maker.name, "LiveHostAdded", {"game_id": game.id, "name": person.name})
    record(event, *repository.host_added(game, after, person.name), people.is_same_account(person))
    changes.publish(game.id)
    return person.name


def remove(maker: User, game_id: str, name: str) -> None:
    """Remove a host; idempotent."""
    retry_lost_race(lambda: _removed(maker, game_id, name))


def _removed(maker: User, game_id: str, name: str) -> None:
    game = _made_by(maker, game_id)
    gone = [each for each in game.hosts if fold(each) == fold(name)]
    if not gone:
        return
    after = replace(game, hosts=tuple(each for each in game.hosts if each not in gone))
    event = Event(maker.name, "LiveHostRemoved", repository.host_removed_event_data(game, gone[0]))
    record(event, *repository.host_removed(game, after, gone[0]))
    changes.publish(game.id)


def _made_by(maker: User, game_id: str) -> Game:
    game, _state = repository.load(game_id)
    if fold(game.created_by) != fold(maker.name):
        raise NotAllowed(ONLY_THE_MAKER)
    return game
