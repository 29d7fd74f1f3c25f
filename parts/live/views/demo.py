"""Demo sessions: a trivia game with robots to try and questions to the host, and a finished poll; and one to try
without an account, on the real screens."""

from __future__ import annotations

import random
from random import Random
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import repository as people
from accounts.access import public
from accounts.models import User
from foundation.acts.refusals import Refusal
from foundation.acts.storage import try_write
from foundation.qa.rules import Fate
from parts.live import answer_forms, clock, repository, room_questions, seats, steps
from parts.live.moderation import QaAction, QaSettings
from parts.live.play import play_named
from parts.live.plays import ranked_poll
from parts.live.rounds import GivenAnswer
from parts.live.rules import Game, Names, Phase, State, Step
from parts.live.screens import rendering, robots
from parts.live.screens.formats import Role
from parts.live.seats import Seat
from parts.live.services import answering, making, moving
from parts.live.snapshot import Snapshot
from parts.questions.demo import MAKER, PLANNED
from parts.questions.question import Kind, Question, Type

ROBOTS = 5
TRY = "Try me: trivia with robots"
DECIDED = "The committee's summer"
ROOM = ("Ada", "Alonzo", "Barbara", "Edsger", "Frances", "Grace", "John", "Kurt", "Margaret", "Radia", "Sophie", "Tim")
ASKED = (
    ("Can we see how close it was?", (QaAction.SHOW,)),
    ("Is there coffee afterwards?", (QaAction.ANSWER,)),
    ("Who counts the votes when the network fails?", ()),  # the last of an interrupted attempt that is missing
)
ANSWER = "Yes, and cake."


def load() -> int:
    """Creates missing demo sessions, completes those of an interrupted attempt, and returns how many. A waiting one
    expires after two weeks; the next start of the demo creates a new one, and anybody can create one from the same
    questions."""
    host = people.find(MAKER)
    if host is None:
        return 0
    is_new = not repository.history(MAKER, limit=1)[0]
    found = [each for each in repository.running_of(host.name) if each.title in (DECIDED, TRY)]
    running = {each.title: repository.load(each.id)[0] for each in found}
    if is_new or DECIDED in running:
        _decide(running.get(DECIDED) or making.make(host, Type.POLL, _demo_questions(Kind.RANKING)[:1], title=DECIDED))
    _ask_all(running.get(TRY) or _make_trial(host))
    return (is_new or DECIDED in running) + (TRY not in running)


def _make_trial(host: User) -> Game:
    """Creates a game that is ready to start."""
    context = (
        "Open the host's page and press the large button. Once it is over, copy it or make another from the same set."
    )
    return making.make(
        host, Type.TRIVIA, _demo_questions(Kind.CHOICE), title=TRY, debug_mode=ROBOTS, context=context, speed_bonus=True
    )


def _demo_questions(kind: Kind) -> list[Question]:
    """From the first demo set with questions of this kind."""
    alike = ([each for each in planned.questions if each.kind == kind] for planned in PLANNED)
    return next(some for some in alike if some)


def _decide(game: Game) -> None:
    """Twelve people vote, and the session ends; what an interrupted attempt has done is skipped."""
    chance = random.Random(game.title)  # noqa: S311 - the demo is the same everywhere
    options = range(len(repository.read_questions(game.id)[0].options))
    _drive(game, Step.NEXT)
    _game, state = repository.load(game.id)
    for number, name in enumerate(ROOM, 1):
        seat = Seat(f"demo{number:06d}", name, game.created_at)
        try_write(*seats.seating(game, seat))
        ranking = ">".join(map(str, chance.sample(options, len(options))))
        answering.submit(game, state, seat, ranking, clock.now())
    for step in (Step.CLOSE, Step.REVEAL, Step.END):
        _drive(game, step)


def _drive(game: Game, step: Step) -> None:
    _game, state = repository.load(game.id)
    if step in steps.offered(game, state):
        moving.drive(game.id, game.created_by, step, state.version)


def _ask_all(game: Game) -> None:
    """Send the demo questions under names of the room, unless all are there; later names upvote the visible ones."""
    if len(room_questions.read_questions(game.id)) == len(ASKED):
        return
    settings = room_questions.set_up(game.id, game.created_by, is_on=True)
    seated = [Seat(f"asks{number:06d}", name, game.created_at) for number, name in enumerate(ROOM[:5])]
    for number, (text, acts) in enumerate(ASKED):
        _ask(game, settings, seated[number:], text, acts)


def _ask(game: Game, settings: QaSettings, seated: list[Seat], text: str, acts: tuple[QaAction, ...]) -> None:
    author, *others = seated
    asked = room_questions.send(game, State(), settings, author, (), text, clock.now())
    for act in acts if asked.fate == Fate.WAITING else ():
        asked = room_questions.moderate(
            game.id, asked.id, game.created_by, act, ANSWER if act == QaAction.ANSWER else ""
        )
    for seat in others if asked.is_seen else ():
        room_questions.upvote(game, State(), settings, seat, asked, on=True)


# --- a session to try without an account ---

TRIAL_ROBOTS = 14
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
    players = {robots.player(each): robots.name(each) for each in range(1, TRIAL_ROBOTS + 1)} | {VISITOR: _("You")}
    seats = {player: Seat(player, name, BEGAN_AT, robot=player != VISITOR) for player, name in players.items()}
    rounds = {}
    if ranking:
        said = {each: ranked_poll.random_ranking(asked, Random(f"{SEED} {each}")) for each in seats}  # noqa: S311
        given = [GivenAnswer(player, each, 0) for player, each in (said | {VISITOR: ranking}).items()]
        rounds = {1: ranked_poll.count(1, 0, asked, given, SEED)}
    return Snapshot(game, state, (asked,), seats, rounds, asked, answered=TRIAL_ROBOTS)


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
