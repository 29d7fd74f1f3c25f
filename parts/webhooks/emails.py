"""The mail about a webhook that was switched off."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext_noop

from foundation.mail.emails import EmailTemplate

EMAIL_TEMPLATES = {
    "webhook_disabled": EmailTemplate(
        gettext_noop("A webhook was switched off"),
        (
            gettext_noop("Events could no longer be delivered to %(host)s, so nothing more is sent there."),
            gettext_noop("Its page says what went wrong. Once the receiver works again, resume it there."),
        ),
        lambda mail: reverse("webhook", args=[mail.about["webhook"]]),
        gettext_noop("See the webhook"),
    ),
}
