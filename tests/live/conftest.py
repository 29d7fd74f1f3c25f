"""Sessions to test with, and a room that plays them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from accounts import repository as people
from parts.live import clock, repository, seats
from parts.live.play import play_for_type
from parts.live.rounds import Round
from parts.live.rules import Game, State, Step
from parts.live.seats import Seat
from parts.live.services import answering, making, moving
from parts.questions.question import Kind, Question, Type

TRIVIA = (
    Question("Who proposed the Schulze method?", Kind.CHOICE, options=("Schulze", "Borda", "Hare"), right=(0,)),
    Question("Which of these are primes?", Kind.CHOICE, options=("2", "3", "4"), right=(0, 1), seconds=20),
)
IDEAS = (Question("What should we try this year?"), Question("What should we stop?"))
POLL = (Question("Where do we go?", Kind.RANKING, options=("Sea", "Hills", "Town"), seconds=0),)
SURVEY = (
    Question("How was it?", Kind.RATING),
    Question("Again?", Kind.YES_NO),
    Question("What was best?", Kind.CHOICE, options=("Food", "Talks")),
    Question("Anything else?"),
)
AGENDA = (
    Question("Report of the board", Kind.TOPIC, seconds=0),
    Question("The budget", Kind.MOTION, seconds=0),
    Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo"), majority="1/2 cast", secret=True, seconds=0),
    Question("The fee", Kind.ALTERNATIVES, options=("Twenty", "Thirty", "No change"), majority="2/3 cast", seconds=0),
    Question("Where next?", Kind.RANKING, options=("Sea", "Hills", "Town"), seconds=0),
)
QUESTIONS = {
    Type.ASSEMBLY: AGENDA,
    Type.TRIVIA: TRIVIA,
    Type.CALL_AND_ANSWER: IDEAS,
    Type.POLL: POLL,
    Type.SURVEY: SURVEY,
}


def picture(type_: str, round_: Round, questions, seats=None, own: str = "") -> str:
    """What came of a round, as a session of this type shows it."""
    return play_for_type(type_, questions[round_.question]).render_result(round_, questions, seats or {}, own)


@pytest.fixture
def made(site, person) -> Callable[..., Game]:
    """A session of Hana's that waits for players."""
    hana = person("Hana")

    def make(type_: Type = Type.TRIVIA, questions=None, **chosen) -> Game:
        return making.make(hana, type_, questions or QUESTIONS[type_], **{"title": "Friday", **chosen})

    return make


@pytest.fixture
def hana(made, signed_in) -> Client:
    """The browser of whoever hosts them."""
    return signed_in(people.find("Hana"))


@pytest.fixture
def time(monkeypatch) -> type:
    """A clock of the session's that stands."""

    class Time:
        now = clock.now()

    monkeypatch.setattr(clock, "now", lambda: Time.now)
    return Time


def seated(game: Game, *names: str, **more) -> list[Seat]:
    """Players of these names, whose ids are their names."""
    from foundation.acts.storage import table

    found = [Seat(name.lower(), name, game.created_at, **more) for name in names]
    for seat in found:
        table().write(*seats.seating(game, seat))
    return found


def drive(game: Game, step: Step) -> State:
    """A step of Hana's from where the session is."""
    return moving.drive(game.id, "Hana", step, repository.read_state(game.id).version)


def give(game: Game, seat: Seat, said, at: int | None = None) -> answering.AnswerStatus:
    return answering.submit(game, repository.read_state(game.id), seat, said, clock.now() if at is None else at)
