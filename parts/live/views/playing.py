"""The player's page: what is on now, answering, voting."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.access import public
from foundation.acts.refusals import Refusal
from foundation.store.table import StoreError
from parts.live import answer_forms, clock
from parts.live.play import play_named, plays_of
from parts.live.rate_limit import ANSWER_RATE, TooFast
from parts.live.rules import Phase
from parts.live.screens import access, player_part, rendering, snapshots
from parts.live.screens.access import PlayerContext
from parts.live.screens.formats import SCREENS, Role
from parts.live.services import answering
from parts.live.services.answering import AnswerStatus

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
        "stream": reverse("game_stream", args=[snapshot.game.id, Role.PLAYER]),
        "now": reverse("game_now", args=[snapshot.game.id, Role.PLAYER]),
        "version": snapshot.state.version,
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
        answer = _parse_answer(request, viewer)
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


def _parse_answer(request: HttpRequest, viewer: PlayerContext) -> Any:
    return play_named(viewer.snapshot.state.play).answer(request.POST, viewer.snapshot, viewer.seat.player)


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
