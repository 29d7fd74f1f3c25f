"""Sending by SMTP, in a way that always knows how far a mail came.

If the connection is lost before the final dot, the server cannot have accepted the mail; after that, the outcome is
unknown. Each exchange has an overall deadline, not only a timeout for each wait: a server that sends single bytes could
block us for ever.
"""

from __future__ import annotations

import math
import os
import re
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from email.policy import EmailPolicy
from email.utils import parseaddr
from typing import IO, Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend as SmtpBackend
from django.core.mail.utils import DNS_NAME
from django.utils.functional import cached_property

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


class SocketDeadline:
    """Enforced by a watcher thread, which sleeps while nothing can be late."""

    def __init__(self) -> None:
        self.was_exceeded = False
        self._socket: socket.socket | None = None
        self._changed = threading.Condition()
        self._deadline = self._wakes_at = math.inf  # of the current exchange; of the watcher
        self._watcher: threading.Thread | None = None
        self._is_released = False

    def watch(self, made: socket.socket) -> None:
        """Duplicates the handle, which stays valid whatever is wrapped around the socket later."""
        with self._changed:
            self._socket = socket.socket(fileno=os.dup(made.fileno()))  # a TLS socket has no dup()
            if self.was_exceeded:
                self._disconnect()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Disconnects the socket when the time is up, which also interrupts pending reads."""
        ends = time.monotonic() + seconds
        with self._changed:
            self._deadline = ends
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="deadline", daemon=True)
                self._watcher.start()
            elif ends < self._wakes_at:
                self._changed.notify()
        try:
            yield
        finally:
            self._deadline = math.inf

    def release(self) -> None:
        with self._changed:
            self._is_released = True
            self._changed.notify()
            if self._socket is not None:
                self._socket.close()
                self._socket = None

    # --- watching ---

    def _watch(self) -> None:
        with self._changed:
            while not self._is_released:
                self._wakes_at = ends = self._deadline
                if ends <= time.monotonic():
                    self._disconnect()
                    return
                self._changed.wait(ends - time.monotonic() if ends < math.inf else None)

    def _disconnect(self) -> None:
        self.was_exceeded = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


TIMEOUT_SECONDS = 60  # for opening a connection, and for each mail
QUIT_TIMEOUT_SECONDS = 5
MAX_LINE_CHARS = 998  # of a mail (RFC 5322)
CLOSING_CODE = 421  # the server closes the connection, whatever the command
_DOT = re.compile(rb"^\.", re.MULTILINE)
_END_OF_LINE = re.compile(rb"\r\n|\r|\n")


class CompleteLines:
    """Rejects incomplete lines: half a positive reply is not a reply."""

    def __init__(self, file: IO[bytes]):
        self._file = file

    def readline(self, limit: int) -> bytes:
        line = self._file.readline(limit)
        if line and len(line) < limit and not line.endswith(b"\n"):
            raise ConnectionError("the answer broke off")
        return line

    def close(self) -> None:
        self._file.close()


class Conversation(smtplib.SMTP):
    """Python's SMTP client with an overall deadline, errors by how far the mail came, and TCP_NODELAY."""

    def __init__(
        self, deadline: SocketDeadline, host: str, port: int, timeout: float, tls: ssl.SSLContext | None = None
    ):
        self.deadline, self.tls = deadline, tls  # implicit TLS
        super().__init__(host, port, DNS_NAME.get_fqdn(), timeout)

    def connect(self, host: str = "localhost", port: int = 0, source_address: Any = None) -> tuple[int, bytes]:
        made = socket.create_connection((host, port), self.timeout, source_address)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.deadline.watch(made)
        self.sock = self.tls.wrap_socket(made, server_hostname=host) if self.tls else made
        return self.getreply()

    def getreply(self) -> tuple[int, bytes]:
        if self.file is None and self.sock is not None:
            self.file = CompleteLines(self.sock.makefile("rb"))
        return super().getreply()

    def close(self) -> None:
        super().close()
        self.deadline.release()

    # --- a mail ---

    def deliver(self, sender: str, to: str, text: bytes) -> str:
        """Delivers one mail and returns the server's reply on acceptance."""
        try:
            self._ask(*self.mail(sender))
            self._ask(*self.rcpt(to))
            self._ask(*self.docmd("data"), wanted=354)
            self.send(_DOT.sub(b"..", text) + (b"" if text.endswith(b"\r\n") else b"\r\n"))
        except (smtplib.SMTPServerDisconnected, OSError) as error:
            raise ConnectionLost(failure_text(self.deadline, error)) from error
        try:
            self.send(b".\r\n")
            code, text = self.getreply()
        except (smtplib.SMTPException, OSError) as error:
            raise Unanswered(failure_text(self.deadline, error)) from error
        if code // 100 != 2:
            raise error_for_reply(code, text)
        return reply_text(code, text)

    def _ask(self, code: int, text: bytes, wanted: int | None = None) -> None:
        if code == -1:  # not a valid reply
            raise smtplib.SMTPServerDisconnected(f"not an answer of a mail server: {text!r}")
        if code != wanted and (wanted or code // 100 != 2):
            raise error_for_reply(code, text)


def failure_text(deadline: SocketDeadline, error: Exception) -> str:
    return "no answer in time" if deadline.was_exceeded else error_text(error)


class EmailBackend(SmtpBackend):
    """Django's backend with our `Conversation`; a connection opened beforehand is reused for many mails."""

    connection: Conversation | None

    def __init__(self, *arguments: Any, seconds: float | None = None, **options: Any):
        super().__init__(*arguments, **options)
        self.seconds = TIMEOUT_SECONDS if seconds is None else seconds
        self.answer = ""  # reply to the last accepted mail

    @cached_property
    def ssl_context(self) -> ssl.SSLContext:
        """Trusts the system's CAs and the configured one, if any."""
        context = ssl.create_default_context()
        if settings.MAIL_CA:
            context.load_verify_locations(settings.MAIL_CA)
        return context

    def open(self) -> bool:
        """Connects until the server is ready for mail, or raises `Unreachable`."""
        if self.connection is not None:
            return False
        deadline = SocketDeadline()
        try:
            with deadline.within(self.seconds):
                self.connection = self._ready_conversation(deadline)
        except (smtplib.SMTPException, OSError) as error:
            deadline.release()
            raise Unreachable(failure_text(deadline, error), getattr(error, "smtp_code", 0)) from error
        return True

    def _ready_conversation(self, deadline: SocketDeadline) -> Conversation:
        tls = self.ssl_context if self.use_ssl else None
        conversation = Conversation(deadline, self.host, self.port, self.timeout, tls)
        try:
            if self.use_tls:
                conversation.starttls(context=self.ssl_context)
            conversation.ehlo_or_helo_if_needed()
            if self.username and self.password:
                conversation.login(self.username, self.password)
        except (smtplib.SMTPException, OSError):
            conversation.close()
            raise
        return conversation

    def close(self) -> None:
        """Says QUIT if still connected."""
        conversation, self.connection = self.connection, None
        if conversation is not None:
            with suppress(smtplib.SMTPException, OSError), conversation.deadline.within(QUIT_TIMEOUT_SECONDS):
                conversation.quit()
            conversation.close()

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        opened = self.open()
        try:
            for message in email_messages:
                assert self.connection is not None
                sender, to = map(envelope_address, (message.from_email, *message.recipients()))
                made = message.message()
                is_modern = isinstance(made.policy, EmailPolicy)  # as Django makes them from 6.0 on
                content = made.as_bytes(policy=Policy()) if is_modern else made.as_bytes()
                text = _END_OF_LINE.sub(b"\r\n", content)  # as SMTP wants them
                try:
                    with self.connection.deadline.within(self.seconds):
                        self.answer = self.connection.deliver(sender, to, text)
                except MailError as error:
                    self._go_on_after(error)
                    raise
        finally:
            if opened:
                self.close()
        return len(email_messages)

    def _go_on_after(self, error: MailError) -> None:
        """Resets the session so that the next mail can follow, or else closes the connection."""
        assert self.connection is not None
        try:
            if error.code in (0, CLOSING_CODE):
                raise smtplib.SMTPServerDisconnected("the conversation is over")
            with self.connection.deadline.within(QUIT_TIMEOUT_SECONDS):
                self.connection.rset()
        except (smtplib.SMTPException, OSError):
            self.connection.close()
            self.connection = None


class Policy(EmailPolicy):
    """Writes List-Unsubscribe in one line: a part too long to fold would be encoded, and programs do not decode it."""

    def fold_binary(self, name: str, value: str) -> bytes:
        if name.lower() == "list-unsubscribe" and self.max_line_length != MAX_LINE_CHARS:
            return self.clone(max_line_length=MAX_LINE_CHARS).fold_binary(name, value)
        return super().fold_binary(name, value)


def envelope_address(text: str) -> str:
    """The address alone, with its domain in ASCII."""
    name, _at, domain = parseaddr(text)[1].rpartition("@")
    return f"{name}@{domain.encode('idna').decode()}"


def is_lost(error: Exception) -> bool:
    """Whether the connection was lost before the server had all of the mail, so that it can be resent at once."""
    return isinstance(error, ConnectionLost) or (isinstance(error, Deferred) and error.code == CLOSING_CODE)
