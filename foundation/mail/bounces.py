"""Bounces: reports from mail servers, read from a mailbox and recorded on the mail they are about.

A report is trusted only if it names the Message-ID of one of our mails, which cannot be forged. It changes only the
state of that mail, nothing about a person, nor whether they get other mails.

The mailbox, named by the setting BOUNCES_URL, is IMAP or a Maildir. IMAP is only read: nothing is marked, moved or
deleted, and the position is in the store. In a Maildir, mails that were read move from `new` to `cur`, as usual.
Anybody can send a mail to it. One that cannot be parsed is set aside: it stays in the mailbox (flagged, in a Maildir),
the reason is logged and stored, and the next one is read.
"""

from __future__ import annotations

import email
import errno
import imaplib
import logging
import os
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from django.conf import settings

from foundation.acts.storage import now_text, table, try_write
from foundation.store import keys
from foundation.store.table import Conflict, Exists, Item, Unavailable, Update

from . import outbox
from .emails import mail_number
from .outbox import FAILED, RETENTION_SECONDS, SENT, UNKNOWN
from .smtp import SocketDeadline, error_text, redact_address

BOUNCED, DELAYED, COMPLAINED = "bounced", "delayed", "complaint"

_log = logging.getLogger("plenum.mail")


@dataclass(frozen=True, slots=True)
class Report:
    """A report about one of our mails."""

    number: str
    kind: str  # BOUNCED, DELAYED or COMPLAINED
    text: str


# --- parsing (RFC 3464, RFC 5965) ---


def parse_report(raw: bytes) -> Report | None:
    """Parses a report about one of our mails; `None` for any other mail, or a forged report."""
    message = email.message_from_bytes(raw)
    if message.get_content_type() != "multipart/report":
        return None
    number = next(filter(None, map(mail_number, _message_ids(message))), None)
    if number is None:
        return None
    if str(message.get_param("report-type", "")).lower() == "feedback-report":
        return Report(number, COMPLAINED, _field(message, "message/feedback-report", "Feedback-Type"))
    for block in _status_blocks(message):
        action, status = str(block.get("Action", "")).strip().lower(), str(block.get("Status", "")).strip()
        if not action and not status:
            continue  # about the report itself, not the mail
        if action in ("delivered", "relayed", "expanded"):
            return None
        diagnosis = str(block.get("Diagnostic-Code", "")).partition(";")[2] or str(block.get("Diagnostic-Code", ""))
        is_over = action == "failed" or (not action and status.startswith("5"))
        return Report(number, BOUNCED if is_over else DELAYED, f"{status} {diagnosis.strip()}".strip())
    return None


def _status_blocks(message: Message) -> Iterator[Message]:
    """A report's groups of fields: one about the report itself, and one per address."""
    for part in message.walk():
        if part.get_content_type() == "message/delivery-status" and part.is_multipart():
            yield from (block for block in part.get_payload() if isinstance(block, Message))


def _message_ids(message: Message) -> Iterator[str]:
    """Message-IDs the report may be about: from the returned mail or its headers, or else from the reply headers."""
    for part in message.walk():
        if part is not message and part.get("Message-ID"):
            yield str(part["Message-ID"])
        if part.get_content_type() == "text/rfc822-headers":
            yield str(Parser().parsestr(str(part.get_payload()), headersonly=True).get("Message-ID", ""))
    for name in ("In-Reply-To", "References"):
        yield from str(message.get(name, "")).split()


def _field(message: Message, kind: str, name: str) -> str:
    for part in message.walk():
        if part.get_content_type() == kind:
            block = part.get_payload(0) if part.is_multipart() else Parser().parsestr(str(part.get_payload()))
            return str(block.get(name, "")) if isinstance(block, Message) else ""
    return ""


# --- recording ---


def record_report(report: Report) -> bool:
    """Returns whether anything was recorded: the mail exists, and had not failed already."""
    mail = outbox.find(report.number)
    if mail is None:
        return False
    text = redact_address(report.text, mail.to) or "-"
    if report.kind != BOUNCED:
        return try_write(Update(keys.mail(mail.number), set={"note": report.kind, "note_detail": text}, when=Exists()))
    if mail.state not in (SENT, UNKNOWN):
        return False
    _log.warning("mail failed", extra={"kind": mail.kind, "reason": BOUNCED, "code": 0, "number": mail.number})
    return outbox.move(mail, mail.state, FAILED, reason=BOUNCED, detail=text, ttl=int(time.time()) + RETENTION_SECONDS)


# --- the mailbox ---

TURN_MAILS = 500  # per run
MAX_MAIL_BYTES = 256 * 1024  # read of each mail
TIMEOUT_SECONDS = 20  # for each reply
TURN_SECONDS = 120  # for a whole run
MAX_UNREADABLE_MAILS = 20  # set-aside mails that are listed
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
PORTS = {"imap": 143, "imaps": 993}


class MailboxState(NamedTuple):
    trouble: str  # why the last read failed, if it did
    since: str
    unreadable: list[Item]  # newest mails set aside: name, reason and time


class Unreadable(Exception):
    """A mail whose file cannot be read; the message says why."""


def has_mailbox() -> bool:
    return bool(settings.BOUNCES_URL)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A mail in the mailbox."""

    name: str  # for finding it in the mailbox
    fetch: Callable[[], bytes]
    done: Callable[[bool], None]  # marks it as read; the argument says whether it was understood


def read_bounces(goes_on: Callable[[], bool] = lambda: True) -> int:
    """Records bounces since the last run and returns how many mails they were about."""
    noted, unreadable = 0, []
    try:
        with _mails(settings.BOUNCES_URL) as mails:
            for mail in islice(mails, TURN_MAILS):
                if not goes_on():
                    break
                reason, is_noted = _process(mail)
                noted += is_noted
                unreadable += [{"mail": mail.name, "reason": reason, "at": now_text()}] if reason else []
    except (imaplib.IMAP4.error, OSError) as error:
        message = failure_text(error)
        _log.warning("mailbox of bounces out of reach", extra={"words": message})
        _store_state(message, unreadable)
        raise
    _store_state("", unreadable)
    return noted


def _process(mail: Incoming) -> tuple[str, bool]:
    """Returns why the mail could not be read, if so, and whether anything was recorded. A broken mail must not stop the
    others; failures of the store or the mailbox are raised."""
    reason, is_noted = "", False
    try:
        report = parse_report(mail.fetch())
        is_noted = report is not None and record_report(report)
    except (Unavailable, Conflict, OSError, imaplib.IMAP4.abort):
        raise
    except Exception as error:
        reason = str(error) if isinstance(error, Unreadable) else type(error).__name__  # others may quote the mail
        _log.error("bounce set aside", extra={"mail": mail.name, "error": reason})
    mail.done(not reason)
    return reason, is_noted


def check_mailbox(url: str) -> None:
    """Opens the mailbox without changing anything; raises if it cannot be read."""
    with _mails(url):
        pass


def failure_text(error: Exception) -> str:
    """Describes a mailbox failure without any address."""
    reply = error.args[0] if isinstance(error, imaplib.IMAP4.error) and error.args else None
    return redact_address(reply.decode(errors="replace") if isinstance(reply, bytes) else error_text(error), "")


def _mails(url: str) -> AbstractContextManager[Iterator[Incoming]]:
    parts = urlsplit(url)
    return _in_maildir(Path(unquote(parts.path))) if parts.scheme == "maildir" else _by_imap(parts)


@contextmanager
def _in_maildir(folder: Path) -> Iterator[Iterator[Incoming]]:
    new, cur = folder / "new", folder / "cur"
    for each in (new, cur):
        each.stat()
        if not os.access(each, os.W_OK | os.X_OK):
            number = errno.EROFS if os.statvfs(each).f_flag & os.ST_RDONLY else errno.EACCES
            raise OSError(number, os.strerror(number), str(each))
    yield (
        Incoming(path.name, partial(_read_start, path), partial(_move_to, cur, path))
        for path in sorted(path for path in new.iterdir() if path.is_file())
    )


def _read_start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_MAIL_BYTES)
    except OSError as error:
        raise Unreadable(error.strerror) from error


def _move_to(cur: Path, path: Path, is_understood: bool) -> None:
    with suppress(FileNotFoundError):  # another reader has moved it
        path.rename(cur / f"{path.name}:2,{'' if is_understood else 'F'}")


@contextmanager
def _by_imap(url: SplitResult) -> Iterator[Iterator[Incoming]]:
    with _connected(url) as box:
        status, answer = box.select(f'"{unquote(url.path).strip("/") or "INBOX"}"', readonly=True)
        if status != "OK":
            raise imaplib.IMAP4.error((answer[0] or b"no such mailbox").decode(errors="replace"))
        validity = str(int(box.response("UIDVALIDITY")[1][0] or 0))
        item = table().get(keys.BOUNCES_READ)
        last = int(item["number"]) if item and item.get("validity") == validity else 0
        # UIDs after the last one read; servers always return the newest, even if it has been read.
        _, found = box.uid("search", f"UID {last + 1}:*")
        yield (
            Incoming(str(number), partial(_fetch, box, number), partial(_store_position, validity, number))
            for number in sorted(map(int, (found[0] or b"").split()))
            if number > last
        )


@contextmanager
def _connected(url: SplitResult) -> Iterator[imaplib.IMAP4]:
    host, port, deadline = url.hostname or "", url.port or PORTS[url.scheme], SocketDeadline()
    context = ssl.create_default_context()
    if settings.MAIL_CA:
        context.load_verify_locations(settings.MAIL_CA)
    secure = url.scheme == "imaps"
    box = (
        imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=TIMEOUT_SECONDS)
        if secure
        else imaplib.IMAP4(host, port, timeout=TIMEOUT_SECONDS)
    )
    try:
        deadline.watch(box.socket())
        with deadline.within(TURN_SECONDS):
            if not secure and host not in LOCAL_HOSTS:
                if "STARTTLS" not in box.capabilities:
                    raise OSError("the mailbox offers no encryption")  # the password would be sent as plain text
                box.starttls(context)
            box.login(unquote(url.username or ""), unquote(url.password or ""))
            yield box
    finally:
        with suppress(imaplib.IMAP4.error, OSError):
            box.logout()
        deadline.release()


def _fetch(box: imaplib.IMAP4, number: int) -> bytes:
    _, found = box.uid("fetch", str(number), f"(BODY.PEEK[]<0.{MAX_MAIL_BYTES}>)")
    return next((part[1] for part in found if isinstance(part, tuple)), b"")


# --- position and failures ---


def _store_position(validity: str, number: int, is_understood: bool) -> None:
    table().write(Update(keys.BOUNCES_READ, set={"validity": validity, "number": number}))


def _store_state(trouble: str, unreadable: list[Item]) -> None:
    """Stores failures for admins; a healthy mailbox costs no write."""
    there = table().get(keys.BOUNCES_READ) or {}
    if trouble != there.get("trouble", ""):
        table().write(Update(keys.BOUNCES_READ, set={"trouble": trouble, "since": now_text()}))
    if unreadable:
        newest = [*there.get("unreadable", []), *unreadable][-MAX_UNREADABLE_MAILS:]
        table().write(Update(keys.BOUNCES_READ, set={"unreadable": newest}))


def mailbox_state(item: Item | None) -> MailboxState:
    """The stored state of the mailbox."""
    there = item or {}
    return MailboxState(there.get("trouble", ""), there.get("since", ""), there.get("unreadable", []))
