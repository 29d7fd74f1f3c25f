"""Warnings that a backup failed, or that there has been none for days, mailed to those who can fix it.

They are not acts of a person, so there is no event. Each is mailed once a day (UTC), however often it is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext_noop

from accounts.rules import Role
from foundation.acts.storage import table, try_write
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate
from foundation.store import keys
from foundation.store.log import layout, utc_now
from foundation.store.table import Table
from operations.upkeep.log.nightly import WATCHERS, addresses_of


def _warning(subject: str, *sentences: str) -> EmailTemplate:
    return EmailTemplate(subject, sentences, lambda mail: reverse("system"), gettext_noop("Check the site"))


EMAIL_TEMPLATES = {
    "backup_late": _warning(
        gettext_noop("Your last backup is too old"),
        gettext_noop("The latest backup of this site is from %(day)s."),
        gettext_noop("If the machine fails, everything since then is lost. Please make a backup soon."),
    ),
    "backup_missing": _warning(
        gettext_noop("This site has no backup"),
        gettext_noop("This site has been in use since %(day)s, and no backup was ever made."),
        gettext_noop("If the machine fails, everything is lost. Please make a backup soon."),
    ),
    "backup_failed": _warning(
        gettext_noop("A backup has failed"),
        gettext_noop("The backup of %(day)s did not finish. No earlier backup was deleted."),
        gettext_noop("The machine's log says why."),
    ),
}


# --- how old the newest backup is ---


def ended_at(found: Table) -> datetime | None:
    """When the newest backup ended, if there is one."""
    item = found.get(keys.LAST_BACKUP)
    return datetime.fromisoformat(item["ended_at"]) if item else None


def _in_use_since() -> datetime | None:
    first = layout.first_of_all(table())
    return datetime.fromisoformat(first["when_occurred"]) if first else None


def _late_since(now: datetime) -> tuple[str, datetime] | None:
    """If the newest backup, or a site without any, is older than allowed: the warning, and since when."""
    if not settings.BACKUP_MAX_AGE_DAYS:
        return None
    last = ended_at(table())
    since = last or _in_use_since()
    if since is None or now - since <= timedelta(days=settings.BACKUP_MAX_AGE_DAYS):
        return None
    return "backup_late" if last else "backup_missing", since


def is_late(clock: Callable[[], datetime] = utc_now) -> bool:
    return _late_since(clock()) is not None


# --- mailing ---


def warn_of_late(clock: Callable[[], datetime] = utc_now) -> int:
    """Queue today's warnings if they are due; returns how many. Safe to run concurrently: each mail is queued once."""
    late = _late_since(clock())
    return _mail(*late, WATCHERS, clock()) if late else 0


def warn_of_failure(clock: Callable[[], datetime] = utc_now) -> int:
    return _mail("backup_failed", clock(), (Role.OWNER,), clock())


def _mail(kind: str, day: datetime, roles: Iterable[Role], now: datetime) -> int:
    occasion = f"{kind} {now.date().isoformat()}"
    mails = (outbox.queued_once(occasion, kind, to, day=day.date().isoformat()) for to in addresses_of(roles))
    return sum(map(try_write, mails))  # one that is refused was mailed today
