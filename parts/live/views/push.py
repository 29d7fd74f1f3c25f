"""Event stream and polling for open pages of a session; both send the same events, a full snapshot first.

A thousand phones may ask at once, so each request takes one round trip, and a second for a player's own answer. The
account of a player is never looked up.
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
from foundation.acts.refusals import NotAllowed
from foundation.pages import streams
from foundation.pages.client_address import client_network
from foundation.pages.streams import Listener
from foundation.store import keys
from parts.live import clock, players, rules
from parts.live.players import Player
from parts.live.screens import broadcaster, player_part, presence, push_events, snapshots
from parts.live.screens.broadcaster import Subscriber
from parts.live.screens.formats import HOSTING, OF_QA, SEATED, Role
from parts.live.screens.push_events import ELSEWHERE, GONE, LAST, PushEvent
from parts.live.seats import Seat
from parts.live.services import answering
from parts.live.snapshot import Snapshot

MAX_ID_CHARS = 64
ROLES = frozenset(Role)
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class PushClient:
    """The client of a push request, and its role."""

    snapshot: Snapshot
    role: Role
    player: Player | None = None
    salt: bytes | None = None  # of an open anonymous round

    @property
    def seat(self) -> Seat | None:
        return self.player.seat if self.player else None

    @property
    def percent(self) -> int:
        return self.seat.percent if self.seat else clock.DEFAULT_PERCENT

    @property
    def last(self) -> PushEvent | None:
        """The final event for a player who was removed, or whose seat is on another device."""
        if self.player is None or (self.player.is_newest and not self.player.seat.removed):
            return None
        return GONE if self.player.seat.removed else ELSEWHERE

    @property
    def version(self) -> str:
        return push_events.version(self.role, self.snapshot, self.seat)


# --- clients ---


def _load_client(request: HttpRequest, game_id: str, role: str) -> PushClient:
    """Refuses strangers without revealing whether the session exists."""
    if role not in ROLES or len(game_id) > MAX_ID_CHARS:
        raise Http404
    if role in SEATED:
        return _player(request, game_id, Role(role))
    snapshot = snapshots.current(game_id)
    if snapshot is None:
        raise Http404
    if role in HOSTING:
        _check_host(request, snapshot)
    elif not hmac.compare_digest(snapshot.game.screen_token.encode(), request.GET.get("token", "").encode()):
        raise Http404
    return PushClient(_upvoted(snapshot, Role(role)), Role(role))


def _upvoted(snapshot: Snapshot, role: Role) -> Snapshot:
    return snapshots.with_upvotes(snapshot) if role in OF_QA else snapshot


def _player(request: HttpRequest, game_id: str, role: Role) -> PushClient:
    place, salt = players.seat_key(request, game_id), snapshots.salt_key(game_id)
    if place is None:
        raise Http404
    snapshot, items = snapshots.recent_with(game_id, *filter(None, (place, salt)))
    player = players.from_items(request, game_id, items)
    if snapshot is None or player is None:
        raise Http404
    known = items.get(keys.game_salt(game_id, snapshot.state.round))
    return PushClient(_upvoted(snapshot, role), role, player, known["salt"] if known else None)


@requires(Permission.USE_APPLICATION)
def _hosts_only(request: HttpRequest) -> HttpResponse:
    raise Http404


def _check_host(request: HttpRequest, snapshot: Snapshot) -> None:
    user = request.user
    if access_response(request, _hosts_only) or not rules.hosts(snapshot.game, user.name, user.role):
        raise NotAllowed(rules.NOT_YOURS)


# --- events ---


def _missing_events(request: HttpRequest, client: PushClient, every: list[PushEvent]) -> list[PushEvent]:
    """These events for all and the player's own, except those that the page says it already has."""
    snapshot, has = client.snapshot, request.GET
    events = [each for each in every if each.name != "screen" or each.key != has.get("screen")]
    if client.seat is not None and player_part.own_key(snapshot, client.seat, client.role) != has.get("mine"):
        events.append(push_events.mine(snapshot, client.seat, client.role, **_own_answer(client, client.seat)))
    return events + (push_events.consent(client.role, snapshot, client.seat) if client.seat else [])


def _own_answer(client: PushClient, seat: Seat) -> dict[str, Any]:
    """The player's answer, if their page shows it."""
    snapshot = client.snapshot
    if client.role != Role.PLAYER:
        return {}
    return answering.answer_context(answering.own(snapshot.game, snapshot.state, seat, client.salt))


@public
@require_safe
def now(request: HttpRequest, game_id: str, role: str) -> HttpResponse:
    """Events since the page's version; none if nothing has changed."""
    client = _load_client(request, game_id, role)
    if client.last:
        return HttpResponse(push_events.as_json(LAST, [client.last]), content_type=JSON)
    if "quiet" not in request.GET:  # a page with a stream, merely checking
        _record_presence(client)
    if client.version == request.GET.get("version"):
        return HttpResponse(status=204)
    every = push_events.for_all(client.role, client.snapshot, client.percent)
    return HttpResponse(push_events.as_json(client.version, _missing_events(request, client, every)), content_type=JSON)


def _record_presence(client: PushClient) -> None:
    """A polling client counts as present."""
    game_id = client.snapshot.game.id
    if client.seat is not None:
        presence.PRESENCE.saw_player(game_id, client.seat.player)
    elif client.role in HOSTING:
        presence.PRESENCE.saw_host(game_id)
    presence.PRESENCE.look(client.snapshot)


@public
@require_safe
def stream(request: HttpRequest, game_id: str, role: str) -> HttpResponse:
    """Streams a full snapshot, then changes. Where streaming is not possible, pages poll."""
    client = _load_client(request, game_id, role)
    if client.last:
        return HttpResponse(push_events.as_stream(LAST, [client.last]), content_type=streams.EVENT_STREAM)
    address = client_network(request)
    if not (streams.can_stream(request) and broadcaster.BROADCASTER.has_room_for(address)):
        return HttpResponse(status=204)
    every = push_events.for_all(client.role, client.snapshot, client.percent)
    first = push_events.as_stream(client.version, _missing_events(request, client, every))
    language = translation.get_language() or settings.LANGUAGE_CODE
    seat = client.seat
    own = player_part.own_version(client.snapshot, seat, client.role) if seat else ""

    def begin(listener: Listener) -> None:
        """What the page was just shown counts as sent."""
        subscriber = Subscriber(listener, client.role, language, address, version=client.snapshot.state.version)
        subscriber.accepts(every)
        if seat is not None:
            subscriber.player, subscriber.device, subscriber.seat, subscriber.own = (
                seat.player,
                seat.device,
                seat.version,
                own,
            )
        broadcaster.BROADCASTER.join(client.snapshot, subscriber)

    def end(listener: Listener) -> None:
        broadcaster.BROADCASTER.leave(game_id, listener)

    return streams.open_answer(request, first, begin, end)
