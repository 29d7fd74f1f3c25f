"""Sessions that take questions, and people who ask."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from acts.storage import table
from live import clock, players, repository, seats
from live import room_questions_store as questions
from live.qa import services
from live.room_questions import Asked, Mode, Qa
from live.rules import Game
from live.seats import Seat
from live.show import rooms
from store import keys
from tests.live.conftest import made  # noqa: F401 - a fixture
from tests.people import sign_in


@pytest.fixture
def game(made) -> Game:  # noqa: F811
    """One in which everybody sees at once what is asked."""
    found = made()
    services.set_up(found.id, "Hana", is_on=True, mode=Mode.OPEN)
    return found


@pytest.fixture
def hana(game) -> Client:
    return sign_in("Hana")


def qa_of(game: Game) -> Qa:
    return questions.qa_of(table().get(keys.game_qa(game.id)))


def send(game: Game, seat: Seat, text: str, at: int | None = None) -> Asked:
    own = services._own_now(game, seat)
    moment = clock.now() if at is None else at
    return services.send(game, repository.state(game.id), qa_of(game), seat, own, text, moment)


def upvote(game: Game, seat: Seat, asked: Asked, *, on: bool = True) -> bool:
    return services.upvote(game, repository.state(game.id), qa_of(game), seat, _now(game, asked), on=on)


def _now(game: Game, asked: Asked) -> Asked | None:
    item = table().get(keys.asked(game.id, asked.id))
    return questions.asked_of(item) if item else None


class Phone:
    """The browser of somebody who has a seat."""

    def __init__(self, game: Game, name: str):
        self.game, self.client = game, Client()
        joining = reverse("join_game", args=[game.id, game.token])
        self.client.post(joining, {"name": name, "form": players.new_form()})
        (self.seat,) = [each for each in seats.each(game.id) if each.name == name]
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
    from live.qa import showing

    room = rooms.current(game.id)
    assert room is not None
    return [each.text for each in showing.seen(rooms.upvoted(room))]
