"""News by mail: a post goes to every subscriber once, after a delay in which it can be withdrawn.

Subscriptions are confirmed by link, and deleted when the reader unsubscribes. There are no events: a log would keep for
good what must vanish without a trace. For the same reason nothing is stored about former subscribers, and opening a
link again shows the same as before.

A post to be mailed has a background task with a due time. Each batch queues mails for some of the subscribers. The
first one marks the post, so that a mailing never starts twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop, ngettext, override

from accounts import throttle
from accounts.models import User
from accounts.services import role_unchanged
from accounts.visitors import Visitor
from foundation.acts.background import Batch, Task, finished, wait
from foundation.acts.links import absolute_url
from foundation.acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, Limit, try_count
from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, table, try_write, write
from foundation.acts.tokens import create_token, read_token
from foundation.mail import outbox
from foundation.mail.emails import EmailTemplate, Mail, Message, Withdrawn
from foundation.store import keys, sharded_reads
from foundation.store.log import as_text
from foundation.store.splitting import TRANSACTION_WRITES
from foundation.store.table import Check, Delete, Equals, Exists, Item, Missing, Put, Write

from . import repository
from .repository import MAILING, post_of
from .rules import Post, writes_news

CONFIRM_DAYS = 3
LEAVE = "no-news"  # purpose of the token in a mail
CONFIRM, ALREADY_SUBSCRIBED = "confirm_news", "news_known"  # the kinds of mail
REQUEST_LIMITS = throttle.Limits(
    Limit("news", 5, SECONDS_PER_HOUR),
    Limit("news-email", 20, SECONDS_PER_HOUR),
    Limit("news-address", 20, SECONDS_PER_HOUR),  # each may be a mail to a stranger
)
# Typing other people's addresses floods no one: beyond these limits mails are dropped silently.
MAIL_LIMITS = {
    CONFIRM: Limit("news-confirm", 3, SECONDS_PER_DAY),
    ALREADY_SUBSCRIBED: Limit("news-known", 1, SECONDS_PER_DAY),
}

NOT_SUBSCRIBED = _("This address is not subscribed.")


@dataclass(frozen=True, slots=True)
class Subscriber:
    address: str
    language: str
    since: str  # when they confirmed


def find(address: str) -> Subscriber | None:
    item = table().get(keys.subscriber(address))
    return subscriber_of(item) if item else None


def subscriber_of(item: Item) -> Subscriber:
    return Subscriber(item["address"], item["language"], item["since"])


def count_subscribers() -> int:
    return table().count(keys.SUBSCRIBERS)


# --- subscribing ---


def request_subscription(address: str, visitor: Visitor, user: User | None = None) -> None:
    """Mail a confirmation link. Only the address's owner learns whether it is already subscribed.

    Requests by others do not delay a signed-in person who types their own address.
    """
    own = user if user is not None and keys.fold(user.email) == keys.fold(address) else None
    throttle.count_try(REQUEST_LIMITS, address, visitor, own)
    subscriber = find(address)
    kind = ALREADY_SUBSCRIBED if subscriber else CONFIRM
    if not try_count(MAIL_LIMITS[kind], address):
        table().write(outbox.queued_nothing())
    elif subscriber is None:
        table().write(outbox.queued(kind, address))
    else:
        with override(subscriber.language):
            table().write(outbox.queued(kind, subscriber.address))


def confirm_token(address: str, language: str) -> str:
    return create_token("news", address, language)


def read_confirmation(token: str) -> tuple[str, str] | None:
    """The address to confirm, and the language to write to it in."""
    values = read_token("news", token, CONFIRM_DAYS * SECONDS_PER_DAY)
    return (values[0], values[1]) if values and len(values) == 2 else None


def confirm(address: str, language: str) -> None:
    """Idempotent: confirming again keeps the first date."""
    fields = {"address": address, "language": language, "since": now_text()}
    try_write(Put({**keys.subscriber(address).item, **fields}, when=Missing()))


# --- unsubscribing ---


def leave_token(address: str) -> str:
    return create_token(LEAVE, address)


def leave(address: str) -> None:
    """At once, and idempotent."""
    table().write(Delete(keys.subscriber(address)))


def remove(actor: User, address: str) -> None:
    """Unsubscribe a reader who asked an admin for it."""
    gone = Delete(keys.subscriber(address), when=Exists())
    write(gone, role_unchanged(actor), refusals={0: Refusal(NOT_SUBSCRIBED)})


def forget_subscription(gone: User) -> None:
    """Unsubscribe a removed person's address."""
    if gone.email:
        leave(gone.email)


# --- export ---


def export_subscription(user: User) -> list[Item]:
    found = find(user.email)
    return [{"address": found.address, "since": found.since, "language": found.language}] if found else []


RECALL_MINUTES = 10  # in which a post can be withdrawn
NEWS = "news"  # the email
SLICE_SUBSCRIBERS = TRANSACTION_WRITES  # subscribers per transaction
# bulk mails waiting; with more than that, mailings pause so that others are not delayed
MAX_WAITING_MAILS = 500
FULL_OUTBOX_SECONDS = 5  # until the next check


# --- part of the acts on a post; each returns parts of their transactions ---


def scheduling(post: Post, mails: bool | None, now: str) -> list[Write]:
    """Create, move or cancel the mailing task of a post that gets this date; `None` keeps the earlier choice.

    A post is never mailed twice, nor when it is given a date in the past.
    """
    assert post.published_at is not None
    if is_begun(post.id):
        return []
    waiting = MAILING.find(post.id)
    wanted = waiting is not None if mails is None else mails
    if wanted and (waiting or post.published_at >= now):
        due = datetime.fromisoformat(max(post.published_at, now)) + timedelta(minutes=RECALL_MINUTES)
        as_read = Equals("began_at", waiting.began_at) if waiting else Missing()
        return [MAILING.begin(post.id, due=as_text(due), when=as_read), _not_begun(post.id)]
    return _cancelling(post.id) if waiting else []


def withdrawing(post: Post) -> list[Write]:
    """For a post that becomes a draft again. If its mailing has begun, the worker stops on seeing that."""
    return [] if is_begun(post.id) else _cancelling(post.id)


def is_begun(post_id: str) -> bool:
    return table().get(keys.post_mailing(post_id)) is not None


def _not_begun(post_id: str) -> Check:
    return Check(keys.post_mailing(post_id), Missing())


def _cancelling(post_id: str) -> list[Write]:
    return [Delete(MAILING.key(post_id)), _not_begun(post_id)]


# --- the choice when publishing ---


@dataclass(frozen=True, slots=True)
class MailOffer:
    """Whether a post will be mailed, as scheduled or chosen, and to how many."""

    readers: int
    is_on: bool
    waits: bool = False  # a mailing is scheduled
    is_begun: bool = False


def mail_offer(user: User, post: Post, chosen: bool | None = None) -> MailOffer | None:
    """For admins. A draft is mailed by default; a post with a date keeps the earlier choice."""
    if not writes_news(user.role):
        return None
    if is_begun(post.id):
        return MailOffer(count_subscribers(), is_on=False, is_begun=True)
    waits = MAILING.find(post.id) is not None
    return MailOffer(count_subscribers(), (waits or post.published_at is None) if chosen is None else chosen, waits)


# --- in the worker ---


@MAILING.step
def mail_batch(task: Task) -> Batch:
    """Queue mails for the next subscribers; finish at the end of the list, or if the post was withdrawn."""
    post = repository.find(task.subject)
    if post is None or not post.is_public(now_text()):
        return finished()
    waiting = sharded_reads.page(table(), outbox.due_by(now_text(), urgent=False), limit=MAX_WAITING_MAILS)
    if len(waiting.items) >= MAX_WAITING_MAILS:
        return wait(FULL_OUTBOX_SECONDS)
    page = table().page(keys.SUBSCRIBERS, limit=SLICE_SUBSCRIBERS, cursor=task.progress.get("after"))
    # for those who were subscribed when it was published, and have not been mailed about it
    subscribers = [each for each in map(subscriber_of, page.items) if each.since <= (post.published_at or "")]
    emails = [_email(post, each) for each in subscribers]
    mailed = table().get_many(email.key for email in emails) if emails else {}
    begun = [] if task.progress else [_begun_item(post.id)]
    new = (email for email in emails if email.key not in mailed)
    writes: list[Write] = [repository.is_unchanged(post), *begun, *new]
    return Batch(writes, {"after": page.cursor}) if page.cursor else finished(*writes)


def _begun_item(post_id: str) -> Put:
    return Put({**keys.post_mailing(post_id).item, "post": post_id, "began_at": now_text()})


def _email(post: Post, subscriber: Subscriber) -> Put:
    """The id cannot be derived from the post and an address, as that would reveal who is subscribed."""
    occasion = salted_hmac("news.mailing", post.id, algorithm="sha256").hexdigest()
    with override(subscriber.language):
        return outbox.queued_once(occasion, NEWS, subscriber.address, post=post.id, slug=post.slug)


# --- after restoring a backup ---


@MAILING.when_restored
def skip_if_due(post_id: str) -> bool:
    """Cancel a mailing that was due, as it may have been sent since the backup; true if it was due."""
    task = MAILING.find(post_id)
    if task is None or task.due > now_text():
        return False
    table().write(_begun_item(post_id), Delete(task.key))
    return True


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def _leave_path(mail: Mail) -> str:
    return reverse("leave_news", args=[leave_token(mail.to)])


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
        lambda mail: reverse("confirm_news", args=[confirm_token(mail.to, mail.language)]),
        gettext_noop("Get the news by mail"),
        urgent=True,
        is_private=True,
        good_for=CONFIRM_DAYS * SECONDS_PER_DAY,
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
        good_for=CONFIRM_DAYS * SECONDS_PER_DAY,
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
