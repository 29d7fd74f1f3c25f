"""Labels and texts for the state of a mail."""

from __future__ import annotations

from django.utils.translation import gettext as _

from mail.emails import EMAIL_TEMPLATES
from mail.outbox import ASIDE, FAILED, NOTES, QUEUED, REASONS, SENDING, SENT, UNKNOWN, Mail


def state_label(state: str) -> str:
    return {
        QUEUED: _("Queued"),
        SENDING: _("Sending"),
        SENT: _("Sent"),
        FAILED: _("Failed"),
        UNKNOWN: _("Unknown"),
        ASIDE: _("Put aside"),
    }[state]


def reason_text(mail: Mail) -> str:
    """Explains the state of a mail, if there is more to say."""
    return _(REASONS[mail.reason]) % {"detail": mail.detail} if mail.reason else ""


def note_text(mail: Mail) -> str:
    """What was reported after it was sent."""
    return _(NOTES[mail.note]) % {"detail": mail.note_detail} if mail.note else ""


def mail_title(mail: Mail) -> str:
    return _(EMAIL_TEMPLATES[mail.kind].title or EMAIL_TEMPLATES[mail.kind].subject)
