"""The mails people get: their words, and the links that are made only now that they are sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from acts.links import whole
from acts.naming import site_name

from .numbers import domain, message_id
from .senders import named_sender

if TYPE_CHECKING:
    from .outbox import Mail


@dataclass(frozen=True, slots=True)
class Message:
    """What a person wrote: as text, and as HTML that is safe to show."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class Letter:
    """One kind of mail. Subject and sentences may name what the mail is about, whom it was sent by, and what `words`
    knows of it by the time it is sent."""

    subject: str
    sentences: tuple[str, ...]
    link: Callable[[Mail], str] | None = None
    button: str = ""
    silence: Callable[[Mail], str] | None = None  # where to ask for no more of these
    silence_words: str = gettext_noop("No more reminders about this")  # of the link that leads there
    list_name: str = ""  # of the list that mails like this one go to, by which mail programs sort them
    message: Callable[[Mail], Message] | None = None  # what somebody wrote, to stand between our words
    urgent: bool = False  # somebody sits and waits for it, so it goes before those that go to many
    good_for: int = 0  # seconds after which it is of no use; 0 if it always is
    is_over: Callable[[Mail], bool] | None = None  # whether what it speaks of is over
    words: Callable[[Mail], dict[str, str]] | None = None  # more that subject and sentences may name


# Every kind of mail: the apps bring theirs (config/steps.py).
LETTERS: dict[str, Letter] = {
    "trial": Letter(
        gettext_noop("A test mail"),
        (
            gettext_noop("somebody who looks after this site wanted to know whether mails arrive. This one did."),
            gettext_noop("Look where it arrived, and from whom: a mail that is called spam is read by nobody."),
        ),
        urgent=True,
    ),
}


def is_of_use(mail: Mail, now: float) -> bool:
    """Whether it still makes sense to send the mail."""
    letter = LETTERS.get(mail.kind)
    if letter is None:
        return True  # nobody knows; whoever is to write it will say so
    if letter.good_for and mail.queued_for(now) >= letter.good_for:
        return False
    return letter.is_over is None or not letter.is_over(mail)


def compose(mail: Mail) -> EmailMessage:
    """The mail as it is sent, in the language it was asked for in."""
    letter, name = LETTERS[mail.kind], site_name()
    with override(mail.language):
        written = letter.message(mail) if letter.message else None
        words = mail.about | (letter.words(mail) if letter.words else {})
        context = {
            "sentences": [_(sentence) % words for sentence in letter.sentences],
            "link": whole(letter.link(mail)) if letter.link else "",
            "button": _(letter.button) if letter.button else "",
            "silence": letter.silence(mail) if letter.silence else "",
            "silence_words": _(letter.silence_words),
            "written": written,
            "site": settings.SITE_URL,
            "site_name": name,
            "language": mail.language,
        }
        text = render_to_string("mail/letter.txt", context)
        subject = written.subject if written else _(letter.subject) % words
        message = EmailMultiAlternatives(f"{name}: {subject}", text, sender(name), [mail.to])
        message.attach_alternative(render_to_string("mail/letter.html", context), "text/html")
    message.extra_headers |= headers(mail, context["silence"])
    if settings.MAIL_REPLY_TO:
        message.reply_to = [settings.MAIL_REPLY_TO]
    return message


def sender(name: str) -> str:
    """Whom it comes from: the operator's words, and where those are only an address, the site's name."""
    return settings.DEFAULT_FROM_EMAIL if name == settings.SITE_NAME else named_sender(settings.MAIL_FROM, name)


def headers(mail: Mail, silence: str) -> dict[str, str]:
    """What mail programs go by: which mail it is, that no machine need answer it, and how to get no more of them."""
    letter = LETTERS[mail.kind]
    found = {"Message-ID": message_id(mail.number), "X-Auto-Response-Suppress": "OOF, AutoReply"}
    if letter.message is None:  # otherwise somebody wrote it
        found["Auto-Submitted"] = "auto-generated"
    if not letter.urgent:
        found["Precedence"] = "bulk"
    if silence:
        found |= {"List-Unsubscribe": f"<{silence}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    if letter.list_name:
        found["List-Id"] = f"<{letter.list_name}.{domain()}>"
    return found
