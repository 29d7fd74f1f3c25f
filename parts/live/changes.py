"""Publishes that a session has changed to subscribers in this process: its cache and its broadcaster."""

from __future__ import annotations

from collections.abc import Callable

_subscribers: list[Callable[[str], None]] = []


def subscribe(tell: Callable[[str], None]) -> None:
    _subscribers.append(tell)


def publish(game_id: str) -> None:
    for tell in _subscribers:
        tell(game_id)
