"""Mails to those who watch over the site: the nightly checkpoint of the log, and warnings about backups.

A checkpoint in a mailbox shows whether the log was changed later. With it come the digest over all scripts and
stylesheets that the site serves and, if they have changed since the last mail, the digest of each. It is mailed once a
day (UTC), as soon as there is a newer one than was mailed last; a site without activity mails nothing. This is not
recorded as an event, because an event would be a reason for the next mail.

Warnings that a backup failed, or that there has been none for days, are not acts of a person either. Each is mailed
once a day (UTC), however often it is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from accounts import repository
from accounts.rules import Role
from foundation.acts.links import absolute_url
from foundation.acts.storage import table, try_write
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate, Mail
from foundation.store import keys
from foundation.store.log import EventLog, layout, utc_now
from foundation.store.table import Less, Missing, Put, Table

WATCHERS = (Role.AUDITOR, Role.OWNER)
BATCH_PEOPLE = 100


def code_lines(mail: Mail) -> dict[str, str]:
    """The digest of what the site serves, how to compare it, and the digests of new files."""
    known = table().get(keys.SERVED_CODE)
    if known is None:
        return {"code": ""}
    lines = [
        gettext("All scripts and stylesheets that this site serves: %(digest)s") % {"digest": known["edition"]},
        gettext("To compare this with what another computer is served: %(command)s")
        % {"command": f"curl -s {absolute_url(reverse('served_code'))} | sha256sum"},
    ]
    is_new = mail.about.get("code") != known["edition"]
    return {"code": "\n".join([*lines, *(known["files"] if is_new else ())])}


def _warning(subject: str, *sentences: str) -> EmailTemplate:
    return EmailTemplate(subject, sentences, lambda mail: reverse("system"), gettext_noop("Check the site"))


EMAIL_TEMPLATES = {
    "checkpoint": EmailTemplate(
        gettext_noop("The latest checkpoint of the log"),
        (
            gettext_noop("The log is sealed up to event %(event_id)s. Its checkpoint is %(hash)s."),
            gettext_noop("Keep this mail. This command tells you whether anything up to that event was changed later:"),
            gettext_noop("plenum verify --checkpoint %(event_id)s:%(hash)s"),
        ),
        lambda mail: reverse("checkpoints"),
        gettext_noop("See all checkpoints"),
        listed="code",
        values=code_lines,
    ),
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


def is_checkpoint_due(clock: Callable[[], datetime] = utc_now) -> bool:
    """Whether there is a newer checkpoint, and none was mailed today."""
    mailed, newest = table().get(keys.NIGHTLY), EventLog(table()).newest_public()
    if mailed is None or newest is None:
        return newest is not None
    return bool(mailed["day"] < _day(clock) and mailed["event_id"] < newest["event_id"])


def mail_checkpoint(clock: Callable[[], datetime] = utc_now) -> int:
    """Queue today's mails if they are due; returns how many. Safe to run concurrently: each mail is queued once."""
    newest, mailed = EventLog(table()).newest_public(), table().get(keys.NIGHTLY)
    if newest is None or not is_checkpoint_due(clock):
        return 0
    if mailed is None:  # a new site: its first mail comes the next night
        _record_mailed(_day(clock), 0)
        return 0
    about = {"event_id": str(newest["event_id"]), "hash": newest["hash"], "code": mailed.get("code", "")}
    occasion = f"checkpoint {_day(clock)}"
    mails = (outbox.queued_once(occasion, "checkpoint", address, **about) for address in addresses_of(WATCHERS))
    queued = sum(map(try_write, mails))  # one that is refused was mailed by an interrupted or concurrent worker
    code = table().get(keys.SERVED_CODE) or {"edition": ""}
    _record_mailed(_day(clock), newest["event_id"], code["edition"])
    return queued


def _day(clock: Callable[[], datetime]) -> str:
    return clock().date().isoformat()


def addresses_of(roles: Iterable[Role]) -> Iterator[str]:
    for role in roles:
        cursor = None
        while True:
            people, cursor = repository.people(role=role, limit=BATCH_PEOPLE, cursor=cursor)
            yield from (person.email for person in people)
            if cursor is None:
                break


def _record_mailed(day: str, event_id: int, code: str = "") -> None:
    place = keys.NIGHTLY
    is_new = Missing() | Less("day", day)
    try_write(Put({"PK": place.pk, "SK": place.sk, "day": day, "event_id": event_id, "code": code}, when=is_new))


# --- backups ---


def ended_at(found: Table) -> datetime | None:
    """When the newest backup ended, if there is one."""
    item = found.get(keys.LAST_BACKUP)
    return datetime.fromisoformat(item["ended_at"]) if item else None


def _late_since(now: datetime) -> tuple[str, datetime] | None:
    """If the newest backup, or a site without any, is older than allowed: the warning, and since when."""
    if not settings.BACKUP_MAX_AGE_DAYS:
        return None
    last = since = ended_at(table())
    if last is None and (first := layout.first_of_all(table())):
        since = datetime.fromisoformat(first["when_occurred"])
    if since is None or now - since <= timedelta(days=settings.BACKUP_MAX_AGE_DAYS):
        return None
    return "backup_late" if last else "backup_missing", since


def is_late(clock: Callable[[], datetime] = utc_now) -> bool:
    return _late_since(clock()) is not None


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
