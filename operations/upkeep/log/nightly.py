"""The nightly mail: the newest public checkpoint, to those who watch over the log.

A checkpoint in a mailbox shows whether the log was changed later. With it come the digest over all scripts and
stylesheets that the site serves and, if they have changed since the last mail, the digest of each. It is mailed once a
day (UTC), as soon as there is a newer one than was mailed last; a site without activity mails nothing. This is not
recorded as an event, because an event would be a reason for the next mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from accounts import repository
from accounts.rules import Role
from foundation.acts.links import absolute_url
from foundation.acts.storage import table, try_write
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate, Mail
from foundation.store import keys
from foundation.store.log import EventLog, utc_now
from foundation.store.table import Item, Less, Missing, Put

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
    )
}


def is_due(clock: Callable[[], datetime] = utc_now) -> bool:
    """Whether there is a newer checkpoint, and none was mailed today."""
    mailed, newest = table().get(keys.NIGHTLY), EventLog(table()).newest_public()
    if mailed is None or newest is None:
        return newest is not None
    return bool(mailed["day"] < _day(clock) and mailed["event_id"] < newest["event_id"])


def mail_checkpoint(clock: Callable[[], datetime] = utc_now) -> int:
    """Queue today's mails if they are due; returns how many. Safe to run concurrently: each mail is queued once."""
    newest, mailed = EventLog(table()).newest_public(), table().get(keys.NIGHTLY)
    if newest is None or not is_due(clock):
        return 0
    if mailed is None:  # a new site: its first mail comes the next night
        _record_mailed(_day(clock), 0)
        return 0
    before = mailed.get("code", "")
    queued = sum(_queue(address, newest, before, _day(clock)) for address in addresses_of(WATCHERS))
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


def _queue(address: str, checkpoint: Item, code: str, day: str) -> bool:
    """`code` is the digest of the files that were served when the last mail was sent."""
    about = {"event_id": str(checkpoint["event_id"]), "hash": checkpoint["hash"], "code": code}
    # else an interrupted or concurrent worker has mailed this one
    return try_write(outbox.queued_once(f"checkpoint {day}", "checkpoint", address, **about))


def _record_mailed(day: str, event_id: int, code: str = "") -> None:
    place = keys.NIGHTLY
    is_new = Missing() | Less("day", day)
    try_write(Put({"PK": place.pk, "SK": place.sk, "day": day, "event_id": event_id, "code": code}, when=is_new))
