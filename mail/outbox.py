"""The outbox: mails are queued in the transaction that causes them and sent by a worker, each at most once.

A mail is stored as its kind and what it is about, never as its text: links with their tokens are made when it is sent
and are nowhere at rest. A worker claims a mail before it sends it. If it dies in between, nobody can know whether the
mail went out, so it is not sent again by itself; it is marked as failed, and a person may send it again.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.utils.translation import get_language, gettext_noop

from acts.site import table
from store import keys
from store.log import as_text
from store.table import Equals, Exists, Item, Key, Less, Missing, Put, Refused, Update, Write

QUEUED, SENDING, SENT, FAILED = STATES = ("queued", "sending", "sent", "failed")
KEPT_SECONDS = 30 * 24 * 3600

REASONS = {
    "unknown": gettext_noop("The worker stopped while it was sending, so it is not known whether the mail went out."),
    "refused": gettext_noop("The mail server refused it: %(detail)s"),
    "unreachable": gettext_noop("The mail server could not be reached: %(detail)s"),
    "restored": gettext_noop("It waited when a backup was made that was restored since. It may have been sent."),
    "gone": gettext_noop("What it was to say was deleted before it could be sent."),
}


class NothingToSay(Exception):
    """What a mail was to say is gone, so that it cannot be written any more."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where others keep count of a mail: numbers in one item, and an entry of its own while it has failed."""

    counts: Key
    kind: str
    failure: Key

    def counted(self, state: str) -> str:
        return f"{self.kind}_{state}"


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
    ledger: Ledger | None = None


def queued(kind: str, to: str, ledger: Ledger | None = None, **about: str) -> Put:
    """The write that puts a mail into the outbox. With a ledger, whoever keeps it counts the mail as queued."""
    return _queued(uuid.uuid4().hex, kind, to, ledger, about)


def queued_once(occasion: str, kind: str, to: str, ledger: Ledger | None = None, **about: str) -> Put:
    """As `queued`, but refused if this address was mailed on this occasion: its number is made of both."""
    number = hashlib.sha256(f"{occasion}\0{keys.fold(to)}".encode()).hexdigest()[:32]
    free = Missing() | Less("ttl", int(time.time()))
    return replace(_queued(number, kind, to, ledger, about), when=free)


def _queued(number: str, kind: str, to: str, ledger: Ledger | None, about: dict[str, str]) -> Put:
    place, now = keys.mail(number), as_text(datetime.now(UTC))
    return Put(
        {
            "PK": place.pk,
            "SK": place.sk,
            **_stored(ledger),
            "GSI1PK": keys.mails(QUEUED).pk,
            "GSI1SK": keys.mail_by_date(now, number),
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


def _stored(ledger: Ledger | None) -> Item:
    if ledger is None:
        return {}
    counts, failure = ledger.counts, ledger.failure
    return {"account": {"kind": ledger.kind, "pk": counts.pk, "counts": counts.sk, "failure": failure.sk}}


def nothing() -> Put:
    """A write as costly as queueing a mail, of something never sent: the time does not tell which of the two it was."""
    place = keys.mail(uuid.uuid4().hex)
    return Put({"PK": place.pk, "SK": place.sk, "about": {}, "ttl": int(time.time())})


def in_state(state: str, limit: int, cursor: str | None = None) -> tuple[list[Mail], str | None]:
    """Mails of one state, the newest first."""
    page = table().page(keys.mails(state), limit=limit, cursor=cursor, backwards=True)
    return [mail_of(item) for item in page.items], page.cursor


def find(number: str) -> Mail | None:
    item = table().get(keys.mail(number))
    return mail_of(item) if item else None


def move(mail: Mail, old: str, new: str, *, before: int | None = None, **changes: str | int) -> bool:
    """From one state to another; false if the mail is no longer in the old one."""
    held = Equals("state", old)
    update = Update(
        keys.mail(mail.number),
        set={"state": new, "GSI1PK": keys.mails(new).pk, **changes},
        when=held if before is None else held & Less("lease", before),
    )
    try:
        table().write(update, *_counting(mail, new, changes))
    except Refused as refused:
        return 0 not in refused.parts and _move_uncounted(update)
    return True


def _counting(mail: Mail, new: str, changes: Mapping[str, str | int]) -> list[Write]:
    """What the mail's ledger says from now on. Being sent counts as queued; a closed ledger stays closed."""
    if mail.ledger is None or new not in (SENT, FAILED):
        return []
    numbers = {mail.ledger.counted(QUEUED): -1, mail.ledger.counted(new): 1}
    counts = Update(mail.ledger.counts, add=numbers, when=Exists())
    if new == SENT:
        return [counts]
    place, why = mail.ledger.failure, {"reason": changes["reason"], "detail": changes.get("detail", mail.detail)}
    return [counts, Put({"PK": place.pk, "SK": place.sk, "kind": mail.ledger.kind, "about": mail.about, **why})]


def _move_uncounted(update: Update) -> bool:
    """As `move`, of a mail whose ledger was closed meanwhile: the election it was about is deleted, say."""
    try:
        table().write(update)
    except Refused:
        return False
    return True


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
        ledger=_ledger_of(item["account"]) if "account" in item else None,
    )


def _ledger_of(stored: Item) -> Ledger:
    return Ledger(Key(stored["pk"], stored["counts"]), stored["kind"], Key(stored["pk"], stored["failure"]))
