"""What is said to pages that listen or ask: events, each made once of a room for all who are shown the same.

| event | data | on the page |
|---|---|---|
| `screen` | `key`, `html` | replaces the screen if it has another key, so that a form in use stays |
| `status` | `key`, `html` | the line that may change at any moment |
| `clock` | `now`, `end`, `left`, `length`, `paused`, `starts` | by the server's clock |
| `mine` | `key`, `html` | what one player alone sees |
| `consent` | `key`, `html` | what somebody is asked about their seat, where the format does |
| `beside` | `key`, `html` | what the format shows beside, such as who wants to speak |
| `elsewhere` | | nothing more comes: another device has the seat |
| `gone` | | nothing more comes: there is no such session, or no seat in it, any more |

Each has a version as its id: the number of the state it shows, and a mark of the rest. So nothing is shown backwards.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson
from django.urls import get_script_prefix
from django.utils import translation

from live.clock import DEFAULT_PERCENT
from live.room import Room
from live.seats import Seat

from . import screens
from .screens import Role, Shown

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Said:
    """An event."""

    name: str
    key: str  # another one if it says something else
    data: bytes  # JSON


ELSEWHERE, GONE = Said("elsewhere", "", b"{}"), Said("gone", "", b"{}")  # after which nothing more comes
LAST = "0"  # their version


# --- made of a room, once; all in the language that is active ---


def screen(role: Role, room: Room) -> Said:
    return _made(room, ("screen", role), lambda: _shown("screen", screens.screen(role, room)))


def status(role: Role, room: Room) -> Said:
    return _made(room, ("status", role), lambda: _shown("status", screens.status(role, room)))


def beside(role: Role, room: Room) -> list[Said]:
    """What the format shows beside; in most there is nothing."""
    return _made(room, ("beside", role), lambda: _optional("beside", room.game.format.beside(role, room)))


def _made(room: Room, what: tuple[str, ...], make: Callable[[], T]) -> T:
    question = (*what, translation.get_language(), get_script_prefix())
    if question not in room.made:
        room.made[question] = make()
    made: T = room.made[question]
    return made


# --- made anew ---


def clock(room: Room, percent: int = DEFAULT_PERCENT) -> Said:
    """As it is at this moment: a page takes the server's time from it."""
    return _said("clock", f"{room.state.version}-{percent}", screens.clock_of(room, percent))


def mine(room: Room, seat: Seat, role: Role = Role.PLAYER, **own: Any) -> Said:
    if role == Role.QA:
        return _shown("mine", screens.questions_of(room, seat))
    return _shown("mine", screens.mine(room, seat, **own))


def consent(role: Role, room: Room, seat: Seat) -> list[Said]:
    """What a player is asked about their seat."""
    return _optional("consent", room.game.format.consent(room, seat)) if role == Role.PLAYER else []


def _optional(name: str, shown: Shown | None) -> list[Said]:
    return [_shown(name, shown)] if shown else []


def _shown(name: str, shown: Shown) -> Said:
    return _said(name, shown.key, {"key": shown.key, "html": shown.html})


def _said(name: str, key: str, data: dict[str, Any]) -> Said:
    return Said(name, key, orjson.dumps(data))


# --- as pages get them ---


def for_all(role: Role, room: Room, percent: int = DEFAULT_PERCENT) -> list[Said]:
    """What everybody of a kind is shown."""
    return [screen(role, room), status(role, room), *beside(role, room), clock(room, percent)]


def version(role: Role, room: Room, seat: Seat | None = None) -> str:
    """Another one if anything of what is said is another."""
    own = screens.mine_key(room, seat, role) if seat and role == Role.QA else ""
    shown = "".join(each.key for each in (screen(role, room), status(role, room), *beside(role, room))) + own
    return f"{room.state.version}-{zlib.crc32(shown.encode()):x}-{seat.version if seat else 0}"


def as_stream(version: str, said: Iterable[Said]) -> bytes:
    head = version.encode()
    return b"".join(b"id: %b\nevent: %b\ndata: %b\n\n" % (head, each.name.encode(), each.data) for each in said)


def as_json(version: str, said: Iterable[Said]) -> bytes:
    """The same for a page that asks."""
    events = b",".join(b'["%b",%b]' % (each.name.encode(), each.data) for each in said)
    return b'{"version":%b,"said":[%b]}' % (orjson.dumps(version), events)
