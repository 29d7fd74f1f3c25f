"""Checking in to an assembly, by account or by a code from the roll, and moving a seat to another device.

The seat id is derived from the session and the person (`roll.player_of`), so no one can be present twice. A check-in
neither writes nor checks a shared item, because a whole hall checks in within a minute; a roll that was started in the
meantime is therefore checked afterwards.

A device that takes over a seat knows the person's code or account, but not the seat's secret. A host can create a code
for anyone, so the seat's device, the room and the log are notified of a takeover. During a secret vote it waits until
the seat's own device agrees; otherwise a host could replace someone's vote. Only the voter's own device is shown the
vote (`answering.own`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from foundation.acts.rate_limits import (
    SECONDS_PER_DAY,
    TEN_MINUTES_IN_SECONDS,
    Limit,
    check_attempts_left,
    key_of,
    try_count,
)
from foundation.acts.refusals import LostRace, NotNow, Refusal
from foundation.acts.retry import retried, retry_lost_race
from foundation.acts.storage import SITE, now_text, record, table, write
from foundation.pages.names import natural_sort_key
from foundation.store.keys import fold
from foundation.store.log import Event
from foundation.store.table import Check
from parts.live import codes, players, repository, seats
from parts.live.players import Pass
from parts.live.rules import Game, Phase, State
from parts.live.seats import Seat
from parts.live.services.joining import NO_SEAT, OVER, Over, SeatLost, SeatNameTaken, announce_change, returned, since

from . import roll
from .attendance import own_of, with_own
from .roll import Entry

# codes, from one address; see `roll` for how many there are
WRONG_CODES = Limit("live-roll-wrong", 1000, TEN_MINUTES_IN_SECONDS)
CODES_ACCEPTED = Limit("live-roll-found", 1, SECONDS_PER_DAY)  # a code was accepted from that address

NOT_ON_THE_ROLL = _("%(name)s is not on the roll of this assembly. If that is a mistake, tell the host.")
TAKEOVERS = Limit("live-takeover", 20, TEN_MINUTES_IN_SECONDS)  # of one seat, as each is in the log
MAX_PEOPLE_NAMED = 5  # people on one screen


class WrongCode(Refusal):
    pass


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who checks in, with the conditions that must still hold when the seat is written."""

    player: str
    name: str
    account: str = ""
    entry: str = ""
    checks: tuple[Check, ...] = ()
    weight: int = 1


@retried
def by_account(game: Game, state: State, user: User, held: Pass) -> Pass:
    """`held` comes from the submitted form, so sending it twice finds the seat that it took."""
    if not user.can(Permission.VOTE):
        raise Refusal(_("Your account cannot take part yet: an administrator has to approve it first."))
    entry = roll.find(game.id, user.name) if game.own.has_roll else None
    if game.own.has_roll and not is_on_the_roll(entry, user):
        raise Refusal(NOT_ON_THE_ROLL % {"name": user.name})
    player = roll.player_of(game.id, user.name, user.created_at)
    checks = (people.is_same_account(user), *((roll.still_listed(game, entry),) if entry else ()))
    listed_as, weight = (entry.name, entry.weight) if entry else ("", 1)
    return _take_seat(game, state, Person(player, user.name, user.name, listed_as, checks, weight), held)


def by_code(game: Game, state: State, code: str, held: Pass, address: str, user: User | None = None) -> Pass:
    """`user` is the signed-in user, if any."""
    entry = _find_entry_throttled(game, code, address)
    if user is not None and fold(user.name) != entry.folded and is_on_the_roll(roll.find(game.id, user.name), user):
        sentence = _(
            "This code is not yours. You are signed in as %(name)s and on the roll: check in with your account."
        )
        raise Refusal(sentence % {"name": user.name})

    def check_in() -> Pass:
        entry = _entry_by_code(game, code)
        account = entry.name if entry.account else ""  # which they keep, even if they check in by code
        player, checks = roll.player_of_entry(game.id, entry), (roll.still_listed(game, entry),)
        return _take_seat(game, state, Person(player, entry.name, account, entry.name, checks, entry.weight), held)

    return retry_lost_race(check_in)


def is_on_the_roll(entry: Entry | None, user: User) -> bool:
    """Whether the entry belongs to this account; it may be older than the account of the same name."""
    return entry is not None and entry.account == user.created_at


# --- who ---


def _find_entry_throttled(game: Game, code: str, address: str) -> Entry:
    """Rate-limits wrong codes by address, except where a host or someone with a valid code has been: that is the
    hall."""
    place = f"{game.id} {address}"
    wrong, accepted = key_of(WRONG_CODES, address), key_of(CODES_ACCEPTED, place)
    hosted = codes.hosting_key(game.code, address)
    counted = table().get_many([wrong, accepted, hosted])
    if not counted.keys() & {accepted, hosted}:
        check_attempts_left(WRONG_CODES, counted.get(wrong))
    try:
        entry = _entry_by_code(game, code)
    except WrongCode:
        try_count(WRONG_CODES, address)
        raise
    if accepted not in counted:
        try_count(CODES_ACCEPTED, place)
    return entry


def _entry_by_code(game: Game, code: str) -> Entry:
    entry = roll.find_by_code(game, code) if game.own.has_roll else None
    if entry is None:
        raise WrongCode(_("Nobody on the roll has this code. Check it and try again."))
    return entry


# --- the seat ---


def _take_seat(game: Game, state: State, person: Person, held: Pass) -> Pass:
    if game.ended_at or state.phase == Phase.ENDED:
        raise Over(OVER)
    held = replace(held, player=person.player)
    seat = seats.find(game.id, person.player)
    if seat is not None and seat.removed:
        raise Refusal(_("The host has removed you from this session. If that was a mistake, tell them."))
    if seat is None:
        _write_seat(game, state, person, held)
    elif seat.secret == players.digest(held.secret):  # the same form sent twice
        table().write(*seats.change(game, seat, _moved_to_device(game, seat, person, held)), *person.checks)
    else:
        take_over(game, seat, _moved_to_device(game, seat, person, held), person.checks)
    _recheck_roll(game, person)
    announce_change(game)
    return held


def _write_seat(game: Game, state: State, person: Person, held: Pass) -> None:
    """Refused for good if someone else has the name; otherwise the same person was quicker on another device."""
    seat = Seat(
        player=person.player,
        name=person.name,
        joined_at=now_text(),
        secret=players.digest(held.secret),
        device=held.device,
        since=since(state),
    )
    seat = with_own(seat, account=person.account, entry=person.entry, weight=person.weight)
    try:
        write(*seats.seating(game, seat), *person.checks)
    except LostRace as refused:
        if refused.parts == (0,):
            raise SeatNameTaken([]) from None
        raise
    seats.count_seat(game)


def _moved_to_device(game: Game, seat: Seat, person: Person, held: Pass) -> Seat:
    """A person who returns is present from now on."""
    own = own_of(seat)
    return with_own(
        replace(returned(game, seat), device=held.device, secret=players.digest(held.secret)),
        account=person.account or own.account,
        entry=person.entry or own.entry,
        weight=person.weight if person.entry else own.weight,
    )


def _recheck_roll(game: Game, person: Person) -> None:
    """A new roll includes those present when it is started; anyone who checked in a moment later is not on it, or did
    not get the weight that it gives them."""
    found = None if game.own.has_roll else repository.find(game.id)
    if found is None or not found[0].own.has_roll:
        return
    entry, seat = roll.find(game.id, person.name), seats.find(game.id, person.player)
    after = seat and (with_own(seat, weight=entry.weight) if entry else replace(seat, left=True))
    if seat is not None and after is not None and after != seat:
        table().write(*seats.change(game, seat, after))
    if entry is not None:
        return
    raise Refusal(NOT_ON_THE_ROLL % {"name": person.name})


# --- another device ---


def is_takeover_guarded(state: State) -> bool:
    """Whether the seat's current device must agree to a takeover."""
    return state.is_open and state.secret


def claim_number(seat: Seat, state: State) -> str:
    """Four digits that both devices show, so that people recognise their own request. Empty unless another device is
    asking for the seat and may still get it."""
    own = own_of(seat)
    if not own.claim or own.claim_round != state.round or not is_takeover_guarded(state):
        return ""
    return f"{int(sha256(own.claim.encode()).hexdigest()[:8], 16) % 10_000:04d}"


# --- by the person checking in ---


def take_over(game: Game, seat: Seat, after: Seat, checks: Sequence[Check]) -> None:
    """`after` is the seat on the new device. The store refuses it if the session has moved on."""
    found = repository.find(game.id)
    if found is None:
        raise SeatLost(NO_SEAT)
    game, state = found
    if is_takeover_guarded(state):  # ask the seat's device; a newer request replaces an older one
        if own_of(seat).refused_round == state.round:
            raise NotNow(_("Your other device has refused this one. You can check in here once the vote is closed."))
        claimed = with_own(seat, claim=after.secret, claim_device=after.device, claim_round=state.round)
        if claimed != seat:
            table().write(*seats.change(game, seat, claimed), *checks)
    elif try_count(TAKEOVERS, f"{game.id} {seat.player}"):
        _record_takeover(game, state, seat, after, checks)
    else:
        raise NotNow(
            _("This seat has changed devices too often. Continue on the current one, or try again in ten minutes.")
        )


def _record_takeover(
    game: Game, state: State, seat: Seat, after: Seat, checks: Sequence[Check] = (), *, agreed: bool = False
) -> None:
    """Fails if the session has moved on: it may have opened a secret vote."""
    moved = with_own(replace(_unclaimed(after), taken_over_at=now_text()), taken_over_in=state.round)
    event_data = {"game_id": game.id, "player": seat.player, "round": state.round, "agreed": agreed}
    step = repository.is_still_at(game, state)
    record(Event(SITE, "LiveSeatTakenOver", event_data), *seats.change(game, seat, moved), *checks, step)


def _unclaimed(seat: Seat) -> Seat:
    return with_own(seat, claim="", claim_device="", claim_round=0)


# --- by the device that has the seat ---


@retried
def allow(game_id: str, held: Pass, number: str) -> None:
    """Hand the seat to the device whose request has this number."""
    game, state, seat = _find_claim(game_id, held, number)
    own = own_of(seat)
    after = replace(returned(game, seat), secret=own.claim, device=own.claim_device)
    _record_takeover(game, state, seat, after, agreed=True)
    announce_change(game)


@retried
def refuse(game_id: str, held: Pass, number: str) -> None:
    """No other device can ask until the vote is closed."""
    game, state, seat = _find_claim(game_id, held, number)
    table().write(*seats.change(game, seat, with_own(_unclaimed(seat), refused_round=state.round)))
    announce_change(game)


def _find_claim(game_id: str, held: Pass, number: str) -> tuple[Game, State, Seat]:
    found, seat = repository.find(game_id), seats.find(game_id, held.player)
    if found is None or seat is None or seat.removed or seat.secret != players.digest(held.secret):
        raise SeatLost(NO_SEAT)
    if not number or claim_number(seat, found[1]) != number:
        raise NotNow(_("No other device is asking for your seat any more."))
    return *found, seat


# --- what the room is shown ---


def takeover_names(of_room: Iterable[Seat], state: State) -> dict[str, tuple[list[str], int]]:
    """Seats taken over and codes renewed since the current item was called: the first names, and how many more."""
    everybody = list(of_room)  # up to thousands, on every screen: `own_of` would take too long
    taken_over = [each.name for each in everybody if each.own.get("taken_over_in") == state.round]
    renewed = [each.name for each in everybody if each.own.get("renewed_in") == state.round]
    return {"taken_over": _first_names(taken_over), "renewed": _first_names(renewed)}


def _first_names(names: list[str]) -> tuple[list[str], int]:
    names = sorted(names, key=natural_sort_key)
    return names[:MAX_PEOPLE_NAMED], max(0, len(names) - MAX_PEOPLE_NAMED)
