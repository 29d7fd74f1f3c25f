"""How far something long is, told to whoever watches: how many of how many are done."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]


def silent(done: int, of: int) -> None:
    """Nobody watches."""
