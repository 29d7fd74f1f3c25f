"""Host actions on players, and renaming oneself. The log knows players by id, never by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import SITE, now_text, record
from foundation.pages.names import natural_sort_key
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Write
from parts.live import changes, clock, names, repository, rules, seats

from ..clock import PERCENTS
from ..rules import Game, Names, Phase, State
from ..seats import Seat
from .closing import settled
from .formats import HOOKS
from .joining import NO_SEAT, SeatLost, SeatNameTaken


class SeatAction(StrEnum):
    """What a host can do with a player."""

    APPROVE = "approve"
    RENAME = "rename"
    TIME = "time"
    REMOVE = "remove"
    READMIT = "readmit"
    CHECK_OUT = "out"  # in formats where people check in
    CHECK_IN = "in"


EVENTS = {
    SeatAction.APPROVE: "LivePlayerApproved",
    SeatAction.RENAME: "LivePlayerRenamed",
    SeatAction.TIME: "LivePlayerTimed",
    SeatAction.REMOVE: "LivePlayerRemoved",
    SeatAction.READMIT: "LivePlayerReadmitted",
    SeatAction.CHECK_OUT: "LivePlayerCheckedOut",
    SeatAction.CHECK_IN: "LivePlayerCheckedIn",
}
ALREADY_CHANGED = _("That has already been done or is no longer possible. This is the current state.")
NOT_LESS = _("You cannot shorten a player's time while a question is open. Do it before the next one.")
NO_TIME = _("Choose one of the times offered.")


# --- looking ---


def offered(seat: Seat, game: Game) -> tuple[SeatAction, ...]:
    """The actions that will be accepted. No renaming where people check in: their names are known."""
    if seat.removed:
        return (SeatAction.READMIT,)
    if game.format.checks_in:
        return (SeatAction.CHECK_IN if seat.left else SeatAction.CHECK_OUT, SeatAction.TIME, SeatAction.REMOVE)
    usual = (SeatAction.RENAME, SeatAction.TIME, SeatAction.REMOVE)
    return usual if seat.approved else (SeatAction.APPROVE, *usual)


def search(all_seats: Iterable[Seat], asked: str) -> list[Seat]:
    """Seats whose name contains the search term; those waiting for approval first, then by name."""
    part = keys.fold(asked)
    found = [each for each in all_seats if part in keys.fold(each.name)]
    return sorted(found, key=lambda each: (each.approved or each.removed, natural_sort_key(each.name)))


# --- acts of hosts ---


def remove(game_id: str, player: str, who: str) -> Seat:
    return _change(game_id, player, who, SeatAction.REMOVE, lambda seat: replace(seat, removed=True))


def readmit(game_id: str, player: str, who: str) -> Seat:
    return _change(game_id, player, who, SeatAction.READMIT, lambda seat: replace(seat, removed=False))


def check_out(game_id: str, player: str, who: str) -> Seat:
    """Check out a player who left without doing so."""
    return _change(game_id, player, who, SeatAction.CHECK_OUT, lambda seat: seats.left_at_time(seat, clock.now()))


def check_in(game_id: str, player: str, who: str) -> Seat:
    """Check in a player who returned without doing so."""
    came = now_text()
    return _change(game_id, player, who, SeatAction.CHECK_IN, lambda seat: replace(seat, left=False, joined_at=came))


def approve(game_id: str, player: str, who: str) -> Seat:
    return _change(game_id, player, who, SeatAction.APPROVE, lambda seat: replace(seat, approved=True))


def approve_all(game_id: str, players: Iterable[str], who: str) -> int:
    """Approve those still waiting, one transaction each; return how many."""
    approved = 0
    for player in players:
        with suppress(NotNow, SeatLost):  # another host was quicker
            approve(game_id, player, who)
            approved += 1
    return approved


def rename(game_id: str, player: str, who: str, name: str) -> Seat:
    """Rename a player; the name must be validated."""
    return _change(game_id, player, who, SeatAction.RENAME, lambda seat: replace(seat, name=name))


def give_time(game_id: str, player: str, who: str, percent: int) -> Seat:
    """Set a player's time: an increase applies at once, a decrease is refused while a question is open."""
    if percent not in PERCENTS:
        raise NotNow(NO_TIME)
    return _change(game_id, player, who, SeatAction.TIME, lambda seat: replace(seat, percent=percent))


def _change(game_id: str, player: str, who: str, act: SeatAction, changed: Callable[[Seat], Seat]) -> Seat:
    """Read, decide, write; if two hosts race, the second retries with the current state."""

    def once() -> Seat:
        game, state, seat = _read(game_id, player)
        after = changed(seat)
        if act not in offered(seat, game) or after == seat:
            raise NotNow(ALREADY_CHANGED)
        said, writes = _timing(game, state, seat, after)
        _record(game, seat, after, who, act, said, writes)
        return after

    return retry_lost_race(once)


def _read(game_id: str, player: str) -> tuple[Game, State, Seat]:
    place = keys.seat(game_id, player)
    (game, state), items = repository.load_with(game_id, place)
    if place not in items:
        raise SeatLost(NO_SEAT)
    return game, settled(game, state), seats.seat_from_item(items[place])


def _timing(game: Game, state: State, seat: Seat, after: Seat) -> tuple[dict[str, Any], list[Write]]:
    """Event payload and writes of a time change: the state tracks the longest time, after which a question ends."""
    if after.percent == seat.percent:
        return {}, []
    if state.phase == Phase.ENDED:
        raise NotNow(ALREADY_CHANGED)
    if after.percent < seat.percent and state.is_open:
        raise NotNow(NOT_LESS)
    said: dict[str, Any] = {"percent": after.percent}
    if after.percent <= state.longest:
        return said, []
    moved = replace(rules.moved(state, longest=after.percent), changed_at=now_text())
    return said | {"state": repository.state_as_item(moved)}, repository.moving(game, state, moved)


def _record(
    game: Game, seat: Seat, after: Seat, who: str, act: SeatAction, said: dict[str, Any], writes: list[Write]
) -> None:
    event = Event(who, EVENTS[act], {"game_id": game.id, "player": seat.player, **said})
    try:
        record(event, *seats.change(game, seat, after), *writes)
    except LostRace as refused:
        if after.name != seat.name and 1 in refused.parts:
            raise SeatNameTaken(names.alternatives(game.id, after.name)) from None
        raise
    seats.count_change(game)
    changes.publish(game.id)
    if seat.is_there and not after.is_there:
        HOOKS.of(game).on_left(game, seat.player)


# --- one's own name ---


def may_rename_oneself(game: Game, state: State) -> bool:
    return game.names == Names.TYPED and state.phase == Phase.WAITING and not game.format.checks_in


def rename_oneself(game_id: str, player: str, name: str) -> Seat:
    game, state, seat = _read(game_id, player)
    if not may_rename_oneself(game, state):
        raise NotNow(ALREADY_CHANGED)
    return seat if seat.name == name else rename(game_id, player, SITE, name)
