"""The site under the policies that deploy/aws.json ships: they allow all that it does, and nothing besides."""

from __future__ import annotations

import uuid
from datetime import timedelta
from io import StringIO
from types import SimpleNamespace

import pytest
from django.core.management import call_command
from django.test import override_settings

from accounts import repository as people
from accounts import services as accounts
from acts.tokens import sign
from ballots import services as ballots
from elections import invitations, repository
from elections import services as organising
from live import seats
from live.batching import BATCHES
from live.questions import Type
from live.rules import Step
from live.services import making
from polls import services as polls
from polls.sealing import seal
from ranking.candidates import Candidate
from store import keys
from store.connect import connect
from store.dynamodb import DynamoDbTable, schema
from store.formats import refusal
from store.log import EventLog, utc_now
from store.table import LOG, Delete, Put, Unavailable
from tests.ballots.conftest import ranks
from tests.live.conftest import TRIVIA, drive, give, seated
from tests.people import PASSWORD, enrol, make_owner, sign_in
from tests.polls.conftest import CHOSEN, by_ida, vote
from tests.store import engines
from tests.store.policy import ARN, TEMPLATE, Need, Resolved, enforced, policy_of
from upkeep import names, system
from upkeep.doctor import stores
from upkeep.doctor.findings import WELL
from upkeep.sealer import site_sealer


@pytest.fixture(scope="module")
def served(static_files):
    """A site whose tables somebody else has made, as the template does, and that may only serve."""
    prefix = f"{uuid.uuid4().hex[:8]}-"
    url = f"dynamodb://{engines.REGION}?prefix={prefix}"
    with engines.moto() as engine, override_settings(STORE_URL=url):
        schema.create(engine.client, prefix)
        with enforced(policy_of(prefix, "Serving")) as policy:
            table = connect(url)
            found = start(table)
            a_whole_day()
            yield SimpleNamespace(table=table, policy=policy, found=found, engine=engine)
            table.close()


def start(table: DynamoDbTable) -> list[str]:
    call_command("create_tables", stdout=StringIO())
    assert refusal(table) is None
    system._tables.cache_clear()
    assert {each.status for each in system.tables()} == {"ACTIVE"}
    return [finding.grade for finding in (stores.of_rights(table), *stores.of_protection(table))]


def a_whole_day() -> None:
    owner = make_owner("Olga")
    accounts.invite(owner, "ida@example.org")
    ida = accounts.accept_invitation(sign("invitation", "ida@example.org"), "Ida", PASSWORD)
    an_election(ida)
    a_poll(ida)
    a_live_round(ida)
    somebody_is_forgotten(owner)
    call_command("worker", once=True, stdout=StringIO())
    EventLog(connect_here()).void(10**6)


def connect_here() -> DynamoDbTable:
    from django.conf import settings

    return connect(settings.STORE_URL)


def an_election(ida) -> None:
    made = organising.create(ida, "Board", announces=True)
    organising.add_candidates(ida, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    enrol("Ann", "Ben")
    organising.add_voters(ida, made, ["Ann", "Ben", "by.mail@example.org"])
    organising.open_(ida, repository.find("Board"), editable=False)
    invitations.invite(ida, repository.find("Board"))
    for form, name, first in ((1, "Ann", "Ada"), (2, "Ben", "Bo"), (3, "Ben", "Cy")):
        ballots.cast(people.find(name), "Board", ranks(**{first: 1}), f"form {form}")
    organising.close(ida, repository.find("Board"))
    ballots.seal_what_is_closed("Board")
    browser = sign_in(people.find("Ann"))
    for page in ("/", "/election/Board/", "/election/Board/results/"):
        assert browser.get(page).status_code == 200, page


def a_poll(ida) -> None:
    poll, _key = polls.make(ida, ("Pizza", "Sushi"), 30, **CHOSEN)
    vote(poll, "one", "Pizza>Sushi")
    vote(poll, "one", "Sushi")
    polls.close(by_ida(poll))
    seal(poll.id)


def a_live_round(ida) -> None:
    game = making.make(ida, Type.TRIVIA, TRIVIA, title="Friday")
    from live import clock, repository as games
    from live.services import answering, moving

    players = seated(game, "Aurelia", "Balthasar")
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL):
        moving.drive(game.id, "Ida", step, games.state(game.id).version)
        if step == Step.NEXT:
            for seat in players:
                answering.give(game, games.state(game.id), seat, [0], clock.now())


def somebody_is_forgotten(owner) -> None:
    """Which is the one thing that deletes from the log: places of its index that have a name in their key."""
    accounts.remove(owner, people.find("Ann"))
    site_sealer().seal()
    later = lambda: utc_now() + timedelta(days=31)  # noqa: E731
    while names.is_due(later):
        names.forget_names(later)
        site_sealer().seal()


def test_a_site_that_may_only_serve_starts_and_works(served):
    assert served.found == [WELL, WELL]
    assert repository.find("Board").state == "SEALED" or repository.find("Board")


def test_every_permission_is_needed(served):
    """So that to take away any of them would break something of this day."""
    asked = {(need.action, need.resource) for need in served.policy.asked}
    assert served.policy.permissions - asked == set()
    assert asked - served.policy.permissions == set()
