"""Template context of a player's screen while something is asked."""

from __future__ import annotations

import zlib
from typing import Any

from live.play import TypedValues, play_at
from live.rules import Phase
from live.snapshot import Snapshot

MAX_PLAYERS_NAMED = 24  # on a waiting phone: a full hall would not fit, nor be worth sending to everybody


def heading_context(snapshot: Snapshot) -> dict[str, Any]:
    """Which question it is, and how to answer it."""
    play = play_at(snapshot.state)
    shown: dict[str, Any] = {
        "number": snapshot.state.question + 1,
        "is_voided": bool(snapshot.state.round) and not snapshot.state.counts(snapshot.state.round),
    }
    if play is None:
        return shown
    if snapshot.state.is_open:
        shown |= {"form_name": play.form_name(snapshot), **play.hints(snapshot)}
    return shown | play.context(snapshot)


def player_context(snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
    """Context of all players' screens, in addition to `screens.context`."""
    shown, play = heading_context(snapshot), play_at(snapshot.state)
    if play is not None and is_form_for_all(snapshot):
        return shown | play.form(snapshot, typed)
    names = first_names(snapshot)
    return shown | {"named": names, "unnamed": len(snapshot.playing) - len(names)}


def is_form_for_all(snapshot: Snapshot) -> bool:
    """Whether everybody gets the same form; votes on answers have a form in each player's own order."""
    play = play_at(snapshot.state)
    return play is not None and snapshot.state.is_open and snapshot.state.phase != play.own_form_phase


def first_names(snapshot: Snapshot) -> list[str]:
    """The first players to join, so that the list stops changing once it is full."""
    there = sorted(snapshot.playing, key=lambda seat: (seat.joined_at, seat.name))
    return [seat.name for seat in there[:MAX_PLAYERS_NAMED]]


def screen_version(snapshot: Snapshot) -> str:
    """While waiting, the screen changes only with the few names it shows, so that it stays quiet in a full hall."""
    if snapshot.state.phase != Phase.WAITING:
        play = play_at(snapshot.state)
        return play.screen_version(snapshot) if play else ""
    return f"-{zlib.crc32(chr(10).join(first_names(snapshot)).encode()):x}"
