"""Questions that do not hang together, asked at the same time where every question is a journey."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar, overload

from . import patience, trips
from .table import Table

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


@overload
def together(table: Table, one: Callable[[], A], two: Callable[[], B], /) -> tuple[A, B]: ...
@overload
def together(table: Table, one: Callable[[], A], two: Callable[[], B], three: Callable[[], C], /) -> tuple[A, B, C]: ...
@overload
def together(
    table: Table, one: Callable[[], A], two: Callable[[], B], three: Callable[[], C], four: Callable[[], D], /
) -> tuple[A, B, C, D]: ...
@overload
def together(table: Table, /, *asks: Callable[[], A]) -> tuple[A, ...]: ...
def together(table: Table, /, *asks: Callable[[], Any]) -> tuple[Any, ...]:
    """What each of these answers. Each is a row of round trips, and one waits only for the longest.

    None of them may depend on what another one does: their order is not known.
    """
    rows: list[trips.Trips] = []
    lost: list[float] = []
    try:
        return tuple(table.at_once([_in_a_row_of_its_own(ask, rows, lost) for ask in asks]))
    finally:
        trips.side_by_side(rows)
        patience.lose(max(lost, default=0.0))


def _in_a_row_of_its_own(ask: Callable[[], A], rows: list[trips.Trips], lost: list[float]) -> Callable[[], A]:
    """With what is known here: who asks, on which table. What it sets stays its own."""
    here = copy_context()

    def counted() -> A:
        with trips.counted() as row, patience.side_by_side(lost):
            rows.append(row)
            return ask()

    return lambda: here.run(counted)


def settled(ask: Callable[[], A]) -> Callable[[], A]:
    """Ask now, and tell later what was answered, or raised."""
    try:
        answer = ask()
    except Exception as error:
        failure = error

        def fail() -> A:
            raise failure

        return fail
    return lambda: answer
