"""The site under the policies that deploy/aws/store.json ships: they allow what each role does, and nothing besides.

A whole day goes through the adapter, each of its requests is judged, and the embedded store answers. Where DynamoDB
Local is there, it answers.
"""

from __future__ import annotations

import os
import uuid
from datetime import timedelta
from io import StringIO
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations import mailing
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.tokens import create_token
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.dynamodb import schema
from foundation.store.formats import refusal
from foundation.store.log import EventLog, utc_now
from foundation.store.log.search import ACTOR
from foundation.store.table import DATA, LOG, Delete, Key, Put, Table, Unavailable
from operations.upkeep import erasure, system
from operations.upkeep.doctor import site_checks
from operations.upkeep.doctor.health import Finding, Grade
from operations.upkeep.figures import site_sealer
from parts.live import clock
from parts.live import repository as games
from parts.live.rules import Step
from parts.live.services import answering, making, moving
from parts.polls import services as polls
from parts.polls.counting import seal
from parts.questions.question import Type
from results import repository as results
from tests.ballots.conftest import ranks
from tests.live.conftest import TRIVIA, seated
from tests.people import PASSWORD, enrol, make_owner, sign_in
from tests.polls.conftest import CHOSEN, by_ida, vote
from tests.store import engines
from tests.store.policy import ARN, TEMPLATE, Need, Policy, Resolved, Roles, enforced, judged, policy_of, roles_of

JUDGE = ["dynamodb-local"] if os.environ.get(engines.JAR_DIR) else []


def an_address() -> tuple[str, str]:
    prefix = f"{uuid.uuid4().hex[:8]}-"
    return prefix, f"dynamodb://{engines.REGION}?prefix={prefix}"


@pytest.fixture(scope="module")
def started():
    """A site whose tables somebody else has made, as the template does: what its policies were asked when both roles
    started and were looked at by the doctor."""
    prefix, url = an_address()
    with engines.moto() as engine, override_settings(STORE_URL=url):
        schema.create(engine.client, prefix)
        roles = roles_of(prefix)
        with enforced(roles):
            table = connect(url)
            with roles.acting_as("Worker"):
                a_start(table)
            findings = a_start(table)
            system._tables.cache_clear()
            states = system.tables()
        yield SimpleNamespace(roles=roles, table=table, findings=findings, states=states, engine=engine)
        table.close()


def a_start(table: Table) -> list[Finding]:
    call_command("create_tables", stdout=StringIO())
    assert refusal(table) is None
    return [site_checks.check_rights(table), *site_checks.check_protection(table)]


@pytest.fixture(scope="module", params=["embedded", *JUDGE])
def served(request, tmp_path_factory):
    """A day of such a site."""
    prefix, url = an_address()
    roles = roles_of(prefix)
    if request.param == "embedded":
        with judged(roles, tmp_path_factory.mktemp("judged"), url), override_settings(STORE_URL=url):
            yield a_day_of(roles)
        return
    with engines.dynamodb_local() as engine, override_settings(STORE_URL=f"{url}&endpoint={engine.endpoint}"):
        schema.create(engine.client, prefix, protected=False)
        with enforced(roles):
            day = a_day_of(roles)
        yield day


def a_day_of(roles: Roles) -> SimpleNamespace:
    table, owner = connect(settings.STORE_URL), make_owner("Olga")
    accounts.invite(owner, "ida@example.org", Role.USER)
    ida = accounts.accept_invitation(create_token("invitation", "ida@example.org"), "Ida", PASSWORD)
    an_election(ida)
    a_poll(ida)
    a_live_round(ida)
    accounts.remove(owner, people.find("Ann"))
    with roles.acting_as("Worker"):
        call_command("worker", once=True, stdout=StringIO())  # every job, and a sentence if one fails
        names_are_forgotten()
    assert results.find("Board") is not None
    return SimpleNamespace(roles=roles, table=table)


def an_election(ida) -> None:
    made = drafts.create(ida, "Board", announces=True)
    add_candidates(ida, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    enrol("Ann", "Ben")
    add_voters(ida, made, ["Ann", "Ben", "by.mail@example.org"])
    lifecycle.open_(ida, repository.find("Board"), editable=False)
    mailing.invite(ida, repository.find("Board"))
    for form, name, first in ((1, "Ann", "Ada"), (2, "Ben", "Bo")):
        ballots.cast(people.find(name), "Board", ranks(**{first: 1}), f"form {form}", secret=f"{form:032x}")
    ballots.cast(None, "Board", ranks(Cy=1), "form 3", secret=f"{2:032x}")
    ballots.withdraw(None, "Board", "form 4", secret=f"{2:032x}")
    ballots.cast(None, "Board", ranks(Bo=1), "form 5", secret=f"{2:032x}")
    closing.close(ida, repository.find("Board"))
    seal_closed("Board")
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
    players = seated(game, "Aurelia", "Balthasar")
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL):
        moving.drive(game.id, "Ida", step, games.read_state(game.id).version)
        for seat in players if step == Step.NEXT else ():
            answering.submit(game, games.read_state(game.id), seat, [0], clock.now())


def names_are_forgotten() -> None:
    """The one thing that deletes from the log: places of its index, whose keys have the name."""
    site_sealer().seal()
    later = lambda: utc_now() + timedelta(days=31)  # noqa: E731
    while erasure.is_due(later):
        erasure.erase_names(later)
        site_sealer().seal()


# --- web and worker ---


@pytest.mark.deep
def test_a_web_process_starts_and_is_well(started):
    assert [finding.grade for finding in started.findings] == [Grade.OK, Grade.OK]
    assert [state.status for state in started.states] == ["ACTIVE", "ACTIVE"]


def asked_of(*policies: Policy) -> set[tuple[str, str]]:
    """Whatever the prefix of the tables is."""
    asked = (need for policy in policies for need in policy.asked)
    return {(need.action, f"{ARN}vote_{need.resource.partition('vote_')[2]}") for need in asked}


@pytest.mark.parametrize("role", ["Web", "Worker"])
def test_every_permission_of_a_role_is_needed_and_no_other(started, served, role):
    """So to take any of them away breaks something of a start or of a day."""
    asked = asked_of(started.roles.policies[role], served.roles.policies[role])
    assert asked ^ policy_of("", role).permissions <= NOT_EVERY_DAY[role]


NOT_EVERY_DAY = {  # minutes are copied in batches, and a name is taken out of the index of the log
    "Web": set(),
    "Worker": {("dynamodb:BatchWriteItem", ARN + DATA), ("dynamodb:DeleteItem", ARN + LOG)},
}


def test_what_the_policy_does_not_allow_is_refused_in_a_sentence(started):
    with pytest.raises(Unavailable, match="not authorized to perform: dynamodb:Scan"):
        list(started.table.everything())


def test_no_event_can_be_deleted_by_web(started):
    EventLog(started.table).void(7)
    named = keys.log_index(ACTOR, "Ann", 1)
    for place in (keys.event(1, "2026", 16), keys.checkpoint(1), keys.void(7), keys.EVENT_NUMBER, named):
        with pytest.raises(Unavailable, match="not authorized to perform: dynamodb:DeleteItem"):
            started.table.write(Delete(place))
        with pytest.raises(Unavailable, match="not authorized to perform: dynamodb:DeleteItem"):
            started.table.write(Put({"PK": "a", "SK": "1"}), Delete(place))
    assert started.table.get(keys.void(7)) is not None


@pytest.mark.parametrize("pk", ["CHECKPOINTS", "PUBLIC", "PUBLISHING", "MOMENTS", "BY#actor#ann", "EVENTS"])
def test_what_seals_and_publishes_the_log_is_written_by_the_worker_alone(pk):
    put, update = (Need(f"dynamodb:{action}", ARN + LOG, pk) for action in ("PutItem", "UpdateItem"))
    web, worker = policy_of("", "Web"), policy_of("", "Worker")
    assert not web.allows(put)
    assert not web.allows(update)
    assert worker.allows(put)


def test_web_adds_events_and_updates_none():
    web, place = policy_of("", "Web"), "EVENTS#05"
    assert web.allows(Need("dynamodb:PutItem", ARN + LOG, place))
    for action in ("UpdateItem", "DeleteItem", "BatchWriteItem"):
        assert not web.allows(Need(f"dynamodb:{action}", ARN + LOG, place))


@pytest.mark.parametrize("pk", ["ELECTION#board#07", "POLL#a1#03"])
def test_web_takes_a_ballot_away_only_as_part_of_a_transaction(pk):
    """As a withdrawal does, which is told in the log by the same transaction."""
    web, worker = policy_of("", "Web"), policy_of("", "Worker")
    alone = Need("dynamodb:DeleteItem", ARN + DATA, pk)
    assert not web.allows(alone)
    assert not web.allows(alone._replace(action="dynamodb:BatchWriteItem"))
    assert web.allows(alone._replace(enclosing="TransactWriteItems"))
    assert worker.allows(alone)


def test_no_event_can_be_deleted_by_the_worker_but_places_of_a_forgotten_name():
    worker = policy_of("", "Worker")
    for pk, is_allowed in (
        ("EVENTS#05", False),
        ("VOID#000000000007", False),
        ("BY#type#x", False),
        ("BY#actor#ann", True),
    ):
        assert worker.allows(Need("dynamodb:DeleteItem", ARN + LOG, pk)) is is_allowed


def test_a_site_starts_also_where_it_may_not_look_at_what_protects_the_tables(started):
    """Who serves with fewer permissions than we ship, or while recovery is switched off for an election."""
    bare = policy_of(started.table.prefix, "Web")
    bare.statements = [each for each in bare.statements if not each["Sid"].startswith("LookingAt")]
    client = started.engine.client
    off = {"PointInTimeRecoveryEnabled": False}
    name = started.table.prefix + DATA
    client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=off)
    with enforced(bare):
        started.table.create()
    with enforced(policy_of(started.table.prefix, "Worker", "Keeping")):
        started.table.create()
    recovery = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"


# --- keeping ---


def test_whoever_keeps_the_tables_makes_them_backs_them_up_and_moves_the_log(started):
    prefix, url = an_address()
    policy = policy_of(prefix, "Worker", "Keeping")
    with enforced(policy):
        table = connect(url)
        table.create()
        table.write(Put({"PK": "EVENTS", "SK": "1"}, table=LOG))
        assert len(list(table.everything())) == 1
        table.write(Delete(Key("EVENTS", "1", LOG)))
        table.close()
    keeping = policy_of(prefix, "Keeping").permissions
    assert keeping - {(need.action, need.resource) for need in policy.asked} == {
        ("dynamodb:UpdateTable", ARN + prefix + name) for name in (DATA, LOG)
    } | {("dynamodb:UpdateTimeToLive", ARN + prefix + LOG)}, "for tables that were made unprotected"


# --- several sites in one account ---


def test_a_site_may_not_touch_the_tables_of_another():
    mine, others = (policy_of(prefix, "Web", "Worker", "Keeping") for prefix in ("mine-", "others-"))
    for need in others.each_permission():
        assert not mine.allows(need._replace(leading_key="BY#actor#Ann"))
    for prefix in ("", "mine-mine-", "mine"):
        assert not mine.allows(Need("dynamodb:GetItem", f"{ARN}{prefix}{DATA}"))


def test_two_sites_of_one_account_do_not_see_each_other(started):
    tables = [started.engine.fresh(), started.engine.fresh()]
    for number, table in enumerate(tables):
        table.write(Put({"PK": "a", "SK": "1", "n": number}))
    assert [table.get(Key("a", "1"))["n"] for table in tables] == [0, 1]
    assert [[item["n"] for _, item in table.everything()] for table in tables] == [[0], [1]]


def test_nothing_that_the_template_names_is_named_alike_for_two_sites():
    """Names of tables, what policies allow, what alarms watch and say."""
    one, other = Resolved("one-"), Resolved("other-")
    kinds = ("AWS::DynamoDB::Table", "AWS::IAM::ManagedPolicy", "AWS::CloudWatch::Alarm")
    for name in (name for name, each in TEMPLATE["Resources"].items() if each["Type"] in kinds):
        ours, theirs = one.resource(name), other.resource(name)
        assert ours != theirs, name
        assert "one-vote_" in str(ours)
        assert "other-vote_" not in str(ours)
