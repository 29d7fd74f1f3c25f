"""What a person decides about mails that did not arrive: to try them again, or to put them aside."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from acts.queues import take_each
from acts.refusals import Refusal
from acts.site import log, now_text, table
from store import keys
from store.log import Event
from store.table import Delete, Equals, Item, Missing, Put, Refused, Write

from . import server
from .outbox import ASIDE, FAILED, KEPT_SECONDS, QUEUED, UNKNOWN, Mail, counting, mail_of, move, moved

UNDECIDED = (FAILED, UNKNOWN)  # what a person may decide about
# Why a mail may have failed that is tried again with all others. Not one that a server has taken, as far as anybody
# knows, and not one that has nothing more to say: those are for somebody who looks at them one by one.
WITH_ALL_OTHERS = ("refused", "later", "unreachable", "unwritten")


def try_all(actor: str, *also: Write) -> None:
    """Ask for all that failed to be tried again; a worker sees to it."""
    place = keys.mails_again()
    mark = Put({"PK": place.pk, "SK": place.sk, "asked_by": actor, "asked_at": now_text()}, when=Missing())
    try:
        log().record(Event(actor, "MailsTriedAgain", {"which": "all"}), mark, *also)
    except Refused as refused:
        raise Refusal(ALREADY if 0 in refused.parts else CHANGED) from None


def try_one(actor: str, mail: Mail, *also: Write) -> None:
    _decide(Event(actor, "MailsTriedAgain", {"which": mail.number}), mail, QUEUED, _afresh(now_text()), *also)


def put_aside(actor: str, mail: Mail, *also: Write) -> None:
    kept = {"ttl": int(time.time()) + KEPT_SECONDS}
    _decide(Event(actor, "MailPutAside", {"which": mail.number}), mail, ASIDE, kept, *also)


def _decide(event: Event, mail: Mail, new: str, changes: dict[str, Any], *also: Write) -> None:
    """Refused if the mail has moved on; a ledger that is closed by now does not stand in the way."""
    if mail.state not in UNDECIDED:
        raise Refusal(MOVED_ON)
    update = moved(mail, mail.state, new, **changes)
    for counted in (counting(mail, mail.state, new, changes), []):
        try:
            log().record(event, update, *also, *counted)
        except Refused as refused:
            if 0 in refused.parts:
                raise Refusal(MOVED_ON) from None
            continue
        return
    raise Refusal(CHANGED)


def _afresh(asked_at: str) -> dict[str, Any]:
    now = int(datetime.fromisoformat(asked_at).timestamp())
    return {"not_before": now, "again_at": asked_at, "tries": 0, "reason": "", "detail": ""}


# --- what workers do ---


def is_asked() -> bool:
    return table().get(keys.mails_again()) is not None


def take_up(goes_on: Callable[[], bool]) -> int:
    """Queue all that failed before somebody asked for it; answers how many. Whoever is stopped goes on next time."""
    mark = table().get(keys.mails_again())
    if mark is None:
        return 0
    server.forget_outages()
    stopped: list[bool] = []

    def take(item: Item) -> bool:
        if stopped or not goes_on():
            stopped.append(True)
            return False
        return _take_up(mail_of(item), mark["asked_at"])

    done = take_each(table().each(keys.mails(FAILED)), take)
    if not stopped:
        table().write(Delete(keys.mails_again(), when=Missing() | Equals("asked_at", mark["asked_at"])))
    return done


def _take_up(mail: Mail, asked_at: str) -> bool:
    if mail.reason == "unknown":  # as an earlier version has told it
        move(mail, FAILED, UNKNOWN)
    if mail.again_at >= asked_at or mail.reason not in WITH_ALL_OTHERS:
        return False
    return move(mail, FAILED, QUEUED, **_afresh(asked_at))


ALREADY = _("These mails are being tried again already.")
MOVED_ON = _("Something else has become of this mail meanwhile.")
CHANGED = _("Your role was changed just now, so this was not done.")
