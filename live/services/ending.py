"""The end of a session: what is open is closed first, so that nothing that was said is lost."""

from __future__ import annotations

from dataclasses import replace

from acts.queues import take_each
from acts.site import log, now_text
from store.log import Event
from store.table import Item, Refused

from .. import clock, repository, rules, seats, twice, waking
from ..minutes import repository as minutes
from ..minutes.services import seal as seal_minutes
from ..questions import Type
from ..rules import Game, Phase, State
from . import closing


def end(game: Game, state: State, who: str) -> State:
    while state.is_under_way:
        state = closing.close(game, state, who)
    if state.phase == Phase.ENDED:
        return state
    now = now_text()
    after, over = replace(rules.ended(state), changed_at=now), replace(game, ended_at=now)
    counted = _counted(game, state)
    has_code = repository.has_code(game)
    said = {**repository.told_ended(over, counted, has_code=has_code), "state": repository.told_state(after)}
    writes = [
        *repository.ending(game, over, counted, has_code=has_code),
        *twice.unlinking(game, rules.linked(state)),
        *minutes.opening(over, after, now),
    ]
    try:
        log().record(Event(who, "LiveSessionEnded", said), *repository.moving(game, state, after), *writes)
    except Refused:
        raise rules.Stale(rules.STALE) from None
    if game.is_assembly:
        seal_minutes(game.id)
    waking.moved(game.id)
    return after


def _counted(game: Game, state: State) -> dict[str, int]:
    """What stays of a session when everything else of it is gone: no names, nor what anybody said; and no robots."""
    heads = [item for item in repository.round_items(game.id) if "count" in item]
    counting = [item for item in heads if state.counts(item["number"])]
    players = sum(each.plays and not each.robot for each in seats.each(game.id))
    asked = len(counting) * (game.total_questions if game.engagement_type == Type.SURVEY else 1)
    return {"players": players, "rounds": asked, "answers": sum(map(_by_people, counting))}


def _by_people(head: Item) -> int:
    return int(head["count"]) - int(head.get("robots", 0))


def end_if_idle(game_id: str) -> bool:
    """Whether it was ended, because nothing had happened for long."""
    found = repository.find(game_id)
    if found is None:
        return False
    game, state = found
    if game.ended_at or not rules.is_idle(game, state, now_text()):
        return False
    end(game, state, closing.SITE)
    return True


def settle(game_id: str) -> bool:
    """Close what is over although nobody looks, and end what nobody has touched for long."""
    found = repository.find(game_id)
    if found is not None and found[1].is_over(clock.now()):
        closing.settled(*found)
    return end_if_idle(game_id)


def end_what_is_idle() -> int:
    return take_each(list(repository.each_running()), settle)
