"""Whom a session seats, in the table: ids in, values out, and the writes that keep seat and name in step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from acts.site import table
from store import keys, spans
from store.table import Delete, Equals, Item, Key, Missing, Put, Write

from . import rules
from .clock import USUAL
from .rules import Game, State


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody who plays along."""

    player: str
    name: str
    joined_at: str
    secret: str = ""  # the digest of what the player's cookie holds
    device: str = ""  # the newest one; an older one is told so
    since: int = 0  # the first round that they could say something to; 0: there from the beginning
    approved: bool = True  # by the host, where names are shown only then
    removed: bool = False  # by the host
    left: bool = False  # of their own accord: what they said counts, and they may come back
    percent: int = USUAL  # of the time that the others have
    robot: bool = False
    account: str = ""  # with which somebody has checked in to an assembly
    entry: str = ""  # their name on its roll
    version: int = 1

    @property
    def plays(self) -> bool:
        return self.approved and not self.removed

    @property
    def is_there(self) -> bool:
        return self.plays and not self.left


def seat_of(item: Item) -> Seat:
    known = {each.name for each in fields(Seat)}
    return Seat(**{name: value for name, value in item.items() if name in known})


def find(game_id: str, player: str) -> Seat | None:
    item = table().get(keys.seat(game_id, player))
    return seat_of(item) if item else None


def each(game_id: str) -> Iterator[Seat]:
    return map(seat_of, spans.at_once(table(), keys.seats(game_id)))


def late_since(state: State, seat: Seat) -> int:
    """The question from which on somebody was there, counted from 1; 0 if it was the first."""
    known = 1 < seat.since <= len(state.played)
    return state.played[seat.since - 1] + 1 if known else 0


# --- writes ---


def seating(game: Game, seat: Seat) -> list[Write]:
    """Refused in part 0 if somebody has the name."""
    guard = keys.player_name(game.id, seat.name)
    named = {"PK": guard.pk, "SK": guard.sk, "player": seat.player, "ttl": game.ttl}
    return [Put(named, when=Missing()), Put(_item(game, seat), when=Missing())]


def change(game: Game, before: Seat, after: Seat) -> list[Write]:
    """Refused if the seat has changed since it was read, or if another has the new name."""
    seat = replace(after, version=before.version + 1)
    own = Put(_item(game, seat), when=Equals("version", before.version))
    old, new = (keys.player_name(game.id, each.name) for each in (before, after))
    if old == new:
        return [own]
    named = {"PK": new.pk, "SK": new.sk, "player": after.player, "ttl": game.ttl}
    return [own, Put(named, when=Missing()), Delete(old)]


def touched(game: Game) -> None:
    """Say to all who keep the seats in mind that one has changed: apart from the change, as everybody would wait."""
    table().increment(keys.game_roster(game.id), "changes", also={"ttl": game.ttl})


def counted(game: Game) -> None:
    """One seat more; apart from the seat for the same reason."""
    table().increment(keys.game_roster(game.id), "seats", also={"ttl": game.ttl})


def is_full(roster: Item | None) -> bool:
    """Whether there is no seat left. A few who join at the very same moment may all get in."""
    return roster is not None and roster.get("seats", 0) >= rules.MOST_PLAYERS


def _item(game: Game, seat: Seat) -> dict[str, Any]:
    place: Key = keys.seat(game.id, seat.player)
    told = {each.name: getattr(seat, each.name) for each in fields(Seat)}
    return {"PK": place.pk, "SK": place.sk, **told, "ttl": game.ttl}
