"""Races, one step at a time: somebody has looked, somebody else acts, and only then the first one writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from foundation.acts.refusals import Refusal
from foundation.acts.storage import table, use_table
from foundation.store.table import Key, Numbered, Refused, Table, Write, opened
from tests.chaos import Chaos


class Overtaken(Chaos):
    """A table in which something happens before the next transaction, or before the next that touches this item."""

    def __init__(self, table: Table, first: Callable[[], Any], touching: Key | None):
        super().__init__(table, random=None)  # type: ignore[arg-type] - its weather is fine
        self.first: Callable[[], Any] | None = first
        self.touching = touching

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        if self.first and (self.touching is None or self.touching in {each.key for each in opened(writes)}):
            first, self.first = self.first, None
            with use_table(self.table):
                first()
        super().write(*writes, token=token)


@contextmanager
def overtaken_by(first: Callable[[], Any], *, touching: Key | None = None) -> Iterator[None]:
    """Whoever acts inside has read everything when `first` happens, and writes afterwards."""
    slow = Overtaken(table(), first, touching)
    with use_table(slow):
        yield
    assert slow.first is None, "nothing was written, so nobody was overtaken"


def lost(act: Callable[[], Any], to: Callable[[], Any], *, touching: Key | None = None) -> Exception:
    """Of two acts that were decided at the same moment, the second is refused; answers what it is told."""
    with overtaken_by(to, touching=touching), pytest.raises((Refusal, Refused)) as refusal:
        act()
    return refusal.value
