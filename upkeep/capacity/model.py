"""From the cost of each act to the needs of an election of any size: rates, limits, prices, and the first
bottleneck."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from elections import repository as elections
from mail import outbox
from store import keys
from store.capacity_units import (
    INDEX,
    READ,
    READ_UNITS_PER_KEY_SECOND,
    WRITE,
    WRITE_UNITS_PER_KEY_SECOND,
    Charged,
    MeteredTable,
)
from store.log.seal import EVENTS_PER_CHECKPOINT
from store.table import DATA, LOG
from upkeep.worker import jobs

from .rehearsal import ELECTION, MANY, NAME, OWN, Act, Per, Play, Size, stage

CEILING = {READ: READ_UNITS_PER_KEY_SECOND, WRITE: WRITE_UNITS_PER_KEY_SECOND}
WARMED = {  # their names in deploy/aws/store.json
    (DATA, READ): "DataWarmReads",
    (DATA, WRITE): "DataWarmWrites",
    (INDEX, READ): "IndexWarmReads",
    (INDEX, WRITE): "IndexWarmWrites",
    (LOG, READ): "LogWarmReads",
    (LOG, WRITE): "LogWarmWrites",
}
NUMBERS = Charged(WRITE, LOG, keys.EVENT_NUMBER.pk)
WAITING = keys.mails(outbox.QUEUED).pk
REQUESTS_PER_PROCESS_SECOND = 100  # that one server process is assumed to handle
FIXED = (Per.PROCESS, Per.WAIT, Per.SECOND)  # however many voters come
BALLOTS_SEALED_PER_SECOND = 1_000_000 / 900  # a million takes a quarter of an hour
LAYOUTS = 400  # random placements of keys on partitions, to estimate how often one is overloaded
MIN_CHANCE = 0.95  # that the recommendation suffices
PARTITIONS_OF_NEW_TABLE = 4
MAX_PARTITIONS = 1000
GIGABYTE = 10**9
SECONDS_PER_HOUR = 3600
MAX_NUMBER_WAIT_SECONDS = 1.0  # by choice
MAX_GATE_UTILISATION = 0.3  # of a gate's time, by choice: about one voter in three must then retry


@dataclass(frozen=True, slots=True)
class Prices:
    """In dollars, for one region on one day: examples, not promises.

    US East, on demand, second-hand: see docs/explanation/scale.md for the source. AWS publishes current prices at
    https://aws.amazon.com/dynamodb/pricing/on-demand/.
    """

    writes: float = 0.625  # per million units
    reads: float = 0.125  # per million units
    stored: float = 0.25  # per gigabyte and month


@dataclass(frozen=True, slots=True)
class Layout:
    """How many partitions and how many gates there are."""

    shards: int
    gates: int
    log: int
    mail: int = 1  # keys of waiting mails


@dataclass(frozen=True, slots=True)
class Load:
    """The load on one partition key per second at the peak."""

    charged: Charged
    units: float  # per second and key
    keys: int

    @property
    def ceiling(self) -> int:
        return CEILING[self.charged.kind]

    @property
    def full(self) -> float:
        """The share of the key's limit in use; 1 is all of it."""
        return self.units / self.ceiling


@dataclass(frozen=True)
class Model:
    """The `acts` of one small election, and the size of the real one."""

    size: Size
    hours: float
    peak: float
    acts: Sequence[Act]
    layout: Layout
    prices: Prices = Prices()
    held: float = 0.01  # that a transaction takes
    processes: int = 0  # of the server; 0 means as many as the requests need

    # --- rates ---

    @property
    def at_peak(self) -> float:
        """Voters per second at the peak."""
        return self.size.voters / (self.hours * SECONDS_PER_HOUR) * self.peak

    @property
    def requests(self) -> float:
        """Voting requests per second at the peak."""
        return self.at_peak * sum(act.in_journey for act in self.acts)

    def _rate(self, act: Act, voters: float) -> float:
        """How often per second it happens at so many voters per second."""
        if act.per in FIXED:
            return 1.0 if act.per == Per.SECOND else float(self.servers)
        if act.per != Per.BATCH:
            return voters
        return max(min(1 / jobs.LOG.every, voters), voters / EVENTS_PER_CHECKPOINT)

    def keys_of(self, charged: Charged) -> int | None:
        """The number of keys it is spread over; `None` if each has its own."""
        if charged.pk.endswith(OWN):
            return None
        if not charged.pk.endswith(MANY):
            return 1
        of_others = {keys.EVENTS: self.layout.log, WAITING: self.layout.mail, f"{ELECTION}#OPEN": keys.OPEN_MARKS}
        return of_others.get(charged.pk.removesuffix(f"#{MANY}"), self.layout.shards)

    def loads(self, voters: float, acts: Sequence[Act] | None = None) -> list[Load]:
        """The load on each shared key at so many voters per second, highest first."""
        units = self._units(voters, self._at_peak if acts is None else acts)
        found = [Load(charged, each / n, n) for charged, each in units.items() if (n := self.keys_of(charged))]
        return sorted(found, key=lambda load: (-load.full, load.charged))

    def _units(self, voters: float, acts: Sequence[Act]) -> dict[Charged, float]:
        """Units per second. Event numbers are asked for as often as their key allows, each time for all acts that wait
        in a process."""
        units: defaultdict[Charged, float] = defaultdict(float)
        for act in acts:
            for charged, each in act.units.items():
                units[charged] += each * self._rate(act, voters)
        if NUMBERS in units:
            units[NUMBERS] = min(units[NUMBERS], self.numbers_asked, CEILING[WRITE])
        return units

    @property
    def servers(self) -> int:
        """Server processes that handle requests at the peak."""
        return self.processes or math.ceil(self.requests / REQUESTS_PER_PROCESS_SECOND)

    @property
    def numbers_asked(self) -> float:
        """The maximum rate of requests for event numbers: a process sends one for all waiting acts, and the next after
        the reply."""
        return self.servers / self.held

    @property
    def number_wait(self) -> float:
        """Seconds that an act waits for its number: until its process is done with the request before, and with its
        own. When the key is full, each takes as long as one request of every process (tests/aws/test_numbers.py)."""
        is_full = self._units(self.at_peak, self._at_peak).get(NUMBERS, 0.0) >= CEILING[WRITE]
        return 2 * self.servers / CEILING[WRITE] if is_full else self.held

    @property
    def _at_peak(self) -> list[Act]:
        return [act for act in self.acts if act.at_peak]

    def act(self, name: str) -> Act:
        return next(act for act in self.acts if act.name == name)

    @cached_property
    def hottest(self) -> list[Load]:
        return self.loads(self.at_peak)

    @property
    def most_voters(self) -> float:
        """Complete voter journeys per second that the most loaded key allows."""
        return self.most(self._at_peak)

    def most(self, acts: Sequence[Act]) -> float:
        """How often per second the most loaded key allows these acts. Event numbers limit how long they wait, not how
        many there are."""
        steady = [act for act in acts if act.per not in (Per.BATCH, *FIXED)]
        found = (load for load in self.loads(1.0, steady) if load.full and load.charged != NUMBERS)
        return min((1 / load.full for load in found), default=math.inf)

    @property
    def gates_held(self) -> float:
        """The share of time that a gate is being passed, which is how often another voter finds it taken."""
        return self.at_peak * self.held / self.layout.gates

    # --- before and after ---

    def steps(self) -> Iterator[tuple[Act, Load, float]]:
        """Background work for every voter: the key that limits it, and the seconds it takes."""
        for act in self.acts:
            if act.per == Per.VOTER and not act.at_peak:
                for load in self.loads(1.0, [act])[:1]:
                    yield act, load, self.size.voters * load.full

    # --- sums ---

    def total(self, kind: str) -> float:
        return sum(act.total(kind) * self._times(act) for act in self.acts)

    @property
    def stored(self) -> float:
        """Bytes stored in the end."""
        return sum(act.stored * self._times(act) for act in self.acts)

    def _times(self, act: Act) -> float:
        voters, seconds = float(self.size.voters), self.hours * SECONDS_PER_HOUR
        if act.per == Per.BATCH:
            return seconds * self._rate(act, voters / seconds)
        times = {Per.VOTER: voters, Per.READER: voters, Per.ONCE: 1.0, Per.SECOND: seconds}
        times |= {Per.PROCESS: self.servers * seconds, Per.WAIT: self.servers * voters / BALLOTS_SEALED_PER_SECOND}
        return times.get(act.per, 0.0)

    @property
    def cost(self) -> float:
        """Dollars for all units."""
        return (self.total(WRITE) * self.prices.writes + self.total(READ) * self.prices.reads) / 10**6

    @property
    def cost_a_month(self) -> float:
        """Dollars per month for storage."""
        return self.stored / GIGABYTE * self.prices.stored

    # --- recommendations ---

    def warm(self) -> dict[str, int]:
        """The throughput that tables need at the peak beyond that of new ones, by the names in deploy/aws/store.json:
        enough partitions that the random placement of keys hardly ever overloads one."""
        counts = {(place, kind): self.partitions(place, kind) for place, kind in WARMED}
        needed = {each: count for each, count in counts.items() if count > PARTITIONS_OF_NEW_TABLE}
        return {WARMED[place, kind]: count * CEILING[kind] for (place, kind), count in needed.items()}

    def partitions(self, place: str, kind: str) -> int:
        """The smallest sufficient number; if none is, because keys are too hot for any two to share a partition, the
        number for the total load."""
        few = max(PARTITIONS_OF_NEW_TABLE, math.ceil(self.needed(place, kind) / CEILING[kind]))
        count = few
        while count < MAX_PARTITIONS and self.chance(place, kind, count) < MIN_CHANCE:
            count = math.ceil(1.2 * count)
        return count if count < MAX_PARTITIONS else few

    def chance(self, place: str, kind: str, partitions: int) -> float:
        """The probability that no partition of a table or index is overloaded at the peak. Keys are placed by hash:
        shared keys at random, simulated many times; those of single voters evenly. So is the key of event numbers,
        which does with what its partition has left."""
        here = [load for load in self.hottest if (load.charged.place, load.charged.kind) == (place, kind)]
        shared = [load.units for load in here if load.charged != NUMBERS for _ in range(load.keys)]
        if max(shared, default=0.0) > CEILING[kind]:
            return 0.0
        room = CEILING[kind] - (self.needed(place, kind) - sum(shared)) / partitions
        return sum(_fits(shared, partitions, room, Random(seed)) for seed in range(LAYOUTS)) / LAYOUTS  # noqa: S311 - drawn alike each time

    def needed(self, place: str, kind: str) -> float:
        """Units per second at the peak, over all keys."""
        units = self._units(self.at_peak, self._at_peak)
        return sum(each for charged, each in units.items() if (charged.place, charged.kind) == (place, kind))

    @property
    def fullest(self) -> float:
        """The utilisation of the scarcest resource; 1 is all of it."""
        waits = self.gates_held / MAX_GATE_UTILISATION, self.number_wait / MAX_NUMBER_WAIT_SECONDS
        return max(self.hottest[0].full, *waits)


def rehearsed(size: Size, hours: float, peak: float, **more: Any) -> Model:
    """Rehearse a small election to see what each act costs."""
    with stage() as table:
        acts = Play(table, table, size).all()
        return Model(size, hours, peak, acts, layout_of(table), **more)


def _fits(shared: Sequence[float], partitions: int, room: float, chance: Random) -> bool:
    """Whether these keys, placed at random, overload no partition."""
    full = [0.0] * partitions
    for units in shared:
        full[chance.randrange(partitions)] += units
    return max(full) <= room


def layout_of(table: MeteredTable) -> Layout:
    """The layout used in the rehearsal."""
    election = elections.find(NAME)
    assert election is not None
    place = keys.election(NAME).pk
    items = (item for _, item in table.table.everything() if item["SK"].startswith("GATE#"))
    gates = sum(item["PK"] == place or item["PK"].startswith(f"{place}#") for item in items)
    return Layout(election.shards, gates, table.log_partitions, outbox.queue_shards())
