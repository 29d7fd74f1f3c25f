"""Removing a session before its time: what can be opened goes at once, what is left of it a handful at a time."""

from __future__ import annotations

from acts.again import try_again
from acts.queues import take_each
from acts.refusals import OVERTAKEN, Overtaken
from acts.site import log, now_text, table
from acts.sweeping import sweep
from store import keys
from store.forgetting import to_forget
from store.log import Event
from store.table import Check, Delete, Exists, Missing, Refused

from .. import repository, rules, waking
from ..minutes.services import seal as seal_minutes
from ..rules import Game, Phase, State
from . import ending


def delete(game_id: str, who: str) -> None:
    """One that runs is ended first, so that whoever is in it is told. The log keeps that it was there."""
    try_again(lambda: _delete(*_ended(game_id, who), who))
    waking.moved(game_id)


def _ended(game_id: str, who: str) -> tuple[Game, State]:
    game, state = repository.find(game_id) or (None, None)
    if game is None or state is None:
        raise rules.NotThere(rules.NOT_THERE)
    if state.phase == Phase.ENDED:
        seal_minutes(game_id)  # should whoever ended it have been cut off
        return game, state
    try:
        ending.end(game, state, who)
    except rules.Stale:  # somebody takes a step at this moment
        raise Overtaken(OVERTAKEN) from None
    return _ended(game_id, who)


def _delete(game: Game, state: State, who: str) -> None:
    """Its minutes stay, and so does the way to them."""
    has_minutes = rules.keeps_minutes(game, state)
    said = {**repository.told_hosts(game), "game_id": game.id, "ended_at": game.ended_at, "has_minutes": has_minutes}
    writes = repository.deletion(game, now_text(), has_code=repository.has_code(game), has_minutes=has_minutes)
    log().record(Event(who, "LiveSessionDeleted", said), *writes)


def clear_away(game_id: str) -> bool:
    """Who had a seat, what was said and what came of it. The mark goes last, and has the files forget."""
    is_gone, mark = Check(keys.game(game_id), Missing()), keys.deleted_game(game_id)
    for span in (*keys.shards_of_game(game_id), keys.all_of_game(game_id)):
        sweep(span, (mark.sk,), is_gone)
    try:
        table().write(is_gone, Delete(mark, when=Exists()), to_forget())
    except Refused:
        return False
    return True


def clear_away_all() -> int:
    """Clear away what deleted sessions have left behind; answers of how many."""
    return take_each(list(table().each(keys.DELETED_GAMES)), lambda mark: clear_away(mark["id"]))
