"""Looks at the phones of those who play along: while they wait, are asked, vote, and see what came of it."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from foundation.qa.rules import Mode, question_id
from parts.live import clock, repository, room_questions
from parts.live.moderation import QaSettings
from parts.live.plays import best_answer
from parts.live.rules import Game, Step
from parts.live.screens import snapshots
from parts.live.seats import Seat
from parts.live.services import making, moving
from parts.questions.question import Kind, Question, Type

from .joining import seat
from .site import Look
from .words import filled, text

RIGHT = (Question("Which?", Kind.CHOICE, options=("This", "That"), right=(0,), seconds=0),)
RANKED = (Question("Where?", Kind.RANKING, options=("Sea", "Hills"), seconds=0),)
IDEAS = (Question("What next?", seconds=0),)


def looks_at_playing(otto: User, guest: Client) -> list[Look]:
    """`guest` gets a seat in each."""
    waiting, asked, ranked, shown = (
        _joined(otto, guest, type_, questions)
        for type_, questions in (
            (Type.TRIVIA, RIGHT),
            (Type.TRIVIA, RIGHT),
            (Type.POLL, RANKED),
            (Type.TRIVIA, RIGHT),
        )
    )
    for game in (asked, ranked, shown):
        _drive(game, otto, Step.NEXT)
    _drive(shown, otto, Step.CLOSE)
    _drive(shown, otto, Step.REVEAL)
    return [
        Look("play", "passer-by", (waiting.id,), of="waiting"),
        Look("play", "passer-by", (asked.id,), of="asked"),
        Look("play", "passer-by", (ranked.id,), of="asked without a name"),
        Look("play", "passer-by", (shown.id,), of="shown what came of it"),
        Look("qa", "passer-by", (_taking_questions(waiting, otto).id,)),
        Look("manage_qa", "organiser", (waiting.id,)),
    ]


def acts_of_playing(otto: User, guest: Client) -> list[Look]:
    asked, ranked = _joined(otto, guest, Type.TRIVIA, RIGHT), _joined(otto, guest, Type.POLL, RANKED)
    for game in (asked, ranked):
        _drive(game, otto, Step.NEXT)
        guest.get(reverse("play", args=[game.id]))  # as everybody does who answers
    voted, vote = _voted_on(otto, guest)
    return [
        Look("give_answer", "passer-by", (asked.id,), form={"round": "1", "option": "0"}),
        Look("give_answer", "passer-by", (ranked.id,), of="without a name", form={"round": "1", "rank-0": "1"}),
        Look("give_vote", "passer-by", (voted.id,), form={"round": "1", vote: "1"}),
        *_acts_with_questions(_taking_questions(asked, otto)),
    ]


def _taking_questions(game: Game, otto: User) -> Game:
    """With a question of somebody else, and a look at all of it as everybody has had who asks."""
    room_questions.set_up(game.id, otto.name, is_on=True, mode=Mode.OPEN)
    seat_ = Seat("zoe", text("Zoe"), game.created_at)
    state, qa = repository.read_state(game.id), QaSettings(is_on=True, mode=Mode.OPEN)
    assert state is not None
    room_questions.send(game, state, qa, seat_, (), text("Why?"), clock.now())
    snapshots.current(game.id)
    return game


def _acts_with_questions(game: Game) -> list[Look]:
    asked = question_id(game.id, "zoe", 0)
    return [
        Look("qa", "passer-by", (game.id,), of="a question", form={"text": "When?"}),
        Look("qa", "passer-by", (game.id,), of="an upvote", form={"upvote": asked}),
        Look("manage_qa", "organiser", (game.id,), of="a press", form={"act": f"up {asked}"}),
        Look("manage_qa", "organiser", (game.id,), of="how they are taken", form={"act": "settings", "mode": "open"}),
    ]


def _voted_on(otto: User, guest: Client) -> tuple[Game, str]:
    game = _joined(otto, guest, Type.CALL_AND_ANSWER, IDEAS)
    others = [Client(headers={"host": "localhost:8000"}) for _each in range(3)]
    for number, other in enumerate(others):
        seat(other, game, f"Player {number}")
    _drive(game, otto, Step.NEXT)
    for number, other in enumerate(others):
        other.post(reverse("give_answer", args=[game.id]), {"round": "1", "text": text(f"Idea {number}")})
    _drive(game, otto, Step.CLOSE)
    guest.get(reverse("play", args=[game.id]))
    assert len(best_answer.read_gathered(game.id, 1).answers) == len(others)
    return game, "rank-0"


def _joined(otto: User, guest: Client, type_: Type, questions: tuple[Question, ...]) -> Game:
    game = making.make(otto, type_, [filled(each) for each in questions], title=text("Friday"))
    seat(guest, game, "Gus")
    return game


def _drive(game: Game, otto: User, step: Step) -> None:
    state = repository.read_state(game.id)
    assert state is not None
    moving.drive(game.id, otto.name, step, state.version)
