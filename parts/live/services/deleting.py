"""Deletes a session: its reachable items at once, the rest as background work; and all traces of a departing host."""

from __future__ import annotations

from dataclasses import replace

from accounts.models import User
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.queues import process_each
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import SITE, log, record, table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.purging import purge_mark
from foundation.store.splitting import by_count
from foundation.store.table import Check, Delete, Exists, Item, Key, Missing
from parts.live import changes, repository, rules

from ..repository import DELETING, EXPIRING
from ..rules import Game, Phase, State
from . import moving
from .formats import HOOKS


def delete(game_id: str, who: str) -> None:
    """End a running session first, so that its players are notified. The log still records that it existed."""
    retry_lost_race(lambda: _delete(*_ended(game_id, who), who))
    changes.publish(game_id)


def _ended(game_id: str, who: str) -> tuple[Game, State]:
    game, state = repository.load(game_id)
    if state.phase == Phase.ENDED:
        HOOKS.of(game).finish_ending(game_id, surely=True)  # if ending was interrupted
        return game, state
    moving.end(game, state, who)
    return _ended(game_id, who)


def _delete(game: Game, state: State, who: str) -> None:
    """A record is kept, with the history lines that lead to it."""
    has_record = rules.keeps_record(game, state)
    said = {
        **repository.hosts_event_data(game),
        "game_id": game.id,
        "ended_at": game.ended_at,
        "has_record": has_record,
    }
    writes = repository.deletion(game, has_code=repository.has_code(game), has_record=has_record)
    log().record(Event(who, "LiveSessionDeleted", said), *writes)


@DELETING.step
def delete_batch(task: Task) -> Batch:
    """Delete seats, answers and results in batches; finally purge them from files."""
    is_gone = Check(keys.game(task.subject), Missing())
    left = next_deletions(*keys.shards_of_game(task.subject), keys.all_of_game(task.subject))
    return Batch([is_gone, *left]) if left else finished(is_gone, purge_mark())


@EXPIRING.step
def expire(task: Task) -> Batch:
    found = repository.find(task.subject)
    if found is None:  # already removed by its TTL
        return finished(purge_mark())
    HOOKS.of(found[0]).finish_ending(task.subject, surely=True)  # if ending was interrupted
    event = Event(SITE, "LiveSessionExpired", {"game_id": task.subject})
    return finished(*repository.clearing(found[0]), event=event)


# --- a departing host ---


def forget_hosting(gone: User) -> None:
    """End and delete sessions they created, remove them as host of others, then delete their history."""
    process_each(_history_lines(gone.name), lambda line: retry_lost_race(lambda: _leave(line["id"], gone.name)))
    for some in by_count(_history_lines(gone.name)):
        event = Event(SITE, "LiveHistoryForgotten", {"name": gone.name, "lines": [line["SK"] for line in some]})
        deletes = (Delete(Key(line["PK"], line["SK"]), when=Exists()) for line in some)
        record(event, *deletes, purge_mark())


def _history_lines(name: str) -> list[Item]:
    return list(table().each(keys.games_of(name)))


def _leave(game_id: str, name: str) -> None:
    game, _state = repository.find(game_id) or (None, None)
    if game is None:
        return  # its retention is over
    if keys.fold(game.created_by) == keys.fold(name):
        delete(game_id, SITE)
        return
    others = tuple(each for each in game.hosts if keys.fold(each) != keys.fold(name))
    event = Event(SITE, "LiveHostRemoved", repository.host_removed_event_data(game, name))
    record(event, *repository.host_removed(game, replace(game, hosts=others), name))
