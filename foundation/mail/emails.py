"""A mail in the outbox, the templates of mails, and composing one.

Links with tokens are made only when a mail is sent.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.crypto import salted_hmac
from django.utils.translation import get_language_bidi, gettext_noop, override
from django.utils.translation import gettext as _

from foundation.acts.branding import site_colour, site_name
from foundation.acts.hooks import Hooks
from foundation.acts.links import absolute_url
from foundation.store.table import Key

from .names import isolated, named_sender


class NothingToSay(Exception):
    """The mail can no longer be composed, because what it was about is gone."""


class Withdrawn(NothingToSay):
    """The sender or the recipient no longer wants a mail that is still waiting."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where a sender counts its mails: totals in one item, and one entry per failed mail."""

    counts: Key
    kind: str
    failure: Key

    def counted(self, state: str) -> str:
        return f"{self.kind}_{state}"


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in the outbox."""

    number: str
    kind: str
    to: str
    about: dict[str, str]
    language: str
    state: str
    reason: str  # a key of outbox.REASONS, or empty
    detail: str  # the mail server's last reply
    tries: int
    queued_at: str
    ledger: Ledger | None = None
    not_before: int = 0
    again_at: str = ""  # when a retry was last requested
    note: str = ""  # a key of outbox.NOTES, or empty: what was reported after sending
    note_detail: str = ""

    @property
    def next_try(self) -> datetime:
        return datetime.fromtimestamp(self.not_before, UTC)

    def queued_for(self, now: float) -> float:
        """Seconds since it was queued."""
        return now - datetime.fromisoformat(self.queued_at).timestamp()

    def waited_for(self, now: float) -> float:
        """Seconds since it was queued or last requeued by a person."""
        return now - datetime.fromisoformat(self.again_at or self.queued_at).timestamp()


@dataclass(frozen=True, slots=True)
class Message:
    """A text written by a person, as plain text and as safe HTML."""

    subject: str  # empty: the template's own subject
    text: str
    html: str
    lead: str = ""  # who wrote it


@dataclass(frozen=True, slots=True)
class LinkedItem:
    """One of several things that a mail has a link to each of."""

    name: str
    sentence: str
    url: str
    button: str


@dataclass(frozen=True, slots=True)
class EmailTemplate:
    """One kind of mail. Subject and sentences can use what the mail is about, its sender, and `values`, which is
    called when the mail is sent."""

    subject: str
    sentences: tuple[str, ...]
    link: Callable[[Mail], str] | None = None
    button: str = ""
    silence: Callable[[Mail], str] | None = None  # URL to unsubscribe
    silence_label: str = gettext_noop("Stop reminders about this")  # text of that link
    help_url: Callable[[Mail], str] | None = None  # where its reader can ask people
    help_label: str = ""
    listed: str = ""  # the value whose lines are a list below our sentences
    items: Callable[[Mail], list[LinkedItem]] | None = None  # each with a link of its own, below our sentences
    list_name: str = ""  # list ID, by which mail programs sort
    description: Callable[[Mail], Message | None] | None = None  # of what it is about, below our sentences
    message: Callable[[Mail], Message | None] | None = None  # text written by a person, placed between ours
    urgent: bool = False  # a person is waiting for it, so it goes before bulk mail
    good_for: int = 0  # seconds after which it is useless; 0 for never
    is_over: Callable[[Mail], bool] | None = None  # whether its subject is over
    values: Callable[[Mail], dict[str, str]] | None = None  # more placeholders for subject and sentences
    title: str = ""  # name in lists of mails; defaults to the subject if that has no placeholders
    headline: str = ""  # above the text; defaults to the subject
    after: tuple[str, ...] = ()  # sentences below the written text, beside the link
    reply_to: Callable[[Mail], str] | None = None  # where replies go, if not to the default address
    is_test: bool = False  # sent only to the person who requested it
    is_private: bool = False  # hides the recipient from everybody


RECIPIENT_NAME = "recipient_name"  # of what a mail is about: by which it greets the recipient, if it is known

# Shades of the site's colour; a hook, because pages know them and mails do not (config/hooks.py).
COLOURING = Hooks[[str], dict[str, tuple[str, str]]]("when a mail is written")

# All kinds of mail, registered by the apps (config/hooks.py).
EMAIL_TEMPLATES: dict[str, EmailTemplate] = {
    "trial": EmailTemplate(
        gettext_noop("Test mail"),
        (
            gettext_noop("An admin of this site wanted to know whether mails arrive. This one did."),
            gettext_noop("Check which folder it is in and who sent it: nobody reads mail that is marked as spam."),
        ),
        urgent=True,
    )
}


class BoundedMessage(EmailMultiAlternatives):
    """With a boundary that no text contains, for 128 bits of it are random. Python would look for one with a pattern
    that it compiles anew for every mail, which takes a tenth of sending it."""

    def message(self, **options: Any) -> Any:
        made = super().message(**options)
        made.set_boundary(f"=_{secrets.token_hex(16)}")
        return made


def is_still_useful(mail: Mail, now: float) -> bool:
    """Whether it still makes sense to send the mail."""
    template = EMAIL_TEMPLATES.get(mail.kind)
    if template is None:
        return True  # unknown kind: composing fails with a reason
    if template.good_for and mail.queued_for(now) >= template.good_for:
        return False
    return template.is_over is None or not template.is_over(mail)


def compose(mail: Mail, template: EmailTemplate | None = None) -> EmailMultiAlternatives:
    """Composes the mail in its stored language, optionally with another template."""
    template, name = template or EMAIL_TEMPLATES[mail.kind], site_name()
    with override(mail.language):
        (shades,) = COLOURING
        colours = {shade.replace("-", "_"): for_modes for shade, for_modes in shades(site_colour()).items()}
        context = _context(template, mail) | {"site": settings.SITE_URL, "site_name": name, "colours": colours}
        text = render_to_string("mail/email.txt", context).strip() + "\n"
        message = BoundedMessage(f"{name}: {context['subject']}", text, sender(name), [mail.to])
        message.attach_alternative(render_to_string("mail/email.html", context), "text/html")
    message.extra_headers |= headers(mail, context["silence"], by_hand=context["written"] is not None)
    answers = (template.reply_to(mail) if template.reply_to else "") or settings.MAIL_REPLY_TO
    message.reply_to = [answers] if answers else []
    return message


def _context(template: EmailTemplate, mail: Mail) -> dict[str, Any]:
    """Context of the text and HTML templates."""
    written = template.message(mail) if template.message else None
    more = template.values(mail) if template.values else {}
    values = {name: isolated(str(value)) for name, value in (mail.about | more).items()}
    subject = isolated(written.subject) if written and written.subject else _(template.subject) % values
    return {
        "subject": _("Test: %(subject)s") % {"subject": subject} if template.is_test else subject,
        "headline": _(template.headline) % values if template.headline else subject,
        "greeting": _("Hello %(name)s,") % {"name": name} if (name := values.get(RECIPIENT_NAME)) else _("Hello,"),
        "sentences": [(_(sentence) % values).strip() for sentence in template.sentences],
        "listed": [isolated(line) for line in more.get(template.listed, "").splitlines()],
        "items": [
            replace(each, name=isolated(each.name), sentence=isolated(each.sentence), url=absolute_url(each.url))
            for each in (template.items(mail) if template.items else ())
        ],
        "description": template.description(mail) if template.description else None,
        "written": written,
        "after": [_(sentence) % values for sentence in template.after],
        "link": absolute_url(template.link(mail)) if template.link else "",
        "button": _(template.button) if template.button else "",
        "help_url": template.help_url(mail) if template.help_url else "",
        "help_label": _(template.help_label) if template.help_label else "",
        "silence": template.silence(mail) if template.silence else "",
        "silence_label": _(template.silence_label),
        "language": mail.language,
        "direction": "rtl" if get_language_bidi() else "ltr",
    }


def sender(name: str) -> str:
    """The configured sender; if that is only an address, the site's name is added."""
    return settings.DEFAULT_FROM_EMAIL if name == settings.SITE_NAME else named_sender(settings.MAIL_FROM, name)


def headers(mail: Mail, silence: str, *, by_hand: bool) -> dict[str, str]:
    """Headers for mail programs: which mail it is, no automatic replies, and how to unsubscribe."""
    template = EMAIL_TEMPLATES[mail.kind]
    found = {"Message-ID": message_id(mail.number), "X-Auto-Response-Suppress": "OOF, AutoReply"}
    if not by_hand:
        found["Auto-Submitted"] = "auto-generated"
    if not template.urgent:
        found["Precedence"] = "bulk"
    if silence:
        found |= {"List-Unsubscribe": f"<{silence}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    if template.list_name:
        found["List-Id"] = f"<{template.list_name}.{site_domain()}>"
    return found


# --- Message-IDs: stable across retries, and signed, so that only those who have seen the mail can name it ---

# The number of a mail may be derived from an election and an address, so the Message-ID includes an HMAC made with the
# site's secret key, and a bounce without it is ignored.
_OURS = re.compile(r"<?\s*([0-9a-z]{1,64})\.([0-9a-f]{20})@[^\s<>@]+\s*>?")


def message_id(number: str) -> str:
    return f"<{number}.{_signature(number)}@{site_domain()}>"


def mail_number(text: str) -> str | None:
    """The mail's number, if the Message-ID is one of ours."""
    found = _OURS.fullmatch(text.strip())
    if found is None or not hmac.compare_digest(found[2], _signature(found[1])):
        return None
    return found[1]


def site_domain() -> str:
    return urlsplit(settings.SITE_URL).hostname or "localhost"


def _signature(number: str) -> str:
    return salted_hmac("mail.message_id", number, algorithm="sha256").hexdigest()[:20]
