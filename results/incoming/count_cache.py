"""Caches live counts in the process, and reads only what is new."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Item
from results.running_count import KnownBallot, RunningCount

REFRESH_SECONDS = 2.0  # seconds; the shortest refresh interval of a process, however many are watching
# times as long as a look took, before the next: a large election takes a tenth of a processor, not all of it
REST_FACTOR = 9
CACHE_BYTES = 50_000_000  # bytes that everything takes up that is being watched, the one looked at last apart
ENTRY_OVERHEAD_BYTES = 20_000  # bytes that something watched takes up, whatever its ballots
REREAD_BALLOTS_PER_SECOND = 5_000  # ballots a second at most that withdrawals make us read again


@dataclass
class WatchedCount:
    """A count that is being watched. The holder of the lock refreshes it; the others get the latest."""

    question: int = 1  # of several in an election
    running: RunningCount = field(default_factory=RunningCount)
    lock: Any = field(default_factory=Lock)
    created_at: str = ""
    latest: Any = None  # the latest look
    rests_until: float = float("-inf")
    read_at: float = float("-inf")  # when all ballots were read

    @property
    def weight(self) -> int:
        return ENTRY_OVERHEAD_BYTES + self.running.weight

    def forget(self) -> None:
        """Drop the ballots, which are no longer needed."""
        self.created_at, self.running = "", RunningCount()


@dataclass(frozen=True, slots=True)
class BallotSource:
    """The ballots of a watched item: all of them, those since a moment, and whether there can be that many."""

    created_at: str  # distinguishes it from another of the same name
    candidates: tuple[Candidate, ...]
    every: Callable[[], Iterable[Item]]
    since: Callable[[str], Iterable[Item]]
    can_hold: Callable[[int], bool]
    ballot_from: Callable[[Item], KnownBallot] = KnownBallot.of
    kind: str = "ranked"  # of ballot


class CountCache(ABC):
    """The counts being watched; the least recently used are evicted."""

    def __init__(self, most: int = CACHE_BYTES, clock: Callable[[], float] = time.monotonic):
        self.most, self.clock = most, clock
        self._lock, self._watched = Lock(), OrderedDict[tuple[str, int], WatchedCount]()

    @abstractmethod
    def load(self, name: str, watched: WatchedCount) -> Any:
        """Read the store, given the previous look; returns something with a `result`, or `None`."""

    def get(self, name: str, question: int = 1) -> Any:
        """The current look, with its count; `None` if there is nothing of that name."""
        place = keys.fold(name), question
        watched = self._take(place)
        with watched.lock:
            began = self.clock()
            if began < watched.rests_until:
                return watched.latest
            look = watched.latest = self.load(name, watched)
            watched.rests_until = max(began + REFRESH_SECONDS, self.clock() + REST_FACTOR * (self.clock() - began))
        if look is None or look.result is None:
            self._drop(place)
        self._make_room()
        return look

    def _take(self, place: tuple[str, int]) -> WatchedCount:
        with self._lock:
            watched = self._watched.setdefault(place, WatchedCount(question=place[1]))
            self._watched.move_to_end(place)
            return watched

    def _drop(self, place: tuple[str, int]) -> None:
        with self._lock:
            self._watched.pop(place, None)

    def _make_room(self) -> None:
        with self._lock:
            while self.weight > self.most and len(self._watched) > 1:
                self._watched.popitem(last=False)

    @property
    def weight(self) -> int:
        """Bytes of all entries; each has some overhead even without ballots."""
        return sum(each.weight for each in self._watched.values())

    def bring_up_to_date(self, watched: WatchedCount, box: BallotSource) -> None:
        """Read what is new; or everything, if this box is new or more ballots are known than it can hold."""
        if watched.created_at != box.created_at:
            watched.created_at, watched.running = box.created_at, RunningCount(box.ballot_from, box.kind)
            watched.running.set_candidates(box.candidates)
            self._read_all(watched, box)
            return
        running = watched.running
        running.set_candidates(box.candidates)
        running.add(list(box.since(running.since)))
        rested = self.clock() - watched.read_at >= running.total / REREAD_BALLOTS_PER_SECOND
        if rested and not box.can_hold(running.total):
            self._read_all(watched, box)

    def _read_all(self, watched: WatchedCount, box: BallotSource) -> None:
        watched.running.replace(box.every())
        watched.read_at = self.clock()
