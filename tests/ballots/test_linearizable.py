"""Many cast, change and withdraw while others extend and close: some order of their acts explains every answer.

The tests of the test come last: histories that are wrong on purpose, and mistakes planted in the code, are found.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import repository, services
from ballots.rules import HasVoted
from config.settings import BASE_DIR
from elections import repository as elections
from elections import sharding
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import State
from foundation.acts.refusals import NotNow
from foundation.acts.storage import table, use_table
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import as_text, utc_now
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Item, Key, Table, Update
from tests.chaos import Chaos
from tests.forks import family
from tests.races.overtaken import overtaken_by
from tests.seeds import seed
from tests.store import engines

from .caster import Plan, perform, send
from .conftest import ranks
from .held import Held
from .history import (
    CARRIED_OUT,
    CLOSED,
    DONE,
    UNKNOWN,
    Act,
    Box,
    flaws,
    left_behind,
)

VOTERS = ("Eve", "Bob", "Kim", "Sue")
SECRET = "5" * 32
PROCESSES = 4
JUDGE = ["dynamodb-local"] if os.environ.get(engines.JAR_DIR) else []
STARTED = {"ministack": engines.ministack, "dynamodb-local": engines.dynamodb_local}
KINDS: dict[str, dict[str, Any]] = {
    "secret": {"secret_ballot": True},
    "public": {"secret_ballot": False},
    "everyone": {"secret_ballot": True, "electorate": "everyone"},
    "three questions": {"secret_ballot": True, "asking": 3},
    "three public questions": {"secret_ballot": False, "asking": 3},
}


class Rush:
    """An election ready for many to vote in at once, and the judgement of what they did."""

    def __init__(self, name: str, questions: int):
        self.name, self.questions = name, questions
        self.users = [user for user in map(people.find, VOTERS) if user]

    def plan(self, **details: Any) -> Plan:
        return Plan(VOTERS, election=self.name, questions=self.questions, **details)

    def flaws(self, acts: list[Act]) -> list[str]:
        return flaws(acts, left_behind(table(), self.name, self.users))


@pytest.fixture
def rush(person, opened) -> Callable[..., Rush]:
    def make(kind: str, name: str = "Board") -> Rush:
        for voter in VOTERS:
            people.find(voter) or person(voter, Role.VOTER)
        listed = () if kind == "everyone" else VOTERS
        opened(*listed, name=name, no_voting_after=as_text(utc_now() + timedelta(hours=1)), **KINDS[kind])
        return Rush(name, KINDS[kind].get("asking", 1))

    return make


def slowed(table: Table, slowness: float = 0.2, seconds: float = 0.004) -> Chaos:
    """A table that now and then takes its time, so that threads meet in every order."""
    return Chaos(table, Random(seed()), slowness=slowness, seconds=seconds)


def check_that_they_met(acts: list[Act], least: int = 20) -> None:
    """A rush in which nobody met anybody would say nothing."""
    answers = Counter(act.answer for act in acts)
    assert answers[DONE] > least, answers
    assert answers[CLOSED] > 3, answers


# --- rushes ---


@pytest.mark.deep
def test_what_four_processes_do_some_order_explains(rush, settings):
    boards = [rush(kind, name=kind) for kind in KINDS]
    with casters(STORE_URL=settings.STORE_URL, SECRET_KEY=settings.SECRET_KEY) as perform_together:
        for board in boards:
            shares = [
                board.plan(clients=2, first=2 * n, organisers=n % 2, closing_after=None if n else 30)
                for n in range(PROCESSES)
            ]
            acts = perform_together(shares)
            check_that_they_met(acts)
            assert board.flaws(acts) == []


@contextmanager
def casters(**variables: str) -> Iterator[Callable[[list[Plan]], list[Act]]]:
    """Processes that carry out plans, each its own, all at once."""
    environment = {**os.environ, **variables, "DJANGO_SETTINGS_MODULE": "config.settings"}
    command = [sys.executable, "-m", "tests.ballots.caster"]
    with family(command, cwd=BASE_DIR, env=environment) as process:

        def perform_together(plans: list[Plan]) -> list[Act]:
            process.stdin.write(json.dumps([asdict(plan) for plan in plans]) + "\n")
            line = process.stdout.readline()
            assert line, "one of them broke off; it has said why"
            return [Act(**act) for act in json.loads(line)]

        assert process.stdout.readline() == "ready\n"
        yield perform_together


@pytest.mark.deep
def test_what_threads_do_some_order_explains(rush):
    board = rush("secret")
    acts = perform(board.plan(clients=8, organisers=2, closing_after=100), slowed(table()))
    check_that_they_met(acts)
    assert board.flaws(acts) == []


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["three questions", "three public questions"])
def test_what_many_say_in_three_questions_while_it_closes_is_of_one_ballot_each(rush, kind):
    board = rush(kind)
    acts = perform(board.plan(clients=32, organisers=2, closing_after=150), slowed(table()))
    check_that_they_met(acts)
    assert board.flaws(acts) == []
    assert elections.find(board.name).stored_state == State.CLOSED


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "killed_at", "shards"), [("public", 0, 1), ("everyone", 3, 4)])
def test_a_close_gets_through_while_gates_are_in_use(rush, monkeypatch, kind, killed_at, shards):
    """At the first call; unless whoever calls is killed on the way, and a worker takes it up."""
    monkeypatch.setattr(sharding, "SHARDS", shards)
    board, held = rush(kind), Held(table(), most=4, conflicts=0.2)
    plan = board.plan(clients=8, organisers=2, closing_after=60, stubborn=True, killed_at=killed_at)
    acts = perform(plan, held)
    check_that_they_met(acts)
    assert board.flaws(acts) == []
    assert [act.answer for act in acts if act.kind == "close"] == [UNKNOWN if killed_at else DONE]
    assert any(act.kind == "extend" and act.answer == DONE for act in acts)
    assert elections.find(board.name).stored_state == State.CLOSED
    assert [act for act in acts if act.answer == DONE and act.kind != "look" and act.called > held.said] == []


@pytest.mark.parametrize("act", [closing.close, lifecycle.extend, lifecycle.delete])
def test_no_act_needs_more_than_a_few_gates_at_once(rush, act):
    """In a table in which others always have some."""
    board, owner = rush("secret"), people.find("the organiser")
    services.cast(board.users[0], board.name, ranks(Bo=1), "1")
    more = [as_text(utc_now() + timedelta(hours=5))] if act is lifecycle.extend else []
    with use_table(Held(table(), seconds=0, most=4)):
        act(owner, elections.find(board.name), *more)


@pytest.fixture(scope="module", params=["ministack", *JUDGE])
def engine(request) -> Iterator[engines.Engine]:
    with STARTED[request.param]() as started:
        yield started


@pytest.fixture
def on_dynamodb(engine, settings, site) -> Iterator[None]:
    """The site's table is an empty one on DynamoDB."""
    settings.STORE_URL = f"dynamodb://{engines.REGION}?prefix=t{uuid.uuid4().hex[:8]}-&endpoint={engine.endpoint}"
    connect(settings.STORE_URL).create()
    yield
    engine.drop(connect(settings.STORE_URL))


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["secret", "public"])
def test_on_dynamodb_too(on_dynamodb, rush, kind):
    board = rush(kind)
    weather = Chaos(table(), Random(seed()), conflicts=0.2 if kind == "public" else 0.0)
    acts = perform(board.plan(clients=5, organisers=1, closing_after=20, stubborn=True), weather)
    check_that_they_met(acts, least=5)
    assert board.flaws(acts) == []
    assert [act.answer for act in acts if act.kind == "close"] == [DONE]


# --- narrow places, one step at a time ---


@pytest.mark.parametrize("electorate", ["listed", "everyone"])
def test_an_entry_that_came_meanwhile_gives_no_second_vote(person, opened, electorate):
    """Two windows: one looked before the second entry came and sends last."""
    eve = person("Eve")
    election = opened(*(["eve@example.org"] if electorate == "listed" else []), electorate=electorate)

    def meanwhile() -> None:
        add_voters(people.find("the organiser"), election, ["Eve" if electorate == "listed" else "eve@example.org"])
        services.cast(eve, "Board", ranks(Cy=1), "1")

    with overtaken_by(meanwhile), pytest.raises(HasVoted):
        services.cast(eve, "Board", ranks(Bo=1), "2", secret=SECRET)
    assert [ballot.rankings for ballot in repository.every_ballot("Board")] == ["2"]


@pytest.mark.parametrize("act", ["cast", "enter_paper"])
def test_no_double_click_is_told_a_code_that_finds_nothing(person, opened, act):
    """The second click looks before the first has happened, and writes after it."""
    opened("Eve", paper_ballots=True)
    eve, owner = person("Eve"), people.find("the organiser")
    arguments = (eve, "Board") if act == "cast" else (owner, "Board", "Eve")
    click = partial(getattr(services, act), *arguments, ranks(Bo=1), "the same form")
    with overtaken_by(click):
        outcome = click()
    (ballot,) = repository.every_ballot("Board")
    assert outcome.ballot in (None, ballot)


@pytest.mark.parametrize("act", ["cast", "change", "withdraw", "enter_paper"])
def test_no_double_click_is_refused_for_what_the_first_click_did(person, opened, monkeypatch, act):
    """The second finds its form not sent yet; then the first happens, and it closes; then the second reads on."""
    opened("Eve", paper_ballots=True)
    eve, owner = person("Eve"), people.find("the organiser")
    if act in ("change", "withdraw"):
        services.cast(eve, "Board", ranks(Bo=1), "an earlier form", secret=SECRET)
    forms = {
        "cast": partial(services.cast, eve, "Board", ranks(Bo=1), "the same form"),
        "change": partial(services.cast, None, "Board", ranks(Cy=1), "the same form", secret=SECRET),
        "withdraw": partial(services.withdraw, None, "Board", "the same form", secret=SECRET),
        "enter_paper": partial(services.enter_paper, owner, "Board", "Eve", ranks(Bo=1), "the same form"),
    }

    def meanwhile() -> None:
        forms[act]()
        closing.close(owner, elections.find("Board"))

    read_on_after(monkeypatch, keys.once("the same form"), meanwhile)
    forms[act]()
    assert len(list(repository.every_ballot("Board"))) == int(act != "withdraw")


@pytest.mark.parametrize("act", ["cast", "change", "withdraw"])
def test_whoever_meets_the_close_is_told_that_it_is_closed(person, opened, monkeypatch, act):
    """They find it open; then it closes; then they read on."""
    opened("Eve", "Bob")
    eve, owner = person("Eve"), people.find("the organiser")
    services.cast(eve, "Board", ranks(Bo=1), "1", secret=SECRET)
    forms = {
        "cast": partial(services.cast, person("Bob"), "Board", ranks(Cy=1), "2"),
        "change": partial(services.cast, None, "Board", ranks(Cy=1), "2", secret=SECRET),
        "withdraw": partial(services.withdraw, None, "Board", "2", secret=SECRET),
    }
    read_on_after(monkeypatch, keys.election("Board"), lambda: closing.close(owner, elections.find("Board")))
    with pytest.raises(NotNow, match="closed"):
        forms[act]()
    assert [ballot.rankings for ballot in repository.every_ballot("Board")] == ["1"]


def read_on_after(monkeypatch: pytest.MonkeyPatch, first: Key, meanwhile: Callable[[], object]) -> None:
    """The next reading of several items reads this one first, and the others when something has happened.

    The port promises no snapshot, and DynamoDB gives none.
    """
    true = SqliteTable.get_many

    def get_many(table: SqliteTable, wanted: Iterable[Key], **options: Any) -> dict[Key, Item]:
        wanted = list(wanted)
        early = true(table, [first], **options)
        if first in wanted:
            monkeypatch.setattr(SqliteTable, "get_many", true)
            meanwhile()
        return early | true(table, [key for key in wanted if key != first], **options)

    monkeypatch.setattr(SqliteTable, "get_many", get_many)


# --- histories that are wrong on purpose ---


def cast(rankings: str, called: float, answered: float, answer: str = DONE, **said: Any) -> Act:
    form = said.pop("form", f"form {called}")
    code = said.pop("code", f"code {called}" if answer == DONE else None)
    return Act("Eve", "cast", called, answered, answer, form, rankings, code, **said)


def look(rankings: str | None, code: str | None, called: float, answered: float) -> Act:
    return Act("Eve", "look", called, answered, DONE, "", rankings, code)


def withdraw(called: float, answered: float, answer: str = CARRIED_OUT, form: str = "withdrawal") -> Act:
    return Act("Eve", "withdraw", called, answered, answer, form)


def change(rankings: str, called: float, answered: float, answer: str = DONE) -> Act:
    return replace(cast(rankings, called, answered, answer, code="code 1" if answer == DONE else None), kind="change")


def secret(ballot: tuple[str, str] | None, *, is_cast: bool = True) -> Box:
    return Box(ballot, secret=True, cast=is_cast)


FIRST, SECOND, TOGETHER = cast("0", 1, 2), cast("1", 3, 4), cast("1", 1.5, 4)


def test_an_answer_that_is_not_of_the_same_ballot_is_found(rush):
    board = rush("three public questions")
    act = send(board.users[0], board.name, "a form", questions=3)
    assert board.flaws([act]) == []
    place = keys.ballot(board.name, board.users[0].name, question=2)
    table().write(Update(place, set={"rankings": "2>1>0" if act.rankings == "0" else "0"}))
    torn, missing = board.flaws([act])
    assert torn.startswith("What Eve says in the questions is not of one ballot")
    assert missing == "In question 2 there are ballots that voters do not have."
