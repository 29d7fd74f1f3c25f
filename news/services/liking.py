"""Liking posts, and taking that back: set to on or off, so that the same again is the same.

There are no events: the log would keep for good what is to be forgotten after 30 days.
"""

from __future__ import annotations

from accounts.models import User
from acts.again import try_again
from acts.handfuls import sweep
from acts.queues import take_each
from acts.recording import write
from acts.refusals import LostRace, NotThere
from acts.site import now_text, table
from news import likes
from news.likes import Liker
from news.repository import COUNTERS
from news.rules import NOT_THERE
from store import keys
from store.table import Conflict, Delete


def set_like(who: Liker, on: bool) -> None:
    """Whether anybody else likes the post at the same moment makes no difference: then it is tried again."""
    try_again(lambda: _set_like(who, on))


def _set_like(who: Liker, on: bool) -> None:
    writes = (likes.liking if on else likes.taking_back)(who, likes.seconds(now_text()))
    try:
        write(*writes, refusals={likes.COUNTER: NotThere(NOT_THERE)})
    except Conflict:  # of those who come in crowds; nothing was written
        raise LostRace from None
    except LostRace as refused:
        if likes.MARK not in refused.parts:  # else it is so already
            raise


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
