"""Whether casting, turnout and dashboard get slower with the ballots there are, and how long closing takes."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from ..people import milliseconds
from ..report import MICROSECONDS, MILLISECONDS, Report
from ..rounds import Comparison, compare
from . import day as days
from .day import NAME, Day
from .sustained import CASTS

FEW, HALFWAY, MANY = 100, 5_000, 20_000
ROUNDS, TURN = 7, 40
NOT_SLOWER = 0.7


def measure(report: Report, folder: Path, scale: float) -> None:
    halfway, many = max(FEW, int(HALFWAY * scale)), max(FEW, int(MANY * scale))
    rounds, turn = (ROUNDS, TURN) if scale >= 1 else (2, 2)
    casters = (rounds + 1) * turn
    small, middle, large = (
        days.prepare(folder / f"{name}.sqlite3", casters, cast=cast)
        for name, cast in (("few", FEW), ("halfway", halfway), ("many", many))
    )
    report.heading(f"With {many:,} ballots there already, and with {FEW}", f"at {FEW}")
    beside_few = partial(report.compare, peer=f"at_{FEW}", at_least=NOT_SLOWER)
    beside_few("growth.cast", "casts", compare(_casts(large, turn), _casts(small, turn), rounds), CASTS)
    for label, act in (("turnout", _turnout), ("dashboard", _dashboard)):
        comparison = compare(milliseconds(act(large)), milliseconds(act(small)), rounds)
        beside_few(f"growth.{label}", label, comparison, MILLISECONDS)
    _closing(report, middle, large)


def _casts(day: Day, turn: int) -> Callable[[], float]:
    """How many casts a second one thread makes, without a page around them."""
    from ballots import services

    voters, chance = iter(day.voters), random.Random(0)  # whom they vote for

    def cast() -> float:
        coming = [(user, days.ranks(chance), f"form of {user.name}") for user in itertools.islice(voters, turn)]
        with days.on(day):
            start = perf_counter()
            for user, ranks, form in coming:
                services.cast(user, NAME, ranks, form)
            return turn / (perf_counter() - start)

    return cast


def _turnout(day: Day) -> Callable[[], Any]:
    from elections.turnout import turnout

    def act() -> None:
        with days.on(day):
            turnout(NAME)

    return act


def _dashboard(day: Day) -> Callable[[], Any]:
    from django.test import Client

    with days.on(day):
        (browser,) = days.browsers([day.owner])
    client = Client(headers={"Cookie": browser.cookies()})

    def act() -> None:
        with days.on(day):
            answer = client.get(f"/election/{NAME}/dashboard/")
        assert answer.status_code == 200, answer.status_code

    return act


# --- closing ---


@dataclass(frozen=True, slots=True)
class Closed:
    """How many ballots there were, and how many seconds it took."""

    ballots: int
    closing: float
    sealing: float
    sealing_cpu: float
    forgetting: float


def _closed(day: Day) -> Closed:
    from acts.site import table
    from ballots import repository, services
    from elections import services as organising

    with days.on(day):
        ballots = sum(1 for _ in repository.every_ballot(NAME))
        closing = _seconds(lambda: organising.close(day.owner, days.election()))
        before = process_time()
        sealing = _seconds(services.seal_what_is_closed)
        return Closed(ballots, closing, sealing, process_time() - before, _seconds(table().forget_deleted))


def _seconds(act: Callable[[], Any]) -> float:
    start = perf_counter()
    act()
    return perf_counter() - start


def _closing(report: Report, middle: Day, large: Day) -> None:
    """Shutting the box is one transaction; sealing reads all ballots, counts and publishes them, and empties
    the box. The worker rewrites the file afterwards, when nobody writes."""
    fewer, more = _closed(middle), _closed(large)
    report.heading(f"Closing a secret election of {more.ballots:,} ballots, and one of {fewer.ballots:,}", "fewer")
    label, shut = "shutting the box", Comparison((more.closing * 1000,), (fewer.closing * 1000,))
    report.compare("closing", label, shut, MILLISECONDS, peer="fewer")
    each = Comparison(*((day.sealing_cpu * 1e6 / day.ballots,) for day in (more, fewer)))
    report.compare("sealing", "sealing, CPU by the ballot", each, MICROSECONDS, peer="fewer", at_least=NOT_SLOWER)
    report.figure("sealing.seconds", "sealing, the whole of it", more.sealing, "s")
    report.figure("sealing.forgetting.seconds", "rewriting the file afterwards", more.forgetting, "s")
