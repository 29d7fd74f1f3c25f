"""What hosts do with a session that runs: each step names the version that it leaves, so that none is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from acts.site import log, now_text
from store.log import Event
from store.table import Refused, Write

from .. import clock, repository, rules, waking
from ..pseudonyms import new_salt
from ..questions import Question
from ..rules import Game, Phase, State, Step
from . import closing, ending


def drive(game_id: str, who: str, step: Step, version: int) -> State:
    """Take a step; answers where the session is now. Whoever leaves a version that is gone is told so."""
    found = repository.find(game_id)
    if found is None:
        raise rules.NotThere(rules.NOT_THERE)
    game, before = found
    state = closing.settled(game, before)
    if state.version != version:
        raise rules.Stale(rules.STALE)
    rules.check_offered(game, state, step)
    if step == Step.CLOSE:
        return closing.close(game, state, who)
    if step == Step.END:
        return ending.end(game, state, who)
    return move(game, state, step, who, repository.questions(game_id))


def move(game: Game, state: State, step: Step, who: str, questions: Sequence[Question]) -> State:
    """A step that writes the state, and a salt where a question begins that nobody signs."""
    after = replace(stepped(game, state, step, questions, clock.now()), changed_at=now_text())
    salt: list[Write] = []
    if after.phase == Phase.QUESTION and after.round != state.round and game.is_anonymous:
        salt = repository.salting(game, after.round, new_salt())
    record(game, who, step, state, after, *salt, *_dropped(game, state, step, after.changed_at))
    return after


def _dropped(game: Game, state: State, step: Step, now: str) -> list[Write]:
    """Of an open round that is not to count: what was given in it is never read, and nobody's to be found."""
    if not (game.is_anonymous and state.is_open and step in (Step.VOID, Step.REPEAT)):
        return []
    return [*repository.unsalting(game, state.round), *repository.emptying(game, state.round, now)]


def stepped(game: Game, state: State, step: Step, questions: Sequence[Question], now: int) -> State:
    if step == Step.NEXT:
        at = rules.next_question(game, state)
        assert at is not None  # as it was offered
        return rules.asked(state, at, rules.seconds_of(game, questions[at]), now)
    if step == Step.REPEAT:
        at = state.question
        return rules.asked(rules.voided(state), at, rules.seconds_of(game, questions[at]), now)
    if step == Step.VOID:
        return rules.voided(state)
    if step == Step.REVEAL:
        return rules.revealed(state)
    return rules.paused(state, now) if step == Step.PAUSE else rules.resumed(state, now)


def record(game: Game, who: str, step: str, before: State, after: State, *writes: Write) -> None:
    event = Event(
        who, "LiveSessionMoved", {"game_id": game.id, "step": str(step), "state": repository.told_state(after)}
    )
    try:
        log().record(event, *repository.moving(game, before, after), *writes)
    except Refused:
        raise rules.Stale(rules.STALE) from None
    waking.moved(game.id)
