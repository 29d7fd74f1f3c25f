"""Another device takes over a seat of an assembly. It knows the person's code or account, but not the seat's secret.

Whoever runs an assembly can make a new code for anybody. So a takeover is told: to the seat's device, to the room and
to the log. While a secret vote is open it waits until the seat's own device agrees; otherwise a host could vote in
somebody's place after they have voted. What they voted is shown to their own device alone (`answering.own`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from django.utils.translation import gettext_lazy as _

from acts.again import try_again
from acts.limits import TEN_MINUTES_IN_SECONDS, Limit, is_within
from acts.recording import record
from acts.refusals import NotNow
from acts.site import SITE, now_text, table
from live import players, repository, rules, seats
from live.players import Pass
from live.rules import Game, State
from live.seats import Seat
from live.services.joining import NO_SEAT, SeatLost, back, tell
from pages.sorting import as_people_sort
from store.log import Event
from store.table import Check

CHANGES = Limit("live-takeover", 20, TEN_MINUTES_IN_SECONDS)  # of one seat, as each is in the log
MAX_PEOPLE_NAMED = 5  # people on one screen

REFUSED = _("The device that you checked in with has refused this one. You can check in here when the vote is closed.")
TOO_OFTEN = _("This seat has changed devices too often. Go on with the one that has it, or try again in ten minutes.")
NOT_ASKED = _("No other device asks for your seat any more.")


def is_guarded(game: Game, state: State) -> bool:
    """Whether nobody may take a seat over without the device that has it."""
    return state.is_open and rules.is_secret(game, state)


def is_claimed(seat: Seat, game: Game, state: State) -> bool:
    """Whether another device asks for the seat, and may still be given it."""
    return bool(seat.claim) and seat.claim_round == state.round and is_guarded(game, state)


def number_of(seat: Seat) -> str:
    """Four digits that both devices show, so that somebody can tell their own request from another's."""
    return f"{int(sha256(seat.claim.encode()).hexdigest()[:8], 16) % 10_000:04d}"


# --- by whoever checks in ---


def take_over(game: Game, seat: Seat, after: Seat, still: Sequence[Check]) -> None:
    """`after` is the seat as it would be on the new device. Refused by the store if the session has moved on."""
    found = repository.find(game.id)
    if found is None:
        raise SeatLost(NO_SEAT)
    game, state = found
    if is_guarded(game, state):
        _ask(game, state, seat, after, still)
    elif is_within(CHANGES, f"{game.id} {seat.player}"):
        _record(game, state, seat, after, still)
    else:
        raise NotNow(TOO_OFTEN)


def _ask(game: Game, state: State, seat: Seat, after: Seat, still: Sequence[Check]) -> None:
    """Leave a request for the device that has the seat; a newer one takes the place of an older one."""
    if seat.refused_round == state.round:
        raise NotNow(REFUSED)
    asked = replace(seat, claim=after.secret, claim_device=after.device, claim_round=state.round)
    if asked != seat:
        table().write(*seats.change(game, seat, asked), *still)


def _record(
    game: Game, state: State, seat: Seat, after: Seat, still: Sequence[Check] = (), *, agreed: bool = False
) -> None:
    """Not if the session has moved on since its state was read: it may have opened a secret vote."""
    moved = replace(_unclaimed(after), taken_over_at=now_text(), taken_over_in=state.round)
    said = {"game_id": game.id, "player": seat.player, "round": state.round, "agreed": agreed}
    step = repository.is_still_at(game, state)
    record(Event(SITE, "LiveSeatTakenOver", said), *seats.change(game, seat, moved), *still, step)


def _unclaimed(seat: Seat) -> Seat:
    return replace(seat, claim="", claim_device="", claim_round=0)


# --- by the device that has the seat ---


def allow(game_id: str, held: Pass, number: str) -> None:
    """Hand the seat to the device that asks, which has this number."""

    def act() -> None:
        game, state, seat = _claimed(game_id, held, number)
        after = replace(back(game, seat), secret=seat.claim, device=seat.claim_device)
        _record(game, state, seat, after, agreed=True)
        tell(game)

    try_again(act)


def refuse(game_id: str, held: Pass, number: str) -> None:
    """Nobody else is let ask until the vote is closed."""

    def act() -> None:
        game, state, seat = _claimed(game_id, held, number)
        table().write(*seats.change(game, seat, replace(_unclaimed(seat), refused_round=state.round)))
        tell(game)

    try_again(act)


def _claimed(game_id: str, held: Pass, number: str) -> tuple[Game, State, Seat]:
    found, seat = repository.find(game_id), seats.find(game_id, held.player)
    if found is None or seat is None or seat.removed or seat.secret != players.digest(held.secret):
        raise SeatLost(NO_SEAT)
    if not is_claimed(seat, *found) or number_of(seat) != number:
        raise NotNow(NOT_ASKED)
    return *found, seat


# --- what the room is shown ---


def names(of_room: Iterable[Seat], state: State) -> dict[str, tuple[list[str], int]]:
    """Whose seat was taken over and who was given a new code since the item at hand was called: some names, and how
    many more there are."""
    everybody = list(of_room)
    taken = [each.name for each in everybody if each.taken_over_in == state.round]
    renewed = [each.name for each in everybody if each.renewed_in == state.round]
    return {"taken_over": _some(taken), "renewed": _some(renewed)}


def _some(found: list[str]) -> tuple[list[str], int]:
    found = sorted(found, key=as_people_sort)
    return found[:MAX_PEOPLE_NAMED], max(0, len(found) - MAX_PEOPLE_NAMED)
