"""Deleted data that must not be found in the store's files either: marked with the deletion, cleared up by the worker.

Whoever deletes such a thing puts the mark into the same transaction. SQLite overwrites deleted bytes where they lie,
but when it moves rows from page to page it leaves copies behind. So there are two steps. The worker first moves the
journal, which still holds old pages, into the file (`forget`), and in a quiet moment it rewrites the file (`rewrite`).
It removes the mark only if nothing was marked meanwhile. If it is killed, or somebody reads for long, it tries again.
"""

from __future__ import annotations

from contextlib import suppress

from . import keys
from .table import Delete, Equals, Refused, Table, Update


def to_forget() -> Update:
    """The mark: part of the transaction that deletes."""
    return Update(keys.forgetting(), add={"asked": 1})


def to_forget_in(table: Table) -> list[Update]:
    """As `to_forget`; nothing for a store that hands nobody its files, where all who vote would meet in the mark."""
    return [] if table.is_distant else [to_forget()]


def is_due(table: Table) -> bool:
    return _unforgotten(table) is not None


def forget(table: Table) -> int:
    """Empty the journal if something was deleted. Returns how often that was done."""
    if (asked := _unforgotten(table)) is None:
        return 0
    table.forget_deleted()
    same = Equals("asked", asked)
    with suppress(Refused):  # more was deleted meanwhile: the next turn sees to it
        if table.is_distant:  # DynamoDB hands nobody its files
            table.write(Delete(keys.forgetting(), when=same))
        else:
            table.write(Update(keys.forgetting(), set={"emptied": asked}, when=same))
    return 1


def _unforgotten(table: Table) -> int | None:
    """How often something was deleted, unless the journal was emptied since."""
    mark = table.get(keys.forgetting())
    return mark["asked"] if mark and mark.get("emptied") != mark["asked"] else None


def has_remnants(table: Table) -> bool:
    """Whether something was deleted since the file was last rewritten."""
    return table.get(keys.forgetting()) is not None


def rewrite(table: Table) -> bool:
    """Leave no copy of anything deleted in the file. False if that would keep writers waiting for too long."""
    mark = table.get(keys.forgetting())
    if not table.compact():
        return False
    if mark is not None:
        with suppress(Refused):  # more was deleted meanwhile: the mark stays for it
            table.write(Delete(keys.forgetting(), when=Equals("asked", mark["asked"])))
    return True
