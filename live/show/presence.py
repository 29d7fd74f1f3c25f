"""Who is there: how many phones, and whether anybody who hosts. Each process says what it sees, for all to read.

One item a process and session, at most every five seconds: a phone that comes and goes writes nothing.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from acts.storage import table
from live import clock
from live.room import Present, Room
from live.rules import Phase
from store import keys
from store.table import Item, Put, StoreError

from . import rooms

REPORT_INTERVAL_MS = 5_000
PRESENT_MS = 15_000  # for which somebody who asked is there, and for which what a process says is true
HOST_AWAY_MS = 20_000  # without anybody who hosts, anywhere
RETENTION_SECONDS = 2 * 3600


@dataclass(slots=True)
class Seen:
    """What this process has seen of one session."""

    since: int  # from when on it looks
    players: dict[str, int] = field(default_factory=dict)  # who asked, and when last
    host_at: int = 0
    told_at: int = 0

    def is_due(self, now: int) -> bool:
        return now - self.told_at >= REPORT_INTERVAL_MS


class Presence:
    """What one process knows."""

    def __init__(self) -> None:
        self._seen: dict[str, Seen] = {}
        self._turn = threading.Lock()
        self._name = (0, "")

    @property
    def name(self) -> str:
        """Of this process: one that was forked from another is somebody else."""
        process, name = self._name
        if process != os.getpid():
            name = secrets.token_urlsafe(8)
            self._name = (os.getpid(), name)
        return name

    def saw_player(self, game_id: str, player: str) -> None:
        now = clock.now()
        self._of(game_id, now).players[player] = now

    def saw_host(self, game_id: str) -> None:
        """One who was away is back at once, as far as this process goes."""
        now = clock.now()
        seen = self._of(game_id, now)
        if now - seen.host_at > PRESENT_MS:
            seen.told_at = 0
        seen.host_at = now

    def host_looks(self, room: Room) -> None:
        """At a page that may have no script to listen with."""
        self.saw_host(room.game.id)
        self.look(room)

    def _of(self, game_id: str, now: int) -> Seen:
        with self._turn:
            return self._seen.setdefault(game_id, Seen(now))

    def look(self, room: Room, listening: Collection[str] = ()) -> None:
        """Say what is seen here, and learn what others see, if it is time to; `listening` are players with an open
        stream. A store in trouble leaves what was known."""
        now = clock.now()
        seen = self._of(room.game.id, now)
        if room.state.phase == Phase.ENDED:
            rooms.learn(room.game.id, Present(room.present.players))  # nobody is missed any more
            return
        if not seen.is_due(now):
            return
        seen.told_at = now
        here = {*listening, *_lasting(seen, now)}
        self._tell(room, seen, len(here), now)
        rooms.learn(room.game.id, self._learnt(room, seen, len(here), now))
        self._tidy(now)

    def _tell(self, room: Room, seen: Seen, players: int, now: int) -> None:
        place = keys.presence(room.game.id, self.name)
        told = {"players": players, "host_at": seen.host_at, "at": now, "ttl": now // 1000 + RETENTION_SECONDS}
        try:
            table().write(Put({"PK": place.pk, "SK": place.sk, **told}))
        except StoreError:
            return

    def _learnt(self, room: Room, seen: Seen, here: int, now: int) -> Present:
        own = keys.presence(room.game.id, self.name).sk
        try:
            others = [item for item in table().each(keys.presences(room.game.id)) if item["SK"] != own]
        except StoreError:
            return room.present
        return Present(here + _players(others, now), _is_away(seen, others, now))

    def _tidy(self, now: int) -> None:
        with self._turn:
            for game_id in [each for each, seen in self._seen.items() if now - seen.told_at > RETENTION_SECONDS * 1000]:
                del self._seen[game_id]


def _lasting(seen: Seen, now: int) -> Collection[str]:
    """Who asked lately; the others are forgotten."""
    seen.players = {player: at for player, at in list(seen.players.items()) if now - at < PRESENT_MS}
    return seen.players.keys()


def _players(items: Iterable[Item], now: int) -> int:
    return sum(item["players"] for item in items if now - item["at"] < PRESENT_MS)


def _is_away(seen: Seen, others: Iterable[Item], now: int) -> bool:
    """Nobody is missed who has not had the time to come."""
    last = max(seen.since, seen.host_at, *(item["host_at"] for item in others), 0)
    return now - last >= HOST_AWAY_MS


PRESENCE = Presence()
