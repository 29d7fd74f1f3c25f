"""Snapshot of a session: everything its screens show at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from parts.questions.question import Question

from .moderation import NOTHING_WRITTEN, QaQuestion, QaSettings, Texts
from .rounds import Round
from .rules import Game, Phase, State, question_numbers
from .seats import Seat

QA_OFF = QaSettings()


@dataclass(frozen=True, slots=True)
class Attendance:
    """Who is connected, across all processes."""

    players: int = 0
    host_away: bool = False


@dataclass(frozen=True)  # no slots, for the cached properties
class Snapshot:
    game: Game
    state: State
    questions: tuple[Question, ...]
    seats: Mapping[str, Seat]  # by the player's id
    rounds: Mapping[int, Round]  # all sealed rounds, without hidden texts
    question: Question | None = None  # the current one, as shown
    phase_data: Any = None  # kept by the play between two phases, such as sorted ideas
    present: Attendance = Attendance()
    answered: int = 0  # number of answers or votes in the open phase
    qa: QaSettings = QA_OFF  # Q&A settings
    qa_questions: tuple[QaQuestion, ...] = ()  # including hidden ones
    upvotes: Mapping[str, int] = field(default_factory=dict)  # by question id
    panel_data: Any = None  # panel data of the format
    codes_refused: bool = False  # whether right codes were refused recently
    texts: Texts = NOTHING_WRITTEN  # moderation settings and decisions
    as_sealed: Mapping[int, Round] = field(default_factory=dict)  # rounds including hidden texts
    at: int = field(default=0, compare=False)  # when it was read

    @property
    def round(self) -> Round | None:
        """The current round, once sealed."""
        return self.rounds.get(self.state.round) if not self.state.is_under_way else None

    @property
    def is_result_shown(self) -> bool:
        """Whether everybody sees the result of the current round."""
        return self.state.phase == Phase.RESULTS and self.state.revealed and self.is_counting

    @property
    def is_counting(self) -> bool:
        """Whether the current round is sealed and counts."""
        return self.round is not None and self.state.counts(self.state.round)

    @property
    def counting_rounds(self) -> list[Round]:
        """The sealed rounds that count towards totals, in order."""
        return [each for number, each in sorted(self.rounds.items()) if self.state.counts(number)]

    @cached_property
    def made(self) -> dict[Any, Any]:
        """Cache of everything rendered from it."""
        return {}

    @cached_property
    def playing(self) -> list[Seat]:
        return [each for each in self.seats.values() if each.is_there]

    @property
    def is_complete(self) -> bool:
        """Whether everybody who is here has answered or voted."""
        return self.state.is_open and 0 < len(self.playing) <= self.answered

    @property
    def open_question(self) -> Question:
        """The current question, where there must be one."""
        assert self.question is not None
        return self.question

    @cached_property
    def numbers(self) -> list[str]:
        return question_numbers(self.questions, self.state.played)

    @property
    def heading(self) -> dict[str, Any]:
        """The number of the current question, and of how many; run-offs are no items of their own."""
        number = self.numbers[self.state.question] if self.state.round else ""
        return {"number": number, "total": sum(not each.run_off for each in self.questions)}

    @property
    def round_questions(self) -> Sequence[Question]:
        return self.state.questions_in(self.state.round, self.questions)

    @property
    def removed(self) -> frozenset[str]:
        """Players removed by the host."""
        return frozenset(each.player for each in self.seats.values() if each.removed)
