"""From what each act costs to what an election of some size needs: rates, ceilings, prices, and what breaks first."""

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
from store.capacity_units import INDEX, READ_UNITS_PER_KEY_SECOND, WRITE_UNITS_PER_KEY_SECOND
from store.log.seal import EVENTS_PER_CHECKPOINT
from store.metering import READ, WRITE, Charged, MeteredTable
from store.table import DATA, LOG
from upkeep.worker import jobs

from .rehearsal import (
    A_BATCH,
    A_PROCESS,
    A_READER,
    A_SECOND,
    A_WAIT,
    EVERYBODY,
    MANY,
    NAME,
    ONCE,
    OWN,
    Act,
    Play,
    Size,
    stage,
)

CEILING = {READ: READ_UNITS_PER_KEY_SECOND, WRITE: WRITE_UNITS_PER_KEY_SECOND}
WARMED = {  # what deploy/aws/store.json calls them
    (DATA, READ): "DataWarmReads",
    (DATA, WRITE): "DataWarmWrites",
    (INDEX, READ): "IndexWarmReads",
    (INDEX, WRITE): "IndexWarmWrites",
    (LOG, READ): "LogWarmReads",
    (LOG, WRITE): "LogWarmWrites",
}
NUMBERS = Charged(WRITE, LOG, keys.event_number().pk)
WAITING = keys.mails(outbox.QUEUED).pk
REQUESTS_PER_PROCESS_SECOND = 100  # requests a second that one process of the server is assumed to answer
FIXED = (A_PROCESS, A_WAIT, A_SECOND)  # what happens by the clock, however many come
BALLOTS_SEALED_PER_SECOND = 1_000_000 / 900  # a million takes a quarter of an hour
LAYOUTS = 400  # of keys on partitions, drawn to see how often one gets too much
MIN_CHANCE = 0.95  # that what is advised suffices
PARTITIONS_OF_NEW_TABLE = 4
MAX_PARTITIONS = 1000
GIGABYTE = 10**9
SECONDS_PER_HOUR = 3600
MAX_GATE_UTILISATION = 0.3  # of the time that a gate is held, chosen: about one in three who come has then to try again


@dataclass(frozen=True, slots=True)
class Prices:
    """In dollars, of one region, on one day: examples, not promises.

    US East, on demand, second-hand: docs/explanation/scale.md says from where. AWS has its own at
    https://aws.amazon.com/dynamodb/pricing/on-demand/.
    """

    writes: float = 0.625  # a million units
    reads: float = 0.125  # a million units
    stored: float = 0.25  # a gigabyte and month


@dataclass(frozen=True, slots=True)
class Layout:
    """In how many partitions things lie, and how many gates there are."""

    shards: int
    gates: int
    log: int
    mail: int = 1  # keys of mails that wait


@dataclass(frozen=True, slots=True)
class Load:
    """What falls on one partition key each second at the peak."""

    charged: Charged
    units: float  # a second and key
    keys: int

    @property
    def ceiling(self) -> int:
        return CEILING[self.charged.kind]

    @property
    def full(self) -> float:
        """1 is all that a key takes."""
        return self.units / self.ceiling


@dataclass(frozen=True)
class Model:
    """`acts` of one small election, and how large the true one is."""

    size: Size
    hours: float
    peak: float
    acts: Sequence[Act]
    layout: Layout
    prices: Prices = Prices()
    held: float = 0.01  # seconds that a transaction takes
    processes: int = 0  # of the server; none said means as many as the requests need

    # --- rates ---

    @property
    def at_peak(self) -> float:
        """Voters a second, when most of them come."""
        return self.size.voters / (self.hours * SECONDS_PER_HOUR) * self.peak

    @property
    def requests(self) -> float:
        """A second at the peak, of those by which people vote."""
        return self.at_peak * sum(act.in_journey for act in self.acts)

    def _rate(self, act: Act, voters: float) -> float:
        """How often a second it happens when so many come."""
        if act.per in FIXED:
            return 1.0 if act.per == A_SECOND else float(self.servers)
        if act.per != A_BATCH:
            return voters
        return max(min(1 / jobs.LOG.every, voters), voters / EVENTS_PER_CHECKPOINT)

    def keys_of(self, charged: Charged) -> int | None:
        """Over how many keys it is spread; `None` if each has its own."""
        if charged.pk.endswith(OWN):
            return None
        if not charged.pk.endswith(MANY):
            return 1
        of_others = {keys.EVENTS: self.layout.log, WAITING: self.layout.mail}
        return of_others.get(charged.pk.removesuffix(f"#{MANY}"), self.layout.shards)

    def loads(self, voters: float, acts: Sequence[Act] | None = None) -> list[Load]:
        """What falls on each key that is shared when so many come each second; the fullest first."""
        units: defaultdict[Charged, float] = defaultdict(float)
        for act in self._at_peak if acts is None else acts:
            for charged, each in act.units.items():
                units[charged] += each * self._rate(act, voters)
        if NUMBERS in units:
            units[NUMBERS] = min(units[NUMBERS], self.numbers_asked)
        found = [Load(charged, each / n, n) for charged, each in units.items() if (n := self.keys_of(charged))]
        return sorted(found, key=lambda load: (-load.full, load.charged))

    @property
    def servers(self) -> int:
        """Processes that answer requests at the peak."""
        return self.processes or math.ceil(self.requests / REQUESTS_PER_PROCESS_SECOND)

    @property
    def numbers_asked(self) -> float:
        """How often a second numbers of events are asked for at most: a process asks for all of its acts that wait, and
        for the next ones when it was answered."""
        return self.servers / self.held

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
        """Whole ways of voters that the fullest key takes in a second."""
        return self._most(self._at_peak)

    @property
    def most_casts(self) -> float:
        return self._most([self.act("casting")])

    def _most(self, acts: Sequence[Act]) -> float:
        """A process that asks for many numbers at once is not bound by how many a second are asked for."""
        steady = [act for act in acts if act.per not in (A_BATCH, *FIXED)]
        free = NUMBERS if self.numbers_asked <= CEILING[WRITE] else None
        found = (load for load in self.loads(1.0, steady) if load.full and load.charged != free)
        return min((1 / load.full for load in found), default=math.inf)

    @property
    def gates_held(self) -> float:
        """Which part of the time somebody is passing a gate: so often does another find it taken."""
        return self.at_peak * self.held / self.layout.gates

    # --- before and afterwards ---

    def steps(self) -> Iterator[tuple[Act, Load, float]]:
        """What is done for every voter while nobody waits for it: the key that bounds it, and the seconds it takes."""
        for act in self.acts:
            if act.per == EVERYBODY and not act.at_peak:
                for load in self.loads(1.0, [act])[:1]:
                    yield act, load, self.size.voters * load.full

    # --- sums ---

    def total(self, kind: str) -> float:
        return sum(act.total(kind) * self._times(act) for act in self.acts)

    @property
    def stored(self) -> float:
        """Bytes, when all is over."""
        return sum(act.stored * self._times(act) for act in self.acts)

    def _times(self, act: Act) -> float:
        if act.per == A_BATCH:
            seconds = self.hours * SECONDS_PER_HOUR
            return seconds * self._rate(act, self.size.voters / seconds)
        voters, hour = float(self.size.voters), SECONDS_PER_HOUR
        times = {EVERYBODY: voters, A_READER: voters, ONCE: 1.0, A_SECOND: self.hours * hour}
        times |= {A_PROCESS: self.servers * self.hours * hour, A_WAIT: self.servers * self.waiting_seconds}
        return times.get(act.per, 0.0)

    @property
    def waiting_seconds(self) -> float:
        """Until ballots are published, at the pace at which that is done (docs/explanation/scale.md)."""
        return self.size.voters / BALLOTS_SEALED_PER_SECOND

    @property
    def cost(self) -> float:
        """Dollars for all units."""
        return (self.total(WRITE) * self.prices.writes + self.total(READ) * self.prices.reads) / 10**6

    @property
    def cost_a_month(self) -> float:
        """Dollars for keeping it."""
        return self.stored / GIGABYTE * self.prices.stored

    @property
    def largest(self) -> int:
        return max(act.largest for act in self.acts)

    # --- what to do ---

    def warm(self) -> dict[str, int]:
        """What the tables should take at once at the peak and new ones do not, as deploy/aws/store.json names it: with
        so many partitions that where keys happen to lie is hardly ever too much for one."""
        wanted = {each: self.partitions(*each) for each in WARMED}
        return {
            WARMED[place, kind]: count * CEILING[kind]
            for (place, kind), count in wanted.items()
            if count > PARTITIONS_OF_NEW_TABLE
        }

    def partitions(self, place: str, kind: str) -> int:
        """The fewest that suffice; where no number does, because keys are too full for any two to share a partition,
        those that the sum takes."""
        few = max(PARTITIONS_OF_NEW_TABLE, math.ceil(self.needed(place, kind) / CEILING[kind]))
        count = few
        while count < MAX_PARTITIONS and self.chance(place, kind, count) < MIN_CHANCE:
            count = math.ceil(1.2 * count)
        return count if count < MAX_PARTITIONS else few

    def chance(self, place: str, kind: str, partitions: int) -> float:
        """How likely no partition of a table or an index gets more than it takes at the peak. Keys lie on partitions by
        their hash: those that many share as chance wills, drawn many times; those of single voters evenly."""
        shared = [
            load.units
            for load in self.hottest
            if (load.charged.place, load.charged.kind) == (place, kind)
            for _ in range(load.keys)
        ]
        if max(shared, default=0.0) > CEILING[kind]:
            return 0.0
        room = CEILING[kind] - (self.needed(place, kind) - sum(shared)) / partitions
        return sum(_fits(shared, partitions, room, Random(seed)) for seed in range(LAYOUTS)) / LAYOUTS  # noqa: S311 - drawn alike each time

    def needed(self, place: str, kind: str) -> float:
        """Units a second at the peak, of all keys together."""
        return sum(
            units * self._rate(act, self.at_peak)
            for act in self._at_peak
            for charged, units in act.units.items()
            if (charged.place, charged.kind) == (place, kind)
        )

    @property
    def fullest(self) -> float:
        """1 is all that there is, of whatever there is least of."""
        return max(self.hottest[0].full, self.gates_held / MAX_GATE_UTILISATION)


def rehearsed(size: Size, hours: float, peak: float, **more: Any) -> Model:
    """Play a small one and see what it costs."""
    with stage() as table:
        acts = Play(table, table, size).all()
        return Model(size, hours, peak, acts, layout_of(table), **more)


def _fits(shared: Sequence[float], partitions: int, room: float, chance: Random) -> bool:
    """Whether these keys, thrown onto partitions, leave none with more than there is room for."""
    full = [0.0] * partitions
    for units in shared:
        full[chance.randrange(partitions)] += units
    return max(full) <= room


def layout_of(table: MeteredTable) -> Layout:
    """As it was laid out on the stage."""
    election = elections.find(NAME)
    assert election is not None
    place = keys.election(NAME).pk
    items = (item for _, item in table.table.everything() if item["SK"].startswith("GATE#"))
    gates = sum(item["PK"] == place or item["PK"].startswith(f"{place}#") for item in items)
    return Layout(election.shards, gates, table.log_partitions, outbox.queue_shards())
