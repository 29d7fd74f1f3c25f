"""Access to live sessions: hosts by account, players by seat and within a rate limit."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.access import requires
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.refusals import NotAllowed, Refusal
from foundation.store import keys
from parts.live import players, repository, rules, seats
from parts.live.players import Player
from parts.live.rules import Game, Phase, State
from parts.live.seats import Seat
from parts.live.services import answering
from parts.live.snapshot import Snapshot

from . import snapshots
from .formats import SCREENS, Role

NOT_HERE = gettext_lazy("You cannot answer from here at the moment. Reload the page to see why.")

Hosted = tuple[Game, State]


def load_hosted(user: User, game_id: str) -> Hosted | None:
    """Loads a session for one of its hosts; refuses everybody else. `None` if it does not exist."""
    found = repository.find_shown(game_id)
    if found is not None:
        check_hosts(user, found[0])
    return found


def load_seated(user: User, game_id: str, player: str) -> tuple[Game, Seat] | None:
    """Loads a player's seat for a host of the session."""
    place = keys.seat(game_id, player)
    found, items = repository.find_shown_with(game_id, place)
    if found is None:
        return None
    check_hosts(user, found[0])
    return (found[0], seats.seat_from_item(items[place])) if place in items else None


def load_removable(user: User, game_id: str) -> Hosted | None:
    """Loads a session for one of its hosts, or for a moderator of the site."""
    found = repository.find_shown(game_id)
    if found is not None and not rules.moderates(user.role):
        check_hosts(user, found[0])
    return found


def check_hosts(user: User, game: Game) -> None:
    if not rules.hosts(game, user.name, user.role):
        raise NotAllowed(rules.NOT_YOURS)


for_hosts = requires(Permission.USE_APPLICATION, load_for=load_hosted)  # passes the session and its state to the view
for_hosts_and_moderators = requires(Permission.USE_APPLICATION, load_for=load_removable)
for_hosts_of_seat = requires(Permission.USE_APPLICATION, load_for=load_seated)  # passes the session and the seat


def push_urls(role: Role, snapshot: Snapshot) -> dict[str, Any]:
    """URLs for updates, and the version that the page shows; screens without an account authenticate with the token
    that opened them."""
    game, by_token = snapshot.game, role in (Role.SCREEN, Role.SCOREBOARD)
    ways = {"stream": "game_stream", "now": "game_now"}
    token = f"?token={game.screen_token}" if by_token else ""
    urls = {name: reverse(way, args=[game.id, role]) + token for name, way in ways.items()}
    return {**urls, "version": snapshot.state.version}


def return_page(asked: str, game: Game, otherwise: str = "host_game") -> str:
    """The host page that the form was sent from, if it is a page of this session."""
    return asked if asked in ("host_game", "remote", game.format.questions_page) else otherwise


# --- players ---


@dataclass(frozen=True, slots=True)
class PlayerContext:
    """A snapshot of the session, and the player looking at it."""

    snapshot: Snapshot
    seat: Seat
    salt: bytes | None = None  # of the current round, if it was read in the same round trip

    @property
    def own_answer(self) -> dict[str, Any]:
        """The player's answer in the open phase."""
        return answering.answer_context(answering.own(self.snapshot.game, self.snapshot.state, self.seat, self.salt))


def load_player(
    request: HttpRequest, game_id: str, suffices: Callable[[State], bool] = lambda state: False
) -> PlayerContext | HttpResponse:
    """Loads what a page or an answer needs in one round trip, or returns a page for visitors who cannot play now."""
    place, salt = players.seat_key(request, game_id), snapshots.salt_key(game_id)
    snapshot, items = snapshots.recent_with(game_id, *filter(None, (place, salt)), suffices=suffices)
    if snapshot is None:
        raise Http404
    player = players.from_items(request, game_id, items)
    answer = blocked_page(request, snapshot.game, snapshot.state, player)
    if player is None or answer is not None:
        return answer or redirect("join")
    known = items.get(keys.game_salt(game_id, snapshot.state.round))
    return PlayerContext(snapshot, player.seat, known["salt"] if known else None)


def blocked_page(request: HttpRequest, game: Game, state: State, player: Player | None) -> HttpResponse | None:
    """The page for a visitor who cannot play now; `None` for everybody else."""
    if player is None:
        return _without_seat(request, game, state)
    if player.seat.removed:
        return _page(request, "removed", game, player, 403)
    if player.seat.left:
        return _page(request, "left", game, player, 200, **SCREENS.of(game).left_context(player.seat, state))
    if not player.is_newest:
        return _page(request, "elsewhere", game, player, 409)
    return None if player.seat.approved else _page(request, "waiting", game, player, 200)


def _without_seat(request: HttpRequest, game: Game, state: State) -> HttpResponse:
    if state.phase == Phase.ENDED:
        return ended_page(request, game.ended_at or state.changed_at)
    had_seat = players.pass_of(request, game.id) is not None
    answer = SCREENS.of(game).other_device_page(request, game, state) if had_seat else None
    if answer is not None:
        return answer
    messages.info(request, _("You have not joined that session in this browser. Enter the code from the big screen."))
    return redirect("join")


def _page(request: HttpRequest, name: str, game: Game, player: Player, status: int, **more: Any) -> HttpResponse:
    context = {"game": game, "seat": player.seat, **more}
    return render(request, game.format.template(f"join/{name}"), context, status=status)


def ended_page(request: HttpRequest, ended_at: str) -> HttpResponse:
    return render(request, "live/join/ended.html", {"ended_at": ended_at}, status=410)


# --- rate limit: in the memory of each process, since a counter in the store would cost more than it saves ---

MAX_ACTIONS, WINDOW_MS = 20, 10_000  # answers or votes per player and window
MAX_CACHED_PLAYERS = 5_000  # per process

TOO_FAST = gettext_lazy("That was too fast. What you sent before counts; wait a few seconds.")


class TooFast(Refusal):
    """A player exceeded the rate limit."""


class RateLimit:
    def __init__(self, most: int = MAX_ACTIONS, within: int = WINDOW_MS) -> None:
        self.most, self.within = most, within
        self._turn = threading.Lock()
        self._said: OrderedDict[str, deque[int]] = OrderedDict()

    def check(self, who: str, at: int) -> None:
        with self._turn:
            times = self._said.setdefault(who, deque(maxlen=self.most))
            self._said.move_to_end(who)
            if len(self._said) > MAX_CACHED_PLAYERS:
                self._said.popitem(last=False)
            if len(times) == self.most and at - times[0] < self.within:
                raise TooFast(TOO_FAST)
            times.append(at)


ANSWER_RATE = RateLimit()
