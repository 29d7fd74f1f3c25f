"""The nightly mail: once a day, to those who watch over the log, whoever is killed and however many are at it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from accounts.rules import Role
from foundation.mail import outbox as mail
from foundation.store import keys
from foundation.store.log import Event, EventLog
from foundation.store.log.seal import Sealer
from foundation.store.table import Put
from operations.upkeep import watchers
from operations.upkeep.jobs import JOBS, NIGHTLY, Leases, Outcome, run_job
from tests.publishing import seal_publicly

EVENING = datetime(2026, 11, 15, 20, tzinfo=UTC)
ROLES = (Role.OWNER, Role.AUDITOR, Role.ADMIN, Role.USER)


@pytest.fixture
def watched(site, person):
    """A site with one of each, whose first night is still to come."""
    for role in ROLES:
        person(role.name.lower(), role)
    seal(site)
    assert watchers.mail_checkpoint(lambda: EVENING) == 0
    return site


def seal(site, quarters=1):
    EventLog(site).record(Event("ada", "ThingMade"))
    seal_publicly(site, quarters)


def queued():
    return sorted(each.to for each in mail.in_state(mail.QUEUED, limit=100)[0])


def night(number):
    return lambda: EVENING + timedelta(days=number)


BOTH = ["auditor@example.org", "owner@example.org"]


def test_auditors_and_the_owner_get_the_newest_checkpoint_once_a_day(watched, outbox):
    assert watchers.is_checkpoint_due(night(1))
    assert watchers.mail_checkpoint(night(1)) == 2
    assert queued() == BOTH
    seal(watched, 2)
    assert not watchers.is_checkpoint_due(night(1))
    assert watchers.mail_checkpoint(night(1)) == 0
    assert watchers.mail_checkpoint(night(2)) == 2
    newest = EventLog(watched).newest_public()
    sent = outbox()
    assert {(to, subject) for to, subject, _ in sent} == {
        (to, "Plenum: The latest checkpoint of the log") for to in BOTH
    }
    texts = [text for _, _, text in sent]
    assert sum(f"plenum verify --checkpoint {newest['event_id']}:{newest['hash']}" in text for text in texts) == 2
    assert all("/checkpoints/" in text for text in texts)


def test_it_has_the_digests_of_what_is_served_each_of_them_if_they_are_new(watched, outbox):
    place, served = keys.SERVED_CODE, {"edition": "1a" * 32, "since": "", "files": ["js/a.js sha384-x"]}
    watched.write(Put({"PK": place.pk, "SK": place.sk, **served}))
    watchers.mail_checkpoint(night(1))
    seal(watched, 2)
    watchers.mail_checkpoint(night(2))
    first, second = (text for to, _, text in sorted(outbox(), key=lambda each: len(each[2]), reverse=True)[::2])
    for text in (first, second):
        assert "1a" * 32 in text
        assert "curl -s http://127.0.0.1:8000/trust/code.json | sha256sum" in text
    assert "js/a.js sha384-x" in first
    assert "js/a.js" not in second


def test_a_night_after_which_nothing_happened_brings_no_mail(watched):
    watchers.mail_checkpoint(night(1))
    for number in (2, 3, 400):
        assert not watchers.is_checkpoint_due(night(number))
        assert watchers.mail_checkpoint(night(number)) == 0
    assert queued() == BOTH


def test_a_site_without_a_checkpoint_mails_nothing_and_remembers_nothing(site):
    assert not watchers.is_checkpoint_due()
    assert watchers.mail_checkpoint() == 0
    assert site.get(keys.NIGHTLY) is None


def test_what_is_not_public_yet_is_not_mailed(watched):
    watchers.mail_checkpoint(night(1))
    EventLog(watched).record(Event("ada", "ThingMade"))
    Sealer(watched).seal()
    assert not watchers.is_checkpoint_due(night(2))


def test_mailing_is_no_reason_for_the_next_mail(watched):
    before = watched.count(keys.events())
    watchers.mail_checkpoint(night(1))
    assert watched.count(keys.events()) == before


def test_a_worker_killed_on_the_way_mails_nobody_twice(watched, monkeypatch):
    true = watchers.try_write
    asked = []

    def killed(*arguments):
        if asked:
            raise KeyboardInterrupt
        asked.append(arguments)
        return true(*arguments)

    monkeypatch.setattr(watchers, "try_write", killed)
    with pytest.raises(KeyboardInterrupt):
        watchers.mail_checkpoint(night(1))
    monkeypatch.setattr(watchers, "try_write", true)
    assert len(queued()) == 1
    assert watchers.is_checkpoint_due(night(1))
    assert watchers.mail_checkpoint(night(1)) == 1
    assert queued() == BOTH


def test_a_clock_moved_back_sends_nothing_again(watched):
    watchers.mail_checkpoint(night(1))
    seal(watched, 2)
    assert not watchers.is_checkpoint_due(night(0))
    assert watchers.mail_checkpoint(night(0)) == 0


def test_the_worker_does_it(watched):
    assert NIGHTLY in JOBS
    assert run_job(NIGHTLY, Leases(watched)).outcome in (Outcome.DONE, Outcome.NOTHING)


def test_the_owner_can_read_it_in_the_outbox(watched, signed_in):
    from accounts import repository

    watchers.mail_checkpoint(night(1))
    page = signed_in(repository.find("owner")).get("/mails/").content.decode()
    assert page.count("The latest checkpoint of the log") == 2
