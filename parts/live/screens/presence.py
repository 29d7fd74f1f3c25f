"""Presence: how many phones are connected, and whether a host is. Each process reports what it sees.

One item per process and session, written at most every five seconds.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Put, StoreError
from parts.live import clock
from parts.live.rules import Phase
from parts.live.snapshot import Attendance, Snapshot

from . import snapshots

REPORT_INTERVAL_MS = 5_000
PRESENT_MS = 15_000  # how long a poll counts as presence, and a process's report as current
HOST_AWAY_MS = 20_000  # without a host in any process
RETENTION_SECONDS = 2 * 3600


@dataclass(slots=True)
class SessionPresence:
    """What this process knows about one session."""

    since: int  # when this process started watching
    players: dict[str, int] = field(default_factory=dict)  # when each player last polled
    host_at: int = 0
    told_at: int = 0

    def is_due(self, now: int) -> bool:
        return now - self.told_at >= REPORT_INTERVAL_MS


class Presence:
    """What this process knows about all sessions."""

    def __init__(self) -> None:
        self._seen: dict[str, SessionPresence] = {}
        self._turn = threading.Lock()
        self._name = (0, "")

    @property
    def name(self) -> str:
        """Name of this process; a forked process gets a new one."""
        process, name = self._name
        if process != os.getpid():
            name = secrets.token_urlsafe(8)
            self._name = (os.getpid(), name)
        return name

    def saw_player(self, game_id: str, player: str) -> None:
        now = clock.now()
        self._of(game_id, now).players[player] = now

    def saw_host(self, game_id: str) -> None:
        """A host who was away is reported as back at once."""
        now = clock.now()
        seen = self._of(game_id, now)
        if now - seen.host_at > PRESENT_MS:
            seen.told_at = 0
        seen.host_at = now

    def host_looks(self, snapshot: Snapshot) -> None:
        """Also counts page loads, because the page may run without JavaScript."""
        self.saw_host(snapshot.game.id)
        self.look(snapshot)

    def _of(self, game_id: str, now: int) -> SessionPresence:
        with self._turn:
            return self._seen.setdefault(game_id, SessionPresence(now))

    def look(self, snapshot: Snapshot, listening: Collection[str] = ()) -> None:
        """Reports what this process sees and reads what others see, if due; `listening` are players with an open
        stream. If the store fails, the previous values stay."""
        now = clock.now()
        seen = self._of(snapshot.game.id, now)
        if snapshot.state.phase == Phase.ENDED:  # the host is not missed after the end
            snapshots.set_attendance(snapshot.game.id, Attendance(snapshot.present.players))
            return
        if not seen.is_due(now):
            return
        seen.told_at = now
        seen.players = {player: at for player, at in list(seen.players.items()) if now - at < PRESENT_MS}
        players = len({*listening, *seen.players})
        report = {"players": players, "host_at": seen.host_at, "at": now, "ttl": now // 1000 + RETENTION_SECONDS}
        with suppress(StoreError):
            table().write(Put({**keys.presence(snapshot.game.id, self.name).item, **report}))
        snapshots.set_attendance(snapshot.game.id, self._attendance(snapshot, seen, players, now))
        oldest = now - RETENTION_SECONDS * 1000
        with self._turn:
            for game_id in [each for each, seen in self._seen.items() if seen.told_at < oldest]:
                del self._seen[game_id]

    def _attendance(self, snapshot: Snapshot, seen: SessionPresence, players: int, now: int) -> Attendance:
        """Across all processes; gives the host time to arrive before reporting them as away."""
        own = keys.presence(snapshot.game.id, self.name).sk
        try:
            others = [item for item in table().each(keys.presences(snapshot.game.id)) if item["SK"] != own]
        except StoreError:
            return snapshot.present
        players += sum(item["players"] for item in others if now - item["at"] < PRESENT_MS)
        host_at = max(seen.since, seen.host_at, *(item["host_at"] for item in others))
        return Attendance(players, now - host_at >= HOST_AWAY_MS)


PRESENCE = Presence()
