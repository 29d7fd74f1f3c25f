"""Elections and polls over several partitions on DynamoDB, where that is what they are for."""

from __future__ import annotations

import pytest

from accounts import repository as people
from acts.site import table
from ballots import repository, services
from elections import places
from elections import repository as elections
from elections import services as organising
from elections.turnout import turnout
from polls import repository as polls
from results import services as results
from store import keys
from tests.at_once import at_once
from tests.polls.conftest import made, vote  # noqa: F401
from tests.skills.test_endorsing_dynamodb import on_dynamodb  # noqa: F401
from upkeep.replay import check

from .conftest import ranks

NAMES = [f"Voter {number}" for number in range(12)]


@pytest.mark.slow
def test_cast_at_once_closed_counted_and_replayed(on_dynamodb, person, opened, monkeypatch):  # noqa: F811
    monkeypatch.setattr(places, "SIZES", ((5, 1), (20, 4)))
    election = opened(*NAMES)
    assert (election.shards, len(table().get_many(places.gates_of(election).keys("Board")))) == (4, 64)
    users = [people.find(name) for name in NAMES]
    at_once(*[lambda user=user: services.cast(user, "Board", ranks(Bo=1), user.name) for user in users])
    assert len(list(repository.every_ballot(election))) == turnout(election).voted == 12
    assert list(table().each(*keys.ballots("Board"))) == []
    organising.close(people.find("the organiser"), elections.find("Board"))
    services.seal_what_is_closed()
    assert results.find("Board").seal.turnout.voted == 12
    assert check(table()).count == 0


@pytest.mark.slow
def test_a_poll_takes_eight_shards_there(on_dynamodb, made):  # noqa: F811
    poll = made()
    at_once(*[lambda number=number: vote(poll, f"voter {number}", "Pizza") for number in range(8)])
    assert (poll.shards, polls.counted(poll).total, polls.with_gates(poll.id)[1]) == (8, 8, 8)
