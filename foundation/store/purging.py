"""Purging deleted data from the store's files, so that secrets cannot be recovered from them.

The transaction that deletes also writes a mark. SQLite overwrites deleted bytes in place, but leaves copies behind when
it moves rows between pages. So the worker first moves the journal, which still holds old pages, into the file
(`purge_journal`), and in a quiet moment rewrites the file (`rewrite_file`). It removes the mark only if nothing was
marked meanwhile; if it is killed, or a long read is in the way, it tries again.
"""

from __future__ import annotations

from contextlib import suppress

from . import keys
from .table import Delete, Equals, Refused, Table, Update


def purge_mark() -> Update:
    """The mark, for the transaction that deletes."""
    return Update(keys.FORGETTING, add={"asked": 1})


def purge_marks(table: Table) -> list[Update]:
    """The mark; none on a distant store, whose files are inaccessible and where all voters would contend for the
    item."""
    return [] if table.is_distant else [purge_mark()]


def is_due(table: Table) -> bool:
    return _unpurged(table) is not None


def purge_journal(table: Table) -> int:
    """Empty the journal if something was deleted; returns how often (0 or 1)."""
    if (count := _unpurged(table)) is None:
        return 0
    table.purge_journal()
    same = Equals("asked", count)
    with suppress(Refused):  # more was deleted meanwhile: next time
        if table.is_distant:  # DynamoDB's files are inaccessible
            table.write(Delete(keys.FORGETTING, when=same))
        else:
            table.write(Update(keys.FORGETTING, set={"emptied": count}, when=same))
    return 1


def _unpurged(table: Table) -> int | None:
    """How often something was deleted, unless the journal was emptied since."""
    mark = table.get(keys.FORGETTING)
    return mark["asked"] if mark and mark.get("emptied") != mark["asked"] else None


def has_remnants(table: Table) -> bool:
    """Whether something was deleted since the file was last rewritten."""
    return table.get(keys.FORGETTING) is not None


def rewrite_file(table: Table) -> bool:
    """Leave no copy of anything deleted in the file. False if that would keep writers waiting for too long."""
    mark = table.get(keys.FORGETTING)
    if not table.compact():
        return False
    if mark is not None:
        with suppress(Refused):  # more was deleted meanwhile: the mark stays for it
            table.write(Delete(keys.FORGETTING, when=Equals("asked", mark["asked"])))
    return True
