"""Sessions that take questions, and people who ask."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.storage import table
from foundation.qa import store
from foundation.qa.rules import Mode
from foundation.store import keys
from parts.live import clock, players, repository, room_questions, seats
from parts.live.moderation import QaQuestion, QaSettings
from parts.live.rules import Game
from parts.live.screens import snapshots
from parts.live.seats import Seat
from tests.clock import at_its_own_moment
from tests.live.conftest import made  # noqa: F401 - a fixture
from tests.people import sign_in


@pytest.fixture
def game(made) -> Game:  # noqa: F811
    """One in which everybody sees at once what is asked."""
    found = made()
    room_questions.set_up(found.id, "Hana", is_on=True, mode=Mode.OPEN)
    return found


@pytest.fixture
def hana(game) -> Client:
    return sign_in("Hana")


def qa_of(game: Game) -> QaSettings:
    return room_questions.qa_from_item(table().get(keys.game_qa(game.id)))


def send(game: Game, seat: Seat, text: str, at: int | None = None) -> QaQuestion:
    board = room_questions.board(game.id)
    items = table().get_many(store.own_keys(board, seat.player))
    own = store.own_questions(QaQuestion, board, seat.player, items)
    moment = clock.now() if at is None else at
    state = repository.read_state(game.id)
    return at_its_own_moment(lambda: room_questions.send(game, state, qa_of(game), seat, own, text, moment))


def upvote(game: Game, seat: Seat, asked: QaQuestion, *, on: bool = True) -> bool:
    return room_questions.upvote(game, repository.read_state(game.id), qa_of(game), seat, _now(game, asked), on=on)


def _now(game: Game, asked: QaQuestion) -> QaQuestion | None:
    item = table().get(keys.asked(game.id, asked.id))
    return room_questions.question_from_item(item) if item else None


class Phone:
    """The browser of somebody who has a seat."""

    def __init__(self, game: Game, name: str):
        self.game, self.client = game, Client()
        joining = reverse("join_game", args=[game.id, game.token])
        self.client.post(joining, {"name": name, "form": players.new_form()})
        (self.seat,) = [each for each in seats.read_seats(game.id) if each.name == name]
        self.address = reverse("qa", args=[game.id])

    def page(self, status: int = 200) -> str:
        answer = self.client.get(self.address)
        assert answer.status_code == status
        return answer.content.decode()

    def ask(self, text: str, **more):
        return self.client.post(self.address, {"text": text, **more}, follow=True)

    def tell(self, **words):
        """As a script does."""
        return self.client.post(self.address, words, headers={"HX-Request": "true"})

    def now(self, **has):
        return self.client.get(reverse("game_now", args=[self.game.id, "qa"]), has)


@pytest.fixture
def phone(game) -> Callable[[str], Phone]:
    return lambda name: Phone(game, name)


def seen_by_all(game: Game) -> list[str]:
    from parts.live.screens import qa_display

    snapshot = snapshots.current(game.id)
    assert snapshot is not None
    return [each.text for each in qa_display.visible_questions(snapshots.with_upvotes(snapshot))]
