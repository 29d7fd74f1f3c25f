"""What replay is made of: events as their effects read them, and what an effect may answer.

An effect returns the writes of the act that recorded the event, transaction by transaction; each is computed after the
one before is written. `operations.upkeep.replay` applies them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .table import Item, Write


class DoesNotFit(Exception):
    """An event that is impossible after the events before it; the message says why."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    kind: str
    actor: str
    when: str
    data: Item


Transactions = Iterator[Sequence[Write]]
Effect = Callable[[LoggedEvent], Transactions]
