"""Hooks by which lower packages call functions of higher ones that they may not import.

When an election closes, ballots and results have something to do, but elections know neither. Each such event is a
`Hooks` value in the lower package, and config/hooks.py installs the functions in their order.
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

    def run_all(self, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """Call every function in order and return their results."""
        return [step(*args, **kwargs) for step in self.steps]
