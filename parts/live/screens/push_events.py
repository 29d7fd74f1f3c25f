"""Events for pages that stream or poll, each rendered once per snapshot for all who are shown the same.

| event | data | on the page |
|---|---|---|
| `screen` | `key`, `html` | replaces the screen if it has another key, so that a form in use stays |
| `status` | `key`, `html` | the line that may change at any moment |
| `clock` | `now`, `end`, `left`, `length`, `paused`, `starts` | by the server's clock |
| `mine` | `key`, `html` | what one player alone sees |
| `consent` | `key`, `html` | what a player is asked about their seat, if the format does |
| `beside` | `key`, `html` | what the format shows beside |
| `elsewhere` | | nothing more comes: another device has the seat |
| `gone` | | nothing more comes: the session, or the seat in it, no longer exists |

Each has a version as its id: the state's version, and a hash of the rest, so that pages never go back in time.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from parts.live.clock import DEFAULT_PERCENT
from parts.live.play import cached
from parts.live.screens import qa_display
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot

from . import player_part, rendering
from .formats import SCREENS, Fragment, Role


@dataclass(frozen=True, slots=True)
class PushEvent:
    """An event."""

    name: str
    key: str  # changes with the content
    data: bytes  # JSON


ELSEWHERE, GONE = PushEvent("elsewhere", "", b"{}"), PushEvent("gone", "", b"{}")  # no event follows these
LAST = "0"  # version of the last events


# --- rendered once per snapshot, in the active language ---


@dataclass(frozen=True, slots=True)
class SharedEvents:
    """What everybody in a role is shown, except the time."""

    events: tuple[PushEvent, ...]
    mark: int  # hash of their keys


def shared(role: Role, snapshot: Snapshot) -> SharedEvents:
    def events() -> SharedEvents:
        fragments = rendering.render_screen(role, snapshot), rendering.render_status(role, snapshot)
        panel = _optional("beside", rendering.render_panel(role, snapshot))
        found = (*map(_fragment_event, ("screen", "status"), fragments), *panel)
        return SharedEvents(found, zlib.crc32("".join(each.key for each in found).encode()))

    return cached(snapshot, "events", role, make=events)


# --- rendered each time ---


def clock(snapshot: Snapshot, percent: int = DEFAULT_PERCENT) -> PushEvent:
    """Current time, from which a page learns the server's clock."""
    data = orjson.dumps(rendering.clock_context(snapshot, percent))
    return PushEvent("clock", f"{snapshot.state.version}-{percent}", data)


def mine(snapshot: Snapshot, seat: Seat, role: Role = Role.PLAYER, **own: Any) -> PushEvent:
    if role == Role.QA:
        return _fragment_event("mine", qa_display.render_own_questions(snapshot, seat))
    return _fragment_event("mine", player_part.render_own(snapshot, seat, **own))


def consent(role: Role, snapshot: Snapshot, seat: Seat) -> list[PushEvent]:
    """What the player is asked about their seat."""
    return _optional("consent", SCREENS.of(snapshot.game).consent(snapshot, seat)) if role == Role.PLAYER else []


def _optional(name: str, fragment: Fragment | None) -> list[PushEvent]:
    return [_fragment_event(name, fragment)] if fragment else []


def _fragment_event(name: str, fragment: Fragment) -> PushEvent:
    return PushEvent(name, fragment.key, orjson.dumps({"key": fragment.key, "html": fragment.html}))


# --- encoding ---


def for_all(role: Role, snapshot: Snapshot, percent: int = DEFAULT_PERCENT) -> list[PushEvent]:
    """What everybody in a role is shown."""
    return [*shared(role, snapshot).events, clock(snapshot, percent)]


def version(role: Role, snapshot: Snapshot, seat: Seat | None = None) -> str:
    """Changes whenever any of the events changes."""
    own = player_part.own_key(snapshot, seat, role) if seat and role == Role.QA else ""
    mark = zlib.crc32(own.encode(), shared(role, snapshot).mark)
    return f"{snapshot.state.version}-{mark:x}-{seat.version if seat else 0}"


def as_stream(version: str, events: Iterable[PushEvent]) -> bytes:
    head = version.encode()
    return b"".join(b"id: %b\nevent: %b\ndata: %b\n\n" % (head, each.name.encode(), each.data) for each in events)


def as_json(version: str, events: Iterable[PushEvent]) -> bytes:
    """The same events for a page that polls."""
    encoded = b",".join(b'["%b",%b]' % (each.name.encode(), each.data) for each in events)
    return b'{"version":%b,"said":[%b]}' % (orjson.dumps(version), encoded)
