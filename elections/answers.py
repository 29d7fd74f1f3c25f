"""What candidates have answered, shown with them on their election's page and on ballots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foundation.acts.hooks import Hooks

from .rules import Election


@dataclass(frozen=True, slots=True)
class AnswerShown:
    """A question and one candidate's answer."""

    question: str
    text: str
    is_edited: bool
    is_by_organisers: bool


ShownAnswers = Mapping[int, Sequence[AnswerShown]]  # by candidate

# Steps that read anything for a ballot cache it: very many open it at once.
ANSWERS = Hooks[[Election], ShownAnswers]("when voters see the candidates: what these have answered")


def answers_with_candidates(election: Election) -> ShownAnswers:
    shown: dict[int, Sequence[AnswerShown]] = {}
    for find in ANSWERS:
        for candidate, some in find(election).items():
            shown[candidate] = (*shown.get(candidate, ()), *some)
    return shown
