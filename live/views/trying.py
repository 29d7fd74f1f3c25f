"""A live session to try without an account, on the real screens: the visitor answers, and robots have answered."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from acts.refusals import Refusal
from live import answer_forms
from live.screens import example_session, player_screens, rendering
from live.screens.rendering import Role


@public
@require_safe
def try_live(request: HttpRequest) -> HttpResponse:
    """The question and then, with a ranking in the address, its race. Nothing is stored."""
    typed, ranking, problem = answer_forms.typed_values(request.GET), "", ""
    if typed:
        try:
            ranking = answer_forms.parse_ranking(request.GET, example_session.question())
        except Refusal as refusal:
            problem = str(refusal)
    snapshot = example_session.snapshot_after(ranking)
    context: dict[str, Any] = {
        **rendering.screen_context(Role.PLAYER, snapshot),
        **player_screens.player_context(snapshot, typed),
        "summary": answer_forms.ranking_summary(ranking, snapshot.open_question),
        "screen": rendering.render_screen(Role.SCREEN, snapshot),
        "status": rendering.render_status(Role.SCREEN, snapshot),
        "problem": problem,
        "role": "try",
    }
    return render(request, "live/try.html", context, status=422 if problem else 200)
