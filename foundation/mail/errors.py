"""Errors of sending mail: what the mail server's reply, or the lack of one, means for the mail."""

from __future__ import annotations

import re
import smtplib

MAX_REPLY_CHARS = 300
_ADDRESS = re.compile(r"<?[^\s<>,;:\"'()]+@[\w.\[\]:-]*[\w\]]>?")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")
MIN_LOCAL_PART_CHARS = 3  # shorter local parts are not redacted on their own: they occur in any sentence


class MailError(Exception):
    """Any outcome other than success; the code is 0 if the server gave none."""

    def __init__(self, text: str, code: int = 0):
        self.text, self.code = text, code
        super().__init__(text)


class Unreachable(MailError):
    """No connection, or the server refuses before any mail: not the mail's fault."""


class Deferred(MailError):
    """A 4xx reply about this mail, or a connection lost before the server had all of it: safe to retry."""


class ConnectionLost(Deferred):
    """The connection was lost before the server had all of the mail."""


class Rejected(MailError):
    """A 5xx reply about this mail: retrying would not help."""


class Unanswered(MailError):
    """The connection was lost after the server had the whole mail, but before its reply."""


def error_for_reply(code: int, text: bytes | str) -> MailError:
    kind = Rejected if 500 <= code <= 599 else Deferred
    return kind(reply_text(code, text), code)


def reply_text(code: int, text: bytes | str) -> str:
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return f"{code} {text}".strip()


def error_text(error: Exception) -> str:
    """Describes a connection failure in the words of the server or the system."""
    if isinstance(error, MailError):
        return error.text
    if isinstance(error, smtplib.SMTPResponseException):
        return reply_text(error.smtp_code, error.smtp_error)
    text = getattr(error, "verify_message", "") or getattr(error, "strerror", "") or str(error)
    return text or type(error).__name__


def reply_code(error: Exception) -> int:
    return error.code if isinstance(error, MailError) else int(getattr(error, "smtp_code", 0))


def redact_address(text: str, to: str) -> str:
    """The server's reply on one line, without addresses, because replies often quote the recipient."""
    text = _ADDRESS.sub("<…>", _UNSEEN.sub(" ", text))
    local = to.partition("@")[0]
    is_absent = text.isascii() and local.isascii() and local.lower() not in text.lower()  # needs no pattern of its own
    if len(local) >= MIN_LOCAL_PART_CHARS and not is_absent:
        text = re.sub(rf"(?<!\w){re.escape(local)}(?!\w)", "…", text, flags=re.IGNORECASE)
    return text.strip()[:MAX_REPLY_CHARS]
