"""Steps that several apps take together: who begins leaves room for those it knows nothing of.

An election knows no ballots and ballots know no results, yet when an election closes each has something to do. Every
such moment is a list of steps, and config/hooks.py says who takes which, in which order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Hooks(Generic[P, T]):
    def __init__(self, moment: str):
        self.moment = moment
        self.steps: tuple[Callable[P, T], ...] = ()

    def install(self, *steps: Callable[P, T]) -> None:
        self.steps = steps

    def __iter__(self) -> Iterator[Callable[P, T]]:
        return iter(self.steps)

    def run_all(self, *arguments: P.args, **words: P.kwargs) -> list[T]:
        """Every step in its order; answers what each made."""
        return [step(*arguments, **words) for step in self.steps]
