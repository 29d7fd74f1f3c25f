"""The outbox: mails are queued in the transaction that causes them and sent by a worker, each at most once.

A mail is stored as its kind and what it is about, never as its text: links with their tokens are made when it is sent
and are nowhere at rest. A worker claims a mail before it sends it. If it dies in between, nobody can know whether the
mail went out, so it is not sent again by itself; it is marked as failed, and a person may send it again.
"""

from __future__ import annotations

import smtplib
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.core.mail import EmailMessage
from django.utils.translation import get_language, gettext_noop

from store import keys
from store.log import as_text
from store.table import Equals, Item, Less, Put, Refused, Update

from . import repository

QUEUED, SENDING, SENT, FAILED = STATES = ("queued", "sending", "sent", "failed")
LEASE_SECONDS = 120  # longer than any mail server may take over one mail
TRIES = 5
KEPT_SECONDS = 30 * 24 * 3600

REASONS = {
    "unknown": gettext_noop("The worker stopped while it was sending, so it is not known whether the mail went out."),
    "refused": gettext_noop("The mail server refused it: %(detail)s"),
    "unreachable": gettext_noop("The mail server could not be reached: %(detail)s"),
}


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in the outbox."""

    number: str
    kind: str
    to: str
    about: dict[str, str]
    language: str
    state: str
    reason: str  # one of REASONS, or nothing
    detail: str
    tries: int
    queued_at: str


def queued(kind: str, to: str, **about: str) -> Put:
    """The write that puts a mail into the outbox."""
    number, now = uuid.uuid4().hex, as_text(datetime.now(UTC))
    place = keys.mail(number)
    return Put(
        {
            "PK": place.pk,
            "SK": place.sk,
            "GSI1PK": keys.mails(QUEUED).pk,
            "GSI1SK": f"{now}#{number}",
            "number": number,
            "kind": kind,
            "to": to,
            "about": about,
            "language": get_language() or "en",
            "state": QUEUED,
            "tries": 0,
            "not_before": 0,
            "queued_at": now,
        }
    )


def nothing() -> Put:
    """A write as costly as queueing a mail, of something never sent: the time does not tell which of the two it was."""
    place = keys.mail(uuid.uuid4().hex)
    return Put({"PK": place.pk, "SK": place.sk, "about": {}, "ttl": int(time.time())})


def in_state(state: str, limit: int, cursor: str | None = None) -> tuple[list[Mail], str | None]:
    """Mails of one state, the newest first."""
    page = repository.table().page(keys.mails(state), limit=limit, cursor=cursor, backwards=True)
    return [mail_of(item) for item in page.items], page.cursor


def find(number: str) -> Mail | None:
    item = repository.table().get(keys.mail(number))
    return mail_of(item) if item else None


def send_waiting(compose: Callable[[Mail], EmailMessage], now: Callable[[], float] = time.time) -> int:
    """Send what is queued; answers how many mails went out. Any number of workers may do this at once."""
    _give_up_abandoned(now())
    return sum(_send(mail, compose, now) for mail in list(_due(now())))


def _due(now: float) -> Iterator[Mail]:
    for item in repository.table().each(keys.mails(QUEUED)):
        if item["not_before"] <= now:
            yield mail_of(item)


def _send(mail: Mail, compose: Callable[[Mail], EmailMessage], now: Callable[[], float]) -> bool:
    lease = int(now()) + LEASE_SECONDS
    if not _move(mail, QUEUED, SENDING, lease=lease):
        return False  # another worker has it
    try:
        compose(mail).send()
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        _move(mail, SENDING, FAILED, reason="refused", detail=_words(error), ttl=int(now()) + KEPT_SECONDS)
    except (smtplib.SMTPException, OSError) as error:
        _try_later(mail, type(error).__name__, int(now()))
    else:
        return _move(mail, SENDING, SENT, reason="", detail="", ttl=int(now()) + KEPT_SECONDS)
    return False


def _try_later(mail: Mail, detail: str, now: int) -> None:
    tries = mail.tries + 1
    why: dict[str, str | int] = {"reason": "unreachable", "detail": detail, "tries": tries}
    if tries >= TRIES:
        _move(mail, SENDING, FAILED, **why, ttl=now + KEPT_SECONDS)
    else:
        _move(mail, SENDING, QUEUED, **why, not_before=now + 60 * 2**tries)


def _give_up_abandoned(now: float) -> None:
    for item in repository.table().each(keys.mails(SENDING)):
        if item["lease"] < now:
            _move(mail_of(item), SENDING, FAILED, reason="unknown", ttl=int(now) + KEPT_SECONDS, before=int(now))


def _move(mail: Mail, old: str, new: str, *, before: int | None = None, **changes: str | int) -> bool:
    """From one state to another; false if the mail is no longer in the old one."""
    held = Equals("state", old)
    update = Update(
        keys.mail(mail.number),
        set={"state": new, "GSI1PK": keys.mails(new).pk, **changes},
        when=held if before is None else held & Less("lease", before),
    )
    try:
        repository.table().write(update)
    except Refused:
        return False
    return True


def _words(error: smtplib.SMTPException) -> str:
    """The server's code, without its words: those repeat the address."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return ", ".join(str(code) for code, _ in error.recipients.values())
    return str(getattr(error, "smtp_code", type(error).__name__))


def mail_of(item: Item) -> Mail:
    return Mail(
        number=item["number"],
        kind=item["kind"],
        to=item["to"],
        about=item["about"],
        language=item["language"],
        state=item["state"],
        reason=item.get("reason", ""),
        detail=item.get("detail", ""),
        tries=item["tries"],
        queued_at=item["queued_at"],
    )
