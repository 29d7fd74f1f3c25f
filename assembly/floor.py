"""Who has the floor in an assembly, and who wants it, as screens show it: made once of a room for all who look.

| whose | what |
|---|---|
| everybody's | who speaks and for how long, who is next, whether the list is closed: the fragment `beside` |
| a player's | whether they are on the list: in `mine`, whose key changes only with that, so that no button moves away |
| those who host | the same as everybody's, with the buttons for it |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from live.room import Room
from live.rules import Phase

from . import speakers
from .speakers import LIMITS, NOBODY

MAX_NAMES_SHOWN = {"player": 5, "screen": 8, "host": 8, "remote": 50}  # names, by whose screen it is


class Place(StrEnum):
    """Where somebody stands."""

    NONE = "none"
    SHUT = "shut"  # not on the list, and it is closed
    WAITING = "waiting"
    NEXT = "next"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody on the list, or speaking."""

    player: str
    name: str
    spoken: int = 0  # times about this item, before now

    @property
    def is_first(self) -> bool:
        return not self.spoken


@dataclass(frozen=True, slots=True)
class Floor:
    closed: bool = False
    minutes: int = 0
    speaking: Named | None = None
    began: int = 0
    elapsed: int = 0  # seconds, when it was looked at
    waiting: tuple[Named, ...] = ()
    limits: tuple[int, ...] = LIMITS

    @property
    def seconds(self) -> int:
        return self.minutes * 60

    @property
    def next(self) -> Named | None:
        return self.waiting[0] if self.waiting else None

    @property
    def is_over_time(self) -> bool:
        return bool(self.seconds) and self.elapsed > self.seconds

    def shown(self, role: str) -> tuple[Named, ...]:
        return self.waiting[: MAX_NAMES_SHOWN.get(role, 0)]

    def place(self, player: str) -> Place:
        if self.speaking and self.speaking.player == player:
            return Place.SPEAKING
        if self.next and self.next.player == player:
            return Place.NEXT
        if any(each.player == player for each in self.waiting):
            return Place.WAITING
        return Place.SHUT if self.closed else Place.NONE


def of(room: Room) -> Floor | None:
    """Where something is talked about; elsewhere there is no list."""
    if room.state.phase != Phase.TALKING:
        return None
    if "floor" not in room.made:
        room.made["floor"] = _made(room)
    made: Floor = room.made["floor"]
    return made


def _made(room: Room) -> Floor:
    names = {each.player: each.name for each in room.playing}
    list_ = speakers.at(room.beside or NOBODY, room.state)
    now = speakers.speaking(list_, room.state, names)
    before = speakers.spoken_about(list_, room.state.question)
    return Floor(
        closed=list_.closed,
        minutes=list_.minutes,
        speaking=Named(now.player, names[now.player], before[now.player] - 1) if now else None,
        began=now.began if now else 0,
        elapsed=max(0, room.at - now.began) // 1000 if now else 0,
        waiting=tuple(
            Named(each.player, names[each.player], each.spoken) for each in speakers.queue(list_, room.state, names)
        ),
    )


def place(room: Room, player: str) -> str:
    """A mark of where a player stands; empty where there is no list."""
    floor = of(room)
    return str(floor.place(player)) if floor else ""


def mark(room: Room) -> str:
    """Another one if the list is another; time passes without changing it."""
    floor = of(room)
    return repr((floor.closed, floor.minutes, floor.speaking, floor.began, floor.waiting)) if floor else ""
