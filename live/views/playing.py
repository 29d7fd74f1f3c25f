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
from acts.refusals import Refusal
from live import answer_forms, clock
from live.play import play_named, plays_of
from live.rate_limit import ANSWER_RATE, TooFast
from live.rules import Phase
from live.screens import access, player_screens, rendering, snapshots
from live.screens.access import PlayerContext
from live.screens.rendering import Role
from live.services import answering
from live.services.answering import AnswerStatus
from store.table import StoreError

NOT_SAVED = _("This could not be saved just now. Nothing is lost: please send it again in a moment.")


# --- current screen ---


@public
@require_safe
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    seen = access.load_player(request, game_id)
    if isinstance(seen, HttpResponse):
        return seen
    return page(request, seen, **seen.given)


def page(request: HttpRequest, seen: PlayerContext, *, status: int = 200, **own: Any) -> HttpResponse:
    """The whole page; `own` is the player's answer, what they typed, and its status."""
    snapshot, seat = seen.snapshot, seen.seat
    typed = own.get("typed") or player_screens.form_values(snapshot, own.get("said"))
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
        "mine": rendering.render_own(snapshot, seat, **own),
        "consent": snapshot.game.format.consent(snapshot, seat),
        "beside": snapshot.game.format.panel(Role.PLAYER, snapshot),
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
    seen = access.load_player(
        request, game_id, lambda state: answer_forms.is_about(request.POST, state, phase) and not state.is_over(at)
    )
    if isinstance(seen, HttpResponse):
        problem = {"problem": access.NOT_HERE}
        return render(request, "live/parts/told.html", problem, status=409) if request.htmx else seen
    if not answer_forms.is_about(request.POST, seen.snapshot.state, phase):
        return _show_status(
            request,
            seen,
            AnswerStatus.LATE if answer_forms.was_asked(request.POST, seen.snapshot.state) else AnswerStatus.NOT_OPEN,
        )
    try:
        ANSWER_RATE.check(f"{game_id} {seen.seat.player}", at)
        said, receipt = _parse_answer(request, seen), answering.new_receipt()
        told = answering.submit(seen.snapshot.game, seen.snapshot.state, seen.seat, said, at, seen.salt, receipt)
        if told != AnswerStatus.COUNTED:
            snapshots.invalidate(game_id)
    except Refusal as refusal:
        return _show_problem(request, seen, str(refusal), 429 if isinstance(refusal, TooFast) else 422)
    except StoreError:
        return _show_problem(request, seen, NOT_SAVED, 503)
    return _show_status(request, seen, told, said, receipt)


def _parse_answer(request: HttpRequest, seen: PlayerContext) -> Any:
    return play_named(seen.snapshot.state.play).answer(request.POST, seen.snapshot, seen.seat.player)


def _show_status(
    request: HttpRequest, seen: PlayerContext, told: AnswerStatus, said: Any = None, receipt: str = ""
) -> HttpResponse:
    """Sends only the fragment to htmx. Otherwise the page is reloaded, and shows what counts."""
    if request.htmx and told == AnswerStatus.COUNTED and play_named(seen.snapshot.state.play).has_few_answers:
        return HttpResponse(rendering.render_counted(seen.snapshot, said, receipt))
    if request.htmx:
        own = {"said": said, "receipt": receipt} if told == AnswerStatus.COUNTED else {}
        return _render_fragment(request, seen, 200, told=told, **own)
    if told != AnswerStatus.COUNTED:
        messages.warning(request, player_screens.NOT_COUNTED[told])
    return redirect("play", seen.snapshot.game.id)


def _show_problem(request: HttpRequest, seen: PlayerContext, problem: object, status: int) -> HttpResponse:
    typed = answer_forms.typed_values(request.POST)
    if request.htmx:
        return _render_fragment(request, seen, status, problem=problem)
    return page(request, seen, status=status, typed=typed, problem=problem)


def _render_fragment(request: HttpRequest, seen: PlayerContext, status: int, **own: Any) -> HttpResponse:
    return render(
        request, "live/parts/told.html", rendering.own_context(seen.snapshot, seen.seat, **own), status=status
    )
