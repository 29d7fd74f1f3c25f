"""The phone of somebody who plays along: what is on now, answering, voting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from acts.refusals import Refusal
from store.table import StoreError

from . import clock, outcome, players, rooms, saying, screens
from .players import Player
from .rooms import Room
from .rules import Phase
from .screens import Role
from .services import answering
from .services.answering import Told


@dataclass(frozen=True, slots=True)
class Seen:
    """A session as one look finds it, and who asks."""

    room: Room
    player: Player


def look(request: HttpRequest, game_id: str) -> Seen | None:
    """All that a page or a decision needs, in one round trip; nothing for whoever has no seat here."""
    place = players.seat_key(request, game_id)
    room, items = rooms.current_with(game_id, *([place] if place else []))
    if room is None:
        raise Http404
    player = players.of_items(request, game_id, items)
    return Seen(room, player) if player else None


# --- what is on now ---


@public
@never_cache
@require_safe
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    seen = look(request, game_id)
    if seen is None:
        return redirect("join")
    if not seen.player.is_newest:
        return render(request, "live/elsewhere.html", {"game": seen.room.game, "seat": seen.player.seat})
    is_asked = seen.room.state.is_open and seen.player.plays
    said = answering.own(seen.room.game, seen.room.state, seen.player.seat) if is_asked else None
    return page(request, seen, said=said, told=_told_before(request))


def _told_before(request: HttpRequest) -> Told | None:
    """What a form without scripts was told before it led here. That it counts, the page knows from the session."""
    told = request.GET.get("told", "")
    return Told(told) if told in (Told.LATE, Told.NOT_OPEN) else None


def page(request: HttpRequest, seen: Seen, *, status: int = 200, **own: Any) -> HttpResponse:
    """The whole page; `own` is what somebody has said, typed, and is told."""
    room, seat = seen.room, seen.player.seat
    typed = own.get("typed") or outcome.typed_said(room, own.get("said"))
    context = {
        "game": room.game,
        "seat": seat,
        "role": Role.PLAYER,
        "stream": reverse("game_stream", args=[room.game.id, Role.PLAYER]),
        "now": reverse("game_now", args=[room.game.id, Role.PLAYER]),
        "version": room.state.version,
        "refreshes": not room.state.is_open and room.state.phase != Phase.ENDED,
        "status": screens.status(Role.PLAYER, room, seat.percent),
        "screen": screens.screen(Role.PLAYER, room, typed),
        "mine": screens.mine(room, seat, **own),
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
    """Take what somebody says, at the moment when their request came in; a refusal shows the form as they filled it."""
    seen = look(request, game_id)
    if seen is None:
        return redirect("join")
    if not saying.is_about(request.POST, seen.room.state, phase) or not seen.player.plays:
        return _tell(request, seen, Told.LATE if saying.was_asked(request.POST, seen.room.state) else Told.NOT_OPEN)
    try:
        said = _said(request, seen)
        told = answering.give(seen.room.game, seen.room.state, seen.player.seat, said, at)
    except Refusal as refusal:
        return _again(request, seen, str(refusal), 422)
    except StoreError:
        return _again(
            request, seen, _("This could not be saved just now. It is still here: please send it again."), 503
        )
    return _tell(request, seen, told, said)


def _said(request: HttpRequest, seen: Seen) -> Any:
    room = seen.room
    if room.state.phase == Phase.QUESTION:
        return saying.answer_from(request.POST, room)
    assert room.gathered is not None  # as answers are voted on
    return saying.vote_from(request.POST, room.gathered, seen.player.seat.player)


def _tell(request: HttpRequest, seen: Seen, told: Told, said: Any = None) -> HttpResponse:
    """A script gets the words alone, a browser without one the page as it is now."""
    if getattr(request, "htmx", False):
        return _words(request, seen, 200, told=told, said=said if told == Told.COUNTED else None)
    address = reverse("play", args=[seen.room.game.id])
    return redirect(address if told == Told.COUNTED else f"{address}?told={told}")


def _again(request: HttpRequest, seen: Seen, problem: str, status: int) -> HttpResponse:
    typed = saying.typed_in(request.POST)
    if getattr(request, "htmx", False):
        return _words(request, seen, status, problem=problem)
    return page(request, seen, status=status, typed=typed, problem=problem)


def _words(request: HttpRequest, seen: Seen, status: int, **own: Any) -> HttpResponse:
    return render(request, "live/parts/told.html", screens.own(seen.room, seen.player.seat, **own), status=status)
