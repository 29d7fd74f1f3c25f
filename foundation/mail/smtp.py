"""SMTP backend that always knows how far a mail came.

If the connection is lost before the final dot, the server cannot have accepted the mail; after that, the outcome is
unknown. Each exchange has an overall deadline, not only a timeout for each wait: a server that sends single bytes could
block us for ever.
"""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from email.policy import EmailPolicy
from email.utils import parseaddr
from typing import IO, Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend as SmtpBackend
from django.core.mail.utils import DNS_NAME
from django.utils.functional import cached_property

from .deadlines import SocketDeadline
from .errors import (
    ConnectionLost,
    Deferred,
    MailError,
    Unanswered,
    Unreachable,
    error_for_reply,
    error_text,
    reply_text,
)

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
                self._hand_over(message)
        finally:
            if opened:
                self.close()
        return len(email_messages)

    def _hand_over(self, message: EmailMessage) -> None:
        """Sends one mail to one address, as all our mails are."""
        assert self.connection is not None
        sender, to = map(envelope_address, (message.from_email, *message.recipients()))
        text = as_sent(message)
        try:
            with self.connection.deadline.within(self.seconds):
                self.answer = self.connection.deliver(sender, to, text)
        except MailError as error:
            self._go_on_after(error)
            raise

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


def as_sent(message: EmailMessage) -> bytes:
    """The mail with ends of lines as SMTP wants them."""
    made = message.message()
    is_modern = isinstance(made.policy, EmailPolicy)  # as Django makes them from 6.0 on
    return _END_OF_LINE.sub(b"\r\n", made.as_bytes(policy=Policy()) if is_modern else made.as_bytes())


def envelope_address(text: str) -> str:
    """The address alone, with its domain in ASCII."""
    name, _at, domain = parseaddr(text)[1].rpartition("@")
    return f"{name}@{domain.encode('idna').decode()}"


def is_lost(error: Exception) -> bool:
    """Whether the connection was lost before the server had all of the mail, so that it can be resent at once."""
    return isinstance(error, ConnectionLost) or (isinstance(error, Deferred) and error.code == CLOSING_CODE)
