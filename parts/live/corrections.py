"""Which questions of a session can still be edited, moved or removed, and their order afterwards. Pure functions.

Questions that have been asked keep their place, because sealed rounds and records refer to it. Only the others move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow
from parts.questions.question import Question
from parts.questions.rules import question_fingerprint

from .formats import ASKED, Text
from .play import play_of
from .rules import Game, Phase, State

Questions = tuple[Question, ...]

NO_NEIGHBOUR = _("It cannot be moved any further in that direction.")
THE_LAST_ONE = _("A session needs at least one question. Edit this one instead.")


def free_places(game: Game, state: State) -> list[int]:
    """Positions of the questions not asked yet, in order."""
    if state.phase == Phase.ENDED:
        return []
    return [place for place in range(game.total_questions) if place not in state.asked_places]


def is_changeable(game: Game, state: State, place: int) -> bool:
    """Whether it has not been asked yet, or is shown for the first time, before it opens."""
    is_shown = state.phase == Phase.SHOWN and state.question == place and state.played.count(place) == 1
    return is_shown or place in free_places(game, state)


def check_changeable(game: Game, state: State, place: int) -> None:
    if not is_changeable(game, state, place):
        raise NotNow(ASKED)


def with_moved(questions: Sequence[Question], free: Sequence[int], place: int, *, up: bool) -> Questions:
    """Swap with the nearest question in that direction that has not been asked yet."""
    if place not in free:
        raise NotNow(ASKED)
    neighbour = free.index(place) + (-1 if up else 1)
    if not 0 <= neighbour < len(free):
        raise NotNow(NO_NEIGHBOUR)
    after = list(questions)
    after[place], after[free[neighbour]] = after[free[neighbour]], after[place]
    return tuple(after)


def without_question(
    questions: Sequence[Question], free: Sequence[int], place: int, keeps_its_place: Text
) -> Questions:
    """Remove a question; later ones that have not been asked yet move up. Refused if a later one has been asked."""
    if place not in free:
        raise NotNow(ASKED)
    if free[-1] != len(questions) - 1:
        raise NotNow(keeps_its_place)
    after, later = list(questions), free[free.index(place) :]
    for here, there in pairwise(later):
        after[here] = questions[there]
    return tuple(after[:-1])


def with_inserted(questions: Sequence[Question], free: Sequence[int], question: Question, first: int) -> Questions:
    """Insert before the first question at or after `first` that has not been asked yet."""
    after = [*questions, question]
    later = [*(place for place in free if place >= first), len(questions)]
    after[later[0]] = question
    for here, there in pairwise(later):
        after[there] = questions[here]
    return tuple(after)


# --- as a page lists them ---


@dataclass(frozen=True, slots=True)
class Row:
    """A question on the edit page."""

    place: int
    question: Question
    edition: str
    is_changeable: bool
    is_first: bool  # of the movable ones
    is_last: bool
    is_movable: bool
    play: str | Promise  # its label


def rows(game: Game, state: State, questions: tuple[Question, ...]) -> list[Row]:
    free = free_places(game, state)
    return [
        Row(
            place=place,
            question=each,
            edition=question_fingerprint(each),
            is_changeable=is_changeable(game, state, place),
            is_first=free[:1] == [place],
            is_last=free[-1:] == [place],
            is_movable=place in free,
            play=play_of(game, each).label,
        )
        for place, each in enumerate(questions)
    ]
