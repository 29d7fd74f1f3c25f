"""When somebody was here last: what has happened since is new to them.

A visit is the first page of home after some hours without one. So there is one write a visit, and none a page; and what
is new stays new until the visit is over.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from acts.storage import table
from store.log import as_text
from store.table import StoreError

from . import repository
from .models import User

VISIT_DURATION = timedelta(hours=6)


def last_visit(user: User, now: str) -> str:
    """When the visit before this one began; before there was any, when the account was made."""
    if user.visited_at > as_text(datetime.fromisoformat(now) - VISIT_DURATION):
        return user.visited_before or user.created_at
    with suppress(StoreError):  # another window has said so, or nothing can be written now: no page need fail for that
        table().write(repository.visit(user, now))
    return user.visited_at or user.created_at
