"""Demo sessions: a trivia game with robots to try and questions to the host, and a finished poll."""

from __future__ import annotations

import random

from accounts import repository as people
from accounts.models import User
from foundation.acts.storage import try_write
from foundation.qa.rules import Fate
from parts.live import clock, repository, room_questions, seats, steps
from parts.live.moderation import QaAction, QaSettings
from parts.live.rules import Game, State, Step
from parts.live.seats import Seat
from parts.live.services import answering, making, moving
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
