"""Hooks by which lower packages call functions of higher ones that they may not import.

When an election closes, ballots and results have something to do, but elections know neither. Each such event is a
`Hooks` value in the lower package. config/hooks.py installs the functions of the core in their order; parts add theirs,
which are left out while the part is switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, ParamSpec, TypeVar

from . import features

P = ParamSpec("P")
T = TypeVar("T")

ALL = features.Features()
_installing: ContextVar[str] = ContextVar("installing", default="")


@contextmanager
def steps_of(part: str) -> Iterator[None]:
    """Whatever is added inside belongs to this part."""
    token = _installing.set(part)
    try:
        yield
    finally:
        _installing.reset(token)


class Hooks(Generic[P, T]):
    """The functions to call at this moment, in their order. `always`: those of parts that are switched off, too."""

    def __init__(self, moment: str, *, always: bool = False):
        self.moment, self.always = moment, always
        self._steps: list[tuple[str, Callable[P, T]]] = []

    def __iter__(self) -> Iterator[Callable[P, T]]:
        site = ALL if self.always else features.current()
        return iter([step for part, step in self._steps if site.has(part)])

    def install(self, *steps: Callable[P, T]) -> None:
        """In place of all before."""
        self._steps.clear()
        self.add(*steps)

    def add(self, *steps: Callable[P, T]) -> None:
        self._steps += [(_installing.get(), step) for step in steps]
