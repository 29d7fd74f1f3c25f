"""What has changed, for pages of a session that are open: as it happens, or when they ask.

Both say the same, a whole picture first. They are asked by a thousand phones at once, so that they take one round trip,
and a second where somebody's own answer is to be shown; a player's account is nobody's business and is not looked for.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.http import require_safe

from accounts.access import access_response, public, requires
from accounts.rules import Permission
from acts.refusals import NotAllowed
from live import clock, players, rules
from live.players import Player
from live.room import Room
from live.seats import Seat
from live.services import answering
from live.show import fragments, hub, presence, rooms, screens
from live.show.fragments import ELSEWHERE, GONE, LAST, Said
from live.show.hub import Ear
from live.show.screens import HOSTING, OF_QA, SEATED, Role
from pages import streams
from pages.client_address import client_network
from pages.streams import Listener
from store import keys

MAX_ID_CHARS = 64
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Asker:
    """Whoever looks at a session, and as what."""

    room: Room
    role: Role
    player: Player | None = None
    salt: bytes | None = None  # of an anonymous round that is open

    @property
    def seat(self) -> Seat | None:
        return self.player.seat if self.player else None

    @property
    def percent(self) -> int:
        return self.seat.percent if self.seat else clock.DEFAULT_PERCENT

    @property
    def last(self) -> Said | None:
        """All that somebody hears who has no seat any more, or has it on another device."""
        if self.player is None or (self.player.is_newest and not self.player.seat.removed):
            return None
        return GONE if self.player.seat.removed else ELSEWHERE

    @property
    def version(self) -> str:
        return fragments.version(self.role, self.room, self.seat)


# --- who asks ---


def _asker(request: HttpRequest, game_id: str, role: str) -> Asker:
    """Whoever may look; a stranger is not told whether there is such a session."""
    if role not in set(Role) or len(game_id) > MAX_ID_CHARS:
        raise Http404
    if role in SEATED:
        return _player(request, game_id, Role(role))
    room = rooms.current(game_id)
    if room is None:
        raise Http404
    if role in HOSTING:
        _check_host(request, room)
    elif not hmac.compare_digest(room.game.screen_token.encode(), request.GET.get("token", "").encode()):
        raise Http404
    return Asker(_upvoted(room, Role(role)), Role(role))


def _upvoted(room: Room, role: Role) -> Room:
    return rooms.upvoted(room) if role in OF_QA else room


def _player(request: HttpRequest, game_id: str, role: Role) -> Asker:
    place, salt = players.seat_key(request, game_id), rooms.place_of_salt(game_id)
    if place is None:
        raise Http404
    room, items = rooms.current_with(game_id, *filter(None, (place, salt)))
    player = players.of_items(request, game_id, items)
    if room is None or player is None:
        raise Http404
    known = items.get(keys.game_salt(game_id, room.state.round))
    return Asker(_upvoted(room, role), role, player, known["salt"] if known else None)


@requires(Permission.USE_APPLICATION)
def _only_hosts(request: HttpRequest) -> HttpResponse:
    raise Http404


def _check_host(request: HttpRequest, room: Room) -> None:
    user = request.user
    if access_response(request, _only_hosts) or not rules.hosts(room.game, user.name, user.role):
        raise NotAllowed(rules.NOT_YOURS)


# --- what they are told ---


def _snapshot(request: HttpRequest, asker: Asker) -> list[Said]:
    """All of it, but for what the page says that it has."""
    room, has = asker.room, request.GET
    shown = fragments.for_all(asker.role, room, asker.percent)
    said = [each for each in shown if each.name != "screen" or each.key != has.get("screen")]
    if asker.seat is not None and screens.mine_key(room, asker.seat, asker.role) != has.get("mine"):
        said.append(fragments.mine(room, asker.seat, asker.role, **_own(asker, asker.seat)))
    return said + (fragments.consent(asker.role, room, asker.seat) if asker.seat else [])


def _own(asker: Asker, seat: Seat) -> dict[str, Any]:
    """What a player has said, where their page shows it."""
    room = asker.room
    if asker.role != Role.PLAYER:
        return {}
    return answering.shown(answering.own(room.game, room.state, seat, asker.salt))


@public
@require_safe
def now(request: HttpRequest, game_id: str, role: str) -> HttpResponse:
    """What has changed since the version that the page has; nothing, if nothing has."""
    asker = _asker(request, game_id, role)
    if asker.last:
        return HttpResponse(fragments.as_json(LAST, [asker.last]), content_type=JSON)
    if "quiet" not in request.GET:  # a page that has a stream, and only wonders
        _note(asker)
    if asker.version == request.GET.get("version"):
        return HttpResponse(status=204)
    return HttpResponse(fragments.as_json(asker.version, _snapshot(request, asker)), content_type=JSON)


def _note(asker: Asker) -> None:
    """Who asks is there."""
    game_id = asker.room.game.id
    if asker.seat is not None:
        presence.PRESENCE.saw_player(game_id, asker.seat.player)
    elif asker.role in HOSTING:
        presence.PRESENCE.saw_host(game_id)
    presence.PRESENCE.look(asker.room)


@public
@require_safe
def stream(request: HttpRequest, game_id: str, role: str) -> HttpResponse:
    """What changes from now on, after all that is now. Where no answer is held open, pages ask."""
    asker = _asker(request, game_id, role)
    if asker.last:
        return HttpResponse(fragments.as_stream(LAST, [asker.last]), content_type=streams.EVENT_STREAM)
    address = client_network(request)
    if not (streams.can_stream(request) and hub.HUB.has_room_for(address)):
        return HttpResponse(status=204)
    first = fragments.as_stream(asker.version, _snapshot(request, asker))
    language = translation.get_language() or settings.LANGUAGE_CODE

    def begin(listener: Listener) -> None:
        hub.HUB.join(asker.room, _ear(listener, language, asker, address))

    def end(listener: Listener) -> None:
        hub.HUB.leave(game_id, listener)

    return streams.open_answer(request, first, begin, end)


def _ear(listener: Listener, language: str, asker: Asker, address: str) -> Ear:
    """What the page was shown first, it has heard."""
    room, seat = asker.room, asker.seat
    with translation.override(language):
        shown = fragments.for_all(asker.role, room, asker.percent)
    ear = Ear(listener, asker.role, language, address, version=room.state.version)
    ear.hears(shown)
    if seat is not None:
        ear.player, ear.device, ear.seat = seat.player, seat.device, seat.version
        with translation.override(language):
            ear.own = hub.mark_of_mine(room, seat, asker.role)
    return ear
