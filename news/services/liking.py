"""Liking posts, and taking that back: set to on or off, so that the same again is the same.

There are no events: the log would keep for good what is to be forgotten after 30 days.
"""

from __future__ import annotations

from accounts.models import User
from acts.background import Batch, Task, finished, next_deletions
from acts.refusals import LostRace, NotThere
from acts.retry import retry_lost_race
from acts.storage import delete_all, now_text, write
from news import likes
from news.likes import Liker
from news.repository import FORGETTING_LIKES, LIKE_COUNTERS
from news.rules import NOT_THERE
from store import keys
from store.table import Conflict


def set_like(who: Liker, on: bool) -> None:
    """Whether anybody else likes the post at the same moment makes no difference: then it is tried again."""
    retry_lost_race(lambda: _set_like(who, on))


def _set_like(who: Liker, on: bool) -> None:
    writes = (likes.liking if on else likes.taking_back)(who, likes.unix_seconds(now_text()))
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
    delete_all(keys.liked_by(gone.name))


@FORGETTING_LIKES.step
def forget_batch(task: Task) -> Batch:
    """Who liked a post that is deleted. No new like comes: the counters went with the post."""
    left = next_deletions(*(keys.marks_of_likes(task.subject, shard) for shard in range(LIKE_COUNTERS)))
    return Batch(left) if left else finished()
