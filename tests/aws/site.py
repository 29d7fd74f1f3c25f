"""A site in virtual time: several processes, each with a table of its own, on one engine that keeps AWS's rules.

Everything is real but the engine and the time: accounts, rolls, gates, ballots and the log are written by the services
that write them on a real site.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any
from unittest.mock import patch

from django.conf import settings

from accounts import repository as people
from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from elections import repository, sharding
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.acts import caches, retry
from foundation.acts.storage import table, use_table
from foundation.ranking.candidates import Candidate
from foundation.store import wait_budget
from foundation.store.dynamodb import DynamoDbTable, connection
from foundation.store.log import as_text, numbers, utc_now
from foundation.store.table import Table, Write

from .engine import using
from .memory import MemoryEngine
from .rules import Latency, Limits, Rules
from .virtual import VirtualThreading, VirtualTime

CANDIDATES = tuple(Candidate(name, number=number) for number, name in enumerate(("Ada", "Bo", "Cy")))
TRANSACTION_ITEMS = 90  # parts of one transaction


@dataclass
class Site:
    """Its processes, and what all of them share."""

    time: VirtualTime
    memory: MemoryEngine
    owner: User
    processes: list[DynamoDbTable] = field(default_factory=list)
    rules: Rules | None = None
    voters: list[User] = field(default_factory=list)

    def table(self, client: Any) -> DynamoDbTable:
        made = DynamoDbTable(region="here", endpoint="http://nowhere", sleep=self.time.sleep, ticking=self.time)
        made.run_parallel = self.time.run_parallel  # type: ignore[method-assign]
        return using(made, client)

    def start(self, processes: int, seed: int, latency: Latency | None = None, limits: Limits | None = None) -> Rules:
        """From now on AWS's rules hold, and so many processes serve."""
        self.rules = Rules(
            self.memory, latency=latency, limits=limits, clock=self.time, sleep=self.time.sleep, chance=Random(seed)
        )
        self.processes = [self.table(self.rules) for _ in range(processes)]
        return self.rules

    def looking(self) -> Table:
        """Somebody who looks at what there is, and takes no time for it."""
        return self.table(self.memory)


@contextmanager
def site(seed: int = 1, shards: int = sharding.SHARDS) -> Iterator[Site]:
    """An empty site with an owner, whose elections have so many shards. Whatever would wait waits in its time."""
    time = VirtualTime()
    with ExitStack() as until_then:
        for each in _patches(time, seed, shards):
            until_then.enter_context(each)
        until_then.callback(caches.clock.reset, caches.clock.set(time))
        memory = MemoryEngine(time)
        here = Site(time, memory, User())
        table = here.looking()
        table.create()
        until_then.enter_context(use_table(table))
        here.owner = accounts.make_owner("Owner", "owner@example.org", "a password of the simulation")
        yield here


def _patches(time: VirtualTime, seed: int, shards: int) -> list[Any]:
    """Time, and chance as far as it decides who meets whom."""

    class Place(numbers._Place):
        def __init__(self) -> None:
            super().__init__(called=VirtualThreading(time).Event())

    random.seed(seed)
    return [
        patch.object(connection, "_RANDOM", Random(seed)),
        patch.object(numbers, "threading", VirtualThreading(time)),
        patch.object(numbers, "_Place", Place),
        patch.object(sharding, "SHARDS", shards),
        patch.object(retry.retry_on_conflict, "__defaults__", (time.sleep,)),
        patch.object(retry.write_each, "__defaults__", (time.sleep,)),
    ]


def electorate(count: int, prefix: str = "Voter") -> list[User]:
    """People with accounts, written a handful at a time."""
    names = [f"{prefix} {number:06}" for number in range(count)]
    users = [accounts.new_user(name, f"{_address(name)}@example.org", "!", Role.VOTER) for name in names]
    write_all(part for each in users for part in people.creation(each))
    return users


def _address(name: str) -> str:
    return name.lower().replace(" ", ".")


def opened(owner: User, name: str, voters: Sequence[User], **chosen: Any) -> Election:
    end = as_text(utc_now() + timedelta(days=1))
    made = drafts.create(owner, name, no_voting_after=end, **chosen)
    add_candidates(owner, made, list(CANDIDATES))
    add_voters(owner, found(name), [each.name for each in voters])
    return lifecycle.open_(owner, found(name), editable=False)


def found(name: str) -> Election:
    election = repository.find(name)
    assert election is not None
    return election


def write_all(writes: Iterable[Write]) -> None:
    every = list(writes)
    for start in range(0, len(every), TRANSACTION_ITEMS):
        table().write(*every[start : start + TRANSACTION_ITEMS])


def acting(process: Table, act: Callable[[], Any], *, organises: bool = False) -> Any:
    """As in a request of a browser, which waits for the store only so long."""
    with use_table(process), wait_budget.of_request(settings.STORE_SECONDS):
        if organises:  # as `accounts.access.access_response` does
            wait_budget.insist()
        return act()
