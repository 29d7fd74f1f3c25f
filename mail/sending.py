"""Sends queued mails: each at most once, by any number of workers.

Urgent and bulk mails have separate lanes, each with its own connection: a slow server may delay bulk mail, but never a
password reset. See docs/how-to/mail.md.
"""

from __future__ import annotations

import logging
import smtplib
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import chain, takewhile
from random import uniform
from typing import Any

from django.core.mail import EmailMessage, get_connection
from django.utils.translation import get_language

from acts.queues import log_failure, process_each
from acts.storage import now_text, table
from store import keys, sharded_reads
from store.log import as_text
from store.table import Item, Span, StoreError

from . import outages, outbox
from .emails import compose as compose_email
from .emails import is_still_useful
from .errors import (
    Deferred,
    MailError,
    Rejected,
    Unanswered,
    Unreachable,
    error_for_reply,
    error_text,
    redact_address,
    reply_code,
)
from .outages import LANES, URGENT
from .outbox import (
    ASIDE,
    FAILED,
    QUEUED,
    RETENTION_SECONDS,
    SENDING,
    SENT,
    UNKNOWN,
    Mail,
    NothingToSay,
    Withdrawn,
    mail_of,
    move,
)
from .smtp import EmailBackend, is_lost

LEASE_SECONDS = 240  # longer than a mail can take over two connections
PAUSES = (300, 900, 3600, 4 * 3600)  # seconds before the next try; the last one repeats
GIVE_UP_SECONDS = 3 * 24 * 3600
TEST_TIMEOUT_SECONDS = 20  # to connect, and for the mail: a person is waiting

Compose = Callable[[Mail], EmailMessage]

_log = logging.getLogger("plenum.mail")


def send_waiting(
    compose: Compose,
    now: Callable[[], float] = time.time,
    goes_on: Callable[[], bool] = lambda: True,
    lanes: Iterable[str] = LANES,
) -> int:
    """Sends queued mails and returns how many went out; any number of workers may run at once.

    `goes_on` is called before each mail, and stops the run by returning false.
    """
    return process_each(lanes, lambda lane: _send_lane(LaneRun(lane, compose, now), goes_on))


def _send_lane(lane: LaneRun, goes_on: Callable[[], bool]) -> int:
    lost = (partial(_give_up_abandoned, item, lane.now()) for item in table().each(keys.mails(SENDING)))
    due = sharded_reads.each(table(), _due(lane.name, lane.now()))
    waiting = (partial(lane.send_due, item) for item in due)
    turns: Iterator[Callable[[], int | None]] = chain(lost, takewhile(lambda _: goes_on(), waiting))
    try:
        return process_each(turns, lambda turn: turn())
    finally:
        lane.hang_up()


def anything_due(lane: str, now: float) -> bool:
    """A cheap check for mails that are due, or that are being sent and need their outcome settled."""
    lists = (*_due(lane, now), keys.mails(SENDING))
    return not outages.is_backing_off(lane, now) and any(table().page(span, limit=1).items for span in lists)


def _due(lane: str, now: float) -> list[Span]:
    return outbox.due_by(as_text(datetime.fromtimestamp(now, UTC)), urgent=lane == URGENT)


class LaneRun:
    """One run of a lane over one connection, for as long as the server is reachable."""

    def __init__(self, lane: str, compose: Compose, now: Callable[[], float]):
        self.name, self.compose, self.now = lane, compose, now
        self._connection: EmailBackend | None = None
        outage = outages.find_outage(lane)
        self._was_out_of_reach = outage is not None
        self._is_out_of_reach = outage is not None and outage.until > now()

    def send_due(self, item: Item) -> bool:
        mail = mail_of(item)
        if mail.not_before > self.now():
            return False
        if reason := self._end_of(mail):
            self._end(mail, FAILED, reason, MailError(mail.detail or "-"), old=QUEUED)
            return False
        return self._can_send() and self._send(mail)

    def _end_of(self, mail: Mail) -> str:
        """Why the mail should be given up; empty if it should not."""
        if not is_still_useful(mail, self.now()):
            return "expired"
        return (mail.reason or "unreachable") if mail.waited_for(self.now()) >= GIVE_UP_SECONDS else ""

    # --- the server ---

    def _can_send(self) -> bool:
        """Whether there is a connection, or one can be opened. The file backend needs none."""
        if self._is_out_of_reach:
            return False
        connection = self._connection or get_connection()
        if not isinstance(connection, EmailBackend) or connection.connection is not None:
            return True
        try:
            connection.open()
        except Unreachable as error:
            self._shut(error)
            return False
        self._connection = connection
        return True

    def _shut(self, error: MailError) -> None:
        """Starts the backoff, because the next mail would fail the same way."""
        self._is_out_of_reach = self._was_out_of_reach = True
        text = redact_address(error.text, "")
        _log.warning("mail server out of reach", extra={"lane": self.name, "code": error.code, "words": text})
        outages.record_failure(self.name, text, self.now())

    def _answered(self) -> None:
        if self._was_out_of_reach:
            self._was_out_of_reach = False
            outages.clear_outage(self.name)

    def hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()

    # --- mails ---

    def _send(self, mail: Mail) -> bool:
        if (message := self._written(mail)) is None:
            return False
        if not move(mail, QUEUED, SENDING, lease=int(self.now()) + LEASE_SECONDS):
            return False  # claimed by another worker
        try:
            answer = self._hand_over(message)
        except Exception as error:
            self._note(mail, as_mail_error(error))
            return False
        self._answered()
        answer = redact_address(answer, mail.to)
        return move(mail, SENDING, SENT, reason="", detail=answer, ttl=int(self.now()) + RETENTION_SECONDS)

    def _written(self, mail: Mail) -> EmailMessage | None:
        try:
            return self.compose(mail)
        except StoreError:
            raise
        except Withdrawn:
            move(mail, QUEUED, ASIDE, reason="taken back", detail="", ttl=int(self.now()) + RETENTION_SECONDS)
        except NothingToSay:
            self._end(mail, FAILED, "gone", MailError(""), old=QUEUED)
        except Exception as error:
            log_failure(error)
            self._end(mail, FAILED, "unwritten", MailError(type(error).__name__), old=QUEUED)
        return None

    def _hand_over(self, message: EmailMessage) -> str:
        """Returns the server's reply. A stale connection is reopened at once, but only once."""
        if (connection := self._connection) is None:
            message.send()
            return ""
        message.connection, was_used = connection, bool(connection.answer)
        try:
            message.send()
        except Deferred as error:
            if not (was_used and is_lost(error)):
                raise
            connection.open()
            message.send()
        return connection.answer

    def _note(self, mail: Mail, error: MailError) -> None:
        """Settles a mail that did not go out, and starts the backoff if the connection was lost."""
        if self._connection is not None:
            self._answered() if self._connection.connection else self._shut(error)
        if isinstance(error, Unanswered):
            self._end(mail, UNKNOWN, "unanswered", error)
        elif isinstance(error, Rejected):
            self._end(mail, FAILED, "refused", error)
        else:
            self._try_later(mail, error)

    def _end(self, mail: Mail, state: str, reason: str, error: MailError, old: str = SENDING) -> None:
        text = redact_address(error.text, mail.to)
        move(mail, old, state, **_failure(mail, reason, text, self.now(), error.code))

    def _try_later(self, mail: Mail, error: MailError) -> None:
        reason, text = "later" if error.code else "unreachable", redact_address(error.text, mail.to)
        then = int(self.now() + backoff(mail.tries))
        move(mail, SENDING, QUEUED, not_before=then, reason=reason, detail=text, tries=mail.tries + 1)


def as_mail_error(error: Exception) -> MailError:
    """Converts errors of our own backend, or of any other, to `MailError`."""
    if isinstance(error, MailError):
        return error
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return error_for_reply(*next(iter(error.recipients.values())))
    if isinstance(error, smtplib.SMTPSenderRefused | smtplib.SMTPDataError):
        return error_for_reply(error.smtp_code, error.smtp_error)
    if isinstance(error, smtplib.SMTPException | OSError):
        return Unreachable(error_text(error), reply_code(error))
    log_failure(error)
    return Rejected(type(error).__name__)  # such as an address that cannot be encoded


def backoff(tries: int, chance: Callable[[float, float], float] = uniform) -> float:
    """Seconds until the next try, randomised so that mails do not all retry at once."""
    return PAUSES[min(tries, len(PAUSES) - 1)] * chance(0.8, 1.2)


def _failure(mail: Mail, reason: str, detail: str, now: float, code: int = 0) -> dict[str, Any]:
    """Fields of a mail that failed; logs it without the recipient."""
    _log.warning("mail failed", extra={"kind": mail.kind, "reason": reason, "code": code, "number": mail.number})
    return {"reason": reason, "detail": detail, "tries": mail.tries + 1, "ttl": int(now) + RETENTION_SECONDS}


def _give_up_abandoned(item: Item, now: float) -> None:
    if item["lease"] < now:
        mail = mail_of(item)
        move(mail, SENDING, UNKNOWN, before=int(now), **_failure(mail, "unknown", "", now))


def send_test_email(to: str) -> str:
    """Send at once, past the outbox; return the server's reply (empty without SMTP), or raise `MailError`."""
    mail = Mail(uuid.uuid4().hex, "trial", to, {}, get_language() or "en", SENDING, "", "", 0, now_text())
    message, connection = compose_email(mail), get_connection(seconds=TEST_TIMEOUT_SECONDS)
    message.connection = connection
    try:
        message.send()
    except (MailError, OSError, ValueError) as error:
        raise as_mail_error(error) if not isinstance(error, ValueError) else Rejected(str(error)) from error
    return str(getattr(connection, "answer", ""))
