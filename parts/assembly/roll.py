"""The roll of an assembly: who is entitled to vote, the quorum, and check-in codes for people without an account. The
log has numbers, never names.

Codes are not stored but derived from the site's secret, the session, the name, when it was added, and a turn that
grows when a code is replaced. Eight of 32 symbols make 40 bits: with 2,000 people on a roll, one guess in 550 million
hits.
"""

from __future__ import annotations

import threading
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from foundation.acts import storage
from foundation.acts.refusals import NotNow
from foundation.acts.retry import retried
from foundation.acts.storage import now_text, record, table, unchanged
from foundation.ranking.codes import SYMBOLS, code_symbols
from foundation.store import keys
from foundation.store.keys import fold
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Check, Delete, Item, Key, Missing, Put, Update, Write
from foundation.tally.majorities import Quorum
from parts.live import changes, repository, rules, seats
from parts.live.rules import MAX_PLAYERS, Game, Phase, State

from .attendance import own_of, with_own

MAX_ROLL_PEOPLE = MAX_PLAYERS  # people on a roll
CODE_CHARS, CODE_GROUP_CHARS = 8, 4  # of a code
Addresses = Mapping[str, str]  # by folded name
Weights = Mapping[str, int]  # by folded name
NO_ADDRESSES: Addresses = {}
NO_WEIGHTS: Weights = {}
TRANSACTION_ENTRIES = 80  # entries that fit one transaction, beside the session and the log


@dataclass(frozen=True, slots=True)
class Entry:
    """Someone on the roll."""

    name: str
    added_at: str
    account: str = ""  # when the account of this name was made, with which they check in; empty if there was none
    turn: int = 1  # of their code; 0 if they have none, because they have an account
    shown: int = 0  # the turn whose code the hosts have been shown: each is shown once
    version: int = 1
    email: str = ""  # puts a person without an account on the roll of an election
    weight: int = 1  # how many times their vote counts

    @property
    def folded(self) -> str:
        return fold(self.name)

    @property
    def has_new_code(self) -> bool:
        """Whether they have a code that has not been shown yet."""
        return self.turn > self.shown


def player_of(game_id: str, name: str, account: str = "") -> str:
    """Stable across devices and ways of checking in; a later account of the same name gets another id."""
    mark = salted_hmac("live.player", f"{game_id}\n{fold(name)}\n{account}", algorithm="sha256").digest()
    return urlsafe_b64encode(mark).decode()[:10]


def player_of_entry(game_id: str, entry: Entry) -> str:
    return player_of(game_id, entry.name, entry.account)


# --- codes ---


def code_of(game_id: str, entry: Entry) -> str:
    """As printed, in two groups; empty if they have none."""
    signs = _code_symbols(game_id, entry)
    return f"{signs[:CODE_GROUP_CHARS]}-{signs[CODE_GROUP_CHARS:]}" if signs else ""


def _code_symbols(game_id: str, entry: Entry) -> str:
    if not entry.turn:
        return ""
    source = f"{game_id}\n{entry.folded}\n{entry.added_at}\n{entry.turn}"
    mark = salted_hmac("live.roll", source, algorithm="sha256").digest()
    return "".join(SYMBOLS[byte % len(SYMBOLS)] for byte in mark[:CODE_CHARS])


@lru_cache(maxsize=8)  # assemblies
def names_by_code(game_id: str, version: int) -> Mapping[str, str]:
    """Every change to a roll makes a new version of the session."""
    return {_code_symbols(game_id, each): each.name for each in each_entry(game_id) if each.turn}


_lock = threading.Lock()  # so that a hall that checks in reads the roll once


def find_by_code(game: Game, code: str) -> Entry | None:
    """The cache only says where to look."""
    typed = code_symbols(code)
    with _lock:
        name = names_by_code(game.id, game.version).get(typed)
    entry = find(game.id, name) if name else None
    return entry if entry and _code_symbols(game.id, entry) == typed else None


# --- finding ---


def find(game_id: str, name: str) -> Entry | None:
    item = table().get(keys.game_roll_entry(game_id, name))
    return entry_of(item) if item else None


def each_entry(game_id: str) -> Iterator[Entry]:
    """Sorted by name."""
    return map(entry_of, table().each(keys.game_roll(game_id)))


def entry_of(item: Mapping[str, Any]) -> Entry:
    known = {each.name for each in fields(Entry)}
    return Entry(**{name: value for name, value in item.items() if name in known})


# --- writes ---


def change(game: Game, before: Entry, after: Entry) -> Update:
    """Refused if it has changed since it was read."""
    return storage.change(before, after, partial(_item, game))


def removing(game: Game, entry: Entry) -> list[Write]:
    """Refused if they have checked in by now."""
    return [
        Delete(keys.game_roll_entry(game.id, entry.name), when=unchanged(entry)),
        Check(keys.seat(game.id, player_of_entry(game.id, entry)), Missing()),
    ]


def still_listed(game: Game, entry: Entry) -> Check:
    """Checks that they are on the roll with the same code."""
    return Check(keys.game_roll_entry(game.id, entry.name), unchanged(entry))


def _item(game: Game, entry: Entry) -> Item:
    stored = {each.name: getattr(entry, each.name) for each in fields(Entry)}
    return {**keys.game_roll_entry(game.id, entry.name).item, **stored, "ttl": game.ttl}


# --- who is on it ---


def match_names(
    game_id: str, names: Sequence[str], addresses: Addresses, weights: Weights
) -> tuple[set[str], dict[str, Entry]]:
    """Which folded names are already on the roll, and a new entry for each of the others, linked to an account of that
    name."""
    places = {keys.game_roll_entry(game_id, name): name for name in names}
    accounts: dict[str, Key] = {name: keys.user(name) for name in names}
    found, now = table().get_many([*places, *accounts.values()]), now_text()
    there = {fold(name) for place, name in places.items() if place in found}
    entries = {}
    for name in names:
        if fold(name) not in there:
            person = found.get(accounts[name], {"name": name, "created_at": ""})
            account, email = person["created_at"], addresses.get(fold(name), "")
            weight, turn = weights.get(fold(name), 1), 0 if account else 1
            entries[fold(name)] = Entry(person["name"], now, account, turn=turn, email=email, weight=weight)
    return there, entries


def add(
    game_id: str, who: str, names: Sequence[str], addresses: Addresses = NO_ADDRESSES, weights: Weights = NO_WEIGHTS
) -> int:
    """Add people in batches and return how many were new. Everyone who has already checked in is added, too."""
    size = TRANSACTION_ENTRIES // 2 if weights else TRANSACTION_ENTRIES  # because seats have the weight, too
    added = sum(_add(game_id, who, batch, addresses, weights) for batch in by_count(names, size))
    if not added:
        return 0
    on_it = {player_of_entry(game_id, each) for each in each_entry(game_id)}
    accounts = {each.player: own_of(each).account for each in seats.read_seats(game_id)}
    missing = [account for player, account in accounts.items() if account and player not in on_it]
    for batch in by_count(missing, TRANSACTION_ENTRIES):
        _add(game_id, who, batch, NO_ADDRESSES, NO_WEIGHTS)
    return added


@retried
def _add(game_id: str, who: str, names: Sequence[str], addresses: Addresses, weights: Weights) -> int:
    game, state = _load_editable(game_id)
    _there, entries = match_names(game_id, names, addresses, weights)
    if not entries:
        return 0
    entitled = (game.own.entitled if game.own.has_roll else 0) + len(entries)
    if entitled > MAX_ROLL_PEOPLE:
        raise NotNow(_("A roll has at most %(most)d people.") % {"most": MAX_ROLL_PEOPLE})
    extra = game.own.extra_votes + sum(each.weight - 1 for each in entries.values())
    after = _with_own(game, entitled=entitled, has_roll=True, extra_votes=extra)
    writes = (Put(_item(game, each), when=Missing()) for each in entries.values())
    seat_writes = _weighing_seats(game, [each for each in entries.values() if each.weight != 1])
    _record(game, state, after, who, *writes, *seat_writes, added=len(entries))
    if not all(isinstance(each, Check) for each in seat_writes):
        seats.count_change(game)
    return len(entries)


@retried
def weigh(game_id: str, who: str, name: str, weight: int) -> None:
    """Change how many times someone's vote counts, whether or not they have checked in."""
    game, state = _load_editable(game_id)
    before = _find_or_refuse(game_id, name)
    entry = replace(before, weight=weight)
    if entry == before:
        return
    after = _with_own(game, extra_votes=game.own.extra_votes + weight - before.weight)
    _record(game, state, after, who, change(game, before, entry), *_weighing_seats(game, [entry]), weighed=1)
    seats.count_change(game)


def _weighing_seats(game: Game, entries: Sequence[Entry]) -> list[Write]:
    """The seats of those who have checked in have their weights, too. Refused if others check in by then."""
    weights = {keys.seat(game.id, player_of_entry(game.id, each)): each.weight for each in entries}
    found = table().get_many(weights) if weights else {}
    writes: list[Write] = [Check(place, Missing()) for place in weights if place not in found]
    for place, item in found.items():
        seat = seats.seat_from_item(item)
        writes += seats.change(game, seat, with_own(seat, weight=weights[place]))
    return writes


@retried
def remove(game_id: str, who: str, name: str) -> None:
    """Remove someone who has not checked in. An empty roll is no roll."""
    game, state = _load_editable(game_id)
    entry = _find_or_refuse(game_id, name)
    if seats.find(game_id, player_of_entry(game_id, entry)) is not None:
        raise NotNow(_("%(name)s has checked in and cannot be taken off the roll.") % {"name": entry.name})
    extra = game.own.extra_votes + 1 - entry.weight
    after = _with_own(game, entitled=game.own.entitled - 1, has_roll=game.own.entitled > 1, extra_votes=extra)
    _record(game, state, after, who, *removing(game, entry), removed=1)


# --- new codes ---


@retried
def renew(game_id: str, who: str, name: str) -> Entry:
    """Replace a code and show it; the first code for someone who cannot sign in to their account."""
    game, state = _load_running(game_id)
    entry = _find_or_refuse(game_id, name)
    after = replace(entry, turn=entry.turn + 1, shown=entry.turn + 1)  # the previous code stops working
    seat = seats.find(game_id, player_of_entry(game_id, entry))
    seat_writes = seats.change(game, seat, with_own(seat, renewed_in=state.round)) if seat else []
    _record(game, state, game, who, change(game, entry, after), *seat_writes, renewed=1)
    if seat:
        seats.count_change(game)
    return after


@retried
def show_new_codes(game_id: str, who: str, most: int) -> list[Entry]:
    """Entries whose codes have not been shown yet, for printing. Afterwards codes can only be replaced."""
    game, state = _load_running(game_id)
    new = list(islice((each for each in each_entry(game_id) if each.has_new_code), most))
    if new:
        writes = (change(game, each, replace(each, shown=each.turn)) for each in new)
        _record(game, state, game, who, *writes, shown=len(new))
    return new


def renew_missing(game_id: str, who: str) -> int:
    """Replace the codes of everyone who has not checked in, and return how many."""
    present = {each.player for each in seats.read_seats(game_id)}
    missing = [each.name for each in each_entry(game_id) if each.turn and player_of_entry(game_id, each) not in present]
    return sum(_renew_batch(game_id, who, batch) for batch in by_count(missing, TRANSACTION_ENTRIES // 2))


@retried
def _renew_batch(game_id: str, who: str, names: Sequence[str]) -> int:
    """Skips people who have checked in in the meantime."""
    game, state = _load_running(game_id)
    entries = [_find_or_refuse(game_id, name) for name in names]
    by_seat = {keys.seat(game_id, player_of_entry(game_id, each)): each for each in entries}
    present = table().get_many(by_seat)
    missing = [each for place, each in by_seat.items() if place not in present]
    if missing:
        writes = (change(game, each, replace(each, turn=each.turn + 1)) for each in missing)
        _record(game, state, game, who, *writes, renewed=len(missing))
    return len(missing)


def _find_or_refuse(game_id: str, name: str) -> Entry:
    entry = find(game_id, name)
    if entry is None:
        raise NotNow(_("Nobody with that name is on the roll."))
    return entry


# --- how many ---


@retried
def change_quorum(game_id: str, who: str, entitled: int, quorum: str) -> None:
    """Set the quorum and, without a roll, how many are entitled to vote."""
    game, state = _load_editable(game_id)
    if game.own.has_roll and entitled != game.own.entitled:
        raise NotNow(_("With a roll, the number of people entitled to vote is counted automatically."))
    after = _with_own(game, entitled=entitled, quorum=quorum)
    if Quorum(quorum).is_share and not entitled:
        raise NotNow(_("Enter how many people are entitled to vote: the quorum is a share of them."))
    if not game.own.has_roll and entitled and Quorum(quorum).needed(entitled) > entitled:
        raise NotNow(_("This quorum can never be met: fewer people are entitled to vote."))
    if after != game:
        _record(game, state, after, who)


# --- recording ---


def _load_running(game_id: str) -> tuple[Game, State]:
    game, state = repository.load(game_id)
    if not game.format.checks_in or game.ended_at:
        raise NotNow(rules.NOT_NOW)
    return game, state


def _load_editable(game_id: str) -> tuple[Game, State]:
    """Refused while a vote is open."""
    game, state = _load_running(game_id)
    if state.phase == Phase.VOTING:
        raise NotNow(_("A vote is open. Wait until it is closed to change who is entitled to vote."))
    return game, state


def _with_own(game: Game, **changes: Any) -> Game:
    return replace(game, own=replace(game.own, **changes))


def _record(before: Game, state: State, after: Game, who: str, *writes: Write, **numbers: int) -> None:
    """Refused if the session has moved on: it may have opened a vote."""
    after = replace(after, prepared_at=now_text())
    facts = {name: getattr(after.own, name) for name in ("has_roll", "entitled", "quorum")}
    facts |= {"prepared_at": after.prepared_at}
    if before.own.extra_votes or after.own.extra_votes:
        facts["extra_votes"] = after.own.extra_votes
    event = Event(who, "LiveRollChanged", {"game_id": after.id, **facts, **numbers})
    record(event, *repository.change(before, after), *writes, repository.is_still_at(after, state))
    changes.publish(after.id)
