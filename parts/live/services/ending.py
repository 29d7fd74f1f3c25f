"""Ends a session; an open round is closed first, so that no answer is lost, or voided if it cannot be counted."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from django.utils.translation import gettext_lazy as _

from foundation.acts.queues import process_each
from foundation.acts.refusals import NotNow
from foundation.acts.storage import SITE, now_text, record
from foundation.store.log import Event, as_text
from parts.live import changes, clock, lifetimes, repository, rules, seats

from ..play import play_at
from ..rules import Game, Phase, State
from . import closing
from .formats import HOOKS

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
    expires_at = rules.later(now, lifetimes.configured().retention)
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
    if found is None or found[0].ended_at or not _is_abandoned(*found):
        return False
    end(*found, SITE)
    return True


def _is_abandoned(game: Game, state: State) -> bool:
    """Read the last activity only if there has been no recent step."""
    lifetime, now = lifetimes.configured(), now_text()
    if not rules.is_abandoned(game, state, "", now, lifetime):
        return False
    return rules.is_abandoned(game, state, last_activity(game, state), now, lifetime)


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
