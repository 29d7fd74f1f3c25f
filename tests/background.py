"""Background work, done at once instead of when it is due."""

from __future__ import annotations

from datetime import datetime, timedelta

from foundation.acts.background import TYPES, Task, lanes, task_of
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.log import as_text

HORIZON = timedelta(hours=1)  # what is due later has not begun


def unfinished(*types: str) -> list[Task]:
    """The tasks of these types, or all, without those that are due much later or act outside the store."""
    soon = as_text(datetime.fromisoformat(now_text()) + HORIZON)
    stored = (task_of(item) for lane in lanes() for item in table().each(lane))
    waiting = [each for each in stored if each.due <= soon and not TYPES[each.type].claim_seconds]
    return [each for each in waiting if not types or each.type in types]


def finish_background(*types: str) -> int:
    """Do everything that is left, of these types or of all; answers how many tasks were finished."""
    finished, seen = 0, set[tuple[str, str]]()
    while waiting := [each for each in unfinished(*types) if (each.type, each.subject) not in seen]:
        seen |= {(each.type, each.subject) for each in waiting}  # one may have to wait, and an index may be late
        finished += sum(TYPES[task.type].advance(task.subject) for task in waiting)
    return finished


def queue_mailings() -> int:
    """Do every mailing to voters that was asked for; answers how many mails are queued by it."""
    before = _queued()
    finish_background("mail voters")
    return _queued() - before


def _queued() -> int:
    return sum(table().count(span) for span in keys.mails_waiting(1))
