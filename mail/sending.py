"""Sending what waits in the outbox: each mail at most once, by any number of workers."""

from __future__ import annotations

import smtplib
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, takewhile

from django.core.mail import EmailMessage

from acts.queues import take_each
from acts.site import table
from store import keys
from store.table import Item

from .outbox import FAILED, KEPT_SECONDS, QUEUED, SENDING, SENT, Mail, NothingToSay, mail_of, move

LEASE_SECONDS = 120  # longer than any mail server may take over one mail
TRIES = 5


def send_waiting(
    compose: Callable[[Mail], EmailMessage],
    now: Callable[[], float] = time.time,
    goes_on: Callable[[], bool] = lambda: True,
) -> int:
    """Send what is queued; answers how many mails went out. Any number of workers may do this at once.

    Whoever wants to stop between two mails says so when `goes_on` is asked, before each.
    """
    lost = [partial(_give_up_abandoned, item, now()) for item in table().each(keys.mails(SENDING))]
    waiting = [partial(_send_due, item, compose, now) for item in table().each(keys.mails(QUEUED))]
    turns: Iterator[Callable[[], int | None]] = chain(lost, takewhile(lambda _: goes_on(), waiting))
    return take_each(turns, lambda turn: turn())


def _send_due(item: Item, compose: Callable[[Mail], EmailMessage], now: Callable[[], float]) -> bool:
    return item["not_before"] <= now() and _send(mail_of(item), compose, now)


def _send(mail: Mail, compose: Callable[[Mail], EmailMessage], now: Callable[[], float]) -> bool:
    lease = int(now()) + LEASE_SECONDS
    if not move(mail, QUEUED, SENDING, lease=lease):
        return False  # another worker has it
    try:
        compose(mail).send()
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        move(mail, SENDING, FAILED, reason="refused", detail=_words(error), ttl=int(now()) + KEPT_SECONDS)
    except NothingToSay:
        move(mail, SENDING, FAILED, reason="gone", detail="", ttl=int(now()) + KEPT_SECONDS)
    except (smtplib.SMTPException, OSError) as error:
        _try_later(mail, type(error).__name__, int(now()))
    else:
        return move(mail, SENDING, SENT, reason="", detail="", ttl=int(now()) + KEPT_SECONDS)
    return False


def _try_later(mail: Mail, detail: str, now: int) -> None:
    tries = mail.tries + 1
    given_up, later = {"ttl": now + KEPT_SECONDS}, {"not_before": now + 60 * 2**tries}
    state, when = (FAILED, given_up) if tries >= TRIES else (QUEUED, later)
    move(mail, SENDING, state, reason="unreachable", detail=detail, tries=tries, **when)


def _give_up_abandoned(item: Item, now: float) -> None:
    if item["lease"] < now:
        move(mail_of(item), SENDING, FAILED, reason="unknown", ttl=int(now) + KEPT_SECONDS, before=int(now))


def _words(error: smtplib.SMTPException) -> str:
    """The server's code, without its words: those repeat the address."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return ", ".join(str(code) for code, _ in error.recipients.values())
    return str(getattr(error, "smtp_code", type(error).__name__))
