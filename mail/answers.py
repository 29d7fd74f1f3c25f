"""What a mail server may answer, or not answer, and what that means for the mail."""

from __future__ import annotations

import re
import smtplib

MAX_REPLY_CHARS = 300
_ADDRESS = re.compile(r"<?[^\s<>,;:\"'()]+@[\w.\[\]:-]*[\w\]]>?")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")
MIN_LOCAL_PART_CHARS = 3  # letters before the @ that are looked for by themselves: fewer are found in any sentence


class Trouble(Exception):
    """Something other than a yes. The code is 0 where the server gave none."""

    def __init__(self, words: str, code: int = 0):
        self.words, self.code = words, code
        super().__init__(words)


class Unreachable(Trouble):
    """No connection, or the server let us in but not as far as any mail: no mail's fault."""


class Later(Trouble):
    """A 4xx about this mail, or a connection that was lost before the server had all of it: safe to try again."""


class Lost(Later):
    """The connection is gone, and the server had not all of the mail."""


class Rejected(Trouble):
    """A 5xx about this mail: trying again would not help."""


class Unanswered(Trouble):
    """The server had all of it, and the connection was lost before it said whether it took it."""


def judged(code: int, words: bytes | str) -> Trouble:
    kind = Rejected if 500 <= code <= 599 else Later
    return kind(said(code, words), code)


def said(code: int, words: bytes | str) -> str:
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    return f"{code} {text}".strip()


def words_of(error: Exception) -> str:
    """What went wrong with a connection, in the words of the server or of the system."""
    if isinstance(error, Trouble):
        return error.words
    if isinstance(error, smtplib.SMTPResponseException):
        return said(error.smtp_code, error.smtp_error)
    text = getattr(error, "verify_message", "") or getattr(error, "strerror", "") or str(error)
    return text or type(error).__name__


def code_of(error: Exception) -> int:
    return error.code if isinstance(error, Trouble) else int(getattr(error, "smtp_code", 0))


def without_address(words: str, to: str) -> str:
    """The server's words on one line without any address, for they repeat whom the mail was for."""
    text = _ADDRESS.sub("<…>", _UNSEEN.sub(" ", words))
    local = to.partition("@")[0]
    if len(local) >= MIN_LOCAL_PART_CHARS:
        text = re.sub(rf"(?<!\w){re.escape(local)}(?!\w)", "…", text, flags=re.IGNORECASE)
    return text.strip()[:MAX_REPLY_CHARS]
