"""Whether an assembly may decide: how many are there, of how many, and what that takes."""

from __future__ import annotations

from typing import Any

from .majorities import quorum_of
from .rules import Game


def told(game: Game, present: int) -> dict[str, Any]:
    """As the log and every sealed vote of an assembly keep it."""
    return {
        "present_count": present,
        "entitled": game.entitled,
        "quorum": game.quorum,
        "quorate": is_met(game, present),
    }


def is_met(game: Game, present: int) -> bool:
    return quorum_of(game.quorum).is_met(present, game.entitled)


def needed(game: Game) -> int:
    """How many have to be there."""
    return quorum_of(game.quorum).needed(game.entitled)
