"""Liking posts and taking it back: idempotent, as each request sets the state to on or off.

There are no events: the log would keep for good what must be forgotten after 30 days.
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
    """Retried if others like the post at the same time."""
    retry_lost_race(lambda: _set_like(who, on))


def _set_like(who: Liker, on: bool) -> None:
    writes = (likes.liking if on else likes.taking_back)(who, likes.unix_seconds(now_text()))
    try:
        write(*writes, refusals={likes.COUNTER: NotThere(NOT_THERE)})
    except Conflict:  # under heavy load; nothing was written
        raise LostRace from None
    except LostRace as refused:
        if likes.MARK not in refused.parts:  # otherwise it is already in that state
            raise


# --- clean-up ---


def forget_likes(gone: User) -> None:
    """Forget what a removed person liked; the counts stay."""
    delete_all(keys.liked_by(gone.name))


@FORGETTING_LIKES.step
def forget_batch(task: Task) -> Batch:
    """Forget who liked a deleted post. No new likes can come: the counters went with the post."""
    left = next_deletions(*(keys.marks_of_likes(task.subject, shard) for shard in range(LIKE_COUNTERS)))
    return Batch(left) if left else finished()
