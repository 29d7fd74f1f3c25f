"""The phone of somebody who plays along: what is on now, answering, voting."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from acts.refusals import Refusal
from live import clock, saying
from live.pace import PACE, TooFast
from live.play import play_named, plays_of
from live.rules import Phase
from live.services import answering
from live.services.answering import Told
from live.show import access, outcome, rooms, screens
from live.show.access import Seen
from live.show.screens import Role
from store.table import StoreError

NOT_SAVED = _("This could not be saved just now. It is still here: please send it again in a moment.")


# --- what is on now ---


@public
@require_safe
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    seen = access.look(request, game_id)
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
        "consent": room.game.format.consent(room, seat),
        "beside": room.game.format.beside(Role.PLAYER, room),
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
    seen = access.look(
        request, game_id, lambda state: saying.is_about(request.POST, state, phase) and not state.is_over(at)
    )
    if isinstance(seen, HttpResponse):
        problem = {"problem": access.NOT_HERE}
        return render(request, "live/parts/told.html", problem, status=409) if request.htmx else seen
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
