"""A dress rehearsal: robots vote in a copy of a draft, with the same code as people do, and nothing of it stays.

It happens in a store of its own, in a temporary folder that goes when the rehearsal is over.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from django.utils.translation import gettext as _

from accounts import services as accounts
from accounts.models import User
from accounts.rules import Role
from elections import actions, kinds
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.opening_rules import check_opening
from elections.roll.services import add_voters
from elections.rules import Action, Election
from elections.turnout.counts import final_turnout
from foundation.acts.refusals import TooMany
from foundation.acts.storage import now_text, use_table
from foundation.ranking.candidates import Candidate
from foundation.store.log.seal import Sealer, verify
from foundation.store.sqlite import SqliteTable
from foundation.tally import lots
from foundation.tally.ballots import Ballots, ratings_of
from foundation.tally.cost import Size
from foundation.tally.count_job import CountJob
from foundation.tally.explain import Sentence, explain
from foundation.tally.methods import count
from foundation.tally.result import Result

from . import repository, sealing, services
from .robots import random_marks
from .secret import new_secret

ROBOTS = 40
MAX_STEPS = 3_000_000  # of counting, about as many seconds as millions
Candidates = Mapping[int, Sequence[Candidate]]  # of each question


@dataclass(frozen=True, slots=True)
class Count:
    """Of one question: how many ballots were counted, and what came of it."""

    title: str
    ballots: int
    partial: int
    tied: int
    result: Result
    sentences: list[Sentence]


@dataclass(frozen=True, slots=True)
class Report:
    """What happened in a rehearsal."""

    robots: int
    cast: int
    changed: int
    withdrawn: int
    events: int
    flaw: str | None  # what the verification of the log found
    counts: list[Count]  # of each question


def rehearse(actor: User, election: Election) -> Report:
    actions.check(actor, election, Action.REHEARSE)
    candidates = {each.number: elections.candidates(*each.address) for each in election.questions}
    sizes = {number: len(own) for number, own in candidates.items()}
    check_opening(_for_robots(election), sizes, now_text())
    check_cost(election, sizes)
    with TemporaryDirectory(prefix="plenum-rehearsal-") as folder:
        temporary_store = SqliteTable(str(Path(folder) / "stage.sqlite3"))
        temporary_store.create()
        with use_table(temporary_store):
            report = _run(actor, election, candidates, temporary_store)
        temporary_store.close()
    return report


def check_cost(election: Election, candidates: Mapping[int, int]) -> None:
    """A rehearsal runs within a request, so one that takes long to count is refused."""
    steps = 0
    for each in election.questions:
        size = Size(candidates[each.number], ROBOTS, ROBOTS * candidates[each.number], seats=each.seats)
        steps += CountJob(Ballots((), {}), each.method, {"seats": each.seats}).cost(size)
    if steps > MAX_STEPS:
        raise TooMany(
            _("A rehearsal with this many candidates or seats takes too long. The election itself will work.")
        )


def _for_robots(election: Election) -> Election:
    """The draft as robots can vote in it at once: its electorate and its window are left at home."""
    return replace(
        election,
        electorate="listed",
        voter_count=ROBOTS,
        for_groups=(),
        more=tuple(replace(each, for_groups=()) for each in election.more),
        no_voting_before=None,
        no_voting_after=None,
        managers=(),
    )


def _run(actor: User, election: Election, candidates: Candidates, temporary_store: SqliteTable) -> Report:
    director = accounts.new_user(actor.name, "director@localhost", "", Role.USER)
    accounts.create_account(director)
    robots = [accounts.new_user(f"Robot {at}", f"robot.{at}@localhost", "", Role.VOTER) for at in range(1, ROBOTS + 1)]
    for robot in robots:
        accounts.create_account(robot)
    names = ("secret_ballot", "changeable", "title", "more", "order", *kinds.SETTINGS)
    settings = {name: getattr(_for_robots(election), name) for name in names}
    draft = drafts.create(director, election.name, mail_votes=False, **settings)
    for question in draft.questions:
        if question.kind != "yes-no":
            add_candidates(director, question, candidates[question.number])
    add_voters(director, draft, [robot.name for robot in robots])
    copy = lifecycle.open_(director, elections.find(draft.name) or draft, editable=False)
    acts = _vote(copy, robots, {each.number: elections.candidates(*each.address) for each in copy.questions})
    closed = closing.close(director, elections.find(copy.name) or copy)
    secret = elections.lots_secret(closed.name)
    sealing.seal_closed(closed.name)  # and leave its ballots where they are
    Sealer(temporary_store).seal()
    counts, log = [_count(each, secret) for each in closed.questions], verify(temporary_store)
    return Report(robots=ROBOTS, **acts, events=log.sealed, flaw=log.flaw, counts=counts)


def _vote(election: Election, robots: Sequence[User], candidates: Candidates) -> dict[str, int]:
    """Most robots vote; every fifth changes its mind and every tenth withdraws, if they may."""
    chance = random.Random(election.name)  # noqa: S311 - the same draft gives the same rehearsal
    voters = [robot for robot in robots if chance.random() < 0.9]
    changing, withdrawing = (voters[::5], voters[3::10]) if election.changeable else ([], [])
    secrets = {robot.name: new_secret() for robot in voters}

    def cast(robot: User, form: str, who: User | None) -> None:
        ranks: dict[str, Sequence[str]] = {}
        for question in election.questions:
            prefix = "" if question.number == 1 else f"{question.number}:"
            marks = random_marks(question, candidates[question.number], chance)
            ranks |= {prefix + number: typed for number, typed in marks.items()}
        services.cast(who, election.name, ranks, f"{form} {robot.name}", secret=secrets[robot.name])

    for robot in voters:
        cast(robot, "first", robot)
    for robot in changing:
        cast(robot, "second", None if election.secret_ballot else robot)
    for robot in withdrawing:
        who = None if election.secret_ballot else robot
        services.withdraw(who, election.name, f"third {robot.name}", secret=secrets[robot.name])
    return {"cast": len(voters), "changed": len(changing), "withdrawn": len(withdrawing)}


def _count(question: Election, secret: str) -> Count:
    ballots = repository.read_ballots(question)
    assert ballots.total == final_turnout(question).votes
    seed = lots.seed_of(secret, ballots.normal.digest)
    settings = {name: getattr(question, name) for name in ("seats", "unranked", "majority")}
    result = count(ballots, question.method, **settings, entitled=ROBOTS, seed=seed)
    marked = {text: len(ratings_of(text)) for text in ballots.counts}
    return Count(
        title=question.title,
        ballots=ballots.total,
        partial=sum(n for ranking, n in ballots.counts.items() if marked[ranking] < len(ballots.candidates)),
        tied=sum(n for ranking, n in ballots.counts.items() if "=" in ranking),
        result=result,
        sentences=explain(result),
    )
