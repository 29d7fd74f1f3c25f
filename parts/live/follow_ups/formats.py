"""What a format adds to polls and elections that are made from a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from django.http import QueryDict

from foundation.store.table import Write
from parts.live.follow_up_store import FollowUp
from parts.live.formats import ByType
from parts.live.rules import Game


class Hall(Protocol):
    """Those present, who can become the voters of an election."""

    @property
    def voters(self) -> Mapping[str, str]:
        """By name on its roll, with the creation time of their account, or `BY_ADDRESS`."""

    def settings(self, game: Game, digest: str, *, listed: bool) -> Mapping[str, Any]:
        """Settings of the election, whether or not they are listed as its voters; `digest` is of the sealed round."""


class FollowUps:
    """Of an ordinary session. Another format overrides what is different."""

    has_hall: ClassVar[bool] = False  # so that an election can be made of those present, and of no question

    def hall(self, game: Game, typed: Any = None) -> Hall | None:
        """The people present, if they can become voters of an election; `typed` is what hosts know of them."""
        return None

    def typed(self, game: Game, post: QueryDict) -> Any:
        """What a host typed about those present; refused if something is wrong with it."""
        return None

    def page_context(self, game: Game, post: QueryDict) -> dict[str, Any]:
        """Additional context of the page on which they are created."""
        return {}

    def making(self, game: Game, made: FollowUp) -> list[Write]:
        """Additional writes when a poll or election is created from the session."""
        return []


FOLLOW_UPS = ByType(FollowUps())
