"""Ringing the bell."""

from __future__ import annotations

from accounts.models import User
from foundation.acts.storage import record, table, write
from foundation.store.log import Event
from foundation.store.table import Update

from .items import BELL


def ring(user: User) -> None:
    record(Event(user.name, "BellRung", {"by": user.name}), Update(BELL, add={"rung": 1}))


def rung() -> int:
    item = table().get(BELL)
    return int(item["rung"]) if item else 0


def silence() -> int:
    """What the worker does with it: nothing is left to ring."""
    if not (done := rung()):
        return 0
    write(Update(BELL, set={"rung": 0}))
    return done
