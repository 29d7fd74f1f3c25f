"""Who wants to know at once that a session has moved: what this process keeps of it, and its hub. Others look twice a
second."""

from __future__ import annotations

from collections.abc import Callable

_wants_to_know: list[Callable[[str], None]] = []


def listen(tell: Callable[[str], None]) -> None:
    _wants_to_know.append(tell)


def moved(game_id: str) -> None:
    for tell in _wants_to_know:
        tell(game_id)
