"""Deleted data that must not be found in the store's files either: marked with the deletion, cleared up by the worker.

Whoever deletes such a thing puts the mark into the same transaction. The store overwrites deleted bytes where they lie;
the worker then moves the journal, which still holds old copies, into the file. It removes the mark only if nothing was
marked meanwhile. If it is killed, or somebody is reading for long, the mark stays and the worker tries again.
"""

from __future__ import annotations

from contextlib import suppress

from . import keys
from .table import Delete, Equals, Refused, Table, Update


def to_forget() -> Update:
    """The mark: part of the transaction that deletes."""
    return Update(keys.forgetting(), add={"asked": 1})


def is_due(table: Table) -> bool:
    return table.get(keys.forgetting()) is not None


def forget(table: Table) -> int:
    """Clear up if there is a mark. Returns how often that was done."""
    mark = table.get(keys.forgetting())
    if mark is None:
        return 0
    table.forget_deleted()
    with suppress(Refused):  # more was deleted meanwhile: the mark stays for it
        table.write(Delete(keys.forgetting(), when=Equals("asked", mark["asked"])))
    return 1
