"""Replaying an assembly's events. The log has numbers and digests, because the roll and the minutes name people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from live import repository
from live.replay import PLAYER, with_game
from live.rules import Game, State
from store.replay import Happened, Step, nothing_kept
from store.schema import EventType


@with_game
def roll_changed(event: Happened, game: Game, state: State) -> Iterator[Step]:
    """Changes how many are entitled and the quorum; the log does not have names."""
    names = ("has_roll", "entitled", "extra_votes", "quorum", "prepared_at")
    fields = {name: event.data[name] for name in names if name in event.data}
    yield repository.change(game, replace(game, **fields))


EVENTS = (
    EventType("LiveSeatTakenOver", nothing_kept, f"{PLAYER} round:int agreed:bool"),
    EventType("LiveRollChanged", roll_changed, "game_id has_roll:bool entitled:int extra_votes:int quorum "
              "prepared_at added:int removed:int renewed:int shown:int weighed:int"),
    EventType("LiveSpeakersChanged", nothing_kept, "game_id round:int closed:bool minutes:int"),
    EventType("LiveMinutesSealed", nothing_kept, "game_id digest rounds:int"),
    EventType("LiveMinutesNoted", nothing_kept, "game_id number:int digest"),
    EventType("LiveMinutesDeleted", nothing_kept, "game_id"),
)  # fmt: skip
