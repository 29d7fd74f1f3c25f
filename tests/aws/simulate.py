"""How many casts a second an election takes, and a site, if the store does what AWS does: `make simulate`.

The services are the real ones, the engine is ours with AWS's rules (tests/aws/rules.py), and the time is virtual.
Voters come at a rate, whatever became of those before them, each to any of several processes; who is told to try again
does so about a second later, with the same form. At the end everything is counted again: what was acknowledged, stored,
on the roll, through the gates and in the log.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from random import Random

if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()

from django.conf import settings
from django.test import Client

from elections.lifecycle import closing as closing_acts
from elections.lifecycle import services as lifecycle
from elections.sharding import SHARDS
from foundation.acts.refusals import Refusal
from foundation.acts.storage import use_table
from foundation.store.log import as_text, utc_now
from foundation.store.table import Conflict, Unavailable
from tests.ballots.history import CLOSED, DONE, OVERTAKEN, UNKNOWN, Act
from tests.ballots.test_killed import session_of

from . import journey
from .casting import Rush, come
from .judging import Judgement, judged
from .ledger import READ, WRITE
from .rules import Latency, Limits, Rules
from .site import Site, acting, electorate, found, opened, site

PROCESSES = 8
MAX_INDEX_LAG_SECONDS = 0.2  # seconds that the index is behind at most


@dataclass(frozen=True)
class Day:
    """What one run looks like."""

    shards: int
    rate: float  # casts a second, of all elections together
    seconds: float
    elections: int = 1
    processes: int = PROCESSES
    seed: int = 1
    closing: float | None = None  # after so many seconds the first election is closed, while votes still come
    extending: float | None = None  # and after so many its end is moved
    tries: int = 6
    secret: bool = True
    latency: Latency | None = None
    by_pages: bool = False  # whether the organiser acts as a browser does: the page with the form, and the form
    limits: Limits = field(default_factory=lambda: Limits(lag=MAX_INDEX_LAG_SECONDS))


@dataclass
class Run:
    """What came of it."""

    day: Day
    rush: Rush
    rules: Rules
    judgements: list[Judgement]
    organised: list[Act]
    took: float  # real seconds

    @property
    def is_right(self) -> bool:
        return all(each.is_right for each in self.judgements)

    def row(self) -> str:
        """A row of the table."""
        day, rush, refused = self.day, self.rush, self.rules.counts.refused
        again = sum(count for answer, count in rush.tries.items() if answer in (UNKNOWN, OVERTAKEN))
        cells = [
            f"{day.elections} × {day.shards}" if day.elections > 1 else f"{day.shards}",
            f"{day.rate:,.0f}",
            f"{rush.per_second():,.0f}",
            f"{again:,}",
            f"{refused['transactions in conflict'] + refused['single writes in conflict']:,}",
            f"{refused['throttled writes'] + refused['throttled reads'] + refused['left over']:,}",
            f"{rush.milliseconds(0.5):,.0f}",
            f"{rush.milliseconds(0.99):,.0f}",
            ", ".join(self.hottest(WRITE)),
            ", ".join(self.hottest(READ)),
        ]
        return f"| {' | '.join(cells)} |"

    def hottest(self, kind: str, count: int = 2) -> Iterator[str]:
        """The keys that were charged most, with the units of their worst second."""
        for each in self.rules.ledger.hottest(kind, count):
            where = f"{each.partition.pk}{' (index)' if each.partition.index else ''}"
            yield f"`{where}` {each.peak:,.0f}"


HEAD = [
    "| shards | offered/s | cast/s | told to try again | conflicts | throttled | p50 ms | p99 ms "
    "| hottest keys, write units/s | read units/s |",
    "|---:|---:|---:|---:|---:|---:|---:|---:|---|---|",
]


def simulated(day: Day, then: Callable[[Site, Rush, list[Act]], object] = lambda *_: None) -> Run:
    """Let a day pass, and judge it; then somebody else may look at the first election as well."""
    started = time.perf_counter()
    with site(day.seed, day.shards) as here, journey.as_served(here):
        count = int(day.rate * day.seconds / day.elections)
        names = [f"Board {number + 1}" for number in range(day.elections)]
        voters = {name: electorate(count, f"Voter of {name}") for name in names}
        here.voters = [user for each in voters.values() for user in each]
        for name in names:
            opened(here.owner, name, voters[name], secret_ballot=day.secret)
        rules = here.start(day.processes, day.seed, day.latency, day.limits)
        rushes, organised = {name: Rush() for name in names}, []
        acts = [
            come(
                here,
                rushes[name],
                name,
                voters[name],
                day.rate / day.elections,
                Random(f"{day.seed} {name}"),
                day.tries,
            )
            for name in names
        ]
        acts += organising_acts(here, day, names[0], organised)
        here.time.run(*acts)
        close = next((act for act in organised if act.kind == "close" and act.answer == DONE), None)
        judgements = [judged(here, name, rushes[name], close if name == names[0] else None) for name in names]
        then(here, rushes[names[0]], organised)
    return Run(day, together(list(rushes.values())), rules, judgements, organised, time.perf_counter() - started)


def together(rushes: list[Rush]) -> Rush:
    whole = Rush(began=min(each.began for each in rushes))
    for each in rushes:
        whole.acts += each.acts
        whole.tries += each.tries
    return whole


# --- the organiser ---


def organising_acts(here: Site, day: Day, name: str, told: list[Act]) -> list[Callable[[], None]]:
    end = as_text((utc_now() + timedelta(days=2)).replace(second=0, microsecond=0))
    session = session_of(here.owner) if day.by_pages else ""

    def extend() -> None:
        acting(here.processes[0], lambda: lifecycle.extend(here.owner, found(name), end), organises=True)

    def close() -> None:
        acting(here.processes[0], lambda: closing_acts.close(here.owner, found(name)), organises=True)

    if session:
        extend = partial(_by_page, here, session, f"/election/{name}/end/", ends=end[:16])
        close = partial(_by_page, here, session, f"/election/{name}/close/")

    def organise() -> None:
        """One after the other: what is closed cannot be extended."""
        for kind, form, at, act in (("extend", end, day.extending, extend), ("close", "", day.closing, close)):
            if at is not None:
                here.time.sleep(max(0.0, began + at - here.time.now))
                _organise(here, kind, form, act, told)

    began = here.time.now
    return [organise]


def _by_page(here: Site, session: str, address: str, **fields: str) -> None:
    """As a browser: through all middleware, which gives the request its patience."""
    process, client = here.processes[0], Client(raise_request_exception=False)
    client.cookies[settings.SESSION_COOKIE_NAME] = session
    with use_table(process):
        answers = [client.get(address).status_code, client.post(address, fields).status_code]
    if answers != [200, 302]:
        raise Unavailable(f"{address}: {answers}")


def _organise(here: Site, kind: str, form: str, act: Callable[[], None], told: list[Act]) -> None:
    """One call, and what the organiser was told; nobody tries again."""
    one = Act(here.owner.name, kind, here.time.now, 0, DONE, form)
    try:
        act()
    except (Conflict, Unavailable):
        one = replace(one, answer=UNKNOWN)
    except Refusal:
        one = replace(one, answer=OVERTAKEN)
    told.append(replace(one, answered=here.time.now))


# --- what is printed ---

RATES = [
    Day(1, 100, 10),
    Day(1, 200, 5),
    Day(SHARDS, 100, 10),
    Day(SHARDS, 1000, 5),
    Day(SHARDS, 2000, 3, processes=16),
    Day(SHARDS, 5000, 2, processes=32),
]
SITES = [
    Day(SHARDS, 800, 4, elections=8),
    Day(SHARDS, 1200, 3, elections=4, processes=16),
]
PROMISE = Day(SHARDS, 1000, 14, closing=12.0, extending=6.0)
CROWDED = [Day(4, 1000, 4, closing=3.0, extending=1.5), Day(1, 280, 4, closing=3.0, extending=1.5)]


# Four times what all shards take, on partitions with a 48th of AWS's units: the same crowd, so much smaller.
# The keys of event numbers are throttled too.
SMALL = Limits(write_units=1000 / 48, read_units=3000 / 48, lag=MAX_INDEX_LAG_SECONDS)
THROTTLED = Day(SHARDS, 500, 3, closing=2.0, extending=1.0, by_pages=True, limits=SMALL)
SEEDS = 20


def show(days: list[Day]) -> bool:
    print(*HEAD, sep="\n")
    rights = []
    for day in days:
        run = simulated(day)
        print(run.row(), flush=True)
        print(f"  right: {run.is_right}; {run.took:.0f} s", file=sys.stderr)
        rights.append(run.is_right)
    return all(rights)


def show_promise(day: Day) -> bool:
    """A thousand casts a second into one election, whose end is moved and which is closed while votes come."""
    run = simulated(day)
    (judgement,), tries = run.judgements, run.rush.tries
    print(*HEAD, run.row(), sep="\n")
    for act in run.organised:
        print(f"{act.kind}: {act.answer} at the first call, in {(act.answered - act.called) * 1000:,.0f} ms")
    print(f"answers to single tries: {dict(tries)}; told that it is closed: {tries[CLOSED]:,}")
    print(judgement)
    return run.is_right and all(act.answer == DONE for act in run.organised)


def show_throttled() -> bool:
    """Move the end and close under twenty crowds."""
    print("| seed | cast | throttled | move of the end | close | lost, doubled, after the close |", flush=True)
    print("|---:|---:|---:|---|---|---|")
    fine = []
    for seed in range(1, SEEDS + 1):
        run = simulated(replace(THROTTLED, seed=seed))
        (judgement,), refused = run.judgements, run.rules.counts.refused
        told = [f"{act.answer}, {(act.answered - act.called) * 1000:,.0f} ms" for act in run.organised]
        wrong = f"{judgement.lost}, {judgement.doubled}, {judgement.after_the_close}"
        crowded = refused["throttled writes"] + refused["throttled reads"] + refused["left over"]
        print(f"| {seed} | {judgement.acknowledged:,} | {crowded:,} | {' | '.join(told)} | {wrong} |", flush=True)
        fine.append(run.is_right and all(act.answer == DONE for act in run.organised))
    print(f"{sum(fine)} of {SEEDS} as they should be")
    return all(fine)


PARTS = {
    "rates": lambda: show(RATES),
    "sites": lambda: show(SITES),
    "close": lambda: all(show_promise(day) for day in (PROMISE, *CROWDED)),
    "throttled": show_throttled,
    "pages": journey.show,
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PARTS)
    outcomes = [PARTS[name]() for name in wanted]
    sys.exit(0 if all(outcomes) else 1)
