"""The roll of an assembly: who is entitled, how many, and what makes a quorum. The log has numbers, never a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext_lazy as _

from acts.again import try_again
from acts.recording import record
from acts.refusals import NotNow
from acts.site import now_text, table
from live import repository, rules, seats, waking
from live.rules import Game, Phase, State
from store import keys
from store.log import Event
from store.splitting import by_count
from store.table import Key, Write

from . import rolls
from .majorities import MAX_QUORUM_PEOPLE, quorum_of
from .rolls import Entry

NO_ADDRESSES: Mapping[str, str] = {}
TRANSACTION_ENTRIES = 80  # entries that fit one transaction, beside the session and the log

NOT_WHILE_VOTING = _("A vote is open. Who is entitled stays as it is until it is closed.")
NOT_ON_IT = _("There is nobody of that name on the roll.")
HERE = _("%(name)s has checked in, and stays on the roll.")
TOO_MANY = _("A roll has at most %(most)d people.")
COUNTED = _("Those on the roll are the ones who are entitled; how many they are is counted.")
UNKNOWN = _("A share of those who are entitled needs their number.")
NEVER = _("So many can never be there: fewer are entitled.")
TOO_LARGE = _("That is too many: at most %(most)d.")


# --- who ---


def known(
    game_id: str, names: Sequence[str], addresses: Mapping[str, str] = NO_ADDRESSES
) -> tuple[set[str], dict[str, Entry]]:
    """Who of the names, folded, is on the roll; and what each of the others would be on it: whoever has an account is
    recognised by its name. Addresses are those of folded names."""
    places = {keys.game_roll_entry(game_id, name): name for name in names}
    accounts: dict[str, Key] = {name: keys.user(name) for name in names}
    found, now = table().get_many([*places, *accounts.values()]), now_text()
    there = {keys.fold(name) for place, name in places.items() if place in found}
    entries = {}
    for name in names:
        if keys.fold(name) not in there:
            person = found.get(accounts[name], {"name": name, "created_at": ""})
            email = addresses.get(keys.fold(name), "")
            entries[keys.fold(name)] = rolls.new(person["name"], now, person["created_at"], email)
    return there, entries


def add(game_id: str, who: str, names: Sequence[str], addresses: Mapping[str, str] = NO_ADDRESSES) -> int:
    """Put people on the roll, a batch at a time; answers how many were not on it. Whoever has checked in before
    there was a roll is put on it, too: from the first batch on nobody else can."""
    added = sum(
        try_again(partial(_add, game_id, who, some, addresses)) for some in by_count(names, TRANSACTION_ENTRIES)
    )
    missing = list(_here_before(game_id)) if added else []
    for some in by_count(missing, TRANSACTION_ENTRIES):
        try_again(partial(_add, game_id, who, some))
    return added


def _here_before(game_id: str) -> Iterator[str]:
    on_it = {rolls.player(game_id, each) for each in rolls.every(game_id)}
    return (each.account for each in seats.each(game_id) if each.account and each.player not in on_it)


def _add(game_id: str, who: str, names: Sequence[str], addresses: Mapping[str, str] = NO_ADDRESSES) -> int:
    game, state = _read(game_id)
    _there, entries = known(game_id, names, addresses)
    if not entries:
        return 0
    entitled = (game.entitled if game.has_roll else 0) + len(entries)
    if entitled > rolls.MAX_ROLL_PEOPLE:
        raise NotNow(TOO_MANY % {"most": rolls.MAX_ROLL_PEOPLE})
    after = replace(game, entitled=entitled, has_roll=True)
    writes = (rolls.addition(game, each) for each in entries.values())
    _record(game, state, after, who, *writes, added=len(entries))
    return len(entries)


def remove(game_id: str, who: str, name: str) -> None:
    """Somebody who has not checked in. With the last of them the roll goes."""
    try_again(lambda: _remove(game_id, who, name))


def _remove(game_id: str, who: str, name: str) -> None:
    game, state = _read(game_id)
    entry = _entry(game_id, name)
    if seats.find(game_id, rolls.player(game_id, entry)) is not None:
        raise NotNow(HERE % {"name": entry.name})
    after = replace(game, entitled=game.entitled - 1, has_roll=game.entitled > 1)
    _record(game, state, after, who, *rolls.removal(game, entry), removed=1)


# --- codes ---


def renew(game_id: str, who: str, name: str) -> Entry:
    """Another code for somebody, shown at once; the first one for whoever has an account and cannot get at it."""
    return try_again(lambda: _renew(game_id, who, name))


def _renew(game_id: str, who: str, name: str) -> Entry:
    game, state = _running(game_id)
    entry = _entry(game_id, name)
    after = rolls.shown(rolls.renewed(entry))
    seat = seats.find(game_id, rolls.player(game_id, entry))
    told = seats.change(game, seat, replace(seat, renewed_in=state.round)) if seat else []
    _record(game, state, game, who, rolls.change(game, entry, after), *told, renewed=1)
    if seat:
        seats.touched(game)
    return after


def show_new(game_id: str, who: str, most: int) -> list[Entry]:
    """Some of those whose codes nobody was shown yet, for their cards. From now on they can only be renewed."""
    return try_again(lambda: _show_new(game_id, who, most))


def _show_new(game_id: str, who: str, most: int) -> list[Entry]:
    game, state = _running(game_id)
    found = list(islice((each for each in rolls.every(game_id) if each.has_new_code), most))
    if found:
        writes = (rolls.change(game, each, rolls.shown(each)) for each in found)
        _record(game, state, game, who, *writes, shown=len(found))
    return found


def renew_missing(game_id: str, who: str) -> int:
    """Another code for everybody who has one and has not checked in: cards were lost, or never came out of a printer.
    Answers how many that are."""
    here = {each.player for each in seats.each(game_id)}
    found = [each.name for each in rolls.every(game_id) if each.turn and rolls.player(game_id, each) not in here]
    return sum(
        try_again(partial(_renew_some, game_id, who, some)) for some in by_count(found, TRANSACTION_ENTRIES // 2)
    )


def _renew_some(game_id: str, who: str, names: Sequence[str]) -> int:
    """Not of somebody who has checked in meanwhile."""
    game, state = _running(game_id)
    found = [_entry(game_id, name) for name in names]
    coming = {keys.seat(game_id, rolls.player(game_id, each)): each for each in found}
    here = table().get_many(coming)
    missing = [each for place, each in coming.items() if place not in here]
    if missing:
        writes = (rolls.change(game, each, rolls.renewed(each)) for each in missing)
        _record(game, state, game, who, *writes, renewed=len(missing))
    return len(missing)


def _entry(game_id: str, name: str) -> Entry:
    entry = rolls.find(game_id, name)
    if entry is None:
        raise NotNow(NOT_ON_IT)
    return entry


# --- how many ---


def say_how_many(game_id: str, who: str, entitled: int, quorum: str) -> None:
    """How many are entitled, where there is no roll that says so, and how many of them have to be there."""
    try_again(lambda: _say_how_many(game_id, who, entitled, quorum))


def _say_how_many(game_id: str, who: str, entitled: int, quorum: str) -> None:
    game, state = _read(game_id)
    if game.has_roll and entitled != game.entitled:
        raise NotNow(COUNTED)
    after = replace(game, entitled=entitled, quorum=quorum)
    check_quorum(after)
    if after != game:
        _record(game, state, after, who)


def check_quorum(game: Game) -> None:
    """A share of nobody knows how many, or more than there are, would never be met."""
    quorum = quorum_of(game.quorum)
    if game.entitled > MAX_QUORUM_PEOPLE:
        raise NotNow(TOO_LARGE % {"most": MAX_QUORUM_PEOPLE})
    if quorum.is_share and not game.entitled:
        raise NotNow(UNKNOWN)
    if not game.has_roll and game.entitled and quorum.needed(game.entitled) > game.entitled:
        raise NotNow(NEVER)


# --- writing ---


def _running(game_id: str) -> tuple[Game, State]:
    game, state = repository.load(game_id)
    if not game.format.checks_in or game.ended_at:
        raise NotNow(rules.NOT_NOW)
    return game, state


def _read(game_id: str) -> tuple[Game, State]:
    """Of a session in which it may change who is entitled just now."""
    game, state = _running(game_id)
    if state.phase == Phase.VOTING:
        raise NotNow(NOT_WHILE_VOTING)
    return game, state


def _record(before: Game, state: State, after: Game, who: str, *writes: Write, **numbers: int) -> None:
    """Refused if a step was taken meanwhile: it may have opened a vote."""
    after = replace(after, prepared_at=now_text())
    said: dict[str, Any] = {"game_id": after.id, **told(after), **numbers}
    still = repository.is_still_at(after, state)
    record(Event(who, "LiveRollChanged", said), *repository.change(before, after), *writes, still)
    waking.moved(after.id)


def told(game: Game) -> dict[str, Any]:
    names = ("has_roll", "entitled", "quorum", "prepared_at")
    return {name: getattr(game, name) for name in names}
