"""News by mail: a post goes to every subscriber once, after a delay in which it can be withdrawn.

A post to be mailed has a background task with a due time. Each batch queues mails for some of the subscribers. The
first one marks the post, so that a mailing never starts twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac
from django.utils.translation import override

from accounts.models import User
from foundation.acts.background import Batch, Task, finished, wait
from foundation.acts.storage import now_text, table
from foundation.mail import outbox
from foundation.store import keys, sharded_reads
from foundation.store.log import as_text
from foundation.store.splitting import TRANSACTION_WRITES
from foundation.store.table import Check, Delete, Equals, Missing, Put, Write

from . import repository
from .repository import MAILING
from .rules import Post, writes_news
from .subscriptions import Subscriber, count_subscribers, subscriber_of

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
    begun = [] if task.progress else [_begun_item(post.id)]
    writes: list[Write] = [repository.is_unchanged(post), *begun, *_mails(post, map(subscriber_of, page.items))]
    return Batch(writes, {"after": page.cursor}) if page.cursor else finished(*writes)


def _begun_item(post_id: str) -> Put:
    return Put({**keys.post_mailing(post_id).item, "post": post_id, "began_at": now_text()})


def _mails(post: Post, subscribers: Iterable[Subscriber]) -> list[Put]:
    """For those who were subscribed when it was published, and have not been mailed about it."""
    emails = [_email(post, each) for each in subscribers if each.since <= (post.published_at or "")]
    mailed = table().get_many(email.key for email in emails) if emails else {}
    return [email for email in emails if email.key not in mailed]


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
