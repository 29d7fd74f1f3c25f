"""Likes: how many a post has, and as little as possible about who gave them.

A like leaves a mark under a code and increments one of the post's counters, in one transaction. The code is an HMAC,
keyed with the post's id and the site's secret, of the account; or, without one, of a random number in a cookie set with
the browser's first like. The tables alone do not reveal whose a visitor's mark is, nor link one visitor across posts,
and the mark expires after 30 days. The code also selects the counter, so that a like and its removal use the same one.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.refusals import LostRace, NotThere
from foundation.acts.retry import retried
from foundation.acts.storage import delete_all, now_text, table, write
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Conflict, Delete, Exists, Greater, Item, Key, Less, Missing, Put, Update, Write

from . import repository
from .repository import FORGETTING_LIKES, LIKE_COUNTERS, FullPost
from .rules import NOT_THERE

MARK_DAYS = 30
MARK_SECONDS = MARK_DAYS * 24 * 3600  # seconds until a visitor's mark expires
PURPOSE = b"plenum: likes of posts"
COOKIE = "plenum_likes"
MAX_VISITOR_CHARS = 64

ACCOUNT_NOTICE = _("Your like is stored with your account until you take it back. Others only see the number.")
VISITOR_NOTICE = _(
    "If you like this, your browser gets a cookie with a random number so that you count only once, and we store a "
    "code made from it. Both expire after 30 days. The code does not reveal who you are, and it differs from post to "
    "post."
)


# --- who it is ---


@dataclass(frozen=True, slots=True)
class Liker:
    """An account or a browser that may like a post."""

    post: str
    code: str
    user: User | None = None
    browser: str = ""  # number of a browser without an account
    is_new: bool = False  # the number is not in the browser's cookie yet

    @property
    def shard(self) -> int:
        return int(self.code, 16) % LIKE_COUNTERS

    @property
    def mark(self) -> Key:
        return keys.like(self.post, self.shard, self.code)

    @property
    def counter(self) -> Key:
        return keys.likes(self.post, self.shard)


def liker(request: HttpRequest, post_id: str) -> Liker:
    if request.user.is_authenticated:
        return member(request.user, post_id)
    known = request.COOKIES.get(COOKIE, "")
    # Two clicks before the cookie is set send the same form, with the same number.
    number = known or request.POST.get("browser", "") or secrets.token_urlsafe(16)
    return visitor(number[:MAX_VISITOR_CHARS], post_id, is_new=not known)


def member(user: User, post_id: str) -> Liker:
    """Includes the account's creation time, so that a later account of the same name is a different liker."""
    return Liker(post_id, _code(post_id, "account", user.created_at, keys.fold(user.name)), user)


def visitor(browser: str, post_id: str, *, is_new: bool = False) -> Liker:
    return Liker(post_id, _code(post_id, "browser", browser), browser=browser, is_new=is_new)


def set_cookie(who: Liker, response: HttpResponse) -> None:
    """Store a browser's number in its cookie for as long as the mark lasts."""
    response.set_cookie(
        COOKIE,
        who.browser,
        max_age=MARK_SECONDS,
        path=f"{settings.SESSION_COOKIE_PATH}news/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _code(post_id: str, *parts: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")
    return hmac.digest(key, "\n".join((post_id, *parts)).encode(errors="replace"), "sha256").hex()[:32]


# --- reading ---


@dataclass(frozen=True, slots=True)
class Likes:
    """The likes of a post as its page shows them to one reader."""

    post: str
    count: int
    mine: bool
    notice: str  # what is stored about the reader
    browser: str = ""  # the number a browser without an account sends along
    problem: str = ""  # why the request was refused

    @property
    def sentence(self) -> str:
        if self.mine:
            text = ngettext("You like this.", "%(count)d people like this, you among them.", self.count)
        elif self.count:
            text = ngettext("%(count)d person likes this.", "%(count)d people like this.", self.count)
        else:
            text = gettext("No likes yet.")
        return str(text % {"count": self.count})


def load_likes(request: HttpRequest, full: FullPost) -> Likes:
    """The counters came with the post; the reader's own mark, if possible, takes one more read."""
    who = liker(request, full.post.id)
    return _likes(who, full.items, may_be_on=not who.is_new)


def reload_likes(who: Liker, problem: str = "") -> Likes:
    """A fresh read after a change."""
    return _likes(who, table().each(keys.all_likes(who.post)), problem=problem)


def _likes(who: Liker, items: Iterable[Item], *, may_be_on: bool = True, problem: str = "") -> Likes:
    """If the reader's counter is zero, they have no mark."""
    counters = {item["SK"]: item["likes"] for item in items if "likes" in item}
    mine = may_be_on and counters.get(who.counter.sk, 0) > 0 and is_on(who)
    notice = ACCOUNT_NOTICE if who.user else VISITOR_NOTICE
    return Likes(who.post, max(0, sum(counters.values())), mine, str(notice), who.browser, problem)


def is_on(who: Liker) -> bool:
    found = table().get(who.mark)
    return found is not None and ("ttl" not in found or found["ttl"] > unix_seconds(now_text()))


def unix_seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())


# --- writes; each returns the parts of a transaction ---

MARK, COUNTER = 0, 1  # the parts refused if already in that state, and if the post is gone


def liking(who: Liker, now: int) -> list[Write]:
    """An expired mark counts as none, even before it is swept. A removed account leaves no mark behind."""
    item: Item = {"ttl": now + MARK_SECONDS}
    if who.user:
        item = {"GSI1PK": keys.liked_by(who.user.name).pk, "GSI1SK": who.post, "post": who.post}
    mark = Put({**who.mark.item, **item}, when=Missing() | Less("ttl", now + 1))
    checks = [people.is_same_account(who.user)] if who.user else []
    return [mark, Update(who.counter, add={"likes": 1}, when=Exists()), *checks]


def taking_back(who: Liker, now: int) -> list[Write]:
    is_on = Exists() & (Missing("ttl") | Greater("ttl", now))
    return [Delete(who.mark, when=is_on), Update(who.counter, add={"likes": -1}, when=Exists())]


# --- liking: there are no events, as the log would keep for good what must be forgotten after 30 days ---


@retried
def set_like(who: Liker, on: bool) -> None:
    """Idempotent, as each request sets the state. Retried if others like the post at the same time."""
    writes = (liking if on else taking_back)(who, unix_seconds(now_text()))
    try:
        write(*writes, refusals={COUNTER: NotThere(NOT_THERE)})
    except Conflict:  # under heavy load; nothing was written
        raise LostRace from None
    except LostRace as refused:
        if MARK not in refused.parts:  # otherwise it is already in that state
            raise


def forget_likes(gone: User) -> None:
    """Forget what a removed person liked; the counts stay."""
    delete_all(keys.liked_by(gone.name))


@FORGETTING_LIKES.step
def forget_batch(task: Task) -> Batch:
    """Forget who liked a deleted post. No new likes can come: the counters went with the post."""
    left = next_deletions(*(keys.marks_of_likes(task.subject, shard) for shard in range(LIKE_COUNTERS)))
    return Batch(left) if left else finished()


# --- export ---


def export_likes(user: User) -> Iterable[Item]:
    """By the title of the post, as far as it is visible."""
    for some in by_count(table().each(keys.liked_by(user.name))):
        found = table().get_many(keys.post(item["post"]) for item in some)
        posts = map(repository.post_of, found.values())
        titles = {post.id: post.title for post in posts if post.is_public(now_text())}
        yield from ({"post": item["post"], "title": titles.get(item["post"])} for item in some)
