"""Joining and leaving a session, and moving a seat to another device. No events are recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NameTaken, Refusal, TooMany
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, table, try_write
from foundation.store.table import Item
from parts.live import changes, clock, names, players, rules, seats

from ..players import Pass
from ..rules import Game, Names, Phase, State
from ..seats import Seat
from .formats import HOOKS


class Over(Refusal):
    """The session has ended."""


class SeatNameTaken(NameTaken):
    """The name is taken in this session; `instead` offers two free ones."""

    def __init__(self, instead: list[str]):
        self.instead = instead
        super().__init__(str(TAKEN))


class SeatLost(Refusal):
    """The seat does not exist, or no longer belongs to this player."""


TAKEN = _("This name is already taken.")
FULL = _("This session is full: no more than %(most)d people can join.")
OVER = _("This session has ended.")
NO_SEAT = _("This player is not in this session.")


def join(game: Game, state: State, roster: Item | None, name: str, held: Pass) -> Seat:
    """Create a seat under a validated name; idempotent for the same form."""
    if state.phase == Phase.ENDED:
        raise Over(OVER)
    if seats.is_full(roster):
        raise session_full()
    seat = _new(game, state, name, held)
    if not try_write(*seats.seating(game, seat)):
        own = seats.find(game.id, held.player)
        if own is None or own.secret != players.digest(held.secret):
            raise SeatNameTaken(names.alternatives(game.id, name))
        announce_change(game)  # the same form was sent before, and that request may have been cut off before this
        return own
    announce_change(game)
    seats.count_seat(game)
    return seat


def session_full() -> TooMany:
    return TooMany(FULL % {"most": rules.MAX_PLAYERS})


def _new(game: Game, state: State, name: str, held: Pass) -> Seat:
    return Seat(
        player=held.player,
        name=name,
        joined_at=now_text(),
        secret=players.digest(held.secret),
        device=held.device,
        since=since(state),
        approved=game.names != Names.APPROVED,
    )


def since(state: State) -> int:
    """The first round that a player joining now can answer."""
    return state.round + (state.phase == Phase.RESULTS)


def announce_change(game: Game) -> None:
    seats.count_change(game)
    changes.publish(game.id)


# --- coming and going ---


def take_over(game: Game, held: Pass) -> Pass:
    """Make this device the newest one of the seat; a player who had left returns."""
    device = players.new_device()
    _change(game, held, lambda seat: replace(returned(game, seat), device=device))
    return replace(held, device=device)


def returned(game: Game, seat: Seat) -> Seat:
    """The seat of a returning player; where people check in, the joining time is reset."""
    came = now_text() if seat.left and game.format.checks_in else seat.joined_at
    return replace(seat, left=False, joined_at=came)


def leave(game: Game, held: Pass) -> None:
    _change(game, held, lambda seat: seats.left_at_time(seat, clock.now()))
    HOOKS.of(game).on_left(game, held.player)


def _change(game: Game, held: Pass, changed: Callable[[Seat], Seat]) -> None:
    def act() -> None:
        seat = seats.find(game.id, held.player)
        if seat is None or seat.removed or seat.secret != players.digest(held.secret):
            raise SeatLost(NO_SEAT)
        table().write(*seats.change(game, seat, changed(seat)))

    retry_lost_race(act)
    announce_change(game)
