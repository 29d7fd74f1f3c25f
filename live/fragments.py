"""What is said to pages that listen or ask: events, each made once of a room for all who are shown the same.

| event | data | on the page |
|---|---|---|
| `screen` | `key`, `html` | replaces the screen if it has another key, so that a form in use stays |
| `status` | `html` | the line that may change at any moment |
| `clock` | `now`, `end`, `left`, `length`, `paused`, `starts` | by the server's clock |
| `mine` | `key`, `html` | what one player alone sees |
| `elsewhere`, `gone` | nothing | another device has the seat; the session is no longer there |

Each has a version as its id: the number of the state it shows, and a mark of the rest. So nothing is shown backwards.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils import translation

from . import screens
from .clock import USUAL
from .rooms import Room
from .screens import Role, Shown
from .seats import Seat


@dataclass(frozen=True, slots=True)
class Said:
    """An event."""

    name: str
    data: bytes  # JSON


ELSEWHERE, GONE = Said("elsewhere", b"{}"), Said("gone", b"{}")


# --- made of a room, once ---


def screen(role: Role, room: Room) -> Said:
    """In the language that is active, as all of these."""
    return _made(room, ("screen", role), lambda: _shown("screen", screens.screen(role, room)))


def status(role: Role, room: Room) -> Said:
    return _made(room, ("status", role), lambda: _said("status", html=screens.status(role, room).html))


def _made(room: Room, what: tuple[str, ...], make: Any) -> Said:
    question = (*what, translation.get_language())
    if question not in room.made:
        room.made[question] = make()
    made: Said = room.made[question]
    return made


# --- made for each ---


def clock(room: Room, seat: Seat | None = None) -> Said:
    """As it is at this moment: a page takes the server's time from it."""
    return _said("clock", **screens.clock_of(room, seat.percent if seat else USUAL))


def mine(room: Room, seat: Seat, said: Any = None) -> Said:
    return _shown("mine", screens.mine(room, seat, said))


def _shown(name: str, shown: Shown) -> Said:
    return _said(name, key=shown.key, html=shown.html)


def _said(name: str, **data: Any) -> Said:
    return Said(name, orjson.dumps(data))


# --- as pages get them ---


def version(role: Role, room: Room, seat: Seat | None = None) -> str:
    """Another one if anything of what is said is another."""
    mark = zlib.crc32(status(role, room).data)
    return f"{room.state.version}-{mark:x}-{seat.version if seat else 0}"


def as_stream(version: str, said: Iterable[Said]) -> bytes:
    head = version.encode()
    return b"".join(b"id: %b\nevent: %b\ndata: %b\n\n" % (head, each.name.encode(), each.data) for each in said)


def as_json(version: str, said: Iterable[Said]) -> bytes:
    """The same for a page that asks."""
    each = b",".join(b'["%b",%b]' % (one.name.encode(), one.data) for one in said)
    return b'{"version":%b,"said":[%b]}' % (orjson.dumps(version), each)
