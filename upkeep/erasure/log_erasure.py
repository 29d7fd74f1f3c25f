"""The log forgets who somebody was, some time after they were removed, and its chain still fits.

In every event that names them the name and the addresses they had are replaced by words that stand for nobody, the same
ones everywhere, and known only while this is at work. How an event can change without the chain noticing, and how that
is told from tampering, says store/log/rewriting.py. What somebody wrote about themselves goes altogether.

An election that is kept keeps its record whole: who made it, who was on its roll, who voted. So events about it stay as
they are until it is deleted, and so do names of candidates, which are part of results. What is left to do then is found
by a mark, which stays until nothing keeps the name any more.

A mark says how far it has come. Each step rewrites a batch of events, records that it has, and moves the mark, all in
one transaction; whoever is killed on the way, the next one goes on. Only what is sealed is rewritten.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings

from accounts import repository as people
from accounts.models import User
from acts.storage import table
from store import keys
from store.limits import check_item
from store.log import EventLog, as_text, layout, utc_now
from store.log.events import number_of
from store.log.index import ACTOR, first_of
from store.log.rewriting import names_forgotten, rewriting, rewritten
from store.log.search import ABOVE_EVERY_NUMBER, Query, search
from store.purging import purge_mark
from store.schema import SCHEMA
from store.table import LOG, Delete, Equals, Exists, Item, Key, Missing, Put, Refused, Update, Write

TRANSACTION_EVENTS = 25  # events of one transaction, each with two entries of the index at most
TRANSACTION_BYTES = 1_000_000  # of one transaction, about: statements of candidates are long
TURN_EVENTS = 20_000  # events that are looked at before other jobs get their turn
BATCH_EVENTS = 1000  # events of one type that are read at once

NOTHING_KEPT: Item = {"kept": [], "kept_as": []}  # elections, by the numbers of their making; and what they say
LONG_AGO = "0001-01-01T00:00:00.000Z"  # so that it is due at once
UNKNOWN = 0
NEVER = (0, 0, 0)  # no event has such a number
OF_ACCOUNTS = ("UserRegistered", "UserEmailChanged", "UserRemoved")
OF_ELECTIONS = ("ElectionCreated", "ElectionRenamed", "ElectionDeleted")


# --- whose words they are ---


@dataclass(frozen=True, slots=True)
class Alias:
    """A name or an address that somebody had, in which events it means them, and what is to stand there."""

    text: str  # folded
    first: int
    last: int
    reach: int  # the last in events about an election that is gone: there a word means the same from end to end
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """Whom the log is to forget."""

    aliases: tuple[Alias, ...]

    def meant(self, number: int, *, is_gone: bool) -> dict[str, str]:
        """The words that mean them in that event, each with what is to stand there."""
        here = (each for each in self.aliases if each.first <= number <= (each.reach if is_gone else each.last))
        return {each.text: each.stand_in for each in here}

    def without(self, event: Item, *, is_gone: bool) -> Item | None:
        """The event without them; nothing if it does not name them. An election that it is about may be gone."""
        declared, said = SCHEMA.event_type(event["event_type"]), dict(event["event_data"])
        meant = self.meant(number_of(event), is_gone=is_gone)
        is_theirs = keys.fold(str(said.get("name", ""))) in meant
        for field in declared.naming:
            if field in said:
                said[field] = _replaced(said[field], meant)
        if is_theirs:
            said |= {field: "" for field in declared.own.split() if field in said}
            said |= {"email": self._own(said["email"])} if "email" in said else {}
        actor = _replaced(event["actor"], meant)
        is_named = (actor, said) != (event["actor"], event["event_data"])
        return rewritten(event, actor, said) if is_named else None

    def met_in(self, event: Item) -> set[str]:
        """By which of the names the event means them."""
        said = (event["event_data"].get(field) for field in SCHEMA.event_type(event["event_type"]).naming)
        words = [event["actor"], *(word for each in said for word in (each if isinstance(each, list) else [each]))]
        meant = self.meant(number_of(event), is_gone=False)
        return {keys.fold(word) for word in words if isinstance(word, str)} & meant.keys()

    def _own(self, address: str) -> str:
        """What is to stand for an address of their account, whoever else had it."""
        return next((each.stand_in for each in self.aliases if each.text == keys.fold(address)), address)


def _replaced(words: Any, meant: dict[str, str]) -> Any:
    if isinstance(words, list):
        return [_replaced(word, meant) for word in words]
    return meant.get(keys.fold(words), words) if isinstance(words, str) else words


def strangers(aliases: Iterable[Alias], chance: Callable[[int], str] = secrets.token_hex) -> ErasedPerson:
    """The same, with words that stand for nobody: made by chance, and kept only while this is at work."""
    mark = chance(8)
    names = {True: f"removed-{mark}-{{}}@removed.invalid", False: f"removed person {mark}"}
    marked = (replace(each, stand_in=names["@" in each.text].format(at)) for at, each in enumerate(aliases))
    return ErasedPerson(tuple(marked))


def aliases_of(mark: Item, asof: int) -> tuple[Alias, ...]:
    """All they were called, by what the log says of accounts; none if it knows nothing of them.

    A name is theirs from their registration on. An address that nobody else ever had is theirs in every event, also
    before they had an account: they may have been invited by it. One that others had as well is theirs only where
    their account says so.
    """
    history, upto = _Accounts(_events_of(OF_ACCOUNTS, mark["upto"])), mark["upto"]
    ours = history.removed_as(mark["name"])
    if ours is None:
        return ()
    held = [(address, by) for address, by in sorted(history.held.items()) if ours in by]
    addresses = (Alias(address, *((1, upto, upto) if by == {ours} else NEVER)) for address, by in held)
    return far_reaching((Alias(keys.fold(mark["name"]), ours, upto, upto), *addresses), {ours}, asof)


def far_reaching(aliases: Sequence[Alias], ours: set[int], asof: int) -> tuple[Alias, ...]:
    """An address that nobody else has had to this day is theirs in all that is told of an election that is gone."""
    held = _Accounts(_events_of(OF_ACCOUNTS, asof)).held
    alone = [each for each in aliases if "@" in each.text and each.last and held.get(each.text, set()) <= ours]
    return tuple(replace(each, reach=asof) if each in alone else each for each in aliases)


class _Accounts:
    """Which accounts there were, by the numbers of their registrations, and which of them had which address."""

    def __init__(self, events: Iterable[Item]):
        self.held: dict[str, set[int]] = {}
        self._here: dict[str, int] = {}
        self._removed: list[tuple[str, int]] = []
        for event in events:
            self._take(number_of(event), event["event_type"], event["event_data"])

    def _take(self, number: int, kind: str, said: Item) -> None:
        name = keys.fold(said["name"])
        if kind == "UserRegistered":
            self._here[name] = number
        if kind != "UserRemoved":
            self.held.setdefault(keys.fold(said["email"]), set()).add(self._here.get(name, number))
        elif name in self._here:
            self._removed.append((name, self._here.pop(name)))

    def removed_as(self, name: str) -> int | None:
        """The account that was the last of the name to be removed."""
        return max((ours for gone, ours in self._removed if gone == keys.fold(name)), default=None)


# --- which elections are still there ---


@dataclass(slots=True)
class _Life:
    """An election from its making to its end, if it had one, and what it was called when."""

    made: int
    names: list[tuple[str, int]]  # each from a number on
    ended: int = ABOVE_EVERY_NUMBER

    def is_called(self, name: str, number: int) -> bool:
        called = [each for each, since in self.names if since <= number]
        return self.made <= number <= self.ended and bool(called) and called[-1] == name


class _Elections:
    """What became of the elections that events are about."""

    def __init__(self, events: Iterable[Item]):
        self.lives: dict[str, list[_Life]] = {}
        self.ended: set[int] = set()
        here: dict[str, _Life] = {}
        for event in events:
            self._take(here, number_of(event), event["event_type"], event["event_data"])

    def _take(self, here: dict[str, _Life], number: int, kind: str, said: Item) -> None:
        name = keys.fold(said["election_name"])
        if kind == "ElectionCreated":
            here[name] = _Life(number, [(name, number)])
            self.lives.setdefault(name, []).append(here[name])
        elif (life := here.pop(name, None)) is None:
            return
        elif kind == "ElectionDeleted":
            life.ended = number
            self.ended.add(life.made)
        else:
            new = keys.fold(said["new_name"])
            life.names.append((new, number + 1))  # the event itself still has the old name
            here[new] = life
            self.lives.setdefault(new, []).append(life)

    def of(self, event: Item) -> int | None:
        """The election that the event is about, by the number of its making; nothing if it is about none.

        One that nobody knows of is taken for one that is kept.
        """
        name = event["event_data"].get("election_name")
        if not isinstance(name, str):
            return None
        folded, number = keys.fold(name), number_of(event)
        return next((life.made for life in self.lives.get(folded, ()) if life.is_called(folded, number)), UNKNOWN)


@lru_cache(maxsize=2)
def _elections(store: str, mark: str, upto: int) -> _Elections:
    """Those of one walk; what is sealed about them does not change meanwhile."""
    return _Elections(_events_of(OF_ELECTIONS, upto))


def _events_of(types: Iterable[str], upto: int) -> Iterator[Item]:
    """All sealed events of these types up to a number, in order."""
    found: list[Item] = []
    for kind in types:
        before: int | None = min(upto + 1, ABOVE_EVERY_NUMBER)
        while before is not None:
            seen = search(table(), Query(event_type=kind), before=before, limit=BATCH_EVENTS)
            found += seen.events
            before = seen.before
    return iter(sorted(found, key=number_of))


# --- when ---


def is_due(clock: Callable[[], datetime] = utc_now) -> bool:
    """Whether there is somebody whom the log is to forget by now, or an election has gone that kept a name."""
    return _next(clock) is not None


def _next(clock: Callable[[], datetime]) -> Item | None:
    return _next_due(clock) or _next_kept()


def _next_due(clock: Callable[[], datetime]) -> Item | None:
    """Whoever was removed first, once all that names them is sealed; what was begun is finished, whatever is set."""
    until = as_text(clock() - timedelta(days=settings.FORGET_AFTER_DAYS)) if settings.FORGET_AFTER_DAYS else ""
    there = table().page(keys.NAMES_TO_FORGET, limit=1).items
    due = next((mark for mark in there if "at" in mark or mark["removed_at"] <= until), None)
    return due if due is not None and _is_sealed(due["upto"]) else None


def _next_kept() -> Item | None:
    """A name that was kept when fewer elections had been deleted."""
    kept = table().page(keys.NAMES_KEPT, limit=1).items if settings.FORGET_AFTER_DAYS else []
    gone = search(table(), Query(event_type="ElectionDeleted"), before=_sealed() + 1, limit=1).events if kept else []
    return kept[0] if gone and number_of(gone[0]) > kept[0]["asof"] else None


def _sealed() -> int:
    newest = EventLog(table()).newest_checkpoint()
    return newest["event_id"] if newest else 0


def _is_sealed(upto: int) -> bool:
    """Void numbers at the end of the log wait for no seal."""
    sealed = _sealed()
    return upto <= sealed or layout.first_of_all(table(), sealed + 1, upto) is None


def is_at_work(store: Any) -> bool:
    """Whether somebody is forgotten in part: until that is done, what is replayed does not fit together."""
    return any("at" in mark for mark in store.each(keys.NAMES_TO_FORGET))


# --- when somebody asks for it ---


class NothingToForget(Exception):
    """Why a name cannot be marked; in a sentence."""


def request_erasure(name_or_email: str) -> None:
    """Mark a name or an address that no account has: of somebody removed by an earlier version, or never here."""
    if not settings.FORGET_AFTER_DAYS:
        raise NothingToForget("FORGET_AFTER_DAYS is 0: the log of this site keeps names.")
    if people.find_by_either(name_or_email) is not None:
        raise NothingToForget("An account has it. Remove the account first; the log forgets it by itself.")
    upto = (table().get(keys.event_number()) or {"last": 0})["last"]
    gone = User(name=name_or_email, email=name_or_email)
    mark = people.forgetting_in_log(gone, LONG_AGO, upto).item
    if "@" in name_or_email:
        mark |= {"aliases": [[keys.fold(name_or_email), 1, upto, upto]]}
    elif not aliases_of(mark, upto):
        raise NothingToForget("The log knows nobody of that name who was removed.")
    with suppress(Refused):  # then it was asked for before
        table().write(Put(mark, when=Missing()), people.name_is_free(name_or_email))


# --- forgetting ---


def erase_names(clock: Callable[[], datetime] = utc_now) -> int:
    """Forget whoever is due, for one turn of work; answers how many events were rewritten."""
    done, left = 0, TURN_EVENTS
    while left > 0 and (mark := _next(clock)) is not None:
        seen, changed = (0, 0) if _is_all_kept(mark) else _go_on(mark if "at" in mark else _begun(mark))
        done, left = done + changed, left - max(seen, TRANSACTION_EVENTS)
    return done


def _begun(mark: Item) -> Item:
    """The mark says for whom the words stand, and how far it has come: nowhere."""
    known = mark.get("aliases")
    asof = _sealed()
    aliases = far_reaching([Alias(*each) for each in known], set(), asof) if known else aliases_of(mark, asof)
    marked = [list(astuple(each)) for each in strangers(aliases).aliases]
    until = max((max(each.last, each.reach) for each in aliases), default=0)
    index = {"GSI1PK": keys.NAMES_TO_FORGET.pk, "GSI1SK": keys.name_to_forget_by_date(mark["SK"], mark["PK"])}
    begun = {**mark, **index, "aliases": marked, "asof": asof, "until": until, "at": 0, **NOTHING_KEPT}
    with suppress(Refused):  # then another worker has begun
        table().write(Put(begun, when=Exists() & Missing("at")))
    return table().get(_place(mark)) or begun


def _is_all_kept(mark: Item) -> bool:
    """Whether every election that kept the name is there as before; then the mark says so."""
    if "at" in mark or "kept" not in mark:
        return False
    asof = _sealed()
    ended = _Elections(_events_of(OF_ELECTIONS, asof)).ended
    if set(mark["kept"]) & ended:
        return False
    with suppress(Refused):  # then another worker has looked
        still = {"asof": asof, "GSI1SK": keys.name_kept(asof, mark["PK"])}
        table().write(Update(_place(mark), set=still, when=Equals("asof", mark["asof"])))
    return True


def _place(mark: Item) -> Key:
    return Key(mark["PK"], mark["SK"])


def _go_on(mark: Item) -> tuple[int, int]:
    """The next events, up to a batch that name them; answers how many were looked at, and rewritten."""
    who = ErasedPerson(tuple(Alias(*each) for each in mark["aliases"]))
    pairs: list[tuple[Item, Item]] = []
    seen, size, at, kept, kept_as = 0, 0, mark["at"], set(mark["kept"]), set(mark["kept_as"])
    elections = _elections(settings.STORE_URL, f"{mark['PK']} {mark['SK']} {mark['aliases']}", mark["asof"])
    left = layout.each(table(), mark["at"] + 1, mark["until"]) if mark["at"] < mark["until"] else ()
    for event in left:
        seen, at = seen + 1, number_of(event)
        made = elections.of(event)
        is_gone = made in elections.ended
        if (after := who.without(event, is_gone=is_gone)) is not None:
            if made is None or is_gone:
                pairs.append((event, after))
                size += check_item(after)
            else:
                kept.add(made)
                kept_as |= who.met_in(event)
        if len(pairs) == TRANSACTION_EVENTS or size > TRANSACTION_BYTES or seen == TURN_EVENTS:
            break
    else:
        at = mark["until"]
    further = {"at": at, "kept": sorted(kept), "kept_as": sorted(kept_as)}
    try:
        _step(mark, further, pairs)
        if at >= mark["until"]:
            _finish(mark | further)
    except Refused:  # another worker is at it
        return seen, 0
    return seen, len(pairs)


def _step(mark: Item, further: Item, pairs: list[tuple[Item, Item]]) -> None:
    """One transaction: the events in other words, where they are found, that it was done, and how far it came."""
    moved = Update(_place(mark), set=further, when=Equals("at", mark["at"]))
    if not pairs:
        table().write(moved)
        return
    puts = [rewriting(table(), before, after) for before, after in pairs]
    told = names_forgotten(mark["aliases"][0][-1], (after for _before, after in pairs))
    EventLog(table()).record(told, *puts, *_reindexed(pairs), moved)


def _finish(mark: Item) -> None:
    """The mark goes, or waits for the elections that keep the name; whom the words stand for is known no more.

    Nothing of it is to be found in the store's files either.
    """
    if not mark["kept"]:
        table().write(Delete(_place(mark), when=Equals("at", mark["until"])), purge_mark())
        return
    aliases = [each[:-1] for each in mark["aliases"] if each[0] in mark["kept_as"]]
    index = {"GSI1PK": keys.NAMES_KEPT.pk, "GSI1SK": keys.name_kept(mark["asof"], mark["PK"])}
    stays = {name: mark[name] for name in ("PK", "SK", "asof", "upto", "kept")}
    table().write(Put({**stays, **index, "aliases": aliases}, when=Equals("at", mark["until"])), purge_mark())


# --- the index ---


def _reindexed(pairs: list[tuple[Item, Item]]) -> Iterator[Write]:
    """Who did it is found under the new words, and no longer under the name."""
    moved = [(number_of(after), before["actor"], after["actor"]) for before, after in pairs]
    moved = [each for each in moved if each[1] != each[2]]
    gone = _by_place((number, before) for number, before, _after in moved)
    come = _by_place((number, after) for number, _before, after in moved)
    there = table().get_many([*gone, *come]) if moved else {}
    for place, numbers in come.items():
        known = there.get(place, {}).get("numbers", [])
        listed = sorted({*known, *numbers})
        yield Put({"PK": place.pk, "SK": place.sk, "upto": listed[-1], "numbers": listed}, table=LOG)
    for place, numbers in gone.items():
        if place in there:
            yield _without(there[place], set(numbers))


def _by_place(named: Iterable[tuple[int, str]]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for number, name in named:
        found.setdefault(keys.log_index(ACTOR, name, first_of(number)), []).append(number)
    return found


def _without(item: Item, numbers: set[int]) -> Write:
    """Refused if a sealer has read further meanwhile."""
    left = [number for number in item["numbers"] if number not in numbers]
    same, place = Equals("upto", item["upto"]), Key(item["PK"], item["SK"], LOG)
    return Put({**item, "numbers": left}, when=same, table=LOG) if left else Delete(place, when=same)
