"""Takes the steps of a host, and ends sessions. Each step names the version it is based on, so that none is skipped.

Before the end an open round is closed, so that no answer is lost, or voided if it cannot be counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from django.utils.translation import gettext_lazy as _

from foundation.acts.queues import process_each
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.storage import SITE, now_text, record
from foundation.store.log import Event, as_text
from foundation.store.table import Write
from parts.live import changes, clock, repository, rules, seats, steps
from parts.questions.question import Question

from ..play import play_at, play_named
from ..rounds import new_salt
from ..rules import Game, Phase, State, Step
from . import closing
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
        return end(game, state, who)
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
    event_data = {
        "game_id": game.id,
        "step": str(step),
        **present,
        **vote_data,
        "state": repository.state_as_item(after),
    }
    moving = repository.moving(game, state, after)
    record(Event(who, "LiveSessionMoved", event_data), *moving, *salt, *gone, *opened, *same)
    changes.publish(game.id)
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


# --- the end ---

MAX_CLOSE_ATTEMPTS = 6  # two phases, each of which others may close or reopen in the meantime
NOT_CLOSED = _("The open question could not be closed, so the session goes on. Close it first, then try again.")


def end(game: Game, state: State, who: str) -> State:
    """Refused if the open round cannot be closed, so that neither hosts nor the worker wait forever."""
    for _attempt in range(MAX_CLOSE_ATTEMPTS):
        if state.is_uncountable:
            state = closing.void(game, state, who, *closing.dropping(game, state))
        elif state.is_under_way:
            state = closing.close(game, state, who)
    if state.is_under_way:
        raise NotNow(NOT_CLOSED)
    if state.phase == Phase.ENDED:
        return state
    now = now_text()
    after = rules.moved(state, phase=Phase.ENDED, revealed=True, clock=rules.NO_CLOCK, changed_at=now)
    expires_at = rules.later(now, clock.configured().retention)
    over = replace(game, began_at=state.began_at, ended_at=now, expires_at=expires_at)
    counted, play = _history_counts(game, state), play_at(state)
    has_code = repository.has_code(game)
    event_data = {
        **repository.ended_event_data(over, counted, has_code=has_code),
        "state": repository.state_as_item(after),
    }
    writes = [
        *repository.ending(game, over, counted, has_code=has_code),
        *(play.moving_on(game, state) if play else ()),
        *HOOKS.of(game).ending(over, after),
    ]
    record(Event(who, "LiveSessionEnded", event_data), *repository.moving(game, state, after), *writes)
    HOOKS.of(game).finish_ending(game.id)
    changes.publish(game.id)
    return after


def _history_counts(game: Game, state: State) -> dict[str, int]:
    """Totals that outlive the session: no names, no answers, and robots not counted."""
    heads = [item for item in repository.round_items(game.id) if "count" in item and state.counts(item["number"])]
    return {
        "players": sum(each.plays and not each.robot for each in seats.read_seats(game.id)),
        "rounds": sum(state.spans[head["number"] - 1] for head in heads),
        "answers": sum(int(head["count"]) - int(head.get("robots", 0)) for head in heads),
    }


def end_if_abandoned(game_id: str) -> bool:
    """End the session if it has been inactive for too long; return whether it was ended."""
    found = repository.find(game_id)
    if found is None or found[0].ended_at:
        return False
    (game, state), lifetime, now = found, clock.configured(), now_text()
    if not rules.is_abandoned(game, state, "", now, lifetime):
        return False  # the last activity is read only if there has been no recent step
    if not rules.is_abandoned(game, state, last_activity(game, state), now, lifetime):
        return False
    end(game, state, SITE)
    return True


def last_activity(game: Game, state: State) -> str:
    """When a host was last seen or an answer or vote came in for the open phase; empty if unknown."""
    given = repository.given_at(game.id, state) if state.is_open else 0
    at = max(given, repository.host_seen_at(game.id))
    return as_text(datetime.fromtimestamp(at / 1000, UTC)) if at else ""


def settle(game_id: str) -> bool:
    """Close the open phase if its time is up, and end the session if abandoned; return whether it was ended."""
    found = repository.find(game_id)
    if found is not None and found[1].is_over(clock.now()):
        closing.settled(*found)
    return end_if_abandoned(game_id)


def end_abandoned() -> int:
    return process_each(list(repository.each_running()), settle)
