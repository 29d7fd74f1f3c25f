"""What each kind of screen shows of a room: rendered once for all who look at the same in the same language.

Each has a key, and a page replaces what it shows only by what has another key. `screen` and `mine` keep theirs as long
as people answer or vote, so that nobody loses a form that they are filling in; `status` has no form and may change at
any moment. `mine` is what one player alone sees.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation

from . import asking, clock, hall, outcome
from .rooms import Room
from .rules import Phase
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
    }


def screen(role: Role, room: Room, **own: Any) -> Shown:
    """`templates/live/screens/{role}/{phase}.html`; which language, the caller has activated.

    `own` is what a page that is loaded anew shows in the form to one player alone: what they typed.
    """
    template = f"live/screens/{role}/{room.state.phase}.html"
    key = f"{translation.get_language()}-{_key(role, room)}"
    return Shown(key, render_to_string(template, context(role, room) | told(role, room) | _drawn(role, room) | own))


def _drawn(role: Role, room: Room) -> dict[str, Any]:
    """What came of it, as the screens of a hall show it."""
    if role == Role.PLAYER:
        return {}
    return hall.scores(room) if role == Role.SCOREBOARD else hall.outcome(room)


def _key(role: Role, room: Room) -> str:
    """Nobody types on the screens of a hall: these follow every version that a step can leave, and every name."""
    if role == Role.PLAYER:
        return f"{room.state.key}{_lobby(room)}"
    version = f"-{room.state.version}" if role in (Role.HOST, Role.REMOTE) else ""
    return f"{room.state.key}{version}{hall.mark(room)}"


def _lobby(room: Room) -> str:
    """While all wait, a phone's screen is another one whenever it names others: few, so that it stays quiet."""
    if room.state.phase != Phase.WAITING:
        return ""
    return f"-{zlib.crc32(chr(10).join(asking.named(room)).encode()):x}"


def told(role: Role, room: Room) -> dict[str, Any]:
    """What the templates of one kind of screen have at hand, besides the context of all."""
    return asking.told(room) | outcome.told(room) if role == Role.PLAYER else hall.told(room)


def status(role: Role, room: Room, percent: int = clock.USUAL) -> Shown:
    """The line that may change at any moment: clock, paused, host away, how many have answered.

    With the clock of somebody who has more time than usual it is their own.
    """
    more = {"clock": clock_of(room, percent)} | told(role, room)
    html = render_to_string(f"live/screens/{role}/status.html", context(role, room) | more)
    present = f"{room.present.players}-{room.present.host_away}-{percent}"
    shown = present if role == Role.PLAYER else sha256(html.encode()).hexdigest()[:12]  # phones show no numbers
    return Shown(f"{room.state.version}-{shown}", html)


def mine(room: Room, seat: Seat, **own: Any) -> Shown:
    """What one player alone sees: their name, what they answered, what they vote on, their points and place.

    `own` has what only a request knows: `said` in the phase that is open, `told` of it, `typed` and `problem`.
    """
    key = f"{translation.get_language()}-{room.state.key}"
    if not room.state.is_open:
        key += f"-{seat.version}"
    shown = context(Role.PLAYER, room) | asking.told(room) | outcome.mine(room, seat, **own)
    return Shown(key, render_to_string("live/screens/player/mine.html", shown))


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
