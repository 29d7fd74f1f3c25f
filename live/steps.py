"""Which steps a host may take next, and the state each leads to. Pure, refusals as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acts.refusals import NotNow
from questions.question import Question

from .clock import Clock
from .play import play_at, play_of
from .rules import LAST_QUESTION, MAX_ROUNDS, NOT_NOW, NOT_ON_THE_AGENDA, Game, Phase, State, Step, moved


def offered(game: Game, state: State) -> tuple[Step, ...]:
    """What can be done next, the likeliest first: exactly what will be accepted."""
    play = play_at(state)
    if state.phase == Phase.ENDED:
        return ()
    if state.is_open:
        clock = (Step.RESUME if state.is_paused else Step.PAUSE,) if state.clock.seconds else ()
        again = (Step.VOID, Step.REPEAT) if play and play.may_repeat else ()
        return (Step.CLOSE, *clock, *again, Step.END)
    if state.phase == Phase.TALKING:
        return (*((Step.VOTE,) if play and play.has_vote else ()), Step.CLOSE, Step.END)
    if state.phase == Phase.SORTING:
        return (Step.VOTE, Step.CLOSE, Step.VOID, Step.END)
    on = (Step.NEXT,) if next_question(game, state) is not None else ()
    if state.phase == Phase.WAITING:
        return (*on, Step.END)
    reveal = () if state.revealed else (Step.REVEAL,)
    compare = (Step.AGAIN,) if state.twice and not state.before and state.counts(state.round) else ()
    void = (Step.VOID,) if state.counts(state.round) else ()
    return (*reveal, *compare, *(on or (Step.END,)), *void, Step.REPEAT, *((Step.END,) if on else ()))


def next_question(game: Game, state: State) -> int | None:
    """The place of the first question after the latest round, of an agenda the first that was never called."""
    at = state.question + state.span if state.round else 0
    if game.format.has_agenda:
        at = next((place for place in range(game.total_questions) if place not in state.played), game.total_questions)
    return at if at < game.total_questions and len(state.played) < MAX_ROUNDS else None


def may_call(game: Game, state: State) -> bool:
    """Whether any item of the agenda may be come to now, also one that was called before."""
    return game.format.has_agenda and state.phase in (Phase.WAITING, Phase.RESULTS) and len(state.played) < MAX_ROUNDS


def check_offered(game: Game, state: State, step: Step) -> None:
    if step == Step.NEXT and state.phase == Phase.RESULTS and next_question(game, state) is None:
        raise NotNow(LAST_QUESTION)
    if step not in offered(game, state):
        raise NotNow(NOT_NOW)


def place_to_call(game: Game, state: State, item: int | None) -> int:
    """The place of what is asked next: what somebody called by its place, in an assembly, or the next in order."""
    at = next_question(game, state)
    if item is None or not game.format.has_agenda:
        assert at is not None  # as it was offered
        return at
    if not 0 <= item < game.total_questions:
        raise NotNow(NOT_ON_THE_AGENDA)
    return item


def ask(game: Game, state: State, at: int, questions: Sequence[Question], now: int, before: int = 0) -> State:
    """A question is put to the room, in a round of its own; with those that follow it, where its play says so."""
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
        clock=Clock(now, 0 if phase == Phase.TALKING else play.seconds(question)),
        play=play.name,
        kind=str(question.kind),
        secret=play.is_secret(question),
        twice=play.is_compared(question),
        before=before,
    )


def refreshed(game: Game, state: State, question: Question | None) -> State:
    """The same step after something of the session was corrected: `question` is the one at hand. What is talked about
    may have become another kind of vote."""
    if state.phase != Phase.TALKING or question is None:
        return moved(state)
    play = play_of(game, question)
    return moved(state, play=play.name, kind=str(question.kind), secret=play.is_secret(question))
