"""Liking posts, and taking that back: set to on or off, so that the same again is the same.

There are no events: the log would keep for good what is to be forgotten after 30 days.
"""

from __future__ import annotations

from accounts.models import User
from acts.again import try_again
from acts.queues import take_each
from acts.refusals import OVERTAKEN, Overtaken
from acts.site import now_text, table
from acts.sweeping import sweep
from news import likes
from news.likes import Liker
from news.repository import COUNTERS
from news.rules import NOT_THERE, NotThere
from store import keys
from store.table import Conflict, Delete, Refused


def set_like(who: Liker, on: bool) -> None:
    """Whether anybody else likes the post at the same moment makes no difference: then it is tried again."""
    try_again(lambda: _set_like(who, on))


def _set_like(who: Liker, on: bool) -> None:
    now = likes.seconds(now_text())
    try:
        table().write(*(likes.liking if on else likes.taking_back)(who, now))
    except Conflict:  # of those who come in crowds; nothing was written
        raise Overtaken(OVERTAKEN) from None
    except Refused as refused:
        _check_so_already(refused)


def _check_so_already(refused: Refused) -> None:
    if likes.COUNTER in refused.parts:
        raise NotThere(NOT_THERE) from None
    if likes.MARK not in refused.parts:
        raise Overtaken(OVERTAKEN) from None


# --- what is left ---


def forget_likes(gone: User) -> None:
    """When somebody leaves, what they liked is forgotten. That it was liked stays counted."""
    sweep(keys.liked_by(gone.name), ())


def forget_who_liked_all() -> int:
    """Forget who liked posts that are deleted; answers of how many."""
    return take_each(list(table().each(keys.DELETED_POSTS)), lambda mark: _forget_who_liked(mark["post"]))


def _forget_who_liked(post_id: str) -> bool:
    """The mark goes last. No new like comes: the counters went with the post."""
    for shard in range(COUNTERS):
        sweep(keys.marks_of_likes(post_id, shard), ())
    table().write(Delete(keys.deleted_post(post_id)))
    return True
