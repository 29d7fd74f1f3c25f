"""The kinds of screens, the pieces of HTML that they get, and what a format adds to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from foundation.store.table import Item, Key
from parts.live.formats import ByType
from parts.live.rules import Game, State, Step
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot


class Role(StrEnum):
    """The kind of screen; the value is part of URLs."""

    PLAYER = "player"
    HOST = "host"  # projector and controls in one
    SCREEN = "screen"  # projector alone
    REMOTE = "remote"  # controls on a phone
    SCOREBOARD = "scoreboard"
    QA = "qa"  # questions from the room, as a player sees them
    MANAGE_QA = "manage_qa"  # the same, as hosts see them


HOSTING = (Role.HOST, Role.REMOTE, Role.MANAGE_QA)
SEATED = (Role.PLAYER, Role.QA)
OF_QA = (Role.QA, Role.MANAGE_QA)


@dataclass(frozen=True, slots=True)
class Fragment:
    """Rendered HTML, with a key that tells a page whether it already has it."""

    key: str
    html: SafeString


class Screens:
    """Of an ordinary session. Another format overrides what is different."""

    def extra_key(self, game_id: str) -> Key | None:
        """Key of an additional item that every snapshot reads."""
        return None

    def panel_data(self, item: Item | None, known: Any) -> Any:
        """Snapshot data built from that item; `known` is the data of the previous snapshot."""
        return None

    def screen(self, role: Role, snapshot: Snapshot) -> dict[str, Any]:
        """What the templates of a screen show besides."""
        return {}

    def panel(self, role: Role, snapshot: Snapshot, values: Mapping[str, Any]) -> Fragment | None:
        """A part of the page that updates independently; `values` are those of the screen."""
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
