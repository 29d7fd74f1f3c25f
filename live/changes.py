"""Who wants to know at once that a session has moved: what this process keeps of it, and its hub. Others look twice a
second."""

from __future__ import annotations

from collections.abc import Callable

_subscribers: list[Callable[[str], None]] = []


def subscribe(tell: Callable[[str], None]) -> None:
    _subscribers.append(tell)


def publish(game_id: str) -> None:
    for tell in _subscribers:
        tell(game_id)
