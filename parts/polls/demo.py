"""The demo's polls: one open, one with hidden results, one that ended in a cycle, and one of scores."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from accounts import repository as people
from accounts.models import User
from ballots.robots import random_ranks
from foundation.acts.storage import table
from foundation.ranking.marks import ranks_of
from foundation.store import keys

from . import repository, services, voters
from .counting import seal
from .rules import Poll


@dataclass(frozen=True, slots=True)
class Planned:
    title: str
    candidates: tuple[str, ...]
    votes: int
    closed: bool = False
    results_hidden: bool = False
    description: str = ""
    rankings: tuple[tuple[str, int], ...] = ()  # and how often each is cast; if empty, robots vote
    kind: str = "ranked"


MAKER = "Emmy Noether"
OPEN_DAYS = 90
PLANNED = (
    Planned(
        "Where shall we eat on Friday?",
        ("The pizzeria by the station", "Sushi, upstairs", "The canteen", "Somewhere with a garden"),
        43,
        description="We are about twenty. *Whoever is late sits outside.*",
    ),
    Planned(
        "Name of the new printer", ("Gutenberg", "Paperweight", "Inky", "Prints Charming"), 14, results_hidden=True
    ),
    Planned(
        "Day of the summer party",
        ("Thursday", "Friday", "Saturday"),
        41,
        closed=True,
        description="We take the day that most of us can live with.",
        rankings=(("0>1>2", 15), ("1>2>0", 13), ("2>0>1", 11), ("2", 2)),
    ),
    Planned(
        "How did you like the talks?",
        ("The history of the ballot box", "Counting by hand", "Why ties happen", "An hour about envelopes"),
        24,
        description="From 0, a waste of time, to 5, again please.",
        rankings=(("0@5>2@4>1@2", 9), ("2@5>0@4>1=3@1", 8), ("1@5>2@3>0@1", 4), ("3@5>2@2", 3)),
        kind="score",
    ),
)


def load() -> int:
    """Make those that are missing, and complete those of an interrupted attempt; returns how many."""
    maker = people.find(MAKER)
    if maker is None:
        return 0
    made = {item["title"]: item["id"] for item in table().each(keys.made_by(MAKER))}
    return sum(_make(maker, planned, made.get(planned.title)) for planned in PLANNED)


def _make(maker: User, planned: Planned, made: str | None) -> bool:
    if made is None:
        chosen: dict[str, Any] = {"title": planned.title, "description": planned.description, "expires_at": None}
        chosen |= {"results_hidden": planned.results_hidden, "listed": True, "kind": planned.kind}
        made = services.make(maker, planned.candidates, OPEN_DAYS, **chosen)[0].id
    poll, votes, _sealed = repository.with_gates(made) or (None, 0, None)
    if poll is None or poll.version > 1 or (votes >= planned.votes and not planned.closed):
        return False  # a later version is closed, or was edited
    _vote(poll, planned)
    if planned.closed and (runner := services.find_runner(poll.id, maker, "")) is not None:
        services.close(runner)
        seal(poll.id)
    return True


def _vote(poll: Poll, planned: Planned) -> None:
    chance = random.Random(planned.title)  # noqa: S311 - the demo is the same everywhere
    ballots = [
        {str(number): [str(value)] for number, value in ranks_of(ranking).items()}
        for ranking, times in planned.rankings
        for _ in range(times)
    ]
    for number in range(planned.votes):
        voter = voters.id_of(poll.id, f"demo {number}")
        services.cast(poll.id, voter, ballots[number] if ballots else random_ranks(poll.candidates, chance), "demo")
