"""What a format adds to polls and elections that are made from a session."""

from __future__ import annotations

from foundation.store.table import Write
from parts.live.follow_up_store import FollowUp
from parts.live.formats import ByType
from parts.live.rules import Game

from .electorate import Electorate


class FollowUps:
    """Of an ordinary session. Another format overrides what is different."""

    def electorate(self, game: Game) -> Electorate | None:
        """The people present, if they can become voters of an election."""
        return None

    def making(self, game: Game, made: FollowUp) -> list[Write]:
        """Additional writes when a poll or election is created from the session."""
        return []


FOLLOW_UPS = ByType(FollowUps())
