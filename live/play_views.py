"""The phone of somebody who plays along: what is on now, answering, voting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from acts.refusals import Refusal
from store import keys
from store.table import StoreError

from . import clock, outcome, players, rooms, saying, screens, seat_views
from .pace import PACE, TooFast
from .play import play_named, plays_of
from .room import Room
from .rules import Phase, State
from .screens import Role
from .seats import Seat
from .services import answering
from .services.answering import Told

NOT_SAVED = _("This could not be saved just now. It is still here: please send it again in a moment.")
NOT_HERE = _("You cannot answer from here now. Load the page again to see why.")


@dataclass(frozen=True, slots=True)
class Seen:
    """A session as one look finds it, and who plays along in it."""

    room: Room
    seat: Seat
    salt: bytes | None = None  # of the round at hand, where it was read along

    @property
    def given(self) -> dict[str, Any]:
        """What they have said in the phase that is open, and their receipt for it."""
        return answering.shown(answering.own(self.room.game, self.room.state, self.seat, self.salt))


def look(
    request: HttpRequest, game_id: str, suffices: Callable[[State], bool] = lambda state: False
) -> Seen | HttpResponse:
    """All that a page or an answer needs, in one round trip; or what to answer to whoever cannot play here now."""
    place, salt = players.seat_key(request, game_id), rooms.place_of_salt(game_id)
    room, items = rooms.current_while_open(game_id, *filter(None, (place, salt)), suffices=suffices)
    if room is None:
        raise Http404
    player = players.of_items(request, game_id, items)
    instead = seat_views.instead(request, room.game, room.state, player)
    if player is None or instead is not None:
        return instead or redirect("join")
    known = items.get(keys.game_salt(game_id, room.state.round))
    return Seen(room, player.seat, known["salt"] if known else None)


# --- what is on now ---


@public
@require_safe
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    seen = look(request, game_id)
    if isinstance(seen, HttpResponse):
        return seen
    return page(request, seen, **seen.given)


def page(request: HttpRequest, seen: Seen, *, status: int = 200, **own: Any) -> HttpResponse:
    """The whole page; `own` is what somebody has said, typed, and is told."""
    room, seat = seen.room, seen.seat
    typed = own.get("typed") or outcome.typed_said(room, own.get("said"))
    context = {
        "game": room.game,
        "seat": seat,
        "is_ranked": any(each.is_ranked for each in plays_of(room.game, room.questions)),
        "role": Role.PLAYER,
        "stream": reverse("game_stream", args=[room.game.id, Role.PLAYER]),
        "now": reverse("game_now", args=[room.game.id, Role.PLAYER]),
        "version": room.state.version,
        "refreshes": not room.state.is_open and room.state.phase != Phase.ENDED,
        "status": screens.status(Role.PLAYER, room, seat.percent),
        "screen": screens.screen(Role.PLAYER, room, typed),
        "mine": screens.mine(room, seat, **own),
        "consent": screens.consent(room, seat) if room.game.is_assembly else None,
        "beside": screens.beside(Role.PLAYER, room) if room.game.is_assembly else None,
    }
    return render(request, "live/play.html", context, status=status)


# --- answering and voting ---


@public
@require_POST
def give_answer(request: HttpRequest, game_id: str) -> HttpResponse:
    return _given(request, game_id, Phase.QUESTION, clock.now())


@public
@require_POST
def give_vote(request: HttpRequest, game_id: str) -> HttpResponse:
    return _given(request, game_id, Phase.VOTING, clock.now())


def _given(request: HttpRequest, game_id: str, phase: Phase, at: int) -> HttpResponse:
    """Take what somebody says, at the moment when their request came in; a refusal shows the form as they filled it.

    The question they answer may be known from the last second: the state is read once the answer is there.
    """
    seen = look(request, game_id, lambda state: saying.is_about(request.POST, state, phase) and not state.is_over(at))
    if isinstance(seen, HttpResponse):
        return render(request, "live/parts/told.html", {"problem": NOT_HERE}, status=409) if request.htmx else seen
    if not saying.is_about(request.POST, seen.room.state, phase):
        return _tell(request, seen, Told.LATE if saying.was_asked(request.POST, seen.room.state) else Told.NOT_OPEN)
    try:
        PACE.check(f"{game_id} {seen.seat.player}", at)
        said, receipt = _said(request, seen), answering.new_receipt()
        told = answering.give(seen.room.game, seen.room.state, seen.seat, said, at, seen.salt, receipt)
        if told != Told.COUNTED:
            rooms.doubt(game_id)
    except Refusal as refusal:
        return _again(request, seen, str(refusal), 429 if isinstance(refusal, TooFast) else 422)
    except StoreError:
        return _again(request, seen, NOT_SAVED, 503)
    return _tell(request, seen, told, said, receipt)


def _said(request: HttpRequest, seen: Seen) -> Any:
    return play_named(seen.room.state.play).answer(request.POST, seen.room, seen.seat.player)


def _tell(request: HttpRequest, seen: Seen, told: Told, said: Any = None, receipt: str = "") -> HttpResponse:
    """A script gets the words alone. Without one the page is loaded anew, and knows by itself what counts."""
    if request.htmx and told == Told.COUNTED and play_named(seen.room.state.play).has_few_answers:
        return HttpResponse(screens.counted(seen.room, said, receipt))
    if request.htmx:
        own = {"said": said, "receipt": receipt} if told == Told.COUNTED else {}
        return _words(request, seen, 200, told=told, **own)
    if told != Told.COUNTED:
        messages.warning(request, outcome.UNHEARD[told])
    return redirect("play", seen.room.game.id)


def _again(request: HttpRequest, seen: Seen, problem: object, status: int) -> HttpResponse:
    typed = saying.typed_in(request.POST)
    if request.htmx:
        return _words(request, seen, status, problem=problem)
    return page(request, seen, status=status, typed=typed, problem=problem)


def _words(request: HttpRequest, seen: Seen, status: int, **own: Any) -> HttpResponse:
    return render(request, "live/parts/told.html", screens.own(seen.room, seen.seat, **own), status=status)
