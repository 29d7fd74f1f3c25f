"""The mails people get: their words, and the links that are made only now that they are sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from acts.links import whole

from .outbox import Mail


@dataclass(frozen=True, slots=True)
class Message:
    """What a person wrote: as text, and as HTML that is safe to show."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Letter:
    """One kind of mail. The words may name what the mail is about, and whom it was sent by."""

    subject: str
    sentences: tuple[str, ...]
    link: Callable[[Mail], str] | None = None
    button: str = ""
    silence: Callable[[Mail], str] | None = None  # where to ask for no more of these
    message: Callable[[Mail], Message] | None = None  # what somebody wrote, to stand between our words


LETTERS: dict[str, Letter] = {}  # every kind of mail


def compose(mail: Mail) -> EmailMessage:
    """The mail as it is sent, in the language it was asked for in."""
    letter = LETTERS[mail.kind]
    written = letter.message(mail) if letter.message else None
    with override(mail.language):
        context = {
            "sentences": [_(sentence) % mail.about for sentence in letter.sentences],
            "link": whole(letter.link(mail)) if letter.link else "",
            "button": _(letter.button) if letter.button else "",
            "silence": letter.silence(mail) if letter.silence else "",
            "written": written,
            "site": settings.SITE_URL,
            "site_name": settings.SITE_NAME,
            "language": mail.language,
        }
        text = render_to_string("mail/letter.txt", context)
        subject = written.subject if written else _(letter.subject)
        message = EmailMultiAlternatives(f"{settings.SITE_NAME}: {subject}", text, to=[mail.to])
        message.attach_alternative(render_to_string("mail/letter.html", context), "text/html")
    message.extra_headers["Message-ID"] = f"<{mail.number}@plenum>"
    message.extra_headers["Auto-Submitted"] = "auto-generated"
    if context["silence"]:
        message.extra_headers["List-Unsubscribe"] = f"<{context['silence']}>"
    return message
