"""Ballots of the demo: cast where transactions conflict, and gone on with where an attempt was cut short."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management.base import OutputWrapper

from accounts.demo import PASSWORD, PEOPLE
from accounts.services import make_demo_person
from ballots import demo as ballots
from elections import demo, repository, rolls
from elections.demo import DemoElection
from elections.rules import KINDS, State
from elections.turnout.counts import turnout
from foundation.acts.storage import table, use_table
from foundation.store import keys
from operations.upkeep.commands import show_steps
from operations.upkeep.management.commands import serve
from tests.aws.engine import ours
from tests.aws.memory import MemoryEngine
from tests.aws.rules import Latency, Limits, Rules

VOTERS = 30
TEA = (("Green", ""), ("Black", ""))
PLANNED = (
    DemoElection(
        "On paper",
        "Alan Turing",
        "",
        TEA,
        opened=True,
        closed=True,
        electorate=tuple(f"member.{number:02d}@example.org" for number in range(VOTERS)),
        paper=True,
        given=(("0>1", 20), ("1", 10)),
    ),
    DemoElection("By themselves", "Alan Turing", "", TEA, opened=True, closed=True, given=(("0>1", 4),)),
)


@pytest.fixture
def small(monkeypatch) -> None:
    for module in (demo, ballots):
        monkeypatch.setattr(module, "DEMO_ELECTIONS", PLANNED)


def make_people() -> None:
    for each in PEOPLE:
        make_demo_person(*each, PASSWORD)


@pytest.mark.deep
def test_the_demo_is_loaded_where_transactions_conflict(small):
    """A transaction holds also what it only checks, as that of whoever types in a ballot does with its typist."""
    rules = Rules(
        MemoryEngine(), latency=Latency(read=0, write=0, transaction=0.004, way=0, spread=0), limits=Limits(None, None)
    )
    with ours(rules) as engine, use_table(engine.fresh()):
        make_people()
        assert demo.load() == len(PLANNED)
        assert ballots.load() == VOTERS + 4
        assert serve._is_demo_there()
        assert [repository.find(each.name).state("") for each in PLANNED] == [State.CLOSED] * 2


class Enough(Exception):
    pass


def test_ballots_of_an_attempt_that_was_cut_short_are_cast(site, small):
    make_people()
    demo.load()

    def stop(done: int, of: int) -> None:
        assert of == VOTERS
        if done == 10:
            raise Enough

    with pytest.raises(Enough):
        ballots.load(stop)
    half = turnout(repository.find("On paper")).voted
    assert half >= 10
    assert ballots.load() == VOTERS - half + 4
    assert turnout(repository.find("On paper")).voted == VOTERS
    assert ballots.load() == 0


def test_an_election_of_an_attempt_that_was_cut_short_is_made(site, small, monkeypatch):
    make_people()

    def fails(*_words) -> None:
        raise Enough

    with monkeypatch.context() as patch:
        patch.setattr(demo, "add_voters", fails)
        with pytest.raises(Enough):
            demo.load()
    assert repository.find("On paper").stored_state == State.DRAFT
    assert demo.load() == len(PLANNED)
    assert len(list(rolls.every_voter(repository.find("On paper")))) == VOTERS
    assert len(repository.candidates("On paper")) == len(TEA)
    assert demo.load() == 0


def test_a_log_says_how_far_it_is_line_by_line(monkeypatch):
    log = StringIO()
    with show_steps(OutputWrapper(log), "Demo") as told:
        for done in range(1, 4):
            told(done, 3)
    assert log.getvalue() == "Demo: 3 of 3\n"
    monkeypatch.setattr("operations.upkeep.commands.LOG_INTERVAL_SECONDS", 0)
    with show_steps(OutputWrapper(log), "Demo") as told:
        told(1, 3)
    assert log.getvalue() == "Demo: 3 of 3\nDemo: 1 of 3\n"


def test_a_store_without_the_demo_is_known(site):
    assert not serve._is_demo_there()
    make_people()
    assert table().get(keys.user("Ada Lovelace"))
    assert serve._is_demo_there()


def test_there_is_a_closed_election_of_each_kind_and_an_open_one():
    planned = demo.DEMO_ELECTIONS
    assert {each.kind for each in planned if each.closed} == KINDS.keys()
    assert {"ranked", "yes-no"} <= {each.kind for each in planned if each.opened and not each.closed}
