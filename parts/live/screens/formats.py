"""What a format adds to the screens of a session."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise

from foundation.store.table import Item, Key
from parts.live.formats import ByType
from parts.live.rules import Game, State, Step
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot

from .roles import Fragment, Role


class Screens:
    """Of an ordinary session. Another format overrides what is different."""

    def extra_key(self, game_id: str) -> Key | None:
        """Key of an additional item that every snapshot reads."""
        return None

    def panel_data(self, item: Item | None, known: Any) -> Any:
        """Snapshot data built from that item; `known` is the data of the previous snapshot."""
        return None

    def context(self, role: Role, snapshot: Snapshot) -> dict[str, Any]:
        """Additional context for the templates of screens."""
        return {}

    def panel(self, role: Role, snapshot: Snapshot) -> Fragment | None:
        """A part of the page that updates independently."""
        return None

    def own_version(self, snapshot: Snapshot, player: str) -> str:
        """Version that changes with a player's position in the panel."""
        return ""

    def consent(self, snapshot: Snapshot, seat: Seat) -> Fragment | None:
        """A question or notice to a player about their seat."""
        return None

    def left_context(self, seat: Seat, state: State) -> dict[str, Any]:
        """Additional context of the page for somebody who has left."""
        return {}

    def other_device_page(self, request: HttpRequest, game: Game, state: State) -> HttpResponse | None:
        """Page for a browser whose seat another device has."""
        return None

    def may_get_seat(self, request: HttpRequest, game: Game, state: State) -> bool:
        """Whether that page is to wait, because the browser may still get the seat."""
        return False

    def confirmation(self, game: Game, step: Step, present: int) -> str | Promise | None:
        """Confirmation text before a step; `None` for the default."""
        return None


SCREENS = ByType(Screens())
