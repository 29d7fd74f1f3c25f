"""The player's page, answers and votes, and the events for open pages, by stream or by polling.

Both send the same events, a full snapshot first. A thousand phones may ask at once, so each request takes one round
trip, and a second for a player's own answer. The account of a player is never looked up.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import access_response, public, requires
from accounts.rules import Permission
from foundation.acts.refusals import NotAllowed, Refusal
from foundation.pages import streams
from foundation.pages.client_address import client_network
from foundation.pages.streams import Listener
from foundation.store import keys
from foundation.store.table import StoreError
from parts.live import answer_forms, clock, players, rules
from parts.live.play import play_named, plays_of
from parts.live.players import Player
from parts.live.rules import Phase
from parts.live.screens import access, broadcaster, player_part, presence, rendering, snapshots
from parts.live.screens.access import ANSWER_RATE, PlayerContext, TooFast, push_urls
from parts.live.screens.broadcaster import ELSEWHERE, GONE, LAST, PushEvent, Subscriber
from parts.live.screens.formats import HOSTING, OF_QA, SCREENS, SEATED, Role
from parts.live.seats import Seat
from parts.live.services import answering
from parts.live.services.answering import AnswerStatus
from parts.live.snapshot import Snapshot

NOT_SAVED = _("This could not be saved just now. Nothing is lost: please send it again in a moment.")


# --- current screen ---


@public
@require_safe
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    viewer = access.load_player(request, game_id)
    if isinstance(viewer, HttpResponse):
        return viewer
    return page(request, viewer, **viewer.own_answer)


def page(request: HttpRequest, viewer: PlayerContext, *, status: int = 200, **own: Any) -> HttpResponse:
    """The whole page; `own` is the player's answer, what they typed, and its status."""
    snapshot, seat = viewer.snapshot, viewer.seat
    typed = own.get("typed") or player_part.form_values(snapshot, own.get("answer"))
    context = {
        "game": snapshot.game,
        "seat": seat,
        "is_ranked": any(each.is_ranked for each in plays_of(snapshot.game, snapshot.questions)),
        "role": Role.PLAYER,
        **push_urls(Role.PLAYER, snapshot),
        "refreshes": not snapshot.state.is_open and snapshot.state.phase != Phase.ENDED,
        "status": rendering.render_status(Role.PLAYER, snapshot, seat.percent),
        "screen": rendering.render_screen(Role.PLAYER, snapshot, typed),
        "mine": player_part.render_own(snapshot, seat, **own),
        "consent": SCREENS.of(snapshot.game).consent(snapshot, seat),
        "beside": rendering.render_panel(Role.PLAYER, snapshot),
    }
    return render(request, "live/play.html", context, status=status)


# --- answering and voting ---


@public
@require_POST
def give_answer(request: HttpRequest, game_id: str) -> HttpResponse:
    return _submit(request, game_id, Phase.QUESTION, clock.now())


@public
@require_POST
def give_vote(request: HttpRequest, game_id: str) -> HttpResponse:
    return _submit(request, game_id, Phase.VOTING, clock.now())


def _submit(request: HttpRequest, game_id: str, phase: Phase, at: int) -> HttpResponse:
    """Accepts an answer, timed by the request's arrival; a refusal shows the form as filled in.

    The question may come from a snapshot up to a second old, because the state is read again once the answer is stored.
    """
    viewer = access.load_player(
        request, game_id, lambda state: answer_forms.is_about(request.POST, state, phase) and not state.is_over(at)
    )
    if isinstance(viewer, HttpResponse):
        problem = {"problem": access.NOT_HERE}
        return (
            render(request, "live/parts/answer_status.html", problem, status=409) if _is_by_script(request) else viewer
        )
    if not answer_forms.is_about(request.POST, viewer.snapshot.state, phase):
        return _show_status(
            request,
            viewer,
            AnswerStatus.LATE if answer_forms.was_asked(request.POST, viewer.snapshot.state) else AnswerStatus.NOT_OPEN,
        )
    try:
        ANSWER_RATE.check(f"{game_id} {viewer.seat.player}", at)
        answer = play_named(viewer.snapshot.state.play).answer(request.POST, viewer.snapshot, viewer.seat.player)
        status = answering.submit(viewer.snapshot.game, viewer.snapshot.state, viewer.seat, answer, at, viewer.salt)
        if status != AnswerStatus.COUNTED:
            snapshots.SESSIONS.invalidate(game_id)
    except Refusal as refusal:
        return _show_problem(request, viewer, str(refusal), 429 if isinstance(refusal, TooFast) else 422)
    except StoreError:
        return _show_problem(request, viewer, NOT_SAVED, 503)
    return _show_status(request, viewer, status, answer)


def _is_by_script(request: HttpRequest) -> bool:
    """As `request.htmx`, which would first rename all headers of the request: a tenth of an answer."""
    return bool(request.META.get("HTTP_HX_REQUEST") == "true")


def _show_status(request: HttpRequest, viewer: PlayerContext, status: AnswerStatus, answer: Any = None) -> HttpResponse:
    """Sends only the fragment to a script. Otherwise the page is reloaded, and shows what counts."""
    if not _is_by_script(request):
        if status != AnswerStatus.COUNTED:
            messages.warning(request, player_part.NOT_COUNTED[status])
        return redirect("play", viewer.snapshot.game.id)
    if status == AnswerStatus.COUNTED:
        return HttpResponse(player_part.render_counted(viewer.snapshot, answer))
    return _render_fragment(request, viewer, 200, answer_status=status)


def _show_problem(request: HttpRequest, viewer: PlayerContext, problem: object, status: int) -> HttpResponse:
    typed = answer_forms.typed_values(request.POST)
    if _is_by_script(request):
        return _render_fragment(request, viewer, status, problem=problem)
    return page(request, viewer, status=status, typed=typed, problem=problem)


def _render_fragment(request: HttpRequest, viewer: PlayerContext, status: int, **own: Any) -> HttpResponse:
    return render(
        request,
        "live/parts/answer_status.html",
        player_part.own_values(viewer.snapshot, viewer.seat, **own),
        status=status,
    )


# --- who asks for events ---

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
        return broadcaster.page_version(self.role, self.snapshot, self.seat)


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
        user = request.user
        if access_response(request, _hosts_only) or not rules.hosts(snapshot.game, user.name, user.role):
            raise NotAllowed(rules.NOT_YOURS)
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


# --- events ---


def _missing_events(request: HttpRequest, client: PushClient, every: list[PushEvent]) -> list[PushEvent]:
    """These events for all and the player's own, except those that the page says it already has."""
    snapshot, has = client.snapshot, request.GET
    events = [each for each in every if each.name != "screen" or each.key != has.get("screen")]
    if client.seat is not None and player_part.own_key(snapshot, client.seat, client.role) != has.get("mine"):
        own: dict[str, Any] = {}
        if client.role == Role.PLAYER:  # whose page shows their answer
            own = answering.answer_context(answering.own(snapshot.game, snapshot.state, client.seat, client.salt))
        events.append(broadcaster.mine(snapshot, client.seat, client.role, **own))
    return events + (broadcaster.consent(client.role, snapshot, client.seat) if client.seat else [])


@public
@require_safe
def now(request: HttpRequest, game_id: str, role: str) -> HttpResponse:
    """Events since the page's version; none if nothing has changed."""
    client = _load_client(request, game_id, role)
    if client.last:
        return HttpResponse(broadcaster.as_json(LAST, [client.last]), content_type=JSON)
    if "quiet" not in request.GET:  # a page with a stream, merely checking
        _record_presence(client)
    if client.version == request.GET.get("version"):
        return HttpResponse(status=204)
    every = broadcaster.for_all(client.role, client.snapshot, client.percent)
    return HttpResponse(broadcaster.as_json(client.version, _missing_events(request, client, every)), content_type=JSON)


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
        return HttpResponse(broadcaster.as_stream(LAST, [client.last]), content_type=streams.EVENT_STREAM)
    address = client_network(request)
    if not (streams.can_stream(request) and broadcaster.BROADCASTER.has_room_for(address)):
        return HttpResponse(status=204)
    every = broadcaster.for_all(client.role, client.snapshot, client.percent)
    first = broadcaster.as_stream(client.version, _missing_events(request, client, every))
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
