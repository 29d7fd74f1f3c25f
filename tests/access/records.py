"""What is looked at when a live session is over."""

from __future__ import annotations

from accounts.models import User
from foundation.acts.storage import table
from parts.live import clock, repository, seats
from parts.live.rules import Step
from parts.live.seats import Seat
from parts.live.services import answering, making, moving
from parts.questions.question import Kind, Question, Type

from .site import Look
from .words import filled, text


def looks_at_records(otto: User) -> list[Look]:
    over = _over(otto)
    return [
        Look("live_history", "organiser"),
        *(Look(page, "organiser", (over,)) for page in ("game_report", "game_report_csv", "game_report_json")),
        Look("delete_game", "organiser", (over,)),
        *(Look(page, "organiser", (_assembled(otto),)) for page in ("minutes", "minutes_json")),
        Look("delete_minutes", "owner", (_assembled(otto),)),
        Look("help_live", "stranger"),
    ]


def _assembled(otto: User) -> str:
    """An assembly that has ended after one item; answers its id."""
    game = making.make(otto, Type.ASSEMBLY, [filled(Question("The budget", Kind.TOPIC))], title=text("Spring meeting"))
    table().write(*seats.seating(game, Seat("player0000", text("Player 0"), game.created_at)))
    for step in (Step.NEXT, Step.CLOSE, Step.END):
        state = repository.read_state(game.id)
        assert state is not None
        moving.drive(game.id, otto.name, step, state.version)
    return game.id


def _over(otto: User) -> str:
    """One question that two have answered; answers the id of the session."""
    question = Question("Who won?", Kind.CHOICE, options=("Ada", "Bo"), right=(0,))
    game = making.make(otto, Type.TRIVIA, [filled(question)], title=text("Evening"))
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL, Step.END):
        state = repository.read_state(game.id)
        assert state is not None
        after = moving.drive(game.id, otto.name, step, state.version)
        for number in range(2 * (step == Step.NEXT)):
            seat = Seat(f"player{number:04d}", text(f"Player {number}"), game.created_at)
            table().write(*seats.seating(game, seat))
            answering.submit(game, after, seat, [number], clock.now())
    return game.id
