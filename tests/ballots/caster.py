"""Clients that vote and organisers that interfere, each recording what was done and answered.

They act as threads of the test, or of several processes: `python -m tests.ballots.caster` says "ready" and then carries
out the plans it reads, those of one line at once, each in a process of its own. They are written as JSON, and so is the
line it prints with what all clients did.
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

if __name__ == "__main__":
    import django

    django.setup()

from accounts import repository as people
from accounts.models import User
from ballots import repository, services
from ballots.rules import HasNotVoted
from elections import repository as elections
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.lifecycle.closing import close_if_over
from elections.roll.services import add_voters
from elections.rules import State
from foundation.acts.refusals import LostRace, NotNow, NotThere, Refusal
from foundation.acts.storage import table, use_table
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import Ranks, ranking_from, ranks_in
from foundation.store.log import as_text, utc_now
from foundation.store.table import Conflict, Key, Refused, Table, Unavailable
from tests.at_once import at_once
from tests.chaos import Chaos
from tests.forks import in_processes

from .history import CARRIED_OUT, CLOSED, DONE, NOTHING, OVERTAKEN, REPEATED, UNKNOWN, Act, secret_of

CANDIDATES = tuple(Candidate(name, number=number) for number, name in enumerate(("Ada", "Bo", "Cy")))
SHARED_FORM_PROBABILITY = 0.3  # how often a client sends a form that others send, too: a double click, or a tab copied
NO_ANSWER = (Conflict, Unavailable)  # it may have happened or not
MAX_REFUSALS = 3  # refusals because of the close, after which a client goes home


@dataclass(frozen=True)
class Plan:
    """Who does what for how long."""

    voters: tuple[str, ...]
    clients: int
    seconds: float = 120  # at most: as a rule all go home once it is closed
    first: int = 0  # the number of the first client, for no two in any process may be the same
    organisers: int = 0
    closing_after: int | None = None  # how much its clients get done before, however long that takes
    killed_at: int = 0  # at which of its writes whoever closes it is killed, if at all; then a worker comes by
    election: str = "Board"
    stubborn: bool = False  # whether forms without an answer are sent again until there is one
    questions: int = 1  # of the election: a form says the same in each, so that two ballots are told from one


def perform(plan: Plan, there: Table | None = None) -> list[Act]:
    """Everybody at once, each client a thread; on another table than the site's, if given."""
    users = [people.find(name) for name in plan.voters]
    owner = people.find("the organiser")
    end = time.monotonic() + plan.seconds
    numbers = range(plan.first, plan.first + plan.clients)
    there_are = [user for user in users if user]
    so_far: list[list[Act]] = [[] for _ in range(plan.clients + plan.organisers)]
    rushes = [partial(rush, plan, there_are, *each, end) for each in zip(numbers, so_far, strict=False)]
    organisers = enumerate(so_far[plan.clients :], plan.first)
    rushes += [partial(organise, plan, owner, *each, end) for each in organisers]
    if plan.closing_after is not None:
        rushes.append(partial(close, plan, owner, so_far, end))
    answers = at_once(*(partial(_elsewhere, there, each) for each in rushes))
    for answer in answers:
        if isinstance(answer, Exception):
            raise answer
    return [act for acts in answers for act in acts]


def _elsewhere(there: Table | None, act: Callable[[], list[Act]]) -> list[Act]:
    with use_table(there) if there else nullcontext():
        return act()


# --- voters ---


def rush(plan: Plan, users: list[User], number: int, acts: list[Act], end: float) -> list[Act]:
    """Vote, vote again, withdraw and look, for whichever voter, until the time is up or the box is shut."""
    chance = Random(f"client {number} {uuid.uuid4()}")
    while time.monotonic() < end and sum(act.answer == CLOSED for act in acts) < MAX_REFUSALS:
        user = chance.choice(users)
        if chance.random() < 0.15:
            acts += look(user, plan.election)
        else:
            alone = f"{user.name} of {number} {len(acts)} {uuid.uuid4()}"
            together = f"{user.name} together {int(time.monotonic() * 20)}"
            form = together if chance.random() < SHARED_FORM_PROBABILITY else alone
            acts.append(send(user, plan.election, form, stubborn=plan.stubborn, questions=plan.questions))
    return acts


def send(user: User, election_name: str, form: str, *, stubborn: bool = False, questions: int = 1) -> Act:
    """Send a form. What it says follows from its token, so that whoever sends the same token sends the same form."""
    carry_out = _withdraw if kind_of(form) == "withdraw" else _cast
    sent = partial(carry_out, user, election_name, ranks_on(form, questions), form, _is_secret(election_name))
    act = first = _timed(sent)
    while stubborn and act.answer == UNKNOWN:
        act = _timed(sent)
    if act is not first and act.answer == REPEATED:
        act = replace(act, answer=CARRIED_OUT)  # whether by us or by somebody with the same form
    return replace(act, called=first.called)


def _is_secret(election_name: str) -> bool:
    while True:
        with suppress(*NO_ANSWER):
            return bool((found := elections.find(election_name)) and found.secret_ballot)


def kind_of(form: str) -> str:
    """In a public election, what is to change a ballot casts it."""
    return Random(f"kind of {form}").choice(("withdraw", "cast", "change", "change"))


def ranks_on(form: str, questions: int = 1) -> Ranks:
    chance = Random(form)
    ranks = {str(each.number): [chance.choice(("", "1", "2", "3"))] for each in CANDIDATES}
    if questions > 1 and not any(rank for (rank,) in ranks.values()):
        ranks["0"] = ["1"]  # of several questions one must be answered
    others = {f"{number}:{name}": rank for number in range(2, questions + 1) for name, rank in ranks.items()}
    return ranks | others


def _timed(act: Callable[[], Act]) -> Act:
    called = time.monotonic()
    return replace(act(), called=called, answered=time.monotonic())


def _cast(user: User, election_name: str, ranks: Ranks, form: str, is_secret: bool) -> Act:
    kind = kind_of(form) if is_secret else "cast"
    act = Act(user.name, kind, 0, 0, UNKNOWN, form, ranking_from(ranks_in(ranks, 1), CANDIDATES))
    who, secret = None if kind == "change" else user, secret_of(user.name, election_name)
    try:
        outcome = services.cast(who, election_name, ranks, form, secret=secret)
    except NO_ANSWER:
        return act
    except Refusal as refusal:
        return replace(act, answer=_answer(refusal))
    ballot = outcome.ballot
    if outcome.repeated:
        return replace(act, answer=REPEATED, receipt=(ballot.rankings, ballot.confirmation) if ballot else None)
    return replace(act, answer=DONE, code=ballot.confirmation, acts=None if is_secret else outcome.revision)


def _withdraw(user: User, election_name: str, ranks: Ranks, form: str, is_secret: bool) -> Act:
    act = Act(user.name, "withdraw", 0, 0, CARRIED_OUT, form)
    who, secret = None if is_secret else user, secret_of(user.name, election_name)
    try:
        services.withdraw(who, election_name, form, secret=secret)
    except NO_ANSWER:
        return replace(act, answer=UNKNOWN)
    except Refusal as refusal:
        return replace(act, answer=_answer(refusal))
    return act


def _answer(refusal: Refusal) -> str:
    if isinstance(refusal, HasNotVoted | NotThere):
        return NOTHING
    if isinstance(refusal, NotNow):
        return CLOSED
    if isinstance(refusal, LostRace):
        return OVERTAKEN
    raise refusal


def look(user: User, election_name: str) -> list[Act]:
    """What the receipt would show, or the page that opens a ballot by its words."""
    called = time.monotonic()
    try:
        context = services.voter_context(user, election_name, secret=secret_of(user.name, election_name))
        if context is None:
            return []
        ballot = repository.ballots_of(context).get(1)
    except NO_ANSWER:
        return []
    seen = (ballot.rankings, ballot.confirmation) if ballot else (None, None)
    return [Act(user.name, "look", called, time.monotonic(), DONE, "", *seen)]


# --- organisers ---


def organise(plan: Plan, owner: User, number: int, acts: list[Act], end: float) -> list[Act]:
    """Move the end and put people on the roll, again and again."""
    while time.monotonic() < end and sum(act.answer == CLOSED for act in acts) < MAX_REFUSALS:
        step = partial(_add if len(acts) % 3 == 0 else _extend, plan, owner, number, len(acts))
        acts.append(_timed(step))
        time.sleep(0.02)
    return acts


def _extend(plan: Plan, owner: User, number: int, step: int) -> Act:
    """No two set the same end: the last milliseconds tell who did."""
    moment = utc_now() + timedelta(hours=2)
    moved = as_text(moment.replace(microsecond=moment.microsecond // 10_000 * 10_000 + number % 10 * 1000))
    act = Act(owner.name, "extend", 0, 0, DONE, moved)
    return _organised(act, lambda: lifecycle.extend(owner, elections.find(plan.election), moved))


def _add(plan: Plan, owner: User, number: int, step: int) -> Act:
    name = f"guest.{number}.{step}@example.org"
    act = Act(owner.name, "add", 0, 0, DONE, name)
    return _organised(act, lambda: add_voters(owner, elections.find(plan.election), [name]))


class Killed(Exception):
    """Whoever was at it is gone."""


class Deadly(Chaos):
    """A table at whose so many-th write whoever writes is killed. What others got in the way of was no write."""

    def __init__(self, table: Table, at: int):
        super().__init__(table, Random())
        self.left = at

    def _write(self, keys: list[Key], act: Callable[[], Any], clash: bool = True) -> Any:
        self.left -= 1
        if self.left <= 0:
            raise Killed
        try:
            return super()._write(keys, act, clash)
        except (Conflict, Refused):
            self.left += 1
            raise


def close(plan: Plan, owner: User, so_far: list[list[Act]], end: float) -> list[Act]:
    """What is left to do when it is not all done is a worker's."""
    while not has_enough_happened(plan, so_far) and time.monotonic() < end:
        time.sleep(0.005)
    if not plan.killed_at:
        return _press(plan, owner, end, {OVERTAKEN, UNKNOWN} if plan.stubborn else {OVERTAKEN})
    with use_table(Deadly(table(), plan.killed_at)):
        killed = _press(plan, owner, end, {OVERTAKEN})
    while not close_if_over(plan.election) and time.monotonic() < end:
        time.sleep(0.01)
    return killed


def _press(plan: Plan, owner: User, end: float, again: set[str]) -> list[Act]:
    """Click, and again as long as it is answered so: those who vote go home only when somebody has closed it."""
    click, clicks = Act(owner.name, "close", 0, 0, DONE), []

    def carry_out() -> None:
        if closing.close(owner, elections.find(plan.election)).stored_state != State.CLOSED:
            raise Unavailable("In this weather it was only begun; some gates may still be open.")

    while not clicks or (clicks[-1].answer in again and time.monotonic() < end):
        clicks.append(_timed(lambda: _organised(click, carry_out)))
    return [each for each in clicks if each.answer != OVERTAKEN]


def has_enough_happened(plan: Plan, so_far: list[list[Act]]) -> bool:
    """Whether the clients have got so much done, and every organiser has moved the end."""
    clients, organisers = so_far[: plan.clients], so_far[plan.clients :]
    done = sum(act.answer == DONE for acts in clients for act in acts)
    moved = [any(act.kind == "extend" and act.answer == DONE for act in acts) for acts in organisers]
    return done >= plan.closing_after and all(moved)


def _organised(act: Act, work: Callable[[], object]) -> Act:
    try:
        work()
    except (Killed, *NO_ANSWER):
        return replace(act, answer=UNKNOWN)
    except Refusal as refusal:
        return replace(act, answer=CLOSED if str(State.CLOSED.label) in str(refusal) else OVERTAKEN)
    return act


# --- as a process ---


def main() -> None:
    print("ready", flush=True)
    for line in sys.stdin:
        done = in_processes(lambda plan: partial(performed, Plan(**plan)), json.loads(line))
        print(json.dumps([act for acts in done for act in acts]), flush=True)


def performed(plan: Plan) -> list[dict[str, Any]]:
    return [asdict(act) for act in perform(plan)]


if __name__ == "__main__":
    main()
