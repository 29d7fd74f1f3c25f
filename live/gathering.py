"""Answers that the room votes on, as they lie in the table between the two closes of a round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import counting, repository, scores
from .rounds import Round
from .scores import Answer


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was answered, and which answers each player is shown, where there are too many to show all."""

    round: Round
    answers: tuple[Answer, ...]
    showings: Mapping[str, Sequence[int]]
    unseen: frozenset[int] = frozenset()  # answers that nobody sees, or not yet

    def shown_to(self, player: str) -> tuple[int, ...]:
        """The numbers of the answers, in the order to show them: never one's own."""
        found = self.showings.get(player)
        numbers = scores.shown_late(player, self.answers) if found is None else found
        return tuple(each for each in numbers if each not in self.unseen)


def parts(round_: Round, answers: Sequence[Answer], voters: Iterable[str]) -> list[dict[str, Any]]:
    """Whom each is shown to is settled here for everybody who has a seat, so that all are shown about as often."""
    many = len(answers) > scores.MAX_ANSWERS_ALL_SHOWN
    shown = {voter: list(numbers) for voter, numbers in scores.showings(voters, answers).items()} if many else {}
    return [*counting.as_parts(round_), {"showings": shown}]


def read(game_id: str, round_: int) -> Gathered:
    *answered, shown = repository.gathered_items(game_id, round_)
    sealed = counting.round_of(answered)
    return Gathered(sealed, counting.gathered(sealed), shown["showings"])
