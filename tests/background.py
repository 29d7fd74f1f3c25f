"""Background work, done at once instead of when it is due."""

from __future__ import annotations

from acts.background import TYPES, task_of
from acts.site import table
from store import keys


def finish_background(*types: str) -> int:
    """Do everything that is left, of these types or of all; answers how many tasks were finished."""
    finished = 0
    while waiting := [each for each in map(task_of, table().each(keys.TASKS)) if not types or each.type in types]:
        done = sum(TYPES[task.type].advance(task.subject) for task in waiting)
        if not done:
            break  # the rest waits for something
        finished += done
    return finished


def queue_mailings() -> int:
    """Do every mailing to voters that was asked for; answers how many mails are queued by it."""
    before = _queued()
    finish_background("mail voters")
    return _queued() - before


def _queued() -> int:
    return sum(table().count(span) for span in keys.mails_waiting(1))
