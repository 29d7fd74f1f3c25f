"""Demo ballots: a few in most elections, thousands in one; and closing the elections that the demo shows as closed."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from zlib import crc32

from accounts import repository as people
from accounts.models import User
from elections import repository as elections
from elections import rolls
from elections.demo import DEMO_ELECTIONS, DemoElection
from elections.lifecycle import closing
from elections.rules import Election, State
from foundation.acts.queues import Progress, no_progress
from foundation.acts.retry import retry_on_conflict
from foundation.acts.storage import now_text, table
from foundation.ranking.marks import Ranks

from . import sealing, services
from .robots import random_marks

TURNOUT_SHARE = 0.87
CAST_THREADS = 8  # casts that wait together are stored together; those of one organiser would be in each other's way


def load(progress: Progress = no_progress) -> int:
    """Cast the demo ballots that are missing; returns how many."""
    cast = 0
    for planned in DEMO_ELECTIONS:
        election = elections.find(planned.name)
        if election is None or election.state(now_text()) not in (State.EDITABLE, State.OPEN):
            continue
        if (owner := people.find(election.owner_name)) is None:
            continue
        cast += _cast_all(planned, election, owner, progress)
        if planned.closed:
            retry_on_conflict(partial(closing.close, owner, election))
    sealing.seal_closed()
    return cast


def _cast_all(planned: DemoElection, election: Election, owner: User, progress: Progress) -> int:
    """For those who have not voted yet, so that an interrupted attempt is resumed."""
    waiting = {voter.name for voter in rolls.every_voter(election) if not voter.voted}
    if planned.given:  # in the order of the roll
        given = [ranking.split(">") for ranking, times in planned.given for _ in range(times)]
        ranks: list[Ranks] = [{number: [str(rank)] for rank, number in enumerate(each, 1)} for each in given]
        rankings = list(zip(planned.electorate, ranks, strict=False))
    else:
        chance = random.Random(crc32(planned.name.encode()))  # noqa: S311 - the demo is the same everywhere
        candidates = elections.candidates(election.name)
        voters = [name for name in planned.electorate if chance.random() < TURNOUT_SHARE]
        voters = voters if planned.closed else voters[: len(voters) // 2]  # leave some for visitors to try it out
        rankings = [(voter, random_marks(election, candidates, chance)) for voter in voters]
    acts = [_cast_action(planned, election, owner, voter, ranking) for voter, ranking in rankings if voter in waiting]
    with ThreadPoolExecutor(1 if planned.paper and table().is_distant else CAST_THREADS) as pool:
        casts = (pool.submit(copy_context().run, retry_on_conflict, act) for act in acts)
        for done, cast in enumerate(list(casts), 1):
            cast.result()
            progress(done, len(acts))
    return len(acts)


def _cast_action(
    planned: DemoElection, election: Election, owner: User, voter: str, ranks: Ranks
) -> Callable[[], object]:
    form = f"demo {election.created_at} {voter}"
    if planned.paper:
        return lambda: services.enter_paper(owner, election.name, voter, ranks, form)
    person: User | None = people.find(voter)
    assert person is not None
    return lambda: services.cast(person, election.name, ranks, form)
