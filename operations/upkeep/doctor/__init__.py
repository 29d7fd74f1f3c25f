"""Checks of the whole installation: all of them for `plenum doctor`, the cheap ones for the system page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from foundation.mail import bounces, outbox
from foundation.store.connect import connect
from foundation.store.log import EventLog, utc_now
from foundation.store.table import Item, StoreError
from operations.upkeep.heartbeats import read_heartbeats

from . import health, network_checks, site_checks
from .health import Finding, broken


def examine_page(
    request: HttpRequest,
    found: health.Health,
    worker_seen: float | None,
    checkpoint: Item | None,
    mails: Mapping[str, health.BoundedCount],
) -> list[Finding]:
    """The cheap checks. The request came through the proxy, so it shows what the command has to probe for."""
    now, seen = utc_now(), network_checks.RequestSnapshot.of(request)
    checks: Iterable[Finding] = (
        site_checks.check_settings(),
        network_checks.check_address(seen),
        network_checks.check_origin(seen),
        *site_checks.check_disks(),
        site_checks.check_store(found.seconds),
        site_checks.check_key(found.key_mark),
        site_checks.check_worker(worker_seen, found.pause),
        site_checks.check_clock(now, site_checks.newest_moment(found, checkpoint), site_checks.is_clock_synchronised()),
        site_checks.check_backup(found.backup, now),
        network_checks.check_outbox(mails[outbox.FAILED], mails[outbox.UNKNOWN]),
        *network_checks.check_worker_mailbox(bounces.mailbox_state(found.bounces)),
        site_checks.check_versions(),
    )
    return sorted(checks, key=lambda each: each.grade)  # the worst first


def examine(send_to: str = "") -> Iterator[Finding]:
    """Run all checks in order; one that fails is itself a finding and stops no other."""
    now = utc_now()
    yield site_checks.check_settings()
    inside, outside = network_checks.probe()
    yield from network_checks.check_server(inside)
    yield from network_checks.check_proxy(outside)
    yield from _examine_store(now)
    yield from site_checks.check_disks()
    yield site_checks.check_writing()
    yield from network_checks.check_mail_server(send_to)
    yield site_checks.check_versions()


def _examine_store(now: datetime) -> Iterator[Finding]:
    try:
        table = connect(settings.STORE_URL)
        found, checkpoint = health.read_health(table), EventLog(table).newest_checkpoint()
        yield site_checks.check_store(found.seconds)
        yield site_checks.check_format(found.format)
        yield site_checks.check_key(found.key_mark)
        yield site_checks.check_rights(table)
        yield from site_checks.check_protection(table)
        yield site_checks.check_worker(health.last_seen(read_heartbeats(table)), found.pause)
        yield site_checks.check_backup(found.backup, now)
        yield from site_checks.check_old_backups()
        yield network_checks.check_outbox(*health.count_mails(table, outbox.FAILED, outbox.UNKNOWN).values())
        yield from network_checks.check_mailbox(bounces.mailbox_state(found.bounces))
        yield site_checks.check_background_work()
        newest = site_checks.newest_moment(found, checkpoint)
    except StoreError as error:
        newest = None
        yield broken(
            _("Store"), str(error), _("Until it does, pages show error 503. You need not restart anything afterwards.")
        )
    yield site_checks.check_clock(now, newest, site_checks.is_clock_synchronised())
