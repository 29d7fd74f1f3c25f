"""A test mail, to whoever asks for one: sent at once, past the outbox, so that the server's answer can be told."""

from __future__ import annotations

import uuid

from django.core.mail import get_connection
from django.utils.translation import get_language

from acts.storage import now_text

from .answers import Rejected, Trouble
from .emails import compose
from .outbox import SENDING, Mail
from .sending import understood

TIMEOUT_SECONDS = 20  # for connecting, and for the mail: somebody waits


def send_trial(to: str) -> str:
    """Answers what the mail server said when it took it, nothing if mail leaves by other ways; or raises `Trouble`."""
    mail = Mail(uuid.uuid4().hex, "trial", to, {}, get_language() or "en", SENDING, "", "", 0, now_text())
    message, connection = compose(mail), get_connection(seconds=TIMEOUT_SECONDS)
    message.connection = connection
    try:
        message.send()
    except (Trouble, OSError, ValueError) as error:
        raise understood(error) if not isinstance(error, ValueError) else Rejected(str(error)) from error
    return str(getattr(connection, "answer", ""))
