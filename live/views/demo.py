"""Demo sessions: a trivia game with robots to try, and a finished poll."""

from __future__ import annotations

import random

from accounts import repository as people
from accounts.models import User
from acts.storage import table
from live import clock, repository, seats
from live.qa import demo as questions
from live.rules import Game, Step
from live.seats import Seat
from live.services import answering, making, moving
from questions.demo import MAKER, PLANNED
from questions.question import Kind, Question, Type

ROBOTS = 5
TRY = "Try me: trivia with robots"
DECIDED = "The committee's summer"
ROOM = ("Ada", "Alonzo", "Barbara", "Edsger", "Frances", "Grace", "John", "Kurt", "Margaret", "Radia", "Sophie", "Tim")


def load() -> int:
    """Creates missing demo sessions and returns how many. A waiting one expires after two weeks; the next start of the
    demo creates a new one, and anybody can create one from the same questions."""
    host = people.find(MAKER)
    if host is None:
        return 0
    first = not repository.history(MAKER, limit=1)[0]
    if first:
        _decide(making.make(host, Type.POLL, _demo_questions(Kind.RANKING)[:1], title=DECIDED))
    return int(first) + _make_trial(host)


def _make_trial(host: User) -> int:
    """Creates a game that is ready to start."""
    if any(each.title == TRY for each in repository.running_of(host.name)):
        return 0
    context = (
        "Open the host's page and press the large button. Once it is over, copy it or make another from the same set."
    )
    game = making.make(host, Type.TRIVIA, _demo_questions(Kind.CHOICE), title=TRY, debug_mode=ROBOTS, context=context)
    questions.load(game, ROOM[:5])
    return 1


def _demo_questions(kind: Kind) -> list[Question]:
    """From the first demo set with questions of this kind."""
    alike = ([each for each in planned.questions if each.kind == kind] for planned in PLANNED)
    return next(some for some in alike if some)


def _decide(game: Game) -> None:
    """Twelve people vote, and the session ends."""
    chance = random.Random(game.title)  # noqa: S311 - the demo is the same everywhere
    options = range(len(repository.read_questions(game.id)[0].options))
    _drive(game, Step.NEXT)
    state = repository.read_state(game.id)
    assert state is not None
    for number, name in enumerate(ROOM, 1):
        seat = Seat(f"demo{number:06d}", name, game.created_at)
        table().write(*seats.seating(game, seat))
        ranking = ">".join(map(str, chance.sample(options, len(options))))
        answering.submit(game, state, seat, ranking, clock.now())
    for step in (Step.CLOSE, Step.REVEAL, Step.END):
        _drive(game, step)


def _drive(game: Game, step: Step) -> None:
    state = repository.read_state(game.id)
    assert state is not None
    moving.drive(game.id, game.created_by, step, state.version)
