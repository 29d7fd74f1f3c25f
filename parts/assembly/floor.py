"""The speakers' list as screens show it, built once per snapshot for everyone who is looking.

| for | what |
|---|---|
| everyone | who is speaking and for how long, who is next, whether the list is closed: the fragment `beside` |
| a player | whether they are on the list: in `mine`, whose key changes only with that, so that no button moves away |
| hosts | the same as everyone, with buttons |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parts.live.rules import Phase
from parts.live.snapshot import Snapshot

from . import speakers
from .speakers import LIMITS, NOBODY

MAX_NAMES_SHOWN = {"player": 5, "screen": 8, "host": 8, "remote": 50}  # names, by whose screen it is


class Position(StrEnum):
    """A player's position on the list."""

    NONE = "none"
    SHUT = "shut"  # not on the list, and it is closed
    WAITING = "waiting"
    NEXT = "next"
    SPEAKING = "speaking"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Someone on the list, or speaking."""

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
    speaking: Speaker | None = None
    began: int = 0
    elapsed: int = 0  # seconds, when it was looked at
    waiting: tuple[Speaker, ...] = ()
    limits: tuple[int, ...] = LIMITS

    @property
    def seconds(self) -> int:
        return self.minutes * 60

    @property
    def next(self) -> Speaker | None:
        return self.waiting[0] if self.waiting else None

    @property
    def is_over_time(self) -> bool:
        return bool(self.seconds) and self.elapsed > self.seconds

    def visible_to(self, role: str) -> tuple[Speaker, ...]:
        return self.waiting[: MAX_NAMES_SHOWN.get(role, 0)]

    def position_of(self, player: str) -> Position:
        if self.speaking and self.speaking.player == player:
            return Position.SPEAKING
        if self.next and self.next.player == player:
            return Position.NEXT
        if any(each.player == player for each in self.waiting):
            return Position.WAITING
        return Position.SHUT if self.closed else Position.NONE


def floor_of(snapshot: Snapshot) -> Floor | None:
    """None unless an item is being discussed."""
    if snapshot.state.phase != Phase.SHOWN:
        return None
    if "floor" not in snapshot.made:
        snapshot.made["floor"] = _build(snapshot)
    made: Floor = snapshot.made["floor"]
    return made


def _build(snapshot: Snapshot) -> Floor:
    names = {each.player: each.name for each in snapshot.playing}
    list_ = speakers.current_list(snapshot.panel_data or NOBODY, snapshot.state)
    now = list_.speaking if list_.speaking and list_.speaking.player in names else None
    before = speakers.speech_counts(list_, snapshot.state.question)
    return Floor(
        closed=list_.closed,
        minutes=list_.minutes,
        speaking=Speaker(now.player, names[now.player], before[now.player] - 1) if now else None,
        began=now.began if now else 0,
        elapsed=max(0, snapshot.at - now.began) // 1000 if now else 0,
        waiting=tuple(
            Speaker(player, names[player], spoken) for player, spoken in speakers.queue(list_, snapshot.state, names)
        ),
    )


def position_of(snapshot: Snapshot, player: str) -> str:
    """Empty if there is no list."""
    floor = floor_of(snapshot)
    return str(floor.position_of(player)) if floor else ""


def content_key(snapshot: Snapshot) -> str:
    """Changes with the list, but not with time."""
    floor = floor_of(snapshot)
    return repr((floor.closed, floor.minutes, floor.speaking, floor.began, floor.waiting)) if floor else ""
