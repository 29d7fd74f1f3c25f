"""Hooks by which lower packages call functions of higher ones that they may not import.

When an election closes, ballots and results have something to do, but elections know neither. Each such event is a
`Hooks` value in the lower package. config/hooks.py installs the functions of the core in their order; parts add theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Hooks(list[Callable[P, T]], Generic[P, T]):
    """The functions to call at this moment, in their order."""

    def __init__(self, moment: str):
        super().__init__()
        self.moment = moment

    def install(self, *steps: Callable[P, T]) -> None:
        self[:] = steps

    def add(self, *steps: Callable[P, T]) -> None:
        self.extend(steps)
