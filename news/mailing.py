"""News by mail: a post goes to every subscriber once, and not before there was time to take it back.

A post that is to be mailed has a mark with the moment at which that is due. A worker takes the subscribers slice by
slice; the mails of a slice and how far it has come change in one transaction. So a worker that dies loses nothing, and
of two at the same place one is refused. The mark leaves the queue last, and stays with the post: what was begun once is
never begun again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.crypto import salted_hmac
from django.utils.translation import override

from accounts.models import User
from acts.queues import take_each
from acts.site import now_text, table
from mail import outbox
from store import keys, spans
from store.log import as_text
from store.splitting import TRANSACTION_WRITES
from store.table import Condition, Delete, Equals, Item, Missing, Put, Refused, Update, Write

from . import repository
from .rules import Post, writes_news
from .subscribing import Subscriber, how_many, subscriber_of

MINUTES = 10  # in which a post can be taken back
NEWS = "news"  # the letter
A_SLICE = TRANSACTION_WRITES  # subscribers of one transaction
MOST_SLICES = 20  # of one turn: other jobs wait for theirs
ENOUGH = 500  # mails to many that wait; before they are sent, no more are put behind them and ahead of others
NOT_BEGUN = Missing("began_at")


# --- with the acts on a post; each answers parts of their transactions ---


def dated(post: Post, mails: bool | None, now: str) -> list[Write]:
    """What becomes of the mark of a post that gets this date: it is to be mailed, or not; or it stays as it was.

    One that was mailed is not mailed again, nor one that is given a date in the past.
    """
    assert post.published_at is not None
    mark = table().get(keys.post_mailing(post.id))
    if mark is not None and is_begun(mark):
        return []
    waits = mark is not None
    wanted = waits if mails is None else mails
    if wanted and (waits or post.published_at >= now):
        return [_marked(post.id, due_at(max(post.published_at, now)))]
    return _unmarked(post.id) if waits else []


def taken_back(post: Post) -> list[Write]:
    """A post that is a draft again. If its mails have begun to leave, the worker stops when it sees that."""
    mark = table().get(keys.post_mailing(post.id))
    return _unmarked(post.id) if mark is not None and not is_begun(mark) else []


def due_at(moment: str) -> str:
    return as_text(datetime.fromisoformat(moment) + timedelta(minutes=MINUTES))


def is_begun(mark: Item) -> bool:
    return "began_at" in mark


def is_marked(writes: Iterable[Write]) -> bool:
    """Whether the post is to be mailed when this is written."""
    return any(isinstance(write, Put) for write in writes)


def _marked(post_id: str, due: str) -> Put:
    place = keys.post_mailing(post_id)
    index = {"GSI1PK": keys.POST_MAILINGS.pk, "GSI1SK": keys.post_by_date(due, post_id)}
    return Put({"PK": place.pk, "SK": place.sk, **index, "post": post_id, "due": due}, when=NOT_BEGUN)


def _unmarked(post_id: str) -> list[Write]:
    return [Delete(keys.post_mailing(post_id), when=NOT_BEGUN)]


# --- what whoever publishes a post is asked ---


@dataclass(frozen=True, slots=True)
class Offer:
    """Whether a post is to be mailed, as it stands or is chosen, and to how many."""

    readers: int
    is_on: bool
    waits: bool = False  # it has a date, after which it is to be mailed
    is_begun: bool = False


def offered(user: User, post: Post, chosen: bool | None = None) -> Offer | None:
    """For admins. A draft is mailed unless they say otherwise; one that has a date stays as they have said."""
    if not writes_news(user.role):
        return None
    mark = table().get(keys.post_mailing(post.id))
    if mark is not None and is_begun(mark):
        return Offer(how_many(), is_on=False, is_begun=True)
    waits = mark is not None
    return Offer(how_many(), (waits or post.published_at is None) if chosen is None else chosen, waits)


# --- what workers do ---


def is_due() -> bool:
    return bool(table().page(keys.post_mailings_due(now_text()), limit=1).items)


def take_on(goes_on: Callable[[], bool] = lambda: True) -> int:
    """Queue mails about every post that is due; answers how many. What is left of long lists has its next turn."""
    waiting = list(table().each(keys.post_mailings_due(now_text())))
    return take_each(waiting, lambda mark: _take_on(mark["post"], goes_on))


def _take_on(post_id: str, goes_on: Callable[[], bool]) -> int:
    queued = 0
    for _slice in range(MOST_SLICES):
        mark = table().get(keys.post_mailing(post_id))
        if mark is None or not _waits(mark) or not goes_on() or _is_full():
            break
        try:
            queued += _mail_slice(mark)
        except Refused:
            continue  # another worker was faster, or the post was changed at this moment: look again
    return queued


def _waits(mark: Item) -> bool:
    """The index may not know yet that it was moved, or that it is done."""
    return "GSI1PK" in mark and mark["due"] <= now_text()


def _is_full() -> bool:
    waiting = spans.page(table(), outbox.due_by(now_text(), urgent=False), limit=ENOUGH)
    return len(waiting.items) >= ENOUGH


def _mail_slice(mark: Item) -> int:
    """Queue mails for the next subscribers, and move on; or end with the list, or with a post that was taken back."""
    post = repository.find(mark["post"])
    if post is None or not post.is_seen(now_text()):
        table().write(_ended(mark))
        return 0
    page = table().page(keys.SUBSCRIBERS, limit=A_SLICE, cursor=mark.get("after"))
    mails = _mails(post, map(subscriber_of, page.items))
    moved = _moved(mark, page.cursor) if page.cursor else _ended(mark)
    table().write(moved, repository.as_it_was(post), *mails)
    return len(mails)


def _moved(mark: Item, after: str) -> Update:
    return Update(keys.post_mailing(mark["post"]), set={"after": after, **_begun(mark)}, when=_as_it_was(mark))


def _ended(mark: Item) -> Update:
    gone = ("GSI1PK", "GSI1SK", "after")  # the last says whose turn it was
    return Update(keys.post_mailing(mark["post"]), set=_begun(mark), remove=gone, when=_as_it_was(mark))


def _begun(mark: Item) -> Item:
    return {"began_at": mark.get("began_at", now_text())}


def _as_it_was(mark: Item) -> Condition:
    here = Equals("after", mark["after"]) if "after" in mark else Missing("after")
    return here & Equals("GSI1SK", mark["GSI1SK"])


def _mails(post: Post, subscribers: Iterable[Subscriber]) -> list[Put]:
    """For whoever got the news by mail when it was published, and was not mailed about it."""
    letters = [_letter(post, each) for each in subscribers if each.since <= (post.published_at or "")]
    mailed = table().get_many(letter.key for letter in letters) if letters else {}
    return [letter for letter in letters if letter.key not in mailed]


def _letter(post: Post, subscriber: Subscriber) -> Put:
    """Its number cannot be worked out from the post and an address: it would tell who gets the news."""
    occasion = salted_hmac("news.mailing", post.id, algorithm="sha256").hexdigest()
    with override(subscriber.language):
        return outbox.queued_once(occasion, NEWS, subscriber.address, post=post.id, slug=post.slug)


# --- in a store filled from a backup ---


def let_pass(post_id: str) -> bool:
    """What was due by now may have been mailed since the backup was made, so it is not mailed; true if it was due."""
    mark = table().get(keys.post_mailing(post_id))
    if mark is None or not _waits(mark):
        return False
    table().write(_ended(mark))
    return True
