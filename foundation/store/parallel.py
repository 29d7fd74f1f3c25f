"""Runs independent reads in parallel where each is a round trip to a distant store; errors that threads share."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from typing import Any, TypeVar, overload

from . import round_trips, wait_budget
from .table import Table

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E", bound=BaseException)


@overload
def run_parallel(table: Table, one: Callable[[], A], two: Callable[[], B], /) -> tuple[A, B]: ...
@overload
def run_parallel(
    table: Table, one: Callable[[], A], two: Callable[[], B], three: Callable[[], C], /
) -> tuple[A, B, C]: ...
@overload
def run_parallel(
    table: Table, one: Callable[[], A], two: Callable[[], B], three: Callable[[], C], four: Callable[[], D], /
) -> tuple[A, B, C, D]: ...
@overload
def run_parallel(table: Table, /, *asks: Callable[[], A]) -> tuple[A, ...]: ...
def run_parallel(table: Table, /, *asks: Callable[[], Any]) -> tuple[Any, ...]:
    """The result of each. None may depend on another, because their order is undefined. Only the longest counts as
    waited for."""
    rows: list[round_trips.RoundTrips] = []
    lost: list[float] = []
    try:
        return tuple(table.run_parallel([_as_branch(ask, rows, lost) for ask in asks]))
    finally:
        round_trips.add_parallel(rows)
        wait_budget.spend(max(lost, default=0.0))


def _as_branch(ask: Callable[[], A], rows: list[round_trips.RoundTrips], lost: list[float]) -> Callable[[], A]:
    """Run in a copy of this context, so that what a branch sets stays local to it."""
    context = copy_context()

    def counted() -> A:
        with round_trips.count_round_trips() as row, wait_budget.parallel_branch(lost):
            rows.append(row)
            return ask()

    return lambda: context.run(counted)


def capture(ask: Callable[[], A]) -> Callable[[], A]:
    """Run now; the returned function returns the result or raises the error."""
    try:
        answer = ask()
    except Exception as error:
        failure = error

        def fail() -> A:
            raise failure

        return fail
    return lambda: answer


def copy_of(error: E) -> E:
    """A copy to raise in another thread. One object raised in several would mix up their tracebacks in the log."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    copy.__cause__, copy.__suppress_context__ = error.__cause__, error.__suppress_context__
    return copy.with_traceback(error.__traceback__)
