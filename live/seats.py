"""Seats of a session: reading them, and the writes that keep seat and name in step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from acts import versions
from acts.storage import table
from pages.times import from_text
from store import keys, sharded_reads
from store.table import Delete, Item, Key, Missing, Put, Write

from . import rules
from .clock import DEFAULT_PERCENT
from .rules import Game, State

NO_ROUND = -1  # no round: the lobby is round 0


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
    percent: int = DEFAULT_PERCENT  # of the time that the others have
    robot: bool = False
    account: str = ""  # with which somebody has checked in to an assembly
    entry: str = ""  # their name on its roll
    left_at: int = 0  # milliseconds since 1970, if they have left
    taken_over_at: str = ""  # when a device with another secret took the seat over for the last time
    taken_over_in: int = NO_ROUND  # the round in which that was
    renewed_in: int = NO_ROUND  # the round in which the host made a new code for them
    claim: str = ""  # the digest of the secret of a device that asks for the seat during a secret vote
    claim_device: str = ""
    claim_round: int = 0  # the round in which it asks; it asks for that round only
    refused_round: int = 0  # the round in which the seat's own device has said no
    version: int = 1

    @property
    def plays(self) -> bool:
        return self.approved and not self.removed

    @property
    def is_there(self) -> bool:
        return self.plays and not self.left

    def had_it(self, moment: int) -> bool:
        """Whether the device that has the seat had it at this moment, in milliseconds, already: what was said in the
        seat's name before is none of its business."""
        return not self.taken_over_at or moment >= from_text(self.taken_over_at).timestamp() * 1000

    def was_there_since(self, moment: int) -> bool:
        """Whether they are there now, or left only after this moment, in milliseconds."""
        return self.plays and (not self.left or self.left_at >= moment)


def seat_from_item(item: Item) -> Seat:
    known = {each.name for each in fields(Seat)}
    return Seat(**{name: value for name, value in item.items() if name in known})


def find(game_id: str, player: str) -> Seat | None:
    item = table().get(keys.seat(game_id, player))
    return seat_from_item(item) if item else None


def read_seats(game_id: str) -> Iterator[Seat]:
    return map(seat_from_item, sharded_reads.list_items(table(), keys.seats(game_id)))


def left_at_time(seat: Seat, now: int) -> Seat:
    """As somebody is who leaves at this moment, in milliseconds; who had left before left then."""
    return seat if seat.left else replace(seat, left=True, left_at=now)


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
    own = versions.change(before, after, partial(_item, game))
    old, new = (keys.player_name(game.id, each.name) for each in (before, after))
    if old == new:
        return [own]
    named = {"PK": new.pk, "SK": new.sk, "player": after.player, "ttl": game.ttl}
    return [own, Put(named, when=Missing()), Delete(old)]


def count_change(game: Game) -> None:
    """Say to all who keep the seats in mind that one has changed: apart from the change, as everybody would wait."""
    table().increment(keys.game_roster(game.id), "changes", also={"ttl": game.ttl})


def refuse_code(game: Game, now: int) -> None:
    """Somebody typed the right code, and was refused for the wrong ones that others had typed there."""
    table().increment(keys.game_roster(game.id), "refused", also={"refused_at": now, "ttl": game.ttl})


def refused_at(roster: Item | None) -> int:
    return int(roster.get("refused_at", 0)) if roster else 0


def count_seat(game: Game) -> None:
    """One seat more; apart from the seat for the same reason."""
    table().increment(keys.game_roster(game.id), "seats", also={"ttl": game.ttl})


def is_full(roster: Item | None) -> bool:
    """Whether there is no seat left. A few who join at the very same moment may all get in."""
    return roster is not None and roster.get("seats", 0) >= rules.MAX_PLAYERS


def _item(game: Game, seat: Seat) -> dict[str, Any]:
    place: Key = keys.seat(game.id, seat.player)
    told = {each.name: getattr(seat, each.name) for each in fields(Seat)}
    return {"PK": place.pk, "SK": place.sk, **told, "ttl": game.ttl}
