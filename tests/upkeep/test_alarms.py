"""Warnings about backups: once a day, to those who can see to it, and none where all is well."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import pytest

from accounts.rules import Role
from foundation.mail import outbox as mail
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.table import Put
from operations.upkeep import watchers
from operations.upkeep.jobs import BACKUPS, JOBS, Leases, Outcome, run_job
from tests.at_once import at_once

from .test_commands import run as command

ROLES = (Role.OWNER, Role.AUDITOR, Role.ADMIN, Role.USER)
BOTH = ["auditor@example.org", "owner@example.org"]


@pytest.fixture
def watched(site, person, settings):
    settings.BACKUP_MAX_AGE_DAYS = 3
    for role in ROLES:
        person(role.name.lower(), role)
    return site


START = datetime.now(UTC)
NOON = START.replace(hour=12)


def on(days: float):
    return lambda: NOON + timedelta(days=days)


def made(site, days_ago: float) -> None:
    place = keys.LAST_BACKUP
    ended_at = as_text(NOON - timedelta(days=days_ago))
    site.write(Put({"PK": place.pk, "SK": place.sk, "ended_at": ended_at, "items": 1, "bytes": 1, "checkpoint": ""}))


def queued():
    return sorted((each.kind, each.to) for each in mail.in_state(mail.QUEUED, limit=100)[0])


def test_owner_and_auditors_are_warned_once_a_day_while_there_is_no_new_backup(watched):
    made(watched, 3.5)
    assert watchers.is_late(on(0))
    assert sum(at_once(*[lambda: watchers.warn_of_late(on(0))] * 4)) == 2
    assert watchers.warn_of_late(on(0)) == 0
    assert queued() == [("backup_late", each) for each in BOTH]
    assert watchers.warn_of_late(on(1)) == 2


def test_a_new_backup_ends_it(watched):
    made(watched, 2.5)
    assert not watchers.is_late(on(0))
    assert watchers.warn_of_late(on(0)) == 0
    assert watchers.is_late(on(1))


def test_a_site_that_never_had_one_is_warned_of_too_but_not_at_once(watched, outbox):
    assert not watchers.is_late()
    assert watchers.warn_of_late(on(5)) == 2
    texts = [text for to, subject, text in outbox() if subject == "Plenum: This site has no backup"]
    assert len(texts) == 2
    assert all("/admin/system/" in text and "was ever made" in text for text in texts)


def test_nobody_is_warned_where_that_is_switched_off_or_nothing_has_happened(site, watched, settings):
    made(site, 100)
    settings.BACKUP_MAX_AGE_DAYS = 0
    assert not watchers.is_late()
    assert watchers.warn_of_late() == 0


def test_an_empty_site_has_nothing_to_lose(site, settings):
    settings.BACKUP_MAX_AGE_DAYS = 3
    assert not watchers.is_late(on(400))


def test_the_worker_sees_to_it(watched):
    assert BACKUPS in JOBS
    assert run_job(BACKUPS, Leases(watched)).outcome == Outcome.NOTHING
    made(watched, 6)
    assert run_job(BACKUPS, Leases(watched)).done == 2


def test_a_failed_backup_is_logged_and_the_owner_is_told_once_a_day(watched, caplog, outbox):
    with caplog.at_level(logging.ERROR, "plenum.backup"):
        assert command("backup_failed", "plenum-backup.service") == "The owner is being told by mail."
    assert [(each.msg, each.unit) for each in caplog.records] == [("failed", "plenum-backup.service")]
    assert [(to, subject) for to, subject, _ in outbox()] == [("owner@example.org", "Plenum: A backup has failed")]
    assert [watchers.warn_of_failure(on(days)) for days in (7, 7, 8)] == [1, 0, 1]


def test_the_monitor_and_the_system_page_tell_how_old_the_newest_backup_is(client, watched, signed_in):
    assert "plenum_backup_age_seconds -1.0" in client.get("/metrics").content.decode()
    owner = signed_in("admin", Role.ADMIN)
    assert "<dt>Newest backup</dt><dd>never</dd>" in owner.get("/admin/system/").content.decode()
    made(watched, 4)
    (line,) = (
        each for each in client.get("/metrics").content.decode().splitlines() if each.startswith("plenum_backup_age")
    )
    assert float(line.split()[1]) >= 2 * 24 * 3600
    assert "UTC</time>, 1\N{NO-BREAK SPACE}byte" in owner.get("/admin/system/").content.decode()
