"""Template context of a player's screen while something is asked."""

from __future__ import annotations

import zlib
from typing import Any

from live.play import TypedValues, play_at
from live.rules import Phase
from live.snapshot import Snapshot

MAX_PLAYERS_NAMED = 24  # players whom a phone names while it waits: a full hall would not fit, nor be sent to everybody


def heading_context(snapshot: Snapshot) -> dict[str, Any]:
    """Which question it is, and how it is answered."""
    play = play_at(snapshot.state)
    shown: dict[str, Any] = {
        "number": snapshot.state.question + 1,
        "is_voided": bool(snapshot.state.round) and not snapshot.state.counts(snapshot.state.round),
    }
    if play is None:
        return shown
    if snapshot.state.is_open:
        shown |= {
            "form_name": play.form_name(snapshot),
            "hint": play.hint(snapshot),
            "until": play.change_hint(snapshot),
        }
        shown |= {"received": play.received_message(snapshot), "announced": play.announcement(snapshot)}
    return shown | play.context(snapshot)


def player_context(snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
    """What the screens of all players get, besides `screens.context`."""
    shown, play = heading_context(snapshot), play_at(snapshot.state)
    if play is not None and is_form_for_all(snapshot):
        return shown | play.form(snapshot, typed)
    names = first_names(snapshot)
    return shown | {"named": names, "unnamed": len(snapshot.playing) - len(names)}


def is_form_for_all(snapshot: Snapshot) -> bool:
    """Whether everybody is asked the same; answers of others are voted on in an order of one's own."""
    play = play_at(snapshot.state)
    return play is not None and snapshot.state.is_open and not play.has_own_form(snapshot)


def first_names(snapshot: Snapshot) -> list[str]:
    """Who is there, those who came first: then the list grows to its end, and does not change after that."""
    there = sorted(snapshot.playing, key=lambda seat: (seat.joined_at, seat.name))
    return [seat.name for seat in there[:MAX_PLAYERS_NAMED]]


def screen_version(snapshot: Snapshot) -> str:
    """While all wait, the screen is another one whenever it names others: a few, so that it stays quiet in a hall."""
    if snapshot.state.phase != Phase.WAITING:
        play = play_at(snapshot.state)
        return play.screen_version(snapshot) if play else ""
    return f"-{zlib.crc32(chr(10).join(first_names(snapshot)).encode()):x}"
