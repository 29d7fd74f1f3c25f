"""Being there: by account, or by a code of the roll. Whoever checks in again is the same person on another device.

The seat is the guard: its id comes from the session and the person alone (`rolls.player_of`), so that nobody is there
twice. Nothing that all share is written or checked, as a hall comes in within a minute; that a roll was begun
meanwhile is looked at afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from accounts.rules import Permission
from acts.again import try_again
from acts.limits import SECONDS_PER_DAY, TEN_MINUTES_IN_SECONDS, Limit, check_left, is_within, place_of
from acts.recording import write
from acts.refusals import LostRace, Refusal
from acts.site import now_text, table
from live import codes, players, repository, seats
from live.players import Pass
from live.rules import Game, Phase, State
from live.seats import Seat
from live.services.joining import OVER, Over, SeatNameTaken, back, since, tell
from store.keys import fold
from store.table import Check

from . import rolls, takeovers
from .rolls import Entry

# codes, from one address; see `rolls` for how many there are
WRONG = Limit("live-roll-wrong", 1000, TEN_MINUTES_IN_SECONDS)
FOUND = Limit("live-roll-found", 1, SECONDS_PER_DAY)  # somebody there has checked in by code

NOT_ON_THE_ROLL = _("%(name)s is not on the roll of this assembly. If that is a mistake, speak to whoever runs it.")
NOT_CONFIRMED = _("Your account may not take part here yet. Those who look after this site have to agree to it first.")
WRONG_CODE = _("Nobody on the roll has this code. Look at it again, and type it anew.")
OTHERS_CODE = _("You are signed in as %(name)s, who is on the roll: check in by your account. This code is not yours.")
REMOVED = _("The host has removed you from this session. If that was a mistake, speak to them.")


class WrongCode(Refusal):
    """It is nobody's."""


class Removed(Refusal):
    """The host does not want them here."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who checks in, and what has to be so still when they do."""

    player: str
    name: str
    account: str = ""
    entry: str = ""
    still: tuple[Check, ...] = ()


def by_account(game: Game, state: State, user: User, held: Pass) -> Pass:
    """`held` is of the form that was sent: sent twice, it finds the seat that it took."""
    return try_again(lambda: _here(game, state, _of_account(game, user), held))


def by_code(game: Game, state: State, code: str, held: Pass, address: str, user: User | None = None) -> Pass:
    """`user` is whoever is signed in, if anybody is."""
    entry = _entry_of(game, code, address)
    if user is not None and fold(user.name) != entry.folded and is_on_the_roll(rolls.find(game.id, user.name), user):
        raise Refusal(OTHERS_CODE % {"name": user.name})
    return try_again(lambda: _here(game, state, _of_entry(game, _whose(game, code)), held))


def is_on_the_roll(entry: Entry | None, user: User) -> bool:
    """Whether an entry of their name is theirs: it may have been written before somebody made an account of it."""
    return entry is not None and entry.account == user.created_at


# --- who ---


def _of_account(game: Game, user: User) -> Person:
    if not user.can(Permission.VOTE):
        raise Refusal(NOT_CONFIRMED)
    entry = rolls.find(game.id, user.name) if game.has_roll else None
    if game.has_roll and not is_on_the_roll(entry, user):
        raise Refusal(NOT_ON_THE_ROLL % {"name": user.name})
    player = rolls.player_of(game.id, user.name, user.created_at)
    still = (people.is_still(user), *((rolls.is_still(game, entry),) if entry else ()))
    return Person(player, user.name, user.name, entry.name if entry else "", still)


def _of_entry(game: Game, entry: Entry) -> Person:
    """Whoever is listed by an account has that name as their account's, however they come in."""
    account = entry.name if entry.account else ""
    return Person(rolls.player(game.id, entry), entry.name, account, entry.name, (rolls.is_still(game, entry),))


def _entry_of(game: Game, code: str, address: str) -> Entry:
    """Wrong codes are counted by address, and refused where there were too many; but never where somebody has checked
    in by code before, or hosts the assembly: that is the hall."""
    here = f"{game.id} {address}"
    wrong, found = place_of(WRONG, address), place_of(FOUND, here)
    hosted = codes.place_of_hosting(game.code, address)
    counted = table().get_many([wrong, found, hosted])
    if not counted.keys() & {found, hosted}:
        check_left(WRONG, counted.get(wrong))
    try:
        entry = _whose(game, code)
    except WrongCode:
        is_within(WRONG, address)
        raise
    if found not in counted:
        is_within(FOUND, here)
    return entry


def _whose(game: Game, code: str) -> Entry:
    entry = rolls.by_code(game, code) if game.has_roll else None
    if entry is None:
        raise WrongCode(WRONG_CODE)
    return entry


# --- the seat ---


def _here(game: Game, state: State, person: Person, held: Pass) -> Pass:
    if game.ended_at or state.phase == Phase.ENDED:
        raise Over(OVER)
    held = replace(held, player=person.player)
    seat = seats.find(game.id, person.player)
    if seat is not None and seat.removed:
        raise Removed(REMOVED)
    if seat is None:
        _sit_down(game, _seat(state, person, held), person.still)
    elif seat.secret == players.digest(held.secret):  # the same form sent twice
        table().write(*seats.change(game, seat, _taken(game, seat, person, held)), *person.still)
    else:
        takeovers.take_over(game, seat, _taken(game, seat, person, held), person.still)
    _look_again(game, person)
    tell(game)
    return held


def _seat(state: State, person: Person, held: Pass) -> Seat:
    return Seat(
        player=person.player,
        name=person.name,
        joined_at=now_text(),
        secret=players.digest(held.secret),
        device=held.device,
        since=since(state),
        account=person.account,
        entry=person.entry,
    )


def _sit_down(game: Game, seat: Seat, still: tuple[Check, ...]) -> None:
    """Refused for good if somebody else has the name, as a robot may; otherwise it was the same person elsewhere."""
    try:
        write(*seats.seating(game, seat), *still)
    except LostRace as refused:
        if refused.parts == (0,):
            raise SeatNameTaken([]) from None
        raise
    seats.counted(game)


def _taken(game: Game, seat: Seat, person: Person, held: Pass) -> Seat:
    """On this device; the one before is told so. Whoever comes back is there since now."""
    return replace(
        back(game, seat),
        device=held.device,
        secret=players.digest(held.secret),
        account=person.account or seat.account,
        entry=person.entry or seat.entry,
    )


def _look_again(game: Game, person: Person) -> None:
    """Who begins a roll puts those on it who are there by then; whoever was a moment later is not."""
    found = None if game.has_roll else repository.find(game.id)
    if found is None or not found[0].has_roll or rolls.find(game.id, person.name) is not None:
        return
    seat = seats.find(game.id, person.player)
    if seat is not None and not seat.left:
        table().write(*seats.change(game, seat, replace(seat, left=True)))
    raise Refusal(NOT_ON_THE_ROLL % {"name": person.name})
