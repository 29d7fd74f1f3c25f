"""Takes the steps of a host. Each step names the version it is based on, so that none is skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from foundation.acts import storage
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.storage import now_text
from foundation.store.log import Event
from foundation.store.table import Write
from parts.live import changes, clock, repository, rules, steps
from parts.questions.question import Question

from ..play import play_at, play_named
from ..pseudonyms import new_salt
from ..rules import Game, State, Step
from . import closing, ending
from .formats import HOOKS


def drive(
    game_id: str,
    who: str,
    step: Step,
    version: int,
    item: int | None = None,
    found: tuple[Game, State] | None = None,
) -> State:
    """Take a step and return the new state; refused if `version` is stale.

    `item` is the position of a question asked out of order; `found` is the session, if just read.
    """
    game, before = found or repository.load(game_id)
    state = closing.settled(game, before)
    if state.version != version:
        raise LostRace(rules.STALE)
    if not (step == Step.NEXT and item is not None and steps.may_call(game, state)):
        steps.check_offered(game, state, step)
    after = _take_step(game, state, step, who, item)
    HOOKS.of(game).stepped(game, state, after)
    return after


def _take_step(game: Game, state: State, step: Step, who: str, item: int | None) -> State:
    if step == Step.CLOSE:
        after = closing.close(game, state, who)
        if after.is_uncountable:
            raise NotNow(rules.UNCOUNTABLE)
        return after
    if step == Step.END:
        return ending.end(game, state, who)
    return move(game, state, step, who, repository.read_questions(game.id), item)


def move(
    game: Game, state: State, step: Step, who: str, questions: Sequence[Question], item: int | None = None
) -> State:
    """Take a step that only writes the state, with a new salt if an anonymous phase begins."""
    now = now_text()
    after = next_state(game, state, step, questions, clock.now(), item)
    after = replace(after, changed_at=now, began_at=state.began_at or now)
    salt: list[Write] = []
    if after.is_open and (after.phase, after.round) != (state.phase, state.round) and after.secret:
        salt = repository.salting(game, after.round, new_salt())
    play = play_at(state)
    opened, vote_data = play.open_vote(game, after) if play and step == Step.VOTE else ([], {})
    present = HOOKS.of(game).open_vote(game, after) if step == Step.VOTE else {}
    same = [repository.is_same(game)] if present and after.secret else []
    dropped = closing.dropping(game, state) if step in (Step.VOID, Step.REPEAT) else []
    gone = [*dropped, *play.moving_on(game, state, after)] if play else []
    record(game, who, step, state, after, *salt, *gone, *opened, *same, **present, **vote_data)
    return after


def next_state(
    game: Game, state: State, step: Step, questions: Sequence[Question], now: int, item: int | None = None
) -> State:
    at = state.question
    if step == Step.NEXT:
        at = steps.place_to_call(game, state, item)
        return steps.ask(game, state, at, questions, now)
    if step == Step.REPEAT:
        return steps.ask(game, rules.voided(state), at, questions, now, state.before)
    if step == Step.AGAIN:
        return steps.ask(game, state, at, questions, now, state.round)
    if step == Step.VOTE:
        return rules.voting(state, play_named(state.play).voting_seconds(questions[at]), now)
    if step == Step.VOID:
        return rules.voided(state)
    if step == Step.REVEAL:
        return rules.moved(state, revealed=True)
    changed = state.clock.stopped(now) if step == Step.PAUSE else state.clock.started_again(now)
    return rules.moved(state, clock=changed)


def record(game: Game, who: str, step: str, before: State, after: State, *writes: Write, **more: Any) -> None:
    event_data = {"game_id": game.id, "step": str(step), **more, "state": repository.state_as_item(after)}
    storage.record(Event(who, "LiveSessionMoved", event_data), *repository.moving(game, before, after), *writes)
    changes.publish(game.id)
