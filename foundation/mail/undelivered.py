"""What an admin decides about undelivered mails: retry them, set them aside, or count them as sent."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts.queues import process_each
from foundation.acts.refusals import LostRace, Refusal
from foundation.acts.storage import now_text, record, table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Delete, Equals, Item, Missing, Put, Write

from . import outages
from .emails import Mail
from .outbox import (
    ASIDE,
    FAILED,
    QUEUED,
    RETENTION_SECONDS,
    SENT,
    UNKNOWN,
    counting,
    mail_of,
    move,
    moving,
)

UNDECIDED = (FAILED, UNKNOWN)  # states that a person may decide about
# Reasons for which a failed mail is included when all are retried. Excludes mails that a server may have accepted and
# mails that can no longer be composed: those need individual decisions.
RETRIABLE = ("refused", "later", "unreachable", "unwritten")


RETRY, AS_SENT = "again", "sent"  # decisions about mails of unknown fate
SETTLING_EVENTS = {RETRY: "MailsTriedAgain", AS_SENT: "MailsTakenAsSent"}


def retry_all(actor: str, *extra: Write) -> None:
    """Requests a retry of all failed mails; a worker carries it out."""
    _request(Event(actor, "MailsTriedAgain", {"which": "all"}), {}, *extra)


def settle_unknown(actor: str, how: str, mailing: str, *extra: Write) -> None:
    """Requests that mails of unknown fate, all or of one mailing, be resent or counted as sent by a worker."""
    if how not in SETTLING_EVENTS:
        raise Refusal(NO_CHOICE)
    event_data = {"which": f"unknown {mailing}".strip()}
    _request(Event(actor, SETTLING_EVENTS[how], event_data), {"state": UNKNOWN, "how": how, "mailing": mailing}, *extra)


def _request(event: Event, wanted: dict[str, str], *extra: Write) -> None:
    place, request = keys.MAILS_AGAIN, {"asked_by": event.actor, "asked_at": now_text()}
    put = Put({**place.item, **request, **wanted}, when=Missing())
    try:
        record(event, put, *extra, refusals={0: Refusal(ALREADY_UNDER_WAY)})
    except LostRace:
        raise Refusal(ROLE_CHANGED) from None


def mailing_of(mail: Mail) -> str:
    """Identifies a mailing: its kind, and what all its mails are about."""
    about = (mail.about.get(name, "") for name in ("election_name", "message", "post"))
    return hashlib.sha256("\n".join((mail.kind, *about)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Mailing:
    id: str
    example: Mail
    count: int


def mailings(mails: Iterable[Mail]) -> list[Mailing]:
    """The mailings of these mails, largest first; a single mail is a mailing of one."""
    found: dict[str, list[Mail]] = {}
    for mail in mails:
        found.setdefault(mailing_of(mail), []).append(mail)
    made = [Mailing(id, some[0], len(some)) for id, some in found.items()]
    return sorted(made, key=lambda each: -each.count)


def retry(actor: str, mail: Mail, *extra: Write) -> None:
    _decide(Event(actor, "MailsTriedAgain", {"which": mail.number}), mail, QUEUED, _requeued(now_text()), *extra)


def put_aside(actor: str, mail: Mail, *extra: Write) -> None:
    kept = {"ttl": int(time.time()) + RETENTION_SECONDS}
    _decide(Event(actor, "MailPutAside", {"which": mail.number}), mail, ASIDE, kept, *extra)


def _decide(event: Event, mail: Mail, new: str, changes: dict[str, Any], *extra: Write) -> None:
    """Fails if the mail has moved on; a ledger closed meanwhile is ignored."""
    if mail.state not in UNDECIDED:
        raise Refusal(MOVED_ON)
    update = moving(mail, mail.state, new, **changes)
    for counted in (counting(mail, mail.state, new, changes), []):
        with suppress(LostRace):
            record(event, update, *extra, *counted, refusals={0: Refusal(MOVED_ON)})
            return
    raise Refusal(ROLE_CHANGED)


def _requeued(asked_at: str) -> dict[str, Any]:
    now = int(datetime.fromisoformat(asked_at).timestamp())
    return {"not_before": now, "again_at": asked_at, "tries": 0, "reason": "", "detail": ""}


# --- worker ---


def is_requested() -> bool:
    return table().get(keys.MAILS_AGAIN) is not None


def carry_out(goes_on: Callable[[], bool]) -> int:
    """Carries out requested decisions and returns the number of mails; an interrupted run is resumed next time."""
    mark = table().get(keys.MAILS_AGAIN)
    if mark is None:
        return 0
    outages.clear_all_outages()
    stopped: list[bool] = []

    def take(item: Item) -> bool:
        if stopped or not goes_on():
            stopped.append(True)
            return False
        mail = mail_of(item)
        if mail.again_at >= mark["asked_at"]:  # it has failed again: a person has to look at it
            return False
        if mark.get("state") != UNKNOWN:
            return mail.reason in RETRIABLE and move(mail, FAILED, QUEUED, **_requeued(mark["asked_at"]))
        if mark["mailing"] not in ("", mailing_of(mail)):
            return False
        if mark["how"] == RETRY:
            return move(mail, UNKNOWN, QUEUED, **_requeued(mark["asked_at"]))
        return move(mail, UNKNOWN, SENT, reason="", detail="", ttl=int(time.time()) + RETENTION_SECONDS)

    done = process_each(table().each(keys.mails(mark.get("state", FAILED))), take)
    if not stopped:
        table().write(Delete(keys.MAILS_AGAIN, when=Missing() | Equals("asked_at", mark["asked_at"])))
    return done


ALREADY_UNDER_WAY = _("Mails are already being resent or settled. Wait until that is done.")
NO_CHOICE = _("Choose whether to resend these mails or mark them as sent.")
MOVED_ON = _("The state of this mail has changed meanwhile. Reload the page.")
ROLE_CHANGED = _("Your role was just changed, so nothing was done.")
