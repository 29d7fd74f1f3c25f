"""Given answers and sealed rounds: who answered what, the points, and the result that screens show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parts.questions.question import Question

MIN_ANONYMOUS_ANSWERS = 3  # by people; below it an anonymous round shows nothing


def may_be_shown(answers: int, robots: int) -> bool:
    """Whether the answers of an anonymous round may be shown.

    Robots' answers are predictable and hide no one, so only people count. Robots alone need no protection.
    """
    people = answers - robots
    return answers >= MIN_ANONYMOUS_ANSWERS and (people == 0 or people >= MIN_ANONYMOUS_ANSWERS)


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer or vote as a player gave it."""

    player: str  # or a pseudonym, in an anonymous round
    value: Any  # trivia: list of options; poll: a ranking as tally reads it; survey: {question: value}; else the text
    at: int  # when its request came in, in milliseconds since 1970
    receipt: str = ""  # random and new each time; tells whether a submission was counted
    device_hash: str = ""  # in an anonymous round, a keyed digest of the secret of the device that gave it
    robot: bool = False  # set when the round is closed


@dataclass(frozen=True, slots=True)
class Entry:
    """One player's answer in a round, and the points for it."""

    player: str  # empty in an anonymous round
    value: Any
    points: int = 0
    bonus: int = 0  # for speed, not included in the points
    receipt: str = ""  # of an anonymous vote; random, and its place in the order

    @property
    def total(self) -> int:
        return self.points + self.bonus


@dataclass(frozen=True, slots=True)
class Round:
    """A sealed round, which never changes; the session's state says whether it counts."""

    number: int
    question: int  # its position in the session
    count: int  # of answers that count
    result: Mapping[str, Any]  # what screens show; its keys depend on the play
    entries: tuple[Entry, ...] = field(default=(), repr=False)
    votes: int = 0  # of call-and-answer


def options_of(round_: Round, question: Question) -> tuple[str, ...]:
    """The options of a round: those of the question, or the ideas people wrote."""
    return tuple(round_.result.get("options", question.options))
