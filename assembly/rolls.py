"""Who is entitled in an assembly, in the table: names in, values out; and the codes that those check in with who have
no account.

A code is never stored: it comes from the site's secret, the session, the name, when it was put on the roll, and a turn
that grows when a code is lost. Of 32 signs eight make 40 bits: with 2,000 people on a roll one guess in 550 million
finds somebody.
"""

from __future__ import annotations

import threading
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from django.utils.crypto import salted_hmac

from acts import versions
from acts.site import table
from acts.versions import unchanged
from live import seats
from live.onward.electorate import Electorate
from live.rules import MAX_PLAYERS, Game
from live.seats import Seat
from pages.sorting import as_people_sort
from ranking.codes import SYMBOLS, as_meant
from store import keys
from store.keys import fold
from store.splitting import by_count
from store.table import Check, Delete, Item, Missing, Put, Update, Write

from . import quorate

MAX_ROLL_PEOPLE = MAX_PLAYERS  # people on a roll
CODE_CHARS, CODE_GROUP_CHARS = 8, 4  # of a code
MAX_CACHED_ASSEMBLIES = 8  # assemblies whose codes a process keeps in mind


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody on the roll."""

    name: str
    added_at: str
    account: str = ""  # when the account of this name was made, with which they check in; empty if there was none
    turn: int = 1  # of their code; 0 if they have none, because they have an account
    shown: int = 0  # the turn whose code was shown to those who run the assembly: each is shown once
    version: int = 1
    email: str = ""  # by which somebody without an account can be on the roll of an election

    @property
    def folded(self) -> str:
        return fold(self.name)

    @property
    def has_new_code(self) -> bool:
        """Whether they have a code that nobody was shown yet."""
        return self.turn > self.shown


def new(name: str, added_at: str, account: str = "", email: str = "") -> Entry:
    return Entry(name, added_at, account, turn=0 if account else 1, email=email)


def player_of(game_id: str, name: str, account: str = "") -> str:
    """The same person on every device, and whether they check in by account or by code; nobody else ever, not even a
    later account of the same name."""
    mark = salted_hmac("live.player", f"{game_id}\n{fold(name)}\n{account}", algorithm="sha256").digest()
    return urlsafe_b64encode(mark).decode()[:10]


def player(game_id: str, entry: Entry) -> str:
    return player_of(game_id, entry.name, entry.account)


# --- codes ---


def code_of(game_id: str, entry: Entry) -> str:
    """As it is printed, in two groups; nothing if they have none."""
    signs = _signs(game_id, entry)
    return f"{signs[:CODE_GROUP_CHARS]}-{signs[CODE_GROUP_CHARS:]}" if signs else ""


def _signs(game_id: str, entry: Entry) -> str:
    if not entry.turn:
        return ""
    words = f"{game_id}\n{entry.folded}\n{entry.added_at}\n{entry.turn}"
    mark = salted_hmac("live.roll", words, algorithm="sha256").digest()
    return "".join(SYMBOLS[byte % len(SYMBOLS)] for byte in mark[:CODE_CHARS])


def as_typed(code: str) -> str:
    """However somebody typed what they read."""
    return "".join(sign for sign in as_meant(code) if sign in SYMBOLS)


class Codes:
    """Whose each code is, as this process has worked it out: once for each version of a session, as every change of a
    roll makes a new one."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._known: OrderedDict[tuple[str, int], Mapping[str, str]] = OrderedDict()

    def of(self, game: Game) -> Mapping[str, str]:
        at = (game.id, game.version)
        with self._turn:
            if at not in self._known:
                self._known[at] = {_signs(game.id, each): each.name for each in every(game.id) if each.turn}
            self._known.move_to_end(at)
            while len(self._known) > MAX_CACHED_ASSEMBLIES:
                self._known.popitem(last=False)
            return self._known[at]


CODES = Codes()


def by_code(game: Game, code: str) -> Entry | None:
    """Whose code it is; what is in mind only says where to look."""
    typed = as_typed(code)
    name = CODES.of(game).get(typed)
    entry = find(game.id, name) if name else None
    return entry if entry and _signs(game.id, entry) == typed else None


# --- finding ---


def find(game_id: str, name: str) -> Entry | None:
    item = table().get(keys.game_roll_entry(game_id, name))
    return entry_of(item) if item else None


def every(game_id: str) -> Iterator[Entry]:
    """By name."""
    return map(entry_of, table().each(keys.game_roll(game_id)))


def entry_of(item: Mapping[str, Any]) -> Entry:
    known = {each.name for each in fields(Entry)}
    return Entry(**{name: value for name, value in item.items() if name in known})


# --- writes ---


def addition(game: Game, entry: Entry) -> Put:
    return Put(_item(game, entry), when=Missing())


def renewed(entry: Entry) -> Entry:
    """With another code; the one before is good for nothing."""
    return replace(entry, turn=entry.turn + 1)


def shown(entry: Entry) -> Entry:
    """Whose code is shown now, and not again."""
    return replace(entry, shown=entry.turn)


def change(game: Game, before: Entry, after: Entry) -> Update:
    """Refused if it has changed since it was read."""
    return versions.change(before, after, partial(_item, game))


def removal(game: Game, entry: Entry) -> list[Write]:
    """Refused if they have checked in by now."""
    return [
        Delete(keys.game_roll_entry(game.id, entry.name), when=unchanged(entry)),
        Check(keys.seat(game.id, player(game.id, entry)), Missing()),
    ]


def is_still(game: Game, entry: Entry) -> Check:
    """That they are on the roll, with the same code."""
    return Check(keys.game_roll_entry(game.id, entry.name), unchanged(entry))


def _item(game: Game, entry: Entry) -> Item:
    place = keys.game_roll_entry(game.id, entry.name)
    told = {each.name: getattr(entry, each.name) for each in fields(Entry)}
    return {"PK": place.pk, "SK": place.sk, **told, "ttl": game.ttl}


# --- those present, as voters of an election ---


def electorate(game: Game) -> Electorate:
    """Robots are nobody. Of an assembly that has ended: who had not left by then."""
    there = [each for each in seats.each(game.id) if each.is_there and not each.robot]
    coded = sorted((each for each in there if not each.account), key=lambda each: as_people_sort(each.name))
    emails = {each.folded: each.email for each in every(game.id)} if coded and game.has_roll else {}
    addresses = {each.name: emails.get(fold(each.entry or each.name), "") for each in coded}
    accounts, present = dict(sorted(_accounts(game, there))), len(there)
    return Electorate(present, accounts, addresses, quorate.needed(game), quorate.is_met(game, present))


def _accounts(game: Game, there: Iterable[Seat]) -> Iterator[tuple[str, str]]:
    """Whose account is gone has none, also if somebody else has one of the same name by now."""
    for some in by_count(each for each in there if each.account):
        found = table().get_many({keys.user(each.account) for each in some})
        people = {item["name"]: item["created_at"] for item in found.values()}
        players = {each.player for each in some}
        yield from ((name, at) for name, at in people.items() if player_of(game.id, name, at) in players)
