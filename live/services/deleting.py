"""Deletes a session: its reachable items at once, the rest as background work."""

from __future__ import annotations

from acts.background import Batch, Task, finished, next_deletions
from acts.retry import retry_lost_race
from acts.storage import SITE, log
from live import changes, repository, rules
from store import keys
from store.log import Event
from store.purging import purge_mark
from store.table import Check, Missing

from ..repository import DELETING, EXPIRING
from ..rules import Game, Phase, State
from . import ending


def delete(game_id: str, who: str) -> None:
    """End a running session first, so that its players are notified. The log still records that it existed."""
    retry_lost_race(lambda: _delete(*_ended(game_id, who), who))
    changes.publish(game_id)


def _ended(game_id: str, who: str) -> tuple[Game, State]:
    game, state = repository.load(game_id)
    if state.phase == Phase.ENDED:
        game.format.finish_ending(game_id, surely=True)  # if ending was interrupted
        return game, state
    ending.end(game, state, who)
    return _ended(game_id, who)


def _delete(game: Game, state: State, who: str) -> None:
    """Minutes are kept, with the history lines that lead to them."""
    has_minutes = rules.keeps_minutes(game, state)
    said = {
        **repository.hosts_event_data(game),
        "game_id": game.id,
        "ended_at": game.ended_at,
        "has_minutes": has_minutes,
    }
    writes = repository.deletion(game, has_code=repository.has_code(game), has_minutes=has_minutes)
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
    found[0].format.finish_ending(task.subject, surely=True)  # if ending was interrupted
    event = Event(SITE, "LiveSessionExpired", {"game_id": task.subject})
    return finished(*repository.clearing(found[0]), event=event)
