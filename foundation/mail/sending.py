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

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils.translation import get_language

from foundation.acts.queues import log_failure, process_each
from foundation.acts.storage import now_text, table
from foundation.store import keys, sharded_reads
from foundation.store.log import as_text
from foundation.store.splitting import by_count
from foundation.store.table import Item, Span, StoreError

from . import outages, outbox
from .emails import Mail, NothingToSay, Withdrawn, is_still_useful
from .emails import compose as compose_email
from .outages import LANES, URGENT
from .outbox import (
    ASIDE,
    FAILED,
    QUEUED,
    RETENTION_SECONDS,
    SENDING,
    SENT,
    UNKNOWN,
    Changes,
    Move,
    mail_of,
)
from .smtp import (
    Deferred,
    EmailBackend,
    MailError,
    Rejected,
    Unanswered,
    Unreachable,
    error_for_reply,
    error_text,
    is_lost,
    redact_address,
    reply_code,
)

MAX_BATCH_MAILS = 25  # claimed at once
BATCH_SECONDS = 2  # after which no other mail of a batch is begun
LEASE_SECONDS = 240 + BATCH_SECONDS  # longer than a mail can take over two connections
MARKING_PAUSES = (0.5, 2, 8)  # seconds before what became of mails is written again
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
    return process_each(lanes, lambda lane: _send_lane(LaneRun(lane, compose, now, goes_on)))


def _send_lane(lane: LaneRun) -> int:
    lost = (partial(_give_up_abandoned, items, lane.now()) for items in by_count(table().each(keys.mails(SENDING))))
    due = sharded_reads.each(table(), _due(lane.name, lane.now()))
    waiting = (partial(lane.take, item) for item in due)
    turns: Iterator[Callable[[], int | None]] = chain(
        lost, takewhile(lambda _: lane.goes_on(), waiting), [lane.send_all]
    )
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
    """One run of a lane over one connection, for as long as the server is reachable.

    Mails are claimed in one write, sent one by one, and marked in one write. The first batch is a single mail; the next
    ones grow while the server is quick, so that few mails are unknown if the worker dies.
    """

    def __init__(self, lane: str, compose: Compose, now: Callable[[], float], goes_on: Callable[[], bool]):
        self.name, self.compose, self.now, self.goes_on = lane, compose, now, goes_on
        self._ready: list[tuple[Mail, EmailMessage]] = []
        self._batch_mails = 1
        self._backend: BaseEmailBackend | None = None  # for all mails of the run
        outage = outages.find_outage(lane)
        self._was_out_of_reach = outage is not None
        self._is_out_of_reach = outage is not None and outage.until > now()

    def take(self, item: Item) -> int:
        """Composes a mail that is due, and sends all that are ready if they are enough; returns how many went out."""
        mail = mail_of(item)
        if mail.not_before > self.now():
            return 0
        if reason := self._end_of(mail):
            outbox.move_all([self._ended(mail, FAILED, reason, MailError(mail.detail or "-"), old=QUEUED)])
        elif self._can_send() and (message := self._written(mail)) is not None:
            self._ready.append((mail, message))
        return self.send_all() if len(self._ready) >= self._batch_mails else 0

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
        self._backend = self._backend or get_connection()
        if self._server is None or self._server.connection is not None:
            return True
        try:
            self._server.open()
        except Unreachable as error:
            self._shut(error)
            return False
        return True

    @property
    def _server(self) -> EmailBackend | None:
        return self._backend if isinstance(self._backend, EmailBackend) else None

    def _shut(self, error: MailError) -> None:
        """Starts the backoff, because the next mail would fail the same way."""
        self._is_out_of_reach = self._was_out_of_reach = True
        text = redact_address(error.text, "")
        _log.warning("mail server out of reach", extra={"lane": self.name, "code": error.code, "words": text})
        outages.record_failure(self.name, text, self.now())

    def hang_up(self) -> None:
        if self._backend is not None:
            self._backend.close()

    # --- mails ---

    def send_all(self) -> int:
        """Claims what is ready, sends it, and marks it; returns how many went out. What was not begun in time waits
        again, in its old place; what was begun is never sent again by itself, whatever breaks."""
        ready = {mail.number: (mail, message) for mail, message in self._ready}
        self._ready = []
        if not self.goes_on():
            return 0
        lease = int(self.now()) + LEASE_SECONDS
        claims = [Move(mail, QUEUED, SENDING, {"lease": lease}) for mail, _message in ready.values()]
        claimed = outbox.move_each(claims)  # of the others, some have another worker
        left = [ready[claim.mail.number] for claim in reversed(claimed.made)]
        until, outcomes = self.now() + BATCH_SECONDS, list[Move]()
        try:
            while left and not self._is_out_of_reach and self.goes_on() and self.now() < until:
                outcome, failure = self._send(*left.pop())
                outcomes.append(outcome)
                self._learn(failure)
        finally:
            waiting = [Move(mail, SENDING, QUEUED) for mail, _message in left]
            marked = _mark([*outcomes, *waiting])
        is_quick = not left and self.now() < until - BATCH_SECONDS / 2
        self._batch_mails = min(MAX_BATCH_MAILS, max(1, len(outcomes) * (2 if is_quick else 1)))
        if claimed.error is not None:
            raise claimed.error
        return sum(each.new == SENT for each in marked)

    def _send(self, mail: Mail, message: EmailMessage) -> tuple[Move, MailError | None]:
        try:
            # Returns the server's reply. A stale connection is reopened at once, but only once.
            message.connection, server = self._backend, self._server
            was_used = server is not None and bool(server.answer)
            try:
                message.send()
            except Deferred as error:
                if server is None or not (was_used and is_lost(error)):
                    raise
                server.open()
                message.send()
            answer = redact_address(server.answer if server is not None else "", mail.to)
        except Exception as error:
            failure = as_mail_error(error)
            return self._settled(mail, failure), failure
        return Move(mail, SENDING, SENT, {"reason": "", "detail": answer, **self._expiry()}), None

    def _learn(self, failure: MailError | None) -> None:
        """What a mail's outcome says about the server: it answers, or the connection was lost."""
        if failure is None or (self._server is not None and self._server.connection is not None):
            if self._was_out_of_reach:
                self._was_out_of_reach = False
                outages.clear_outage(self.name)
        elif self._server is not None:
            self._shut(failure)

    def _written(self, mail: Mail) -> EmailMessage | None:
        try:
            return self.compose(mail)
        except StoreError:
            raise
        except Withdrawn:
            ended = Move(mail, QUEUED, ASIDE, {"reason": "taken back", "detail": "", **self._expiry()})
        except NothingToSay:
            ended = self._ended(mail, FAILED, "gone", MailError(""), old=QUEUED)
        except Exception as error:
            log_failure(error)
            ended = self._ended(mail, FAILED, "unwritten", MailError(type(error).__name__), old=QUEUED)
        outbox.move_all([ended])
        return None

    def _settled(self, mail: Mail, error: MailError) -> Move:
        """What becomes of a mail that did not go out."""
        if isinstance(error, Unanswered):
            return self._ended(mail, UNKNOWN, "unanswered", error)
        if isinstance(error, Rejected):
            return self._ended(mail, FAILED, "refused", error)
        reason, text = "later" if error.code else "unreachable", redact_address(error.text, mail.to)
        then = int(self.now() + backoff(mail.tries))
        again: Changes = {"not_before": then, "reason": reason, "detail": text, "tries": mail.tries + 1}
        return Move(mail, SENDING, QUEUED, again)

    def _ended(self, mail: Mail, state: str, reason: str, error: MailError, old: str = SENDING) -> Move:
        text = redact_address(error.text, mail.to)
        return Move(mail, old, state, _failure(mail, reason, text, self.now(), error.code))

    def _expiry(self) -> Changes:
        return {"ttl": int(self.now()) + RETENTION_SECONDS}


def _mark(outcomes: list[Move]) -> list[Move]:
    """Waits longer for a store that fails than others do: what is not marked becomes unknown."""
    made = list[Move]()
    for seconds in (*MARKING_PAUSES, None):
        done = outbox.move_each(outcomes)
        made, outcomes = [*made, *done.made], done.failed
        if done.error is None:
            break
        if seconds is None:
            raise done.error
        time.sleep(seconds)
    return made


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


def _failure(mail: Mail, reason: str, detail: str, now: float, code: int = 0) -> Changes:
    """Fields of a mail that failed; logs it without the recipient."""
    _log.warning("mail failed", extra={"kind": mail.kind, "reason": reason, "code": code, "number": mail.number})
    return {"reason": reason, "detail": detail, "tries": mail.tries + 1, "ttl": int(now) + RETENTION_SECONDS}


def _give_up_abandoned(items: Iterable[Item], now: float) -> None:
    lost = [mail_of(item) for item in items if item["lease"] < now]
    outbox.move_all(Move(each, SENDING, UNKNOWN, _failure(each, "unknown", "", now), int(now)) for each in lost)


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
