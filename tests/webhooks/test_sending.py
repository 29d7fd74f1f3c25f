"""Deliveries: at least once and always with the same id, whatever fails; endpoints that stay away are switched off."""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.test import override_settings

from accounts import services as accounts
from accounts.rules import Role
from elections.lifecycle import services as lifecycle
from foundation.acts import background, outbound, storage
from foundation.acts.storage import log, table, use_table
from foundation.mail import outbox
from foundation.mail.emails import compose
from foundation.store import keys
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Conflict, Delete, Key, Unavailable, Update
from operations.upkeep.jobs import JOBS, Leases, Outcome, run_job
from parts.webhooks import repository, rules, services
from parts.webhooks.repository import CLAIM_SECONDS, DELIVERING
from parts.webhooks.rules import DELIVERED, DROPPED, FAILED, PAUSES, WAITING
from tests.at_once import at_once
from tests.people import make_person
from tests.receiver import LOOPBACK, receiver
from tests.test_interruptions import Interrupted, Killed

from .sites import Network, find, hooked, next_due, now, opened, ready, send

AFTER_THE_CLAIM = timedelta(seconds=CLAIM_SECONDS + 1)
A_DAY = timedelta(days=1)


@pytest.fixture
def otto(person):
    return person("Otto")


def deliveries(endpoint):
    return repository.recent_deliveries(endpoint)


def test_headers_and_signature(otto):
    endpoint, secret = services.add(otto, otto.name, "https://hooks.example/", rules.TYPES)
    network = Network()
    services.send_test(endpoint)
    assert send(network) == 1
    (sent,) = network.attempts
    assert rules.shown_secret(secret).startswith("whsec_")
    assert base64.b64decode(rules.shown_secret(secret).removeprefix("whsec_")) == secret
    signed = f"{sent.id}.{sent.headers['webhook-timestamp']}.".encode() + sent.body
    expected = base64.b64encode(hmac.digest(secret, signed, "sha256")).decode()
    assert sent.headers["webhook-signature"] == f"v1,{expected}"
    assert abs(int(sent.headers["webhook-timestamp"]) - time.time()) < 600
    assert "." not in sent.id
    assert sent.event.keys() == {"type", "timestamp", "data"}


def test_the_example_of_the_specification():
    """The signature that its own libraries make."""
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    moment = datetime.fromtimestamp(1614265330, UTC)
    found = rules.headers("msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', [secret], moment)
    assert found["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_new_secret_signs_with_the_old_one_for_a_day(otto):
    endpoint, old = services.add(otto, otto.name, "https://hooks.example/", rules.TYPES)
    new = services.renew_secret(otto, endpoint)
    assert repository.secrets_of(now(endpoint), time.time()) == [new, old]
    assert repository.secrets_of(now(endpoint), time.time() + 25 * 3600) == [new]
    network = Network()
    services.send_test(now(endpoint))
    send(network)
    assert network.attempts[0].headers["webhook-signature"].count("v1,") == 2


def test_secrets_are_encrypted_at_rest(otto):
    endpoint, secret = services.add(otto, otto.name, "https://hooks.example/", rules.TYPES)
    stored = repr(list(table().everything()))
    assert rules.shown_secret(secret) not in stored
    assert rules.shown_secret(secret).removeprefix("whsec_") not in stored
    assert repr(secret) not in stored
    with override_settings(SECRET_KEY="another " * 10):
        assert repository.secrets_of(now(endpoint), time.time()) == []
        network = Network()
        services.send_test(endpoint)
        assert send(network) == 0
    assert not network.attempts  # never without a signature
    assert now(endpoint).last_reason == "no secret"


# --- failures ---


def test_a_failure_is_retried_with_the_same_id_and_payload(otto):
    endpoint, network = hooked(otto), Network([500, "timeout", 302])
    opened(otto)
    assert send(network) == 0
    (waiting,) = deliveries(endpoint)
    assert (waiting.state, waiting.tries, waiting.status) == (WAITING, 1, 500)
    assert now(endpoint).failing_since
    assert send(network) == 0  # not yet
    assert len(network.attempts) == 1
    assert [send(network, A_DAY * days) for days in (1, 2, 2.9)] == [0, 0, 1]
    assert len(network.attempts) == 4
    assert len({(each.id, each.body) for each in network.attempts}) == 1
    assert (deliveries(endpoint)[0].state, now(endpoint).failing_since) == (DELIVERED, "")
    assert next_due() is None


def test_backoff_grows_over_three_days():
    pauses = [rules.backoff(tries, lambda low, high: 1) for tries in range(1, len(PAUSES) + 1)]
    assert pauses == sorted(pauses)
    assert timedelta(days=3) <= timedelta(seconds=sum(pauses)) <= timedelta(days=4)
    assert rules.backoff(len(PAUSES) + 1) is None
    assert PAUSES[3] * 0.8 <= rules.backoff(4) <= PAUSES[3] * 1.2


def test_a_delivery_ends_after_its_last_attempt(otto):
    endpoint = hooked(otto)
    services.send_test(endpoint)
    for attempt in range(len(PAUSES) + 1):
        assert deliveries(endpoint)[0].state == WAITING
        send(Network([503]), 1.2 * A_DAY * attempt)
        table().write(repository.updating(endpoint, failing_since=""))  # else it were switched off
    assert deliveries(endpoint)[0].state == FAILED
    assert next_due() is None


def test_gone_for_good(otto):
    endpoint = hooked(otto)
    services.send_test(endpoint)
    services.send_test(endpoint)
    network = Network([410])
    send(network)
    assert len(network.attempts) == 1
    assert now(endpoint).state == rules.DISABLED
    assert {each.state for each in deliveries(endpoint)} == {FAILED, DROPPED}
    told = [event for event in log().since(0) if event["event_type"] == "WebhookDisabled"]
    assert [event["event_data"]["reason"] for event in told] == ["gone"]


def test_days_of_failure_switch_it_off_and_its_owner_is_told(otto):
    endpoint = hooked(otto)
    services.send_test(endpoint)
    send(Network(["connection"]))
    services.send_test(now(endpoint))
    send(Network(["connection"] * 9), A_DAY * 2)
    assert now(endpoint).state == rules.ACTIVE
    send(Network(["connection"] * 9), A_DAY * 4)
    assert now(endpoint).state == rules.DISABLED
    (mail,) = outbox.in_state("queued", 10)[0]
    assert (mail.kind, mail.to) == ("webhook_disabled", otto.email)
    written = compose(mail)
    assert "hooks.example" in written.body
    assert f"/me/webhooks/{endpoint.id}/" in written.body
    opened(otto)
    network = Network()
    assert send(network) == 0  # nothing is queued for it
    services.resume(otto, now(endpoint))
    services.send_test(now(endpoint))
    assert send(network) == 1


def test_the_site_tells_the_admin_who_added_it(person):
    endpoint = hooked(person("Olga", Role.OWNER), owner="")
    services.send_test(endpoint)
    send(Network([410]))
    (mail,) = outbox.in_state("queued", 10)[0]
    assert mail.to == "Olga@example.org"


def test_paused_means_never_sent(otto):
    endpoint, network = hooked(otto), Network()
    opened(otto)
    services.pause(otto, endpoint)
    opened(otto, "Another")
    assert send(network) == 0
    services.resume(otto, endpoint)
    assert send(network) == 0
    assert not network.attempts


def test_a_deleted_webhook_gets_nothing(otto):
    endpoint, network = hooked(otto), Network()
    services.send_test(endpoint)
    services.delete(otto, endpoint)
    services_left = [item for _name, item in table().everything() if item["PK"].startswith("WEBHOOKS#")]
    assert services_left == []
    assert next_due() is None
    assert send(network) == 0
    assert not network.attempts


@pytest.mark.parametrize("answer", ["timeout", 200])
def test_a_silent_or_slow_endpoint_delays_others_by_one_request(otto, monkeypatch, answer):
    slow, well = hooked(otto, url="https://slow.example/"), hooked(otto)
    clock = [datetime.now(UTC)]
    monkeypatch.setattr(storage, "utc_now", lambda: clock[0])
    for _ in range(3):
        services.send_test(slow)
    clock[0] += timedelta(seconds=1)  # tasks that begin in the same millisecond have no order
    services.send_test(well)
    network = Network()

    def respond(method, url, body, headers):
        if "slow" in url:
            network.answers = [answer]
            clock[0] += timedelta(seconds=9)
        return network(method, url, body, headers)

    monkeypatch.setattr(outbound, "request", respond)

    def urls() -> list[str]:
        network.attempts.clear()
        background.resume_due(lane=keys.WEBHOOK_TASKS)
        return [each.url for each in network.attempts]

    assert urls() == [slow.url, well.url]
    services.send_test(well)
    assert urls() == [well.url]
    clock[0] += timedelta(seconds=rules.rest(9) + 1)
    services.send_test(well)
    assert urls() == [slow.url, well.url]
    assert [rules.rest(seconds) for seconds in (-5, 0.5, 9, 3600)] == [0, 0, 27, 30]


# --- killed, and raced ---


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[SqliteTable]:
    path = tmp_path / "site.sqlite3"
    found = SqliteTable(str(path))
    found.create()
    found.wait_for_no_disk()
    with override_settings(STORE_URL=f"sqlite://{path}"):
        yield found
    found.close()


@pytest.mark.parametrize("how", ["killed", "in conflict", "unanswered"])
def test_whenever_it_is_killed_it_arrives_with_the_same_id(prepared, how):
    """From the causing transaction to the last note of the worker, at every write."""
    with use_table(prepared):
        otto = make_person("Otto")
        endpoint = hooked(otto)
    at = writes = 0  # nothing is interrupted at first
    while at <= writes:
        with use_table(prepared):
            board, network = ready(otto, f"Board {at}"), Network()
        meddled = Interrupted(prepared, at, how)
        with use_table(meddled), suppress(Killed, Conflict, Unavailable):
            lifecycle.open_(otto, board, editable=False)
            send(network)
        with use_table(prepared):
            send(network, AFTER_THE_CLAIM)
            is_open = find(board.name).allow_vote
            assert bool(network.attempts) == is_open, f"{how} at write {at}"
            assert len({(each.id, each.body) for each in network.attempts}) == int(is_open)
            assert not is_open or deliveries(endpoint)[0].state == DELIVERED
        writes, at = max(writes, meddled.writes), at + 1
    assert writes >= 4  # the opening, the fan-out, the claim and the note


def test_two_workers_send_it_once(otto):
    endpoint, network = hooked(otto), Network()
    for _ in range(5):
        services.send_test(endpoint)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(outbound, "request", network)
        at_once(*[lambda: background.resume_due(lane=keys.WEBHOOK_TASKS)] * 4)
    ids = [each.id for each in network.attempts]
    assert len(ids) == len(set(ids)) == 5


def test_a_claim_that_was_overtaken_changes_nothing(otto):
    """A worker that was asleep for longer than its claim comes back."""
    endpoint = hooked(otto)
    services.send_test(endpoint)
    other = Network()

    class Slow(Network):
        def __call__(self, method, url, body, headers):
            assert send(other, AFTER_THE_CLAIM) == 1
            return super().__call__(method, url, body, headers)

    send(Slow([500]))
    assert [(each.state, each.status) for each in deliveries(endpoint)] == [(DELIVERED, 204)]
    assert next_due() is None


def test_over_a_real_connection(otto, settings):
    settings.OUTGOING_ALLOWED = LOOPBACK
    with receiver() as server:
        endpoint = hooked(otto, url=server.url)
        services.send_test(endpoint)
        background.resume_due(lane=keys.WEBHOOK_TASKS)
        assert deliveries(endpoint)[0].state == DELIVERED
        settings.OUTGOING_ALLOWED = ([], [])
        services.send_test(endpoint)
        background.resume_due(lane=keys.WEBHOOK_TASKS)
        assert len(server.received) == 1
    assert now(endpoint).last_reason == "scheme"


def test_what_the_previous_version_queued_is_taken_over(otto, site):
    """It listed deliveries by themselves, by their turn, and claimed them by moving that."""
    endpoint, gone, network = hooked(otto), hooked(otto), Network()
    services.send_test(endpoint)
    services.send_test(gone)
    tasks = DELIVERING.unfinished()
    for task in tasks:
        listed = {"GSI1PK": keys.DELIVERIES_WITHOUT_TASK.pk, "GSI1SK": f"{task.due}#{task.subject.replace(' ', '#')}"}
        site.write(Delete(task.key), Update(Key(task.data["pk"], task.data["sk"]), set=listed))
    services.delete(otto, gone)
    assert send(network) == 0
    without_task = next(job for job in JOBS if job.name == "webhooks without a task")
    assert run_job(without_task, Leases(site)).done == 1
    assert run_job(without_task, Leases(site)).outcome == Outcome.NOTHING
    assert send(network) == 1
    assert deliveries(endpoint)[0].state == DELIVERED
    assert not list(site.each(keys.WEBHOOK_TASKS))


def test_a_person_who_leaves_takes_their_webhooks_along(person, otto):
    services.send_test(hooked(otto))
    send(Network([500]))
    assert next_due() is not None
    accounts.remove_self(otto)
    assert next_due() is None
    assert not [item for _name, item in table().everything() if item["PK"].startswith(keys.webhook("Otto", "").pk)]
