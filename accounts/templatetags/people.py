"""Words and times as pages about people show them."""

from __future__ import annotations

from datetime import UTC, datetime

from django import template
from django.utils.translation import gettext as _

from accounts.letters import LETTERS
from accounts.mail import FAILED, QUEUED, REASONS, SENDING, SENT, Mail

register = template.Library()


@register.filter
def moment(stored: str | int) -> datetime:
    """A stored time, text or seconds, as one that `date` and `timesince` understand."""
    return datetime.fromtimestamp(stored, UTC) if isinstance(stored, int) else datetime.fromisoformat(stored)


@register.filter
def mail_state(state: str) -> str:
    return {QUEUED: _("Queued"), SENDING: _("Being sent"), SENT: _("Sent"), FAILED: _("Failed")}[state]


@register.filter
def mail_reason(mail: Mail) -> str:
    """What became of a mail, where there is more to say than its state."""
    return _(REASONS[mail.reason]) % {"detail": mail.detail} if mail.reason else ""


@register.filter
def subject(mail: Mail) -> str:
    return _(LETTERS[mail.kind].subject)
