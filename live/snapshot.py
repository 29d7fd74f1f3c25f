"""Snapshot of a session: everything its screens show at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from questions.question import Question

from .moderation import NOTHING_WRITTEN, Texts
from .qa_rules import QaQuestion, QaSettings
from .rounds import Round
from .rules import Game, State
from .seats import Seat

QA_OFF = QaSettings()


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who is there, as far as all processes know."""

    players: int = 0
    host_away: bool = False


@dataclass(frozen=True)  # without slots, so that it can keep what is made of it
class Snapshot:
    game: Game
    state: State
    questions: tuple[Question, ...]
    seats: Mapping[str, Seat]  # by the player's id
    rounds: Mapping[int, Round]  # all that are sealed, as everybody may see them
    question: Question | None = None  # what is asked, as it is shown
    phase_data: Any = None  # what the current play keeps between two phases, such as sorted ideas
    present: Attendance = Attendance()
    answered: int = 0  # how many have answered or voted in the phase that is open
    qa: QaSettings = QA_OFF  # whether the room may ask, and how
    asked: tuple[QaQuestion, ...] = ()  # what it asks, hidden ones included
    upvotes: Mapping[str, int] = field(default_factory=dict)  # of each of these
    beside: Any = None  # what its format shows beside
    codes_refused: bool = False  # whether people who typed the right code were refused lately
    texts: Texts = NOTHING_WRITTEN  # how what people write is taken, and what was decided about it
    as_sealed: Mapping[int, Round] = field(default_factory=dict)  # the rounds with what was hidden in them
    at: int = field(default=0, compare=False)  # when it was looked at

    @property
    def round(self) -> Round | None:
        """What came of the current question."""
        return self.rounds.get(self.state.round) if not self.state.is_under_way else None

    @property
    def counting_rounds(self) -> list[Round]:
        """What totals are made of."""
        return [each for number, each in sorted(self.rounds.items()) if self.state.counts(number)]

    @cached_property
    def made(self) -> dict[Any, Any]:
        """Cache of everything rendered from it."""
        return {}

    @cached_property
    def playing(self) -> list[Seat]:
        return [each for each in self.seats.values() if each.is_there]

    @property
    def asked_now(self) -> tuple[Question, ...]:
        """All questions of the current round."""
        return self.questions[self.state.question : self.state.question + self.state.span]

    @property
    def removed(self) -> frozenset[str]:
        """Players whom the host has removed."""
        return frozenset(each.player for each in self.seats.values() if each.removed)
