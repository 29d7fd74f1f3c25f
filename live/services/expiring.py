"""Sessions whose time is over after their end: all of their data goes, only their lines in the history stay."""

from __future__ import annotations

from acts.background import Batch, Task, finished
from acts.site import SITE
from store.forgetting import to_forget
from store.log import Event

from .. import repository
from ..repository import EXPIRING


@EXPIRING.step
def expire(task: Task) -> Batch:
    found = repository.find(task.subject)
    if found is None:  # the store has removed it by itself
        return finished(to_forget())
    found[0].format.ended(task.subject, surely=True)  # should whoever ended it have been cut off
    event = Event(SITE, "LiveSessionExpired", {"game_id": task.subject})
    return finished(*repository.clearing(found[0]), event=event)
