"""News by mail: a post goes to every subscriber once, and not before there was time to take it back.

A post that is to be mailed has a background task from the moment at which that is due. Each batch queues mails for some
of the subscribers. The first one marks the post: what was begun once is never begun again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac
from django.utils.translation import override

from accounts.models import User
from acts.background import Batch, Task, finished, wait
from acts.storage import now_text, table
from mail import outbox
from store import keys, sharded_reads
from store.log import as_text
from store.splitting import TRANSACTION_WRITES
from store.table import Check, Delete, Equals, Missing, Put, Write

from . import repository
from .repository import MAILING
from .rules import Post, writes_news
from .subscriptions import Subscriber, count_subscribers, subscriber_of

RECALL_MINUTES = 10  # in which a post can be taken back
NEWS = "news"  # the email
SLICE_SUBSCRIBERS = TRANSACTION_WRITES  # subscribers of one transaction
# mails to many that wait; before they are sent, no more are put behind them and ahead of others
MAX_WAITING_MAILS = 500
FULL_OUTBOX_SECONDS = 5  # until the next look


# --- with the acts on a post; each answers parts of their transactions ---


def scheduling(post: Post, mails: bool | None, now: str) -> list[Write]:
    """What becomes of the task of a post that gets this date: it is to be mailed, or not; or it stays as it was.

    One that was mailed is not mailed again, nor one that is given a date in the past.
    """
    assert post.published_at is not None
    if is_begun(post.id):
        return []
    waiting = MAILING.find(post.id)
    wanted = waiting is not None if mails is None else mails
    if wanted and (waiting or post.published_at >= now):
        due = due_at(max(post.published_at, now))
        as_read = Equals("began_at", waiting.began_at) if waiting else Missing()
        return [MAILING.begin(post.id, due=due, when=as_read), _not_begun(post.id)]
    return _cancelling(post.id) if waiting else []


def withdrawing(post: Post) -> list[Write]:
    """A post that is a draft again. If its mails have begun to leave, the worker stops when it sees that."""
    return [] if is_begun(post.id) else _cancelling(post.id)


def due_at(moment: str) -> str:
    return as_text(datetime.fromisoformat(moment) + timedelta(minutes=RECALL_MINUTES))


def is_begun(post_id: str) -> bool:
    return table().get(keys.post_mailing(post_id)) is not None


def schedules_mail(writes: Iterable[Write]) -> bool:
    """Whether the post is to be mailed when this is written."""
    return any(isinstance(write, Put) for write in writes)


def _not_begun(post_id: str) -> Check:
    return Check(keys.post_mailing(post_id), Missing())


def _cancelling(post_id: str) -> list[Write]:
    return [Delete(MAILING.key(post_id)), _not_begun(post_id)]


# --- what whoever publishes a post is asked ---


@dataclass(frozen=True, slots=True)
class MailOffer:
    """Whether a post is to be mailed, as it stands or is chosen, and to how many."""

    readers: int
    is_on: bool
    waits: bool = False  # it has a date, after which it is to be mailed
    is_begun: bool = False


def mail_offer(user: User, post: Post, chosen: bool | None = None) -> MailOffer | None:
    """For admins. A draft is mailed unless they say otherwise; one that has a date stays as they have said."""
    if not writes_news(user.role):
        return None
    if is_begun(post.id):
        return MailOffer(count_subscribers(), is_on=False, is_begun=True)
    waits = MAILING.find(post.id) is not None
    return MailOffer(count_subscribers(), (waits or post.published_at is None) if chosen is None else chosen, waits)


# --- what workers do ---


@MAILING.step
def mail_batch(task: Task) -> Batch:
    """Queue mails for the next subscribers; or end with the list, or with a post that was taken back."""
    post = repository.find(task.subject)
    if post is None or not post.is_public(now_text()):
        return finished()
    if _is_full():
        return wait(FULL_OUTBOX_SECONDS)
    page = table().page(keys.SUBSCRIBERS, limit=SLICE_SUBSCRIBERS, cursor=task.progress.get("after"))
    begun = [] if task.progress else [_begun_item(post.id)]
    writes: list[Write] = [repository.is_unchanged(post), *begun, *_mails(post, map(subscriber_of, page.items))]
    return Batch(writes, {"after": page.cursor}) if page.cursor else finished(*writes)


def _is_full() -> bool:
    waiting = sharded_reads.page(table(), outbox.due_by(now_text(), urgent=False), limit=MAX_WAITING_MAILS)
    return len(waiting.items) >= MAX_WAITING_MAILS


def _begun_item(post_id: str) -> Put:
    return Put({**keys.post_mailing(post_id).item, "post": post_id, "began_at": now_text()})


def _mails(post: Post, subscribers: Iterable[Subscriber]) -> list[Put]:
    """For whoever got the news by mail when it was published, and was not mailed about it."""
    emails = [_email(post, each) for each in subscribers if each.since <= (post.published_at or "")]
    mailed = table().get_many(email.key for email in emails) if emails else {}
    return [email for email in emails if email.key not in mailed]


def _email(post: Post, subscriber: Subscriber) -> Put:
    """Its number cannot be worked out from the post and an address: it would tell who gets the news."""
    occasion = salted_hmac("news.mailing", post.id, algorithm="sha256").hexdigest()
    with override(subscriber.language):
        return outbox.queued_once(occasion, NEWS, subscriber.address, post=post.id, slug=post.slug)


# --- in a store filled from a backup ---


def skip_if_due(post_id: str) -> bool:
    """What was due by now may have been mailed since the backup was made, so it is not mailed; true if it was due."""
    task = MAILING.find(post_id)
    if task is None or task.due > now_text():
        return False
    table().write(_begun_item(post_id), Delete(task.key))
    return True
