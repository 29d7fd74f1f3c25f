"""What projector, remote and scoreboard show of a room beside what every screen shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from acts.links import whole
from pages.qr import qr_picture

from . import rules, words
from .questions import Question, Type
from .rooms import Room
from .rules import Game, State, Step
from .seats import Seat

LETTERS = "ABCDEFGHIJ"
MOST_LETTERS = 420  # of all names in the lobby together: as many as fit the smallest projector
LONGEST_CHIP = 24  # letters, after which a name is cut off
BETWEEN = 5  # letters, about, that the frame of a name takes

ASKED: dict[Step, str | Promise] = {
    Step.VOID: _("Nobody gets points for this question, and nobody sees what was answered."),
    Step.REPEAT: _("Everybody is asked this question once more. What was answered so far does not count."),
    Step.END: _("Nobody can answer after that. What is open is closed first, and everybody sees the end."),
}


@dataclass(frozen=True, slots=True)
class Button:
    """A step as a host can take it, from the version that this screen shows."""

    step: Step
    words: str | Promise
    version: int
    asks: str | Promise = ""  # what it means, where it is asked first

    @property
    def value(self) -> str:
        return f"{self.step} {self.version}"


@dataclass(frozen=True, slots=True)
class Lobby:
    """Whoever is there, the newest first, as far as there is room for names."""

    shown: tuple[Seat, ...]
    more: int
    players: int
    waiting: int  # for the host to agree to their names


@dataclass(frozen=True, slots=True)
class Option:
    number: int
    letter: str
    text: str


def buttons(game: Game, state: State) -> list[Button]:
    """The likeliest first."""
    return [
        Button(each, words.step_words(each, game, state), state.version, ASKED.get(each, ""))
        for each in rules.offered(game, state)
    ]


def lobby(seats: Iterable[Seat]) -> Lobby:
    there = [each for each in seats if not (each.removed or each.left)]
    there.sort(key=lambda each: each.joined_at, reverse=True)
    playing = [each for each in there if each.approved]
    shown = tuple(_fitting(playing))
    return Lobby(shown, len(playing) - len(shown), len(playing), len(there) - len(playing))


def _fitting(seats: Sequence[Seat]) -> Iterable[Seat]:
    room = MOST_LETTERS
    for each in seats:
        room -= min(len(each.name), LONGEST_CHIP) + BETWEEN
        if room < 0:
            return
        yield each


def options(question: Question | None) -> list[Option]:
    texts = question.options if question else ()
    return [Option(number, LETTERS[number], text) for number, text in enumerate(texts)]


def size(question: Question | None) -> str:
    """How large the words of a question can be so that all of it fits a projector."""
    if question is None:
        return "large"
    longest = max(map(len, question.options), default=0)
    if len(question.title) > 110 or len(question.options) > 6 or longest > 60:
        return "small"
    return "medium" if len(question.title) > 50 or len(question.options) > 4 or longest > 25 else "large"


def join_address() -> str:
    """As it is read out: without what every browser adds by itself."""
    return whole(reverse("join")).partition("://")[2].rstrip("/")


def link_to(game: Game) -> str:
    """What the QR picture holds."""
    return whole(reverse("join_game", args=[game.id, game.token]))


def joining(game: Game) -> dict[str, Any]:
    return {"join_address": join_address(), "code": spaced(game.code), "qr": qr_picture(link_to(game))}


def spaced(code: str) -> str:
    """In two groups from six digits on, so that nobody loses their place."""
    return f"{code[:3]} {code[3:]}" if len(code) > 5 else code


def told(room: Room) -> dict[str, Any]:
    """What the templates of these screens have at hand, besides `screens.context`."""
    game, state = room.game, room.state
    first, *others = buttons(game, state) or [None]
    at = rules.next_question(game, state)
    return {
        **joining(game),
        "site_name": settings.SITE_NAME,
        "type_words": words.type_words(game.engagement_type),
        "is_survey": game.engagement_type == Type.SURVEY,
        "is_scored": game.engagement_type.is_scored,
        "is_voided": bool(state.round) and not state.counts(state.round),
        "number": state.question + 1,
        "lobby": lobby(room.seats.values()),
        "options": options(room.question),
        "size": size(room.question),
        "first_step": first,
        "other_steps": others,
        "next_question": room.questions[at] if at is not None else None,
    }
