"""Seats of a session: reading them, and the writes that keep seat and name in step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from foundation.acts import storage
from foundation.acts.storage import table
from foundation.pages.times import from_text
from foundation.store import keys, sharded_reads
from foundation.store.schema import ON_EVERY_ITEM
from foundation.store.table import Delete, Item, Missing, Put, Write

from . import rules
from .clock import DEFAULT_PERCENT
from .repository import item_at, values, values_of
from .rules import Game, State


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in a session."""

    player: str
    name: str
    joined_at: str
    secret: str = ""  # the digest of what the player's cookie holds
    device: str = ""  # the newest one, which alone may play
    since: int = 0  # first round they could answer; 0 if there from the start
    approved: bool = True  # by the host, if names need approval
    removed: bool = False  # by the host
    left: bool = False  # voluntarily: their answers count, and they may return
    percent: int = DEFAULT_PERCENT  # of the usual time
    robot: bool = False
    left_at: int = 0  # milliseconds since 1970, if they have left
    taken_over_at: str = ""  # when a device with another secret last took over the seat
    version: int = 1
    own: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what the session's format stores with it

    @property
    def plays(self) -> bool:
        return self.approved and not self.removed

    @property
    def is_there(self) -> bool:
        return self.plays and not self.left

    def had_it(self, moment: int) -> bool:
        """Whether the current device already had the seat at this moment; it must not see earlier answers."""
        return not self.taken_over_at or moment >= from_text(self.taken_over_at).timestamp() * 1000

    def was_there_since(self, moment: int) -> bool:
        """Whether they are present, or left no earlier than this moment, in milliseconds."""
        return self.plays and (not self.left or self.left_at >= moment)


NOT_OWN = ON_EVERY_ITEM | {*Seat.__match_args__, "ttl"}


def seat_from_item(item: Item) -> Seat:
    """Read without knowing the session's format, so all that the engine does not store is the format's."""
    return Seat(**values_of(Seat, item), own={name: value for name, value in item.items() if name not in NOT_OWN})


def find(game_id: str, player: str) -> Seat | None:
    item = table().get(keys.seat(game_id, player))
    return seat_from_item(item) if item else None


def read_seats(game_id: str) -> Iterator[Seat]:
    return map(seat_from_item, sharded_reads.list_items(table(), keys.seats(game_id)))


def left_at_time(seat: Seat, now: int) -> Seat:
    """The seat of a player who leaves now, in milliseconds; an earlier departure is kept."""
    return seat if seat.left else replace(seat, left=True, left_at=now)


def late_since(state: State, seat: Seat) -> int:
    """The question at which a player joined, counted from 1; 0 if there from the start."""
    known = 1 < seat.since <= len(state.played)
    return state.played[seat.since - 1] + 1 if known else 0


# --- writes ---


def seating(game: Game, seat: Seat) -> list[Write]:
    """Refused in part 0 if the name is taken."""
    return [_naming(game, seat), Put(_item(game, seat), when=Missing())]


def change(game: Game, before: Seat, after: Seat) -> list[Write]:
    """Refused if the seat has changed since it was read, or in part 1 if the new name is taken."""
    own = storage.change(before, after, partial(_item, game))
    old, new = (keys.player_name(game.id, each.name) for each in (before, after))
    if old == new:
        return [own]
    return [own, _naming(game, after), Delete(old)]


def _naming(game: Game, seat: Seat) -> Put:
    return Put(item_at(keys.player_name(game.id, seat.name), game, {"player": seat.player}), when=Missing())


def count_change(game: Game) -> None:
    """Invalidate cached seats; a separate write, because in the same transaction all changes would contend."""
    table().increment(keys.game_roster(game.id), "changes", setting={"ttl": game.ttl})


def refuse_code(game: Game, now: int) -> None:
    """Record that a right code was refused because of wrong ones from the same address."""
    table().increment(keys.game_roster(game.id), "refused", setting={"refused_at": now, "ttl": game.ttl})


def refused_at(roster: Item | None) -> int:
    return int(roster.get("refused_at", 0)) if roster else 0


def count_seat(game: Game) -> None:
    """Count a new seat; a separate write for the same reason as `count_change`."""
    table().increment(keys.game_roster(game.id), "seats", setting={"ttl": game.ttl})


def is_full(roster: Item | None) -> bool:
    """Whether no seat is left. Players joining at the same moment may exceed the limit slightly."""
    return roster is not None and roster.get("seats", 0) >= rules.MAX_PLAYERS


def _item(game: Game, seat: Seat) -> dict[str, Any]:
    stored = values(seat)
    return item_at(keys.seat(game.id, seat.player), game, stored.pop("own") | stored)
