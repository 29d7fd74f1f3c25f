"""Casts that arrive at a rate, whatever becomes of those before; who is told what, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from accounts.models import User
from ballots import services
from foundation.acts.refusals import LostRace, NotNow, Refusal
from foundation.ranking.marks import ranking_from
from foundation.store.table import Conflict, Unavailable
from tests.ballots.history import CARRIED_OUT, CLOSED, DONE, OVERTAKEN, REPEATED, UNKNOWN, Act

from .site import CANDIDATES, Site, acting

RETRY_SECONDS = 1.0  # seconds after which somebody who was told to try again does
MAX_ATTEMPTS = 6


@dataclass
class Rush:
    """What a rush of voters has come to so far. `acts` are what each was told in the end."""

    acts: list[Act] = field(default_factory=list)
    tries: Counter[str] = field(default_factory=Counter)  # what each single try was told
    began: float = 0.0
    flying: int = 0
    most_flying: int = 0

    @property
    def done(self) -> list[Act]:
        return [act for act in self.acts if act.answer in (DONE, CARRIED_OUT)]

    def per_second(self) -> float:
        """From the first who came until the last was done."""
        last = max((act.answered for act in self.done), default=self.began)
        return len(self.done) / (last - self.began) if last > self.began else 0.0

    def milliseconds(self, share: float) -> float:
        """Within which so many of those who were done had their answer, their own waiting included."""
        took = sorted(act.answered - act.called for act in self.done)
        return took[min(len(took) - 1, int(len(took) * share))] * 1000 if took else float("nan")


def arrivals(rate: float, count: int, chance: Random) -> Iterator[float]:
    """When so many come who do not know of each other."""
    now = 0.0
    for _ in range(count):
        now += chance.expovariate(rate)
        yield now


def come(
    site: Site, rush: Rush, name: str, voters: Sequence[User], rate: float, chance: Random, tries: int = MAX_ATTEMPTS
) -> Callable[[], None]:
    """Whoever calls this lets them come: each to some process, and none waits for another."""

    def let_them_come() -> None:
        rush.began = rush.began or site.time.now
        for user, after in zip(voters, arrivals(rate, len(voters), chance), strict=True):
            process = chance.choice(site.processes)
            site.time.begin(partial(vote, site, rush, process, user, name, tries, Random(chance.random())), after)

    return let_them_come


def vote(site: Site, rush: Rush, process: Any, user: User, name: str, tries: int, chance: Random) -> None:
    """Send a form, and again for as long as one is told to try again."""
    ranks = {str(each.number): [chance.choice(("1", "2", "3"))] for each in CANDIDATES}
    act = Act(user.name, "cast", site.time.now, 0, UNKNOWN, f"form of {user.name}", ranking_from(ranks, CANDIDATES))
    rush.flying += 1
    rush.most_flying = max(rush.most_flying, rush.flying)
    for number in range(tries):
        told = acting(process, partial(_told, act, user, name, ranks))
        rush.tries[told.answer] += 1
        if told.answer not in (UNKNOWN, OVERTAKEN) or number == tries - 1:
            break
        site.time.sleep(RETRY_SECONDS * chance.uniform(0.5, 1.5))
    if number and told.answer == REPEATED:
        told = replace(told, answer=CARRIED_OUT)
    rush.flying -= 1
    rush.acts.append(replace(told, answered=site.time.now))


def _told(act: Act, user: User, name: str, ranks: Any) -> Act:
    try:
        outcome = services.cast(user, name, ranks, act.form)
    except (Conflict, Unavailable):
        return act
    except Refusal as refusal:
        if not isinstance(refusal, NotNow | LostRace):
            raise
        return replace(act, answer=CLOSED if isinstance(refusal, NotNow) else OVERTAKEN)
    if outcome.ballot is None:
        return replace(act, answer=REPEATED)
    return replace(act, answer=DONE, code=outcome.ballot.confirmation, acts=outcome.revision)
