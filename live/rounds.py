"""Given answers and sealed rounds: who answered what, the points, and the result that screens show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from questions.question import Question

MIN_ANONYMOUS_ANSWERS = 3  # people's answers, below which nothing is told of an anonymous round


def may_be_shown(answers: int, robots: int) -> bool:
    """Whether the answers of an anonymous round may be shown. What robots say can be worked out, so that nobody can
    hide among them: only people count. Where robots are alone there is nobody to protect."""
    people = answers - robots
    return answers >= MIN_ANONYMOUS_ANSWERS and (people == 0 or people >= MIN_ANONYMOUS_ANSWERS)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer or a vote as somebody gave it: the last of theirs."""

    player: str  # or a pseudonym, where nobody is to know who it was
    said: Any  # trivia: list of options; poll: a ranking as tally reads it; survey: {question: value}; else the text
    at: int  # milliseconds since 1970 when its request came in
    receipt: str = ""  # random: by it whoever gave it can tell whether it counts
    holder: str = ""  # a keyed digest of the secret of the device that gave it, where nobody is to know who it was
    robot: bool = False  # whether no person gave it; known when a round is closed


@dataclass(frozen=True, slots=True)
class Entry:
    """What one player gave in a round, and got for it."""

    player: str  # nobody's, in an anonymous round
    said: Any
    points: int = 0
    bonus: int = 0  # for speed, told apart
    receipt: str = ""  # of a vote that nobody signs: by it whoever gave it finds it again

    @property
    def total(self) -> int:
        return self.points + self.bonus


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was sealed; it never changes. Whether it counts, the session's state says."""

    number: int
    question: int  # its place among the session's questions
    count: int  # of answers that count
    result: Mapping[str, Any]  # what screens show, by the type of the session
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    votes: int = 0  # of call-and-answer


def options_of(round_: Round, question: Question) -> tuple[str, ...]:
    """What there was to choose from: the question's own, or what the room wrote."""
    return tuple(round_.result.get("options", question.options))
