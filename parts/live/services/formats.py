"""What a format does when people act: when a session is copied, somebody leaves, a vote is opened, a session ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from accounts.models import User
from foundation.store.table import Write

from ..formats import ByType
from ..rules import Game, State
from ..seats import Seat


class Hooks:
    """Of an ordinary session. Another format overrides what is different."""

    def copied(self, source: Game) -> dict[str, Any]:
        """Settings that a copy takes over besides those of all sessions."""
        return {}

    def copy(self, source: Game, made: Game, host: User) -> None:
        """Copy what the format adds; settings and questions have already been copied."""

    def on_left(self, game: Game, player: str) -> None:
        """Called after a player has left or been removed."""

    def open_vote(self, game: Game, state: State) -> dict[str, Any]:
        """Event payload about who may vote; refused if a vote cannot be opened."""
        return {}

    def weights(self, seated: Iterable[Seat]) -> dict[str, int]:
        """How many times votes count, by the player's id, if not once."""
        return {}

    def stepped(self, game: Game, before: State, after: State) -> None:
        """Called after a host has taken a step."""

    def ending(self, game: Game, state: State) -> list[Write]:
        """Additional writes when the session ends."""
        return []

    def finish_ending(self, game_id: str, *, surely: bool = False) -> None:
        """Finish work begun at the end; `surely` when session data is about to be deleted."""


HOOKS = ByType(Hooks())
