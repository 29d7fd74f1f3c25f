"""Editing a session: its title until it ends, its questions and their order until they are asked.

Each change is conditional on the versions of session and state. While nothing is open it also makes a new version of
the state, so that a button that calls an item by its position becomes stale.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow, TooMany
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, record
from foundation.store.log import Event
from foundation.store.table import Write
from parts.live import changes, repository, steps
from parts.questions.question import MAX_QUESTIONS, Question
from parts.questions.rules import ChangedElsewhere, question_fingerprint

from ..formats import ASKED, NOT_OF_THIS_TYPE, Text
from ..play import as_played, play_of
from ..rules import Game, Phase, State

CHANGED_SINCE = _(
    "Somebody else has changed this list in the meantime. Nothing was saved: check the list and try again."
)
OVER = _("The session has ended and can no longer be changed.")


@dataclass(frozen=True, slots=True)
class Found:
    """A session as read for editing."""

    game: Game
    state: State
    questions: Questions

    @property
    def free(self) -> list[int]:
        return free_places(self.game, self.state)


def retitle(game_id: str, who: str, title: str) -> None:
    def correct() -> None:
        found = _read(game_id)
        if title != found.game.title:
            event = _corrected_event(found, who, "title")
            _record(found, event, replace(found.game, title=title), found.questions)

    retry_lost_race(correct)


def change(game_id: str, who: str, place: int, seen: str, question: Question) -> None:
    """Replace a question; `seen` is the `question_fingerprint` of the version the page showed."""

    def correct(found: Found) -> Questions:
        check_changeable(found.game, found.state, place)
        before = found.questions[place]
        played = as_played(found.game, replace(question, play=before.play, run_off=before.run_off))
        if played is None:
            raise NotNow(NOT_OF_THIS_TYPE)
        if place not in found.free and play_of(found.game, played).first_phase != Phase.SHOWN:
            raise NotNow(found.game.format.opens_at_once)
        return (*found.questions[:place], played, *found.questions[place + 1 :])

    _corrected(game_id, who, "changed", place, seen, correct)


def move(game_id: str, who: str, place: int, seen: str, *, up: bool) -> None:
    def correct(found: Found) -> Questions:
        return with_moved(found.questions, found.free, place, up=up)

    _corrected(game_id, who, "moved", place, seen, correct)


def remove(game_id: str, who: str, place: int, seen: str) -> None:
    def correct(found: Found) -> Questions:
        if len(found.questions) == 1 and not found.game.format.any_order:
            raise NotNow(THE_LAST_ONE)
        return without_question(found.questions, found.free, place, found.game.format.keeps_its_place)

    _corrected(game_id, who, "removed", place, seen, correct)


def add(game_id: str, who: str, question: Question, *, first: int | None = None, before: str = "") -> int:
    """Add a question and return its position.

    It goes last, or before the first unasked question at or after `first`, or before the one whose fingerprint is
    `before`. A round has one run-off: the second request finds that of the first.
    """

    def correct() -> int:
        found = _read(game_id)
        for place, each in enumerate(found.questions):
            if question.run_off and each.run_off == question.run_off:
                return place
        if as_played(found.game, question) is None:
            raise NotNow(found.game.format.not_a_question)
        if len(found.questions) >= MAX_QUESTIONS:
            raise TooMany(found.game.format.too_many % {"most": MAX_QUESTIONS})
        editions = {question_fingerprint(found.questions[place]): place for place in found.free}
        if before and before not in editions:
            raise ChangedElsewhere(CHANGED_SINCE)
        at = editions.get(before, len(found.questions) if first is None else first)
        questions = with_inserted(found.questions, found.free, question, at)
        run_off = {"run_off": question.run_off} if question.run_off else {}
        _record(found, Event(who, "LiveItemAdded", run_off), found.game, questions)
        return next(place for place, each in enumerate(questions) if each is question)

    return retry_lost_race(correct)


# --- writing ---


def _corrected(game_id: str, who: str, what: str, place: int, seen: str, correct: Callable[[Found], Questions]) -> None:
    def once() -> None:
        found = _read(game_id)
        if place >= len(found.questions) or question_fingerprint(found.questions[place]) != seen:
            raise ChangedElsewhere(CHANGED_SINCE)
        questions = correct(found)
        if questions != found.questions:
            _record(found, _corrected_event(found, who, what), found.game, questions)

    retry_lost_race(once)


def _read(game_id: str) -> Found:
    game, state = repository.load(game_id)
    if game.ended_at:
        raise NotNow(OVER)
    return Found(game, state, repository.read_questions(game_id))


def _corrected_event(found: Found, who: str, what: str) -> Event:
    """Includes the key of the creator's history line."""
    place = {name: getattr(found.game, name) for name in ("created_at", "created_by")}
    return Event(who, "LiveSessionCorrected", {"what": what, **place})


def _record(found: Found, event: Event, game: Game, questions: Questions) -> None:
    after = replace(game, total_questions=len(questions), prepared_at=now_text())
    said: dict[str, Any] = {
        **event.event_data,
        "game_id": game.id,
        "title": after.title,
        "total_questions": after.total_questions,
        "prepared_at": after.prepared_at,
    }
    state = _new_version(game, found.state, questions)
    still: list[Write] = [repository.is_still_at(game, found.state)]
    if state is not None:
        still, said["state"] = repository.moving(game, found.state, state), repository.state_as_item(state)
    writes = repository.correction(found.game, after, found.questions, questions)
    record(replace(event, event_data=said), *writes, *still)
    changes.publish(game.id)


def _new_version(game: Game, state: State, questions: Questions) -> State | None:
    """None while people answer or vote, or ideas are sorted: no item can be called then, so no button goes stale."""
    if state.is_open or state.phase == Phase.SORTING:
        return None
    return steps.refreshed(game, state, questions[state.question] if state.round else None)


# --- which questions can still be edited, moved or removed ---

# Questions that have been asked keep their place, because sealed rounds and records refer to it. Only the others move.


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
