"""Bounces: reports from mail servers, parsed and recorded on the mail they are about.

A report is trusted only if it names the Message-ID of one of our mails, which cannot be forged. It changes only the
state of that mail, nothing about a person, nor whether they get other mails.
"""

from __future__ import annotations

import email
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser

from foundation.acts.storage import try_write
from foundation.store import keys
from foundation.store.table import Exists, Update

from . import outbox
from .emails import mail_number
from .errors import redact_address
from .outbox import FAILED, RETENTION_SECONDS, SENT, UNKNOWN

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
    return _delivery_report(message, number)


def _delivery_report(message: Message, number: str) -> Report | None:
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
