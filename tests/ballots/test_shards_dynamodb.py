"""The shards of elections and polls on DynamoDB; and what becomes of an election in a store of the other kind."""

from __future__ import annotations

import uuid
from io import StringIO

import pytest
from django.core.management import call_command

from accounts import repository as people
from ballots import repository, services
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import sharding
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.turnout.counts import turnout
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log.seal import verify
from operations.upkeep.figures import site_sealer
from operations.upkeep.replay import check
from parts.polls import repository as polls
from results import proof
from results import services as results
from tests.at_once import at_once
from tests.background import finish_background
from tests.polls.conftest import made, vote  # noqa: F401
from tests.skills.test_endorsing_dynamodb import on_dynamodb  # noqa: F401
from tests.store import engines

from .conftest import ranks

NAMES = [f"Voter {number}" for number in range(12)]


@pytest.mark.deep
def test_cast_at_once_closed_counted_and_replayed(on_dynamodb, person, opened):  # noqa: F811
    election = opened(*NAMES)
    assert (election.shards, len(table().get_many(sharding.gates_of(election).keys("Board")))) == (48, 240)
    users = [people.find(name) for name in NAMES]
    at_once(*[lambda user=user: services.cast(user, "Board", ranks(Bo=1), user.name) for user in users])
    assert len(list(repository.every_ballot(election))) == turnout(election).voted == 12
    assert list(table().each(*keys.ballots("Board"))) == []
    closing.close(people.find("the organiser"), elections.find("Board"))
    seal_closed()
    assert results.find("Board").seal.turnout.voted == 12
    assert check(table()).count == 0


@pytest.mark.deep
def test_a_poll_takes_eight_shards_there(on_dynamodb, made):  # noqa: F811
    poll = made()
    at_once(*[lambda number=number: vote(poll, f"voter {number}", "Pizza") for number in range(8)])
    assert (poll.shards, polls.read_ballots(poll).total, polls.with_gates(poll.id)[1]) == (8, 8, 8)


# --- in a store of the other kind ---


@pytest.fixture
def target(request, site, settings, tmp_path):
    """The site is in an empty store of one kind; answers the address of one of the other."""
    with engines.ministack() as engine:
        distant = f"dynamodb://{engines.REGION}?prefix=t{uuid.uuid4().hex[:8]}-&endpoint={engine.endpoint}"
        embedded = f"sqlite://{tmp_path}/another.sqlite3"
        settings.STORE_URL, other = (embedded, distant) if request.param == "DynamoDB" else (distant, embedded)
        connect(settings.STORE_URL).create()
        yield other
        engine.drop(connect(distant))


def copied(by: str, target: str, settings, folder) -> None:
    """The site is a copy in another store from now on."""
    quiet = {"stdout": StringIO(), "stderr": StringIO()}
    if by == "transfer":
        call_command("transfer", settings.STORE_URL, target, **quiet)
        settings.STORE_URL = target
    else:
        call_command("backup", str(folder / "backup"), **quiet)
        settings.STORE_URL = target
        call_command("restore", str(folder / "backup"), **quiet)


@pytest.mark.deep
@pytest.mark.parametrize(("target", "by"), [("DynamoDB", "restore"), ("embedded", "transfer")], indirect=["target"])
def test_all_goes_on_in_a_store_of_the_other_kind(target, by, settings, tmp_path, person, opened, made):  # noqa: F811
    usual, poll = sharding.shards_of_new(), made()
    for name in ("Secret", "Public"):
        opened(*NAMES, name=name, secret_ballot=name == "Secret")
    organiser = people.find("the organiser")
    draft = drafts.create(organiser, "Draft")
    add_candidates(organiser, draft, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    add_voters(organiser, draft, NAMES)
    for number, name in enumerate(NAMES[:6]):
        cast(name, "Secret", "Public")
        vote(poll, f"voter {number}", "Pizza")
    addresses = {f"new{number}@example.org" for number in range(20)}
    table().write(*(outbox.queued("invitation", each, invited_by="Ida") for each in sorted(addresses)))

    copied(by, target, settings, tmp_path)

    assert sharding.shards_of_new() != usual
    assert {elections.find(name).shards for name in ("Secret", "Public", "Draft")} == {usual}
    assert check(table()).count == 0
    waiting = outbox.in_state(outbox.QUEUED if by == "transfer" else outbox.UNKNOWN, 100)[0]
    assert addresses <= {each.to for each in waiting}
    drafts.rename(organiser, elections.find("Draft"), "Renamed")
    lifecycle.open_(organiser, elections.find("Renamed"), editable=False)
    for number, name in enumerate(NAMES[6:], 6):
        cast(name, "Secret", "Public", "Renamed")
        vote(poll, f"voter {number}", "Pizza")
    services.cast(people.find(NAMES[0]), "Public", ranks(Cy=1), "changed")
    services.withdraw(people.find(NAMES[1]), "Public", "withdrawn")
    for name in ("Secret", "Public", "Renamed"):
        closing.close(organiser, elections.find(name))
    seal_closed()
    turnouts = {name: results.find(name).seal.turnout.voted for name in ("Secret", "Public", "Renamed")}
    assert turnouts == {"Secret": 12, "Public": 11, "Renamed": 6}
    assert [proof.check_sealed(elections.find(name)) for name in turnouts] == [None] * 3
    assert polls.with_gates(poll.id)[1] == polls.read_ballots(polls.find(poll.id)).total == 12
    assert drafts.create(organiser, "New").shards == sharding.shards_of_new()
    site_sealer().seal()
    verdict = verify(table())
    assert (verdict.flaw, verdict.index_flaw) == (None, None)
    assert check(table()).count == 0
    lifecycle.delete(organiser, elections.find("Secret"))
    finish_background("delete election")
    assert not [item for _name, item in table().everything() if item["PK"].startswith("ELECTION#secret")]


def cast(name: str, *names: str) -> None:
    for each in names:
        services.cast(people.find(name), each, ranks(Bo=1), f"{name} in {each}")
