"""What each kind of screen shows of a room: rendered once for all who look at the same in the same language.

`screen` is replaced only when its key changes, so that nobody loses what they are typing; `status` may change at any
moment; `mine` is what one player alone sees.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from . import clock, hall
from .rooms import Room
from .seats import Seat


class Role(StrEnum):
    """Whose screen it is; the word stands in addresses."""

    PLAYER = "player"
    HOST = "host"  # projector and controls in one
    SCREEN = "screen"  # projector alone
    REMOTE = "remote"  # controls on a phone
    SCOREBOARD = "scoreboard"


@dataclass(frozen=True, slots=True)
class Shown:
    """A fragment, and the key by which a page knows whether it has it already."""

    key: str
    html: str


def context(role: Role, room: Room) -> dict[str, Any]:
    """What the templates of every screen have at hand; nothing of it is one player's alone."""
    game, state = room.game, room.state
    return {
        "role": role,
        "room": room,
        "game": game,
        "state": state,
        "question": room.question,
        "round": room.round if state.revealed else None,
        **({} if role == Role.PLAYER else hall.told(room)),
    }


def screen(role: Role, room: Room) -> Shown:
    """`templates/live/screens/{role}/{phase}.html`; which language, the caller has activated."""
    template = f"live/screens/{role}/{room.state.phase}.html"
    shown = context(role, room) | _drawn(role, room)
    return Shown(f"{translation.get_language()}-{_key(role, room)}", render_to_string(template, shown))


def _drawn(role: Role, room: Room) -> dict[str, Any]:
    """What came of it, as the screens of a hall show it."""
    if role == Role.PLAYER:
        return {}
    return hall.scores(room) if role == Role.SCOREBOARD else hall.outcome(room)


def _key(role: Role, room: Room) -> str:
    """Nobody types on the screens of a hall: these follow every version that a step can leave, and every name."""
    if role == Role.PLAYER:
        return room.state.key
    version = f"-{room.state.version}" if role in (Role.HOST, Role.REMOTE) else ""
    return f"{room.state.key}{version}{hall.mark(room)}"


def status(role: Role, room: Room) -> Shown:
    """The line that may change at any moment: paused, host away, how many have answered, who is in the lobby."""
    html = render_to_string(f"live/screens/{role}/status.html", context(role, room))
    return Shown(f"{room.state.version}-{sha256(html.encode()).hexdigest()[:12]}", html)


def mine(room: Room, seat: Seat, said: Any = None) -> str:
    """What one player alone sees: what they answered, their points and place."""
    own = {"seat": seat, "said": said}
    return render_to_string("live/screens/player/mine.html", context(Role.PLAYER, room) | own)


def clock_of(room: Room, percent: int, now: int | None = None) -> dict[str, Any]:
    """What a page needs to show the time that is left, by the server's clock."""
    now = clock.now() if now is None else now
    running = room.state.clock
    return {
        "now": now,
        "end": running.end(percent),
        "left": running.left(now, percent) if running.seconds else None,
        "length": running.length(percent),
        "paused": bool(running.paused),
        "starts": running.began + clock.LEAD if running.seconds else None,
    }
