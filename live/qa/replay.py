"""Replays Q&A events: settings, moderation and what is on the big screen. Questions themselves are not logged."""

from __future__ import annotations

from collections.abc import Iterator

from live import qa_store as repository
from live.qa_rules import Fate
from live.replay import with_game
from live.rules import Game, State
from store import keys
from store.replay import Happened, Step
from store.schema import EventType
from store.table import Update


@with_game
def changed(event: Happened, game: Game, state: State) -> Iterator[Step]:
    """The host's word list is not logged, so it is restored empty."""
    told = repository.qa_as_item(repository.qa_from_item({**event.data, "words": ()}))
    yield [Update(keys.game_qa(game.id), set={**told, "ttl": game.ttl}, add={"changes": 1})]


@with_game
def moderated(event: Happened, game: Game, state: State) -> Iterator[Step]:
    yield [Update(keys.game_qa(game.id), set={"on_screen": event.data["on_screen"]}, add={"changes": 1})]


@with_game
def texts_moderated(event: Happened, game: Game, state: State) -> Iterator[Step]:
    said = event.data
    yield repository.deciding(game, said["round"], said["texts"], Fate(said["fate"]))


EVENTS = (
    EventType("LiveQaChanged", changed, "game_id is_on:bool mode named:bool words:int on_screen texts"),
    *(EventType(f"LiveQuestion{done}", moderated, "game_id asked on_screen")
      for done in ("Shown", "Hidden", "Answered", "PutUp", "TakenDown")),
    EventType("LiveTextsModerated", texts_moderated, "game_id round:int texts:list fate"),
)  # fmt: skip
