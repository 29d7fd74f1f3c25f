"""The mails to subscribers of the news, and to those who want to subscribe."""

from __future__ import annotations

import re

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_noop, ngettext

from foundation.acts.links import absolute_url
from foundation.acts.storage import now_text, table
from foundation.acts.tokens import SECONDS_PER_DAY
from foundation.mail.emails import EmailTemplate, Mail, Message, Withdrawn
from foundation.store import keys

from . import subscriptions
from .mailing import NEWS
from .repository import post_of
from .subscriptions import ALREADY_SUBSCRIBED, CONFIRM, subscriber_of

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def _leave_path(mail: Mail) -> str:
    return reverse("leave_news", args=[subscriptions.leave_token(mail.to)])


def news_message(mail: Mail) -> Message:
    """The post in its current state. Raises `Withdrawn` if it is not public, or its reader has unsubscribed."""
    place, reader = keys.post(mail.about["post"]), keys.subscriber(mail.to)
    items = table().get_many([place, reader])
    if place not in items or reader not in items:
        raise Withdrawn
    post, since = post_of(items[place]), subscriber_of(items[reader]).since
    if not post.is_public(now_text()) or since > (post.published_at or ""):
        raise Withdrawn
    sentence = ngettext("%(minutes)s minute to read", "%(minutes)s minutes to read", post.minutes)
    minutes = sentence % {"minutes": post.minutes}
    html = format_html("<p>{}</p><p>{}</p>", post.lead, minutes)
    return Message(_CONTROL.sub(" ", post.title), "\n\n".join((post.lead, minutes)), html)


EMAIL_TEMPLATES = {
    CONFIRM: EmailTemplate(
        gettext_noop("Do you want the news by mail?"),
        (
            gettext_noop("Someone, hopefully you, asked us to send this site's news to this address."),
            gettext_noop("Confirm with this link within three days. If it was not you, just ignore this mail."),
        ),
        lambda mail: reverse("confirm_news", args=[subscriptions.confirm_token(mail.to, mail.language)]),
        gettext_noop("Get the news by mail"),
        urgent=True,
        is_private=True,
        good_for=subscriptions.CONFIRM_DAYS * SECONDS_PER_DAY,
    ),
    ALREADY_SUBSCRIBED: EmailTemplate(
        gettext_noop("You already get the news by mail"),
        (
            gettext_noop("Someone asked us to send this site's news to this address, but you already get it."),
            gettext_noop("If you no longer want it, use this link to unsubscribe."),
        ),
        _leave_path,
        gettext_noop("Unsubscribe from the news"),
        urgent=True,
        is_private=True,
        good_for=subscriptions.CONFIRM_DAYS * SECONDS_PER_DAY,
    ),
    NEWS: EmailTemplate(
        gettext_noop("News"),
        (gettext_noop("There is news on this site."),),
        lambda mail: reverse("post", args=[mail.about["slug"]]),
        gettext_noop("Read it"),
        lambda mail: absolute_url(_leave_path(mail)),
        silence_label=gettext_noop("Unsubscribe from the news"),
        list_name="news",
        message=news_message,
        is_private=True,
    ),
}
