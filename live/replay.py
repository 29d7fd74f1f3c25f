"""Replays the events of live sessions: for each event type, the same writes as the original action.

Sessions past their retention are removed without an event, so only their history lines are restored. Seats and
answers are never logged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pages.times import from_text
from qa.rules import Fate
from store import keys
from store.replay import Act, Happened, Step
from store.schema import EventType
from store.table import Delete, Exists, Key, Update

from . import follow_up_store, qa_store, repository
from .items import CLOCK, GAME, STATE
from .rules import Game, State


def with_game(act: Callable[[Happened, Game, State], Step | Iterator[Step]]) -> Act:
    def acted(event: Happened) -> Step | Iterator[Step]:
        found = repository.find(event.data["game_id"])
        return act(event, *found) if found is not None else ()

    return acted


def made(event: Happened) -> Iterator[Step]:
    game = repository.game_from_item(event.data | dict.fromkeys(repository.SECRETS, ""))
    yield repository.creation(game, State(changed_at=game.created_at), (), int(from_text(game.created_at).timestamp()))


@with_game
def moved(event: Happened, game: Game, state: State) -> Iterator[Step]:
    yield repository.moving(game, state, repository.state_from_item(event.data["state"]))


def ended(event: Happened) -> Iterator[Step]:
    """The event has the code only if it still belonged to the session; it then reports the end for a day."""
    said = event.data
    found = repository.find(said["game_id"])
    if found is None:
        yield list(repository.history_lines(_ended_game(event), said["counted"]))
        return
    game, state = found
    over = replace(game, ended_at=said["ended_at"], **_end_fields(event))
    moving = repository.moving(game, state, repository.state_from_item(said["state"]))
    code = [repository.code_of_ended(over)] if said["code"] else []
    yield [*moving, *repository.ending(game, over, said["counted"], has_code=False), *code]


def deleted(event: Happened) -> Iterator[Step]:
    """Older logs lack `has_minutes`: they predate history lines that outlive a session for its minutes."""
    found, has_minutes = repository.find(event.data["game_id"]), event.data.get("has_minutes", False)
    if found is None:
        lines = (keys.game_in_history(host, *_history_key(event)) for host in _hosts(event))
        yield [repository.cut_short(line, event.data["ended_at"]) if has_minutes else Delete(line) for line in lines]
    else:
        game = found[0]
        has_code = repository.has_code(game)
        yield repository.deletion(game, has_code=has_code, has_minutes=has_minutes)


@with_game
def host_added(event: Happened, game: Game, state: State) -> Iterator[Step]:
    """Only for running sessions: the end event lists the final hosts and restores their history lines."""
    name = event.data["name"]
    yield repository.host_added(game, replace(game, hosts=(*game.hosts, name)), name)


def host_removed(event: Happened) -> Iterator[Step]:
    name, found = event.data["name"], repository.find(event.data["game_id"])
    if found is None:
        yield [Delete(keys.game_in_history(name, *_history_key(event)))]
        return
    others = tuple(each for each in found[0].hosts if keys.fold(each) != keys.fold(name))
    yield repository.host_removed(found[0], replace(found[0], hosts=others), name)


def corrected(event: Happened) -> Iterator[Step]:
    """The log has the number of questions, not their text.

    If the session is gone, only its creator's history line gets the title; the end event writes the other lines.
    """
    found = repository.find(event.data["game_id"])
    if found is None:
        if "created_by" in event.data:
            line = keys.game_in_history(event.data["created_by"], *_history_key(event))
            yield [Update(line, set={"title": event.data["title"]}, when=Exists())]
        return
    game, state = found
    names = ("title", "total_questions", "prepared_at")
    after = replace(game, **{name: event.data[name] for name in names if name in event.data})
    item = event.data.get("state")
    moving = repository.moving(game, state, repository.state_from_item(item)) if item else []
    yield [*repository.correction(game, after, (), ()), *moving]


@with_game
def player_changed(event: Happened, game: Game, state: State) -> Iterator[Step]:
    """Seats are not logged, but giving a player more time can extend the question."""
    if "state" in event.data:
        yield repository.moving(game, state, repository.state_from_item(event.data["state"]))


@with_game
def carried_on(event: Happened, game: Game, state: State) -> Iterator[Step]:
    yield follow_up_store.restoring(game, follow_up_store.follow_up_from_item(event.data | {"by": event.actor}))


def history_forgotten(event: Happened) -> Iterator[Step]:
    partition = keys.games_of(event.data["name"]).pk
    yield [Delete(Key(partition, line)) for line in event.data["lines"]]


# --- Q&A: questions themselves are not logged ---


@with_game
def qa_changed(event: Happened, game: Game, state: State) -> Iterator[Step]:
    """The host's word list is not logged, so it is restored empty."""
    qa = qa_store.qa_from_item({**event.data, "words": ()})
    yield [Update(keys.game_qa(game.id), set={**qa_store.qa_as_item(qa), "ttl": game.ttl}, add={"changes": 1})]


@with_game
def question_moderated(event: Happened, game: Game, state: State) -> Iterator[Step]:
    yield [Update(keys.game_qa(game.id), set={"on_screen": event.data["on_screen"]}, add={"changes": 1})]


@with_game
def texts_moderated(event: Happened, game: Game, state: State) -> Iterator[Step]:
    data = event.data
    yield qa_store.deciding(game, data["round"], data["texts"], Fate(data["fate"]))


def _history_key(event: Happened) -> tuple[str, str]:
    """The sort key of the session in every host's history."""
    return event.data["created_at"], event.data["game_id"]


def _hosts(event: Happened) -> tuple[str, ...]:
    return (event.data["created_by"], *event.data["hosts"])


def _ended_game(event: Happened) -> Game:
    """The session as far as its end event describes it, for the history."""
    said = event.data
    known = {name: said[name] for name in ("title", "created_at", "created_by", "ended_at")} | _end_fields(event)
    unknown: dict[str, Any] = {"code": "", "token": "", "screen_token": "", "total_questions": 0}
    return Game(
        id=said["game_id"], engagement_type=said["engagement_type"], hosts=tuple(said["hosts"]), **known, **unknown
    )


def _end_fields(event: Happened) -> dict[str, Any]:
    """Fields set when a session ends; older logs lack some of them."""
    names = ("began_at", "expires_at", "time_zone", "debug_mode")
    return {name: event.data[name] for name in names if name in event.data}


STATE_FIELDS = f"{STATE} {CLOCK}"
PRESENT = "present_count:int entitled:int quorum quorate:bool"
PLAYER = "game_id player"
EVENTS = (
    EventType("LiveSessionMade", made, f"game_id {GAME}", "code"),
    EventType("LiveSessionMoved", moved, f"game_id step state:map digest options:int {PRESENT}", inside=STATE_FIELDS),
    EventType("LiveAnswersSealed", moved, f"game_id round:int count:int digest state:map {PRESENT}",
              "heard:any asked:any", inside=STATE_FIELDS),
    EventType("LiveRoundSealed", moved, f"game_id round:int count:int digest state:map {PRESENT}",
              "heard:any asked:any", inside=STATE_FIELDS),
    EventType("LiveItemAdded", corrected, "game_id title total_questions:int prepared_at state:map run_off:int",
              inside=STATE_FIELDS),
    EventType("LiveSessionCorrected", corrected, "game_id what title total_questions:int prepared_at state:map "
              "created_at created_by:person", inside=STATE_FIELDS),
    EventType("LiveSessionEnded", ended, f"game_id counted:map state:map {GAME}", "code",
              inside=f"{STATE_FIELDS} players rounds answers"),
    EventType("LiveSessionDeleted", deleted, "game_id created_at created_by:person hosts:people ended_at "
              "has_minutes:bool"),
    EventType("LiveSessionExpired", with_game(lambda event, game, state: repository.clearing(game)),
              "game_id"),
    EventType("LiveHostAdded", host_added, "game_id name:person"),
    EventType("LiveHostRemoved", host_removed, "game_id name:person created_at"),
    *(EventType(f"LivePlayer{done}", player_changed, PLAYER)
      for done in ("Approved", "Renamed", "Removed", "Readmitted", "CheckedOut", "CheckedIn")),
    EventType("LivePlayerTimed", player_changed, f"{PLAYER} percent:int state:map", inside=STATE_FIELDS),
    EventType("LiveHistoryForgotten", history_forgotten, "name:person lines:list"),
    EventType("LiveOutcomeCarriedOn", carried_on, "game_id number:int kind what title round:int at"),
    EventType("LiveQaChanged", qa_changed, "game_id is_on:bool mode named:bool words:int on_screen texts"),
    *(EventType(f"LiveQuestion{done}", question_moderated, "game_id asked on_screen")
      for done in ("Shown", "Hidden", "Answered", "PutUp", "TakenDown")),
    EventType("LiveTextsModerated", texts_moderated, "game_id round:int texts:list fate"),
)  # fmt: skip
