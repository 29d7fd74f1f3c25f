"""What whoever looks after the site should look at: all of it for `plenum doctor`, what costs little for the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from mail import bounce_mailbox, outbox
from store.connect import connect
from store.log import EventLog, utc_now
from store.table import Item, StoreError

from . import health, machine, post, site, stores
from .findings import Finding, Grade, broken, worst_first

__all__ = ["Finding", "Grade", "examine", "of_page"]


def of_page(
    request: HttpRequest,
    found: health.Health,
    worker_seen: float | None,
    checkpoint: Item | None,
    failed: health.Bounded,
    unknown: health.Bounded,
) -> list[Finding]:
    """The request for the page has come through the proxy itself, so it shows what doctor has to ask for; and what the
    page has read of the store is not read again."""
    now, seen = utc_now(), site.Seen.of(request)
    checks: Iterable[Finding] = (
        machine.of_settings(),
        site.of_address(seen),
        site.of_origin(seen),
        *machine.of_disks(),
        stores.of_store(found.seconds),
        stores.of_worker(worker_seen, found.pause),
        machine.of_clock(now, stores.newest(found, checkpoint), machine.is_clock_kept(), ()),
        stores.of_backup(found.backup, now),
        post.of_outbox(failed, unknown),
        *post.of_mailbox_of_worker(bounce_mailbox.state(found.bounces)),
        machine.of_versions(),
    )
    return worst_first(checks)


def examine(send_to: str = "") -> Iterator[Finding]:
    """Everything, in the order in which it is found; a check that fails itself is a finding and ends no other."""
    now = utc_now()
    yield machine.of_settings()
    reached = site.reached()
    yield from site.of_server(reached.inside)
    yield from site.of_proxy(reached.outside)
    yield from _of_store(now, reached.dates)
    yield from machine.of_disks()
    yield machine.of_writing()
    yield from post.of_server(send_to)
    yield machine.of_versions()


def _of_store(now: datetime, dates: list[machine.Told]) -> Iterator[Finding]:
    try:
        table = connect(settings.STORE_URL)
        found, checkpoint = health.health_of(table), EventLog(table).newest_checkpoint()
        yield stores.of_store(found.seconds)
        yield stores.of_format(found.format)
        yield stores.of_rights(table)
        yield from stores.of_protection(table)
        yield stores.of_worker(health.worker_seen(table), found.pause)
        yield stores.of_backup(found.backup, now)
        yield from stores.of_old_backups()
        yield stores.of_secret_key(table)
        yield post.of_outbox(*health.mails(table, outbox.FAILED, outbox.UNKNOWN).values())
        yield from post.of_mailbox(bounce_mailbox.state(found.bounces))
        newest = stores.newest(found, checkpoint)
    except StoreError as error:
        newest = None
        yield broken(
            _("Store"), str(error), _("Until it answers, pages answer 503; nothing needs to be restarted then.")
        )
    yield machine.of_clock(now, newest, machine.is_clock_kept(), [*dates, *stores.dates()])


PUBLIC = "health"
