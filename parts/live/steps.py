"""Which steps a host may take next, their labels, and the state each leads to. Pure, refusals as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow
from parts.questions.question import Question

from .clock import Clock
from .play import play_at, play_for, play_named, play_of
from .rules import (
    LAST_QUESTION,
    MAX_ROUNDS,
    NOT_NOW,
    UNCOUNTABLE,
    Game,
    Phase,
    State,
    Step,
    moved,
)

PHASE_LABELS: dict[Phase, str | Promise] = {
    Phase.WAITING: _("Waiting for people to join"),
    Phase.QUESTION: _("Question"),
    Phase.SHOWN: _("Not open yet"),
    Phase.SORTING: _("Sorting the ideas"),
    Phase.VOTING: _("Voting"),
    Phase.RESULTS: _("Results"),
    Phase.ENDED: _("Ended"),
}

STEP_LABELS: dict[Step, str | Promise] = {
    Step.NEXT: _("Next question"),
    Step.VOTE: _("Open the vote"),
    Step.CLOSE: _("Close the question"),
    Step.REVEAL: _("Reveal the results"),
    Step.PAUSE: _("Pause"),
    Step.RESUME: _("Resume"),
    Step.VOID: _("Do not count it"),
    Step.REPEAT: _("Ask it again"),
    Step.AGAIN: _("Ask again and compare"),
    Step.END: _("End the session"),
}

FIRST_QUESTION = _("Start with the first question")
CALL_LABEL = _("Call it")
OF_UNCOUNTABLE: dict[Step, str | Promise] = {
    Step.VOID: _("Void this round"),
    Step.CLOSE: _("Try to count it again"),
}


def offered(game: Game, state: State) -> tuple[Step, ...]:
    """The steps that will be accepted, likeliest first."""
    play = play_at(state)
    if state.phase == Phase.ENDED:
        return ()
    if state.is_uncountable:  # counting it again may work after an update of the site
        return (Step.VOID, *((Step.REPEAT,) if play and play.may_repeat else ()), Step.CLOSE, Step.END)
    if state.is_open:
        clock = (Step.RESUME if state.is_paused else Step.PAUSE,) if state.clock.seconds else ()
        again = (Step.VOID, Step.REPEAT) if play and play.may_repeat else ()
        return (Step.CLOSE, *clock, *again, Step.END)
    if state.phase == Phase.SHOWN:
        return (*((Step.VOTE,) if play and play.is_answered else ()), Step.CLOSE, Step.END)
    if state.phase == Phase.SORTING:
        return (Step.VOTE, Step.CLOSE, Step.VOID, Step.END)
    on = (Step.NEXT,) if next_question(game, state) is not None else ()
    if state.phase == Phase.WAITING:
        return (*on, Step.END)
    reveal = () if state.revealed else (Step.REVEAL,)
    compare = (Step.AGAIN,) if state.twice and not state.before and state.counts(state.round) else ()
    void = (Step.VOID,) if state.counts(state.round) and play and play.is_answered else ()
    return (*reveal, *compare, *(on or (Step.END,)), *void, Step.REPEAT, *((Step.END,) if on else ()))


def next_question(game: Game, state: State) -> int | None:
    """Position of the question after the latest round; in any order, of the first never asked."""
    at = state.question + state.span if state.round else 0
    if game.format.any_order:
        at = next((place for place in range(game.total_questions) if place not in state.played), game.total_questions)
    return at if at < game.total_questions and len(state.played) < MAX_ROUNDS else None


def may_call(game: Game, state: State) -> bool:
    """Whether any question may be asked now, even one asked before."""
    return game.format.any_order and state.phase in (Phase.WAITING, Phase.RESULTS) and len(state.played) < MAX_ROUNDS


def check_offered(game: Game, state: State, step: Step) -> None:
    if step == Step.NEXT and state.phase == Phase.RESULTS and next_question(game, state) is None:
        raise NotNow(LAST_QUESTION)
    if step not in offered(game, state):
        raise NotNow(UNCOUNTABLE if state.is_uncountable else NOT_NOW)


def place_to_call(game: Game, state: State, item: int | None) -> int:
    """Position of what is asked next: the one chosen, if in any order, or the next."""
    at = next_question(game, state)
    if item is None or not game.format.any_order:
        assert at is not None  # the step was offered
        return at
    if not 0 <= item < game.total_questions:
        raise NotNow(game.format.no_such_question)
    return item


def ask(game: Game, state: State, at: int, questions: Sequence[Question], now: int, before: int = 0) -> State:
    """Ask a question in a new round, together with the following ones of the same play if that play spans."""
    question = questions[at]
    play = play_of(game, question)
    same = [play_of(game, each) for each in questions[at:]]
    span = next((place for place, each in enumerate(same) if each is not play), len(same)) if play.spans else 1
    phase = play.first_phase
    return replace(
        state,
        version=state.version + 1,
        phase=phase,
        round=len(state.played) + 1,
        played=(*state.played, at),
        spans=(*state.spans, span),
        closing=0,
        revealed=False,
        clock=Clock(now, question.seconds if play.is_timed and phase != Phase.SHOWN else 0),
        play=play.name,
        kind=str(question.kind),
        secret=play.is_secret(question),
        twice=play.is_comparable and question.twice,
        before=before,
    )


def refreshed(game: Game, state: State, question: Question | None) -> State:
    """A new version of the state after a correction; `question` is the current one.

    A question that is shown but not open yet may have become one of another kind.
    """
    if state.phase != Phase.SHOWN or question is None:
        return moved(state)
    play = play_of(game, question)
    return moved(state, play=play.name, kind=str(question.kind), secret=play.is_secret(question))


# --- as hosts see them ---


@dataclass(frozen=True, slots=True)
class Button:
    """A step that a host can take from the version shown."""

    step: Step
    label: str | Promise
    version: int
    asks: str | Promise = ""  # text to confirm, if the step needs confirmation
    item: int | None = None  # position of the question, if asked out of order

    @property
    def value(self) -> str:
        return f"{self.step} {self.version}" + ("" if self.item is None else f" {self.item}")


def calls(game: Game, state: State) -> dict[int, Button]:
    """Buttons for all questions that can be asked now in any order, by index."""
    if not may_call(game, state):
        return {}
    places = range(game.total_questions)
    return {each: Button(Step.NEXT, CALL_LABEL, state.version, item=each) for each in places}


def type_label(type_: str) -> str | Promise:
    """Label of a session type."""
    return play_named(type_).label


def phase_label(game: Game, state: State) -> str | Promise:
    """Label of the phase that fits the current play."""
    return play_for(game, state).phase_labels.get(state.phase, PHASE_LABELS[state.phase])


def step_label(step: Step, game: Game, state: State) -> str | Promise:
    """Label of a step's button that fits the current play."""
    if state.is_uncountable and step in OF_UNCOUNTABLE:
        return OF_UNCOUNTABLE[step]
    own = play_for(game, state).step_label(step, state)
    return own or (FIRST_QUESTION if step == Step.NEXT and not state.round else STEP_LABELS[step])
