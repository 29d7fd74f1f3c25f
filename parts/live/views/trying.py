"""A live session to try without an account, on the real screens: the visitor answers, and robots have answered."""

from __future__ import annotations

from random import Random
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.acts.refusals import Refusal
from parts.live import answer_forms
from parts.live.play import play_named
from parts.live.plays import ranked_poll
from parts.live.rounds import GivenAnswer
from parts.live.rules import Game, Names, Phase, State
from parts.live.screens import rendering, robots
from parts.live.screens.formats import Role
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.questions.question import Kind, Question, Type

ROBOTS = 14
SEED = "try 165"  # three options are so close with it that the visitor decides between them
BEGAN_AT = "2026-01-01T00:00:00.000Z"
VISITOR = "visitor"


def question() -> Question:
    options = (_("The sea"), _("The mountains"), _("A big city"), _("A farm"))
    return Question(_("Where shall we travel together?"), Kind.RANKING, options=options)


def snapshot_after(ranking: str) -> Snapshot:
    """While the question is open and all robots have answered or, with the visitor's ranking, with the result."""
    asked = question()
    game = Game("try", _("Try a live session"), Type.POLL, BEGAN_AT, "", "", "try", "", 1, names=Names.GENERATED)
    phase = Phase.RESULTS if ranking else Phase.QUESTION
    state = State(
        phase=phase, round=1, revealed=bool(ranking), play=Type.POLL, kind=asked.kind, played=(0,), spans=(1,)
    )
    players = {robots.player(each): robots.name(each) for each in range(1, ROBOTS + 1)} | {VISITOR: _("You")}
    seats = {player: Seat(player, name, BEGAN_AT, robot=player != VISITOR) for player, name in players.items()}
    rounds = {}
    if ranking:
        said = {each: ranked_poll.random_ranking(asked, Random(f"{SEED} {each}")) for each in seats}  # noqa: S311
        given = [GivenAnswer(player, each, 0) for player, each in (said | {VISITOR: ranking}).items()]
        rounds = {1: ranked_poll.count(1, 0, asked, given, SEED)}
    return Snapshot(game, state, (asked,), seats, rounds, asked, answered=ROBOTS)


@public
@require_safe
def try_live(request: HttpRequest) -> HttpResponse:
    """The question and then, with a ranking in the address, its race. Nothing is stored."""
    typed, ranking, problem = answer_forms.typed_values(request.GET), "", ""
    if typed:
        try:
            ranking = answer_forms.parse_ranking(request.GET, question())
        except Refusal as refusal:
            problem = str(refusal)
    snapshot = snapshot_after(ranking)
    context: dict[str, Any] = {
        **rendering.screen_values(Role.PLAYER, snapshot),
        **play_named(snapshot.state.play).form(snapshot, typed),
        "summary": answer_forms.ranking_summary(ranking, snapshot.open_question),
        "screen": rendering.render_screen(Role.SCREEN, snapshot),
        "status": rendering.render_status(Role.SCREEN, snapshot),
        "problem": problem,
        "role": "try",
    }
    return render(request, "live/try.html", context, status=422 if problem else 200)
