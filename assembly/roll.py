"""The roll of an assembly: who is entitled to vote, the quorum, and check-in codes for people without an account. The
log has numbers, never names.

Codes are not stored but derived from the site's secret, the session, the name, when it was added, and a turn that
grows when a code is replaced. Eight of 32 symbols make 40 bits: with 2,000 people on a roll, one guess in 550 million
hits.
"""

from __future__ import annotations

import threading
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import islice
from typing import Any

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from acts import versions
from acts.refusals import NotNow
from acts.retry import retry_lost_race
from acts.storage import now_text, record, table
from acts.versions import unchanged
from live import changes, repository, rules, seats
from live.follow_ups.electorate import Electorate
from live.rules import MAX_PLAYERS, Game, Phase, State
from live.seats import Seat
from pages.sorting import natural_sort_key
from ranking.codes import SYMBOLS, normalise_code
from store import keys
from store.keys import fold
from store.log import Event
from store.splitting import by_count
from store.table import Check, Delete, Item, Key, Missing, Put, Update, Write

from . import quorum
from .majorities import MAX_QUORUM_PEOPLE, quorum_of

MAX_ROLL_PEOPLE = MAX_PLAYERS  # people on a roll
CODE_CHARS, CODE_GROUP_CHARS = 8, 4  # of a code
MAX_CACHED_ASSEMBLIES = 8  # assemblies whose codes a process keeps in mind
NO_ADDRESSES: Mapping[str, str] = {}
TRANSACTION_ENTRIES = 80  # entries that fit one transaction, beside the session and the log

NOT_WHILE_VOTING = _("A vote is open. Wait until it is closed to change who is entitled to vote.")
NOT_ON_IT = _("Nobody with that name is on the roll.")
HERE = _("%(name)s has checked in and cannot be taken off the roll.")
TOO_MANY = _("A roll has at most %(most)d people.")
COUNTED = _("With a roll, the number of people entitled to vote is counted automatically.")
UNKNOWN = _("Enter how many people are entitled to vote: the quorum is a share of them.")
NEVER = _("This quorum can never be met: fewer people are entitled to vote.")
TOO_LARGE = _("Enter at most %(most)d.")


@dataclass(frozen=True, slots=True)
class Entry:
    """Someone on the roll."""

    name: str
    added_at: str
    account: str = ""  # when the account of this name was made, with which they check in; empty if there was none
    turn: int = 1  # of their code; 0 if they have none, because they have an account
    shown: int = 0  # the turn whose code was shown to those who run the assembly: each is shown once
    version: int = 1
    email: str = ""  # puts a person without an account on the roll of an election

    @property
    def folded(self) -> str:
        return fold(self.name)

    @property
    def has_new_code(self) -> bool:
        """Whether they have a code that has not been shown yet."""
        return self.turn > self.shown


def new_entry(name: str, added_at: str, account: str = "", email: str = "") -> Entry:
    return Entry(name, added_at, account, turn=0 if account else 1, email=email)


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
    words = f"{game_id}\n{entry.folded}\n{entry.added_at}\n{entry.turn}"
    mark = salted_hmac("live.roll", words, algorithm="sha256").digest()
    return "".join(SYMBOLS[byte % len(SYMBOLS)] for byte in mark[:CODE_CHARS])


def normalised_code(code: str) -> str:
    return "".join(sign for sign in normalise_code(code) if sign in SYMBOLS)


class Codes:
    """A cache of whose code is whose, per version of a session: every change to a roll makes a new version."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, int], Mapping[str, str]] = OrderedDict()

    def of(self, game: Game) -> Mapping[str, str]:
        at = (game.id, game.version)
        with self._lock:
            if at not in self._known:
                self._known[at] = {_code_symbols(game.id, each): each.name for each in each_entry(game.id) if each.turn}
            self._known.move_to_end(at)
            while len(self._known) > MAX_CACHED_ASSEMBLIES:
                self._known.popitem(last=False)
            return self._known[at]


CODES = Codes()


def find_by_code(game: Game, code: str) -> Entry | None:
    """The cache only says where to look."""
    typed = normalised_code(code)
    name = CODES.of(game).get(typed)
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


def adding(game: Game, entry: Entry) -> Put:
    return Put(_item(game, entry), when=Missing())


def with_new_code(entry: Entry) -> Entry:
    """The previous code stops working."""
    return replace(entry, turn=entry.turn + 1)


def with_code_shown(entry: Entry) -> Entry:
    """A code is shown once."""
    return replace(entry, shown=entry.turn)


def change(game: Game, before: Entry, after: Entry) -> Update:
    """Refused if it has changed since it was read."""
    return versions.change(before, after, partial(_item, game))


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
    place = keys.game_roll_entry(game.id, entry.name)
    stored = {each.name: getattr(entry, each.name) for each in fields(Entry)}
    return {"PK": place.pk, "SK": place.sk, **stored, "ttl": game.ttl}


# --- who is on it ---


def match_names(
    game_id: str, names: Sequence[str], addresses: Mapping[str, str] = NO_ADDRESSES
) -> tuple[set[str], dict[str, Entry]]:
    """Which folded names are already on the roll, and a new entry for each of the others, linked to an account of that
    name."""
    places = {keys.game_roll_entry(game_id, name): name for name in names}
    accounts: dict[str, Key] = {name: keys.user(name) for name in names}
    found, now = table().get_many([*places, *accounts.values()]), now_text()
    there = {keys.fold(name) for place, name in places.items() if place in found}
    entries = {}
    for name in names:
        if keys.fold(name) not in there:
            person = found.get(accounts[name], {"name": name, "created_at": ""})
            email = addresses.get(keys.fold(name), "")
            entries[keys.fold(name)] = new_entry(person["name"], now, person["created_at"], email)
    return there, entries


def add(game_id: str, who: str, names: Sequence[str], addresses: Mapping[str, str] = NO_ADDRESSES) -> int:
    """Add people in batches and return how many were new. Everyone who has already checked in is added, too."""
    added = sum(
        retry_lost_race(partial(_add, game_id, who, batch, addresses)) for batch in by_count(names, TRANSACTION_ENTRIES)
    )
    if not added:
        return 0
    on_it = {player_of_entry(game_id, each) for each in each_entry(game_id)}
    missing = [each.account for each in seats.read_seats(game_id) if each.account and each.player not in on_it]
    for batch in by_count(missing, TRANSACTION_ENTRIES):
        retry_lost_race(partial(_add, game_id, who, batch))
    return added


def _add(game_id: str, who: str, names: Sequence[str], addresses: Mapping[str, str] = NO_ADDRESSES) -> int:
    game, state = _load_editable(game_id)
    _there, entries = match_names(game_id, names, addresses)
    if not entries:
        return 0
    entitled = (game.entitled if game.has_roll else 0) + len(entries)
    if entitled > MAX_ROLL_PEOPLE:
        raise NotNow(TOO_MANY % {"most": MAX_ROLL_PEOPLE})
    after = replace(game, entitled=entitled, has_roll=True)
    writes = (adding(game, each) for each in entries.values())
    _record(game, state, after, who, *writes, added=len(entries))
    return len(entries)


def remove(game_id: str, who: str, name: str) -> None:
    """Remove someone who has not checked in. An empty roll is no roll."""
    retry_lost_race(lambda: _remove(game_id, who, name))


def _remove(game_id: str, who: str, name: str) -> None:
    game, state = _load_editable(game_id)
    entry = _find_or_refuse(game_id, name)
    if seats.find(game_id, player_of_entry(game_id, entry)) is not None:
        raise NotNow(HERE % {"name": entry.name})
    after = replace(game, entitled=game.entitled - 1, has_roll=game.entitled > 1)
    _record(game, state, after, who, *removing(game, entry), removed=1)


# --- new codes ---


def renew(game_id: str, who: str, name: str) -> Entry:
    """Replace a code and show it; the first code for someone who cannot sign in to their account."""
    return retry_lost_race(lambda: _renew(game_id, who, name))


def _renew(game_id: str, who: str, name: str) -> Entry:
    game, state = _load_running(game_id)
    entry = _find_or_refuse(game_id, name)
    after = with_code_shown(with_new_code(entry))
    seat = seats.find(game_id, player_of_entry(game_id, entry))
    seat_writes = seats.change(game, seat, replace(seat, renewed_in=state.round)) if seat else []
    _record(game, state, game, who, change(game, entry, after), *seat_writes, renewed=1)
    if seat:
        seats.count_change(game)
    return after


def show_new_codes(game_id: str, who: str, most: int) -> list[Entry]:
    """Entries whose codes have not been shown yet, for printing. Afterwards codes can only be replaced."""
    return retry_lost_race(lambda: _show_new_codes(game_id, who, most))


def _show_new_codes(game_id: str, who: str, most: int) -> list[Entry]:
    game, state = _load_running(game_id)
    found = list(islice((each for each in each_entry(game_id) if each.has_new_code), most))
    if found:
        writes = (change(game, each, with_code_shown(each)) for each in found)
        _record(game, state, game, who, *writes, shown=len(found))
    return found


def renew_missing(game_id: str, who: str) -> int:
    """Replace the codes of everyone who has not checked in, and return how many."""
    here = {each.player for each in seats.read_seats(game_id)}
    found = [each.name for each in each_entry(game_id) if each.turn and player_of_entry(game_id, each) not in here]
    return sum(
        retry_lost_race(partial(_renew_batch, game_id, who, batch))
        for batch in by_count(found, TRANSACTION_ENTRIES // 2)
    )


def _renew_batch(game_id: str, who: str, names: Sequence[str]) -> int:
    """Skips people who have checked in in the meantime."""
    game, state = _load_running(game_id)
    found = [_find_or_refuse(game_id, name) for name in names]
    coming = {keys.seat(game_id, player_of_entry(game_id, each)): each for each in found}
    here = table().get_many(coming)
    missing = [each for place, each in coming.items() if place not in here]
    if missing:
        writes = (change(game, each, with_new_code(each)) for each in missing)
        _record(game, state, game, who, *writes, renewed=len(missing))
    return len(missing)


def _find_or_refuse(game_id: str, name: str) -> Entry:
    entry = find(game_id, name)
    if entry is None:
        raise NotNow(NOT_ON_IT)
    return entry


# --- how many ---


def change_quorum(game_id: str, who: str, entitled: int, quorum: str) -> None:
    """Set the quorum and, without a roll, how many are entitled to vote."""
    retry_lost_race(lambda: _change_quorum(game_id, who, entitled, quorum))


def _change_quorum(game_id: str, who: str, entitled: int, quorum: str) -> None:
    game, state = _load_editable(game_id)
    if game.has_roll and entitled != game.entitled:
        raise NotNow(COUNTED)
    after = replace(game, entitled=entitled, quorum=quorum)
    check_quorum(after)
    if after != game:
        _record(game, state, after, who)


def check_quorum(game: Game) -> None:
    """Refuses a quorum that could never be met."""
    quorum = quorum_of(game.quorum)
    if game.entitled > MAX_QUORUM_PEOPLE:
        raise NotNow(TOO_LARGE % {"most": MAX_QUORUM_PEOPLE})
    if quorum.is_share and not game.entitled:
        raise NotNow(UNKNOWN)
    if not game.has_roll and game.entitled and quorum.needed(game.entitled) > game.entitled:
        raise NotNow(NEVER)


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
        raise NotNow(NOT_WHILE_VOTING)
    return game, state


def _record(before: Game, state: State, after: Game, who: str, *writes: Write, **numbers: int) -> None:
    """Refused if the session has moved on: it may have opened a vote."""
    after = replace(after, prepared_at=now_text())
    data: dict[str, Any] = {"game_id": after.id, **event_data(after), **numbers}
    still = repository.is_still_at(after, state)
    record(Event(who, "LiveRollChanged", data), *repository.change(before, after), *writes, still)
    changes.publish(after.id)


def event_data(game: Game) -> dict[str, Any]:
    names = ("has_roll", "entitled", "quorum", "prepared_at")
    return {name: getattr(game, name) for name in names}


# --- those present, as voters of an election ---


def electorate(game: Game) -> Electorate:
    """People present as voters of an election, without robots; after the end, those who had not left."""
    there = [each for each in seats.read_seats(game.id) if each.is_there and not each.robot]
    coded = sorted((each for each in there if not each.account), key=lambda each: natural_sort_key(each.name))
    emails = {each.folded: each.email for each in each_entry(game.id)} if coded and game.has_roll else {}
    addresses = {each.name: emails.get(fold(each.entry or each.name), "") for each in coded}
    accounts, present = dict(sorted(_accounts(game, there))), len(there)
    return Electorate(present, accounts, addresses, quorum.needed(game), quorum.is_met(game, present))


def _accounts(game: Game, there: Iterable[Seat]) -> Iterator[tuple[str, str]]:
    """Leaves out deleted accounts, even if someone else has the name by now."""
    for batch in by_count(each for each in there if each.account):
        found = table().get_many({keys.user(each.account) for each in batch})
        people = {item["name"]: item["created_at"] for item in found.values()}
        players = {each.player for each in batch}
        yield from ((name, at) for name, at in people.items() if player_of(game.id, name, at) in players)
