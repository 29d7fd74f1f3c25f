"""Many cast, change and withdraw while others extend and close: some order of their acts explains every answer.

The tests of the test come last: histories that are wrong on purpose, and mistakes planted in the code, are found.
"""

from __future__ import annotations

import json
import os
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from math import inf
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from accounts import repository as people
from accounts.rules import Role
from acts.refusals import LostRace, NotNow
from acts.storage import table, use_table
from ballots import repository, services
from ballots.rules import HasVoted
from config.settings import BASE_DIR
from elections import repository as elections
from elections import sharding
from elections.lifecycle import closing, deleting
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election, State
from store import keys
from store.connect import connect
from store.log import Event, EventLog, as_text, utc_now
from store.sqlite import SqliteTable
from store.table import Check, Exists, Item, Key, Refused, Table, Write
from tests.chaos import Chaos
from tests.forks import family
from tests.races.overtaken import overtaken_by
from tests.rows import every_row
from tests.seeds import seed
from tests.store import engines

from .caster import Plan, perform
from .conftest import ranks
from .held import Held
from .history import (
    CARRIED_OUT,
    CLOSED,
    DONE,
    NOTHING,
    REPEATED,
    UNKNOWN,
    Act,
    Box,
    Left,
    explained,
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
}


class Rush:
    """An election ready for many to vote in at once, and the judgement of what they did."""

    def __init__(self, name: str):
        self.name = name
        self.users = [user for user in map(people.find, VOTERS) if user]

    def plan(self, **details: Any) -> Plan:
        return Plan(VOTERS, election=self.name, **details)

    def flaws(self, acts: list[Act]) -> list[str]:
        return flaws(acts, left_behind(table(), self.name, self.users))


@pytest.fixture
def rush(person, opened) -> Callable[..., Rush]:
    def make(kind: str, name: str = "Board") -> Rush:
        for voter in VOTERS:
            people.find(voter) or person(voter, Role.VOTER)
        listed = () if kind == "everyone" else VOTERS
        opened(*listed, name=name, no_voting_after=as_text(utc_now() + timedelta(hours=1)), **KINDS[kind])
        return Rush(name)

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


@pytest.mark.parametrize("act", [closing.close, lifecycle.extend, deleting.delete])
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


SHUT = Act("", "shut", 10, 10, DONE)
FIRST, SECOND, TOGETHER = cast("0", 1, 2), cast("1", 3, 4), cast("1", 1.5, 4)


@every_row(
    ("acts", "left"),
    [
        ([], Box()),
        ([FIRST], Box(("0", "code 1"), 1)),
        ([FIRST, SECOND], Box(("1", "code 3"), 2)),
        ([FIRST, TOGETHER], Box(("0", "code 1"), 2)),
        ([FIRST, TOGETHER], Box(("1", "code 1.5"), 2)),
        ([FIRST, withdraw(3, 4)], Box(None, 2)),
        ([FIRST, withdraw(3, 4), withdraw(3, 5)], Box(None, 2)),
        ([withdraw(3, 4, NOTHING)], Box()),
        ([FIRST, cast("0", 3, 4, REPEATED, form="form 1")], Box(("0", "code 1"), 1)),
        ([cast("0", 1, 2, UNKNOWN)], Box()),
        ([cast("0", 1, 2, UNKNOWN)], Box(("0", "a code"), 1)),
        ([cast("0", 1, 2, UNKNOWN), look(None, None, 3, 4), look("0", "a code", 5, 6)], Box(("0", "a code"), 1)),
        ([FIRST, SHUT, cast("1", 9, 11)], Box(("1", "code 9"), 2)),
        ([FIRST, SHUT, cast("1", 9, 11, CLOSED)], Box(("0", "code 1"), 1)),
        ([FIRST, SHUT, cast("0", 12, 13, REPEATED, form="form 1")], Box(("0", "code 1"), 1)),
        ([FIRST, look("0", "code 1", 3, 4)], Box(("0", "code 1"), 1)),
        ([FIRST, cast("1", 3, 6), look("0", "code 1", 4, 5)], Box(("1", "code 3"), 2)),
        ([change("1", 1, 2, NOTHING)], secret(None, is_cast=False)),
        ([SHUT, change("1", 11, 12, NOTHING)], secret(None, is_cast=False)),
        ([FIRST, change("1", 3, 4)], secret(("1", "code 1"))),
        ([FIRST, withdraw(3, 4)], secret(None)),
        ([FIRST, withdraw(3, 4), change("1", 5, 6)], secret(("1", "code 1"))),
        ([FIRST, cast("1", 3, 4, REPEATED, receipt=("0", "code 1"))], secret(("0", "code 1"))),
    ],
)
def test_what_can_have_happened_is_explained(acts, left):
    assert explained(acts, left)


@pytest.mark.parametrize(
    ("acts", "left"),
    [
        pytest.param([FIRST], Box(), id="a ballot lost"),
        pytest.param([FIRST, SECOND], Box(("0", "code 1"), 2), id="an update lost"),
        pytest.param([FIRST, SECOND], Box(("1", "code 3"), 1), id="an act that the roll forgot"),
        pytest.param([FIRST], Box(("0", "code 1"), 2), id="one act that happened twice"),
        pytest.param([FIRST], Box(("0", "another code"), 1), id="another code than was told"),
        pytest.param([cast("0", 1, 4, acts=0), cast("1", 2, 3, acts=0)], Box(("0", "code 1"), 2), id="two first acts"),
        pytest.param([FIRST, cast("0", 3, 4, form="form 1")], Box(("0", "code 3"), 2), id="one form twice"),
        pytest.param([cast("0", 1, 2, REPEATED)], Box(), id="repeated but never sent before"),
        pytest.param([FIRST, withdraw(3, 4)], Box(("0", "code 1"), 2), id="a withdrawn ballot that stayed"),
        pytest.param([FIRST, withdraw(3, 4, NOTHING)], Box(("0", "code 1"), 1), id="nothing where there was a ballot"),
        pytest.param([FIRST, withdraw(3, 4), withdraw(5, 6, NOTHING)], Box(None, 2), id="a form that was forgotten"),
        pytest.param([FIRST, SECOND, look("0", "code 1", 5, 6)], Box(("1", "code 3"), 2), id="a stale look"),
        pytest.param(
            [FIRST, cast("1", 3, 9), look("1", "code 3", 4, 5), look("0", "code 1", 6, 7)],
            Box(("1", "code 3"), 2),
            id="new, then old again",
        ),
        pytest.param([FIRST, SECOND], secret(("1", "code 3")), id="a secret ballot cast twice"),
        pytest.param([FIRST], secret(("0", "code 1"), is_cast=False), id="a voter whom the roll forgot"),
        pytest.param([FIRST, withdraw(3, 4)], secret(None, is_cast=False), id="a withdrawal that the roll knows of"),
        pytest.param([FIRST, change("1", 3, 4, NOTHING)], secret(("0", "code 1")), id="a ballot that was not found"),
        pytest.param(
            [FIRST, change("1", 3, 4), cast("0", 5, 6, REPEATED, receipt=("0", "code 1"))],
            secret(("1", "code 1")),
            id="an old receipt",
        ),
        pytest.param([FIRST, SHUT, cast("1", 11, 12)], Box(("1", "code 11"), 2), id="an act after the close"),
        pytest.param([SHUT, cast("0", 11, 12, UNKNOWN)], Box(("0", "a code"), 1), id="an unknown act after the close"),
        pytest.param([FIRST, SHUT, cast("1", 5, 6, CLOSED)], Box(("0", "code 1"), 1), id="refused before the close"),
        pytest.param(
            [cast("0", 1, 2, UNKNOWN), look("0", "a code", 3, 4), look(None, None, 5, 6)], Box(), id="there, then gone"
        ),
    ],
)
def test_what_cannot_have_happened_is_found(acts, left):
    assert not explained(acts, left)


@pytest.fixture
def told(rush) -> tuple[list[Act], Left]:
    """A true history of a public election, and what it left: by chance some end with fewer ballots than two."""
    for number in range(20):
        board = rush("public", name=f"Board {number}")
        acts = perform(board.plan(clients=3, organisers=1, closing_after=30))
        left = left_behind(table(), board.name, board.users)
        assert flaws(acts, left) == []
        if len(left.ballots) > 1:
            return acts, left
    raise AssertionError("In twenty elections nobody but one had a ballot left.")


def test_what_was_left_is_held_against_everything_else(told):
    acts, left = told
    first, *others = left.ballots
    voted = [event for event in left.events if event["event_type"] == "BallotCast"]
    closed = next(event for event in left.events if event["event_type"] == "ElectionClosed")
    close = next(act for act in acts if act.kind == "close")
    moved = next(act for act in acts if act.kind == "extend" and act.answer == DONE)
    late = voted[-1] | {"event_id": left.events[-1]["event_id"] + 1}
    wrong = {
        "There are": replace(left, ballots=[*left.ballots, first]),
        "The turnout says": replace(left, turnout=left.turnout + 1),
        "The curve ends": replace(left, curve=left.curve + 1),
        "The roll does not say": replace(left, voted=left.voted - {min(left.voted)}),
        "The log tells of": replace(left, events=[event for event in left.events if event != voted[0]]),
        "The log does not tell": replace(left, events=[event for event in left.events if event != voted[0]]),
        "Something happened after": replace(left, events=[*left.events, late]),
        "that it was closed": replace(left, events=[event for event in left.events if event != closed]),
        "The end is not": replace(left, end="2099-01-01T00:00:00.000Z"),
        "a flaw": replace(left, log="a flaw"),
    }
    for words, other in wrong.items():
        assert any(words in flaw for flaw in flaws(acts, other)), words
    told_wrong = {
        "but was told otherwise": [replace(act, answer=CLOSED) if act is close else act for act in acts],
        "before anybody closed": [replace(act, called=inf) if act is close else act for act in acts],
        "Two were told": [*acts, close],
        "is 1 times in the log": [replace(act, answer=CLOSED) if act is moved else act for act in acts],
        "after the close": [replace(act, called=close.answered + 1) if act is moved else act for act in acts],
        "No order explains": [act for act in acts if act.kind != "cast"],
    }
    for words, others in told_wrong.items():
        assert any(words in flaw for flaw in flaws(others, left)), words


def test_numbers_that_run_against_the_clock_are_found(told):
    acts, left = told
    order = [act.code for act in acts if act.kind == "cast" and act.answer == DONE]
    turned = [replace(act, called=-act.answered, answered=-act.called) if act.code in order else act for act in acts]
    assert any("higher number" in flaw for flaw in flaws(turned, left))


# --- mistakes planted in the code ---


def unmarked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The roll is marked whatever it says by now."""
    true = repository.marking_roll
    monkeypatch.setattr(repository, "marking_roll", lambda *a, **options: replace(true(*a, **options), when=None))


def ungated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has looked while it was open gets in."""
    true = repository.passing_gate

    def through(*arguments: Any, **counts: int) -> Write:
        write = true(*arguments, **counts)
        return replace(write, when=Exists() if isinstance(write, Check) else None)

    monkeypatch.setattr(repository, "passing_gate", through)


def in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of the close is taken before the ballot box is shut; which is possible only in a distant store."""

    def begin(election: Election, actor: str) -> Election:
        after = replace(election, allow_edit=False, allow_vote=False)
        shut = elections.shut_gates(replace(after, version=election.version + 1))
        said = Event(actor, "ElectionClosed", {"election_name": election.name})
        try:
            EventLog(table()).record(said, *elections.change(election, after), *shut)
        except Refused:
            raise LostRace("Someone else was faster.") from None
        return after

    monkeypatch.setattr(Dawdling, "is_distant", True)
    monkeypatch.setattr(closing, "CLOSING", SimpleNamespace(begin=begin, try_finish=lambda after: after))


def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody notes which forms were carried out."""
    true = EventLog.record

    def record(log: EventLog, *parts: Any, once: str | None = None, **noted: Any) -> int:
        return true(log, *parts, **noted)

    monkeypatch.setattr(EventLog, "record", record)


def miscounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change counts as another vote."""
    true = repository.passing_gate

    def through(election: Election, voted: int, **more: int) -> Write:
        return true(election, voted=voted or 1, **more)

    monkeypatch.setattr(repository, "passing_gate", through)


def in_two_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """First the ballot, a moment later the log: whoever comes in between is counted twice, or not at all."""
    true = EventLog.record

    def record(log: EventLog, event: Event, *writes: Any, once: str | None = None, **noted: Any) -> int:
        log.table.write(*writes)
        time.sleep(0.1)
        return true(log, event, once=once, **noted)

    monkeypatch.setattr(EventLog, "record", record)


@pytest.mark.deep
@pytest.mark.parametrize("mistake", [unmarked, ungated, in_one_step, forgotten, miscounted, in_two_transactions])
def test_a_planted_mistake_is_found(rush, monkeypatch, mistake):
    """Most in the first rush. Some need acts to meet at one moment, which they do in every second or third rush."""
    mistake(monkeypatch)
    assert any(is_flawed(rush("public", name=f"Board {number}")) for number in range(40))


class Dawdling(Chaos):
    """A table in which some wait long for what they read, for their number in the log, or to pass a gate: so acts are
    under way for as long as a close takes, before they stand in line for a number, there and after it."""

    def get_many(self, asked: Iterable[Key]) -> dict[Key, Item]:
        found = super().get_many(asked)
        self._dawdle(0.2)
        return found

    def increment(self, *arguments: Any, **options: Any) -> int:
        self._dawdle(0.15)
        return super().increment(*arguments, **options)

    def write(self, *writes: Write, token: str | None = None) -> None:
        if any(write.key.sk.startswith("GATE#") for write in writes):
            self._dawdle(0.1)
        super().write(*writes, token=token)

    def _dawdle(self, longest: float) -> None:
        if self._happens(0.4):
            time.sleep(self.random.uniform(0, longest))


def is_flawed(board: Rush) -> bool:
    acts = perform(board.plan(clients=8, closing_after=12), Dawdling(table(), Random(seed())))
    return board.flaws(acts) != []
