"""Removes a departing person's sessions, host roles and history."""

from __future__ import annotations

from dataclasses import replace

from accounts.models import User
from acts.queues import process_each
from acts.retry import retry_lost_race
from acts.storage import SITE, record, table
from store import keys
from store.log import Event
from store.purging import purge_mark
from store.splitting import by_count
from store.table import Delete, Exists, Item, Key

from .. import repository
from ..rules import Game
from . import deleting


def forget_hosting(gone: User) -> None:
    """End and delete sessions they created, remove them as host of others, then delete their history."""
    process_each(_lines(gone.name), lambda line: retry_lost_race(lambda: _leave(line["id"], gone.name)))
    for some in by_count(_lines(gone.name)):
        said = {"name": gone.name, "lines": [line["SK"] for line in some]}
        places = (Key(line["PK"], line["SK"]) for line in some)
        deletes = (Delete(place, when=Exists()) for place in places)
        record(Event(SITE, "LiveHistoryForgotten", said), *deletes, purge_mark())


def _lines(name: str) -> list[Item]:
    return list(table().each(keys.games_of(name)))


def _leave(game_id: str, name: str) -> None:
    game, _state = repository.find(game_id) or (None, None)
    if game is None:
        return  # its retention is over
    if keys.fold(game.created_by) == keys.fold(name):
        deleting.delete(game_id, SITE)
    else:
        _take_out(game, name)


def _take_out(game: Game, name: str) -> None:
    others = tuple(each for each in game.hosts if keys.fold(each) != keys.fold(name))
    event = Event(SITE, "LiveHostRemoved", repository.host_removed_event_data(game, name))
    record(event, *repository.host_removed(game, replace(game, hosts=others), name))
