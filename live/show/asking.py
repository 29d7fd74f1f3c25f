"""How what is asked stands on the phone of somebody who plays along."""

from __future__ import annotations

import zlib
from typing import Any

from live import seats
from live.play import Typed, play_at
from live.room import Room
from live.rules import Phase
from live.seats import Seat

MAX_PLAYERS_NAMED = 24  # players whom a phone names while it waits: a full hall would not fit, nor be sent to everybody


def heading(room: Room) -> dict[str, Any]:
    """Which question it is, and how it is answered."""
    play = play_at(room.state)
    shown: dict[str, Any] = {
        "number": room.state.question + 1,
        "is_voided": bool(room.state.round) and not room.state.counts(room.state.round),
    }
    if play is None:
        return shown
    if room.state.is_open:
        shown |= {"way": play.way(room), "hint": play.hint(room), "until": play.until(room)}
        shown |= {"received": play.received(room), "announced": play.announced(room)}
    return shown | play.context(room)


def told(room: Room, typed: Typed) -> dict[str, Any]:
    """What the screens of all players have at hand, besides `screens.context`."""
    shown, play = heading(room), play_at(room.state)
    if play is not None and is_form_for_all(room):
        return shown | play.form(room, typed)
    names = named(room)
    return shown | {"named": names, "unnamed": len(room.playing) - len(names)}


def is_form_for_all(room: Room) -> bool:
    """Whether everybody is asked the same; answers of others are voted on in an order of one's own."""
    play = play_at(room.state)
    return play is not None and room.state.is_open and not play.has_own_form(room)


def named(room: Room) -> list[str]:
    """Who is there, those who came first: then the list grows to its end, and does not change after that."""
    there = sorted(room.playing, key=lambda seat: (seat.joined_at, seat.name))
    return [seat.name for seat in there[:MAX_PLAYERS_NAMED]]


def mark(room: Room) -> str:
    """While all wait, the screen is another one whenever it names others: a few, so that it stays quiet in a hall."""
    if room.state.phase != Phase.WAITING:
        play = play_at(room.state)
        return play.mark(room) if play else ""
    return f"-{zlib.crc32(chr(10).join(named(room)).encode()):x}"


def late_since(room: Room, seat: Seat) -> int:
    """The question from which on somebody was there, counted from 1; 0 if it was the first."""
    return seats.late_since(room.state, seat)
