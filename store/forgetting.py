"""What was deleted and must not be found in the store's files either: marked with the deletion, done in the quiet.

Whoever deletes such a thing puts the mark into the same transaction. A worker has the files written afresh when nobody
writes, and takes the mark away if nothing was marked meanwhile; a killed one leaves it, and so it is done again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from . import keys
from .table import Delete, Equals, Exists, Item, Missing, Refused, Table, Update

QUIET = 3.0  # seconds without a write after which nobody is likely to be held up
LATEST = 300  # seconds after which the files are written afresh however busy the store is


def to_forget() -> Update:
    """The mark: part of the transaction that deletes."""
    return Update(keys.forgetting(), add={"asked": 1})


def nothing_to_come() -> bool:
    return False


def is_due(table: Table, now: float, more_to_come: Callable[[], bool] = nothing_to_come) -> bool:
    """Whether `forget` has something to do. Where more is about to be deleted, once afterwards is better."""
    mark = table.get(keys.forgetting())
    if mark is None or "since" not in mark:
        return mark is not None
    return _is_late(mark, now) or (table.quiet() >= QUIET and not more_to_come())


def _is_late(mark: Item, now: float) -> bool:
    return bool(now - mark["since"] >= LATEST)


def forget(table: Table, now: float) -> int:
    """First say since when the mark waits; when that is due, forget. Answers how often something was forgotten."""
    mark, place = table.get(keys.forgetting()), keys.forgetting()
    if mark is None:
        return 0
    if "since" not in mark:
        with suppress(Refused):
            table.write(Update(place, set={"since": int(now)}, when=Exists() & Missing("since")))
        return 0
    table.forget_deleted()
    try:
        table.write(Delete(place, when=Equals("asked", mark["asked"])))
    except Refused:  # more was deleted meanwhile; that waits since now
        with suppress(Refused):
            table.write(Update(place, set={"since": int(now)}, when=Exists()))
    return 1
