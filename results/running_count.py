"""The running count of an election or a poll with live results: every ballot seen so far, and the pairwise sums; and
the cache in the process that keeps it up to date, and reads only what is new."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from threading import Lock
from typing import Any

from ballots.repository import votes_of
from elections.repository import candidates_of
from elections.rolls import weight_of
from elections.rules import Election
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys, sharded_reads
from foundation.store.log import as_text
from foundation.store.table import Item
from foundation.tally.ballots import Ballots, renumbered, values_in
from foundation.tally.pairwise import PairwiseSummary

# more than a cast takes from its time stamp to the index, or two clocks differ
OVERLAP_DURATION = timedelta(seconds=60)
BATCH_BALLOTS = 5_000  # ballots that are added to a summary at once
BALLOT_OVERHEAD_BYTES = 300  # bytes that a ballot takes up besides the letters of its ranking


@dataclass(frozen=True, slots=True)
class KnownBallot:
    """A ballot as it was last seen."""

    when: str
    confirmation: str
    ranking: str
    weight: int = 1

    @classmethod
    def of(cls, item: Item) -> KnownBallot:
        return cls(item["when_cast"], item["confirmation"], item["rankings"], weight_of(item))


@dataclass
class RunningCount:
    """All ballots of an election seen so far, and their sums. Candidates are sorted by name.

    `ballot_from` turns a stored item into a `KnownBallot`. Marks and values are added up, too; of rankings, that would
    say nothing.
    """

    ballot_from: Callable[[Item], KnownBallot] = KnownBallot.of
    kind: str = "ranked"  # of ballot
    candidates: tuple[Candidate, ...] = ()
    known: dict[str, KnownBallot] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    summary: PairwiseSummary = field(default_factory=lambda: PairwiseSummary.of((), {}))
    values: Counter[tuple[int, int]] = field(default_factory=Counter)
    newest: str = ""
    letters: int = 0  # of all rankings that are kept

    @property
    def weight(self) -> int:
        """About how many bytes it takes up."""
        chars = sum(len(each.name) + len(each.statement) + len(each.link) for each in self.candidates)
        return BALLOT_OVERHEAD_BYTES * self.total + 2 * self.letters + self.summary.weight + 2 * chars

    @property
    def names(self) -> tuple[str, ...]:
        return self.summary.candidates

    @property
    def total(self) -> int:
        return len(self.known)

    @property
    def since(self) -> str:
        """The time from which to look for new ballots."""
        return as_text(datetime.fromisoformat(self.newest) - OVERLAP_DURATION) if self.newest else ""

    def set_candidates(self, candidates: tuple[Candidate, ...]) -> None:
        """Set the candidates; recounts if they changed."""
        if candidates == self.candidates:
            return
        self.candidates = candidates
        names = tuple(sorted(each.name for each in candidates))
        counts = Counter[str]()
        for each in self.known.values():
            counts[each.ranking] += each.weight
        self.counts = self.normal(counts)
        self.summary = PairwiseSummary.of(names, self.counts)
        self.values = self._values_in(self.counts)

    def _values_in(self, counts: Mapping[str, int]) -> Counter[tuple[int, int]]:
        return Counter() if self.kind == "ranked" else values_in(counts)

    def replace(self, items: Iterable[Item]) -> None:
        """These are all the ballots there are."""
        self.known = {item["SK"]: self.ballot_from(item) for item in items}
        self.newest = max((each.when for each in self.known.values()), default="")
        self.letters = sum(len(each.ranking) for each in self.known.values())
        candidates, self.candidates = self.candidates, ()
        self.set_candidates(candidates)

    def add(self, items: Iterable[Item]) -> None:
        """These were cast lately; some are known, and some take the place of others."""
        new, old = Counter[str](), Counter[str]()
        for item in items:
            ballot, known = self.ballot_from(item), self.known.get(item["SK"])
            if known is not None and (ballot == known or ballot.when < known.when):
                continue
            new[ballot.ranking] += ballot.weight
            if known is not None:
                old[known.ranking] += known.weight
            self.known[item["SK"]] = ballot
            self.letters += len(ballot.ranking) - len(known.ranking if known else "")
            self.newest = max(self.newest, ballot.when)
        if not new:
            return
        new, old = self.normal(new), self.normal(old)
        self.counts.update(new)
        self.counts = self.counts - old  # which drops what has become none
        self.values = self.values + self._values_in(new) - self._values_in(old)
        self.summary = self.summary + PairwiseSummary.of(self.names, new)
        if old:
            self.summary = self.summary - PairwiseSummary.of(self.names, old)

    def normal(self, rankings: Mapping[str, int]) -> Counter[str]:
        """The same rankings, with candidates numbered by name.

        A candidate added after we read the list is left out until we read it again and recount.
        """
        ordered = sorted(self.candidates, key=lambda each: each.name)
        return renumbered(rankings, {each.number: place for place, each in enumerate(ordered)})

    @property
    def ballots(self) -> Ballots:
        found = Ballots(self.names, dict(self.counts))
        vars(found.normal)["summary"] = self.summary  # kept up to date, so no recount is needed
        if self.kind != "ranked":
            vars(found.normal)["values"] = self.values
        return found


def summary_by_time(election: Election) -> PairwiseSummary:
    """The final running count: all ballots in the order they were cast, added up in batches.

    It is independent of the main count. Each ballot is in the index once, in place of those it replaced.
    """
    running = RunningCount()
    running.set_candidates(candidates_of(election))
    cast = sharded_reads.each(
        table(), keys.ballots_by_time(election.name, shards=election.shards, question=election.number)
    )
    rankings = ((item["rankings"], item.get("weight")) for item in cast)
    summary = running.summary
    while some := Counter(islice(rankings, BATCH_BALLOTS)):
        summary += PairwiseSummary.of(running.names, running.normal(votes_of(some)))
    return summary


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
        with self._lock:
            watched = self._watched.setdefault(place, WatchedCount(question=question))
            self._watched.move_to_end(place)
        with watched.lock:
            began = self.clock()
            if began < watched.rests_until:
                return watched.latest
            look = watched.latest = self.load(name, watched)
            watched.rests_until = max(began + REFRESH_SECONDS, self.clock() + REST_FACTOR * (self.clock() - began))
        with self._lock:
            if look is None or look.result is None:
                self._watched.pop(place, None)
            while self.weight > self.most and len(self._watched) > 1:
                self._watched.popitem(last=False)
        return look

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
