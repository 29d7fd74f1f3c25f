"""Erases people from the log some time after they were removed, without breaking its hash chain.

In every event that names them, their name and addresses are replaced by random placeholders, the same ones everywhere,
and the mapping is stored only during the work. foundation/store/log/rewriting.py explains how an event can change
without breaking the chain, and how that is told from tampering. What they wrote about themselves is deleted.

An election that still exists keeps its record complete: who created it, who was on its roll, who voted. So events about
it stay unchanged until it is deleted, and so do names of candidates, which are part of results. A mark remains until no
election keeps the name, so that the rest can be done then.

A mark records the progress. Each step rewrites a batch of events, records that, and moves the mark in one transaction,
so that another worker can continue after a crash. Only sealed events are rewritten.
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
from accounts.services import ON_ERASURE
from foundation.acts.queues import process_each
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.limits import check_item
from foundation.store.log import EventLog, as_text, layout, utc_now
from foundation.store.log.layout import number_of
from foundation.store.log.rewriting import names_forgotten, rewriting, rewritten
from foundation.store.log.search import ABOVE_EVERY_NUMBER, ACTOR, Query, first_of, search
from foundation.store.purging import purge_mark
from foundation.store.schema import SCHEMA
from foundation.store.table import LOG, Delete, Equals, Exists, Item, Key, Missing, Put, Refused, Update, Write

TRANSACTION_EVENTS = 25  # each with at most two index entries
TRANSACTION_BYTES = 1_000_000  # approximate: statements of candidates are long
TURN_EVENTS = 20_000  # read before other jobs get their turn
BATCH_EVENTS = 1000  # events of one type read at once

NOTHING_KEPT: Item = {"kept": [], "kept_as": []}  # elections, by the numbers of their creation; names they keep
LONG_AGO = "0001-01-01T00:00:00.000Z"  # so that it is due at once
UNKNOWN = 0
NEVER = (0, 0, 0)  # no event has such a number
OF_ACCOUNTS = ("UserRegistered", "UserEmailChanged", "UserRemoved")
OF_ELECTIONS = ("ElectionCreated", "ElectionRenamed", "ElectionDeleted")


# --- the names to erase ---


@dataclass(frozen=True, slots=True)
class Alias:
    """A name or address that a person had, the events in which it means them, and its placeholder."""

    text: str  # folded
    first: int
    last: int
    reach: int  # as `last`, for events about a deleted election, in which a name means the same throughout
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class ErasedPerson:
    """A person to erase from the log."""

    aliases: tuple[Alias, ...]

    def meant(self, number: int, *, is_gone: bool) -> dict[str, str]:
        """The names that mean them in that event, with their placeholders."""
        here = (each for each in self.aliases if each.first <= number <= (each.reach if is_gone else each.last))
        return {each.text: each.stand_in for each in here}

    def without(self, event: Item, *, is_gone: bool) -> Item | None:
        """The event without them, or `None` if it does not name them. `is_gone`: the election it is about was
        deleted."""
        declared, data = SCHEMA.event_type(event["event_type"]), dict(event["event_data"])
        meant = self.meant(number_of(event), is_gone=is_gone)
        is_theirs = keys.fold(str(data.get("name", ""))) in meant
        for field in declared.naming:
            if field in data:
                data[field] = _replaced(data[field], meant)
        if is_theirs:
            data |= {field: "" for field in declared.own.split() if field in data}
            if "email" in data:  # an address of their account has a placeholder even if others had it, too
                stand_ins = {each.text: each.stand_in for each in reversed(self.aliases)}
                data["email"] = stand_ins.get(keys.fold(data["email"]), data["email"])
        actor = _replaced(event["actor"], meant)
        is_named = (actor, data) != (event["actor"], event["event_data"])
        return rewritten(event, actor, data) if is_named else None

    def met_in(self, event: Item) -> set[str]:
        """The names by which the event refers to them."""
        data = (event["event_data"].get(field) for field in SCHEMA.event_type(event["event_type"]).naming)
        words = [event["actor"], *(word for each in data for word in (each if isinstance(each, list) else [each]))]
        meant = self.meant(number_of(event), is_gone=False)
        return {keys.fold(word) for word in words if isinstance(word, str)} & meant.keys()


def _replaced(words: Any, meant: dict[str, str]) -> Any:
    if isinstance(words, list):
        return [_replaced(word, meant) for word in words]
    return meant.get(keys.fold(words), words) if isinstance(words, str) else words


def with_placeholders(aliases: Iterable[Alias], chance: Callable[[int], str] = secrets.token_hex) -> ErasedPerson:
    """The same with random placeholders, which are stored only during the work."""
    mark = chance(8)
    names = {True: f"removed-{mark}-{{}}@removed.invalid", False: f"removed person {mark}"}
    marked = (replace(each, stand_in=names["@" in each.text].format(at)) for at, each in enumerate(aliases))
    return ErasedPerson(tuple(marked))


def aliases_of(mark: Item, asof: int) -> tuple[Alias, ...]:
    """All names and addresses they had, according to the log's account events; none if it does not know them.

    A name is theirs from their registration on. An address that was never anyone else's is theirs in every event, even
    before they had an account, because they may have been invited by it. One that others had too is theirs only in
    events about their own account.
    """
    history, upto = _Accounts(_events_of(OF_ACCOUNTS, mark["upto"])), mark["upto"]
    ours = history.removed_as(mark["name"])
    if ours is None:
        return ()
    held = [(address, by) for address, by in sorted(history.held.items()) if ours in by]
    addresses = (Alias(address, *((1, upto, upto) if by == {ours} else NEVER)) for address, by in held)
    return far_reaching((Alias(keys.fold(mark["name"]), ours, upto, upto), *addresses), {ours}, asof)


def far_reaching(aliases: Sequence[Alias], ours: set[int], asof: int) -> tuple[Alias, ...]:
    """An address that is no one else's to this day is theirs in all events about a deleted election."""
    held = _Accounts(_events_of(OF_ACCOUNTS, asof)).held
    alone = [each for each in aliases if "@" in each.text and each.last and held.get(each.text, set()) <= ours]
    return tuple(replace(each, reach=asof) if each in alone else each for each in aliases)


class _Accounts:
    """All accounts, by the numbers of their registrations, and which of them had which address."""

    def __init__(self, events: Iterable[Item]):
        self.held: dict[str, set[int]] = {}
        self._here: dict[str, int] = {}
        self._removed: list[tuple[str, int]] = []
        for event in events:
            self._take(number_of(event), event["event_type"], event["event_data"])

    def _take(self, number: int, kind: str, data: Item) -> None:
        name = keys.fold(data["name"])
        if kind == "UserRegistered":
            self._here[name] = number
        if kind != "UserRemoved":
            self.held.setdefault(keys.fold(data["email"]), set()).add(self._here.get(name, number))
        elif name in self._here:
            self._removed.append((name, self._here.pop(name)))

    def removed_as(self, name: str) -> int | None:
        """The last removed account of that name."""
        return max((ours for gone, ours in self._removed if gone == keys.fold(name)), default=None)


# --- which elections still exist ---


@dataclass(slots=True)
class _Life:
    """An election from its creation to its deletion, if any, and its names over time."""

    made: int
    names: list[tuple[str, int]]  # each with the first number it applies to
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

    def _take(self, here: dict[str, _Life], number: int, kind: str, data: Item) -> None:
        name = keys.fold(data["election_name"])
        if kind == "ElectionCreated":
            here[name] = _Life(number, [(name, number)])
            self.lives.setdefault(name, []).append(here[name])
        elif (life := here.pop(name, None)) is None:
            return
        elif kind == "ElectionDeleted":
            life.ended = number
            self.ended.add(life.made)
        else:
            new = keys.fold(data["new_name"])
            life.names.append((new, number + 1))  # the event itself still has the old name
            here[new] = life
            self.lives.setdefault(new, []).append(life)

    def of(self, event: Item) -> int | None:
        """The election the event is about, by the number of its creation; `None` if it is about none.

        An unknown election counts as one that still exists.
        """
        name = event["event_data"].get("election_name")
        if not isinstance(name, str):
            return None
        folded, number = keys.fold(name), number_of(event)
        return next((life.made for life in self.lives.get(folded, ()) if life.is_called(folded, number)), UNKNOWN)


@lru_cache(maxsize=2)
def _elections(store: str, mark: str, upto: int) -> _Elections:
    """The elections of one run; sealed events about them do not change meanwhile."""
    return _Elections(_events_of(OF_ELECTIONS, upto))


def _events_of(types: Iterable[str], upto: int) -> Iterator[Item]:
    """All sealed events of these types up to this number, in order."""
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
    """Whether there is a person to erase by now, or an election that kept a name was deleted."""
    return (_next_due(clock) or _next_kept()) is not None


def _next_due(clock: Callable[[], datetime]) -> Item | None:
    """The person removed first, once all events that name them are sealed; work under way is finished whatever the
    settings."""
    until = as_text(clock() - timedelta(days=settings.FORGET_AFTER_DAYS)) if settings.FORGET_AFTER_DAYS else ""
    there = table().page(keys.NAMES_TO_FORGET, limit=1).items
    due = next((mark for mark in there if "at" in mark or mark["removed_at"] <= until), None)
    if due is None:
        return None
    sealed = _sealed()  # void numbers at the end of the log need no seal
    is_sealed = due["upto"] <= sealed or layout.first_of_all(table(), sealed + 1, due["upto"]) is None
    return due if is_sealed else None


def _next_kept() -> Item | None:
    """A name that was kept, if elections have been deleted since."""
    kept = table().page(keys.NAMES_KEPT, limit=1).items if settings.FORGET_AFTER_DAYS else []
    gone = search(table(), Query(event_type="ElectionDeleted"), before=_sealed() + 1, limit=1).events if kept else []
    return kept[0] if gone and number_of(gone[0]) > kept[0]["asof"] else None


def _sealed() -> int:
    newest = EventLog(table()).newest_checkpoint()
    return newest["event_id"] if newest else 0


def is_at_work(store: Any) -> bool:
    """Whether a person is partly erased: until that is finished, replay is inconsistent."""
    return any("at" in mark for mark in store.each(keys.NAMES_TO_FORGET))


# --- on request ---


def request_erasure(name_or_email: str) -> None:
    """Mark a name or address without an account, such as that of a person who never had one."""
    if not settings.FORGET_AFTER_DAYS:
        raise Refusal("FORGET_AFTER_DAYS is 0: this site's log keeps names.")
    if people.find_by_either(name_or_email) is not None:
        raise Refusal("An account has it. Remove the account: it is then erased from the log automatically.")
    upto = (table().get(keys.EVENT_NUMBER) or {"last": 0})["last"]
    gone = User(name=name_or_email, email=name_or_email)
    mark = people.forgetting_in_log(gone, LONG_AGO, upto).item
    if "@" in name_or_email:
        mark |= {"aliases": [[keys.fold(name_or_email), 1, upto, upto]]}
    elif not aliases_of(mark, upto):
        raise Refusal("According to the log, nobody of that name was removed.")
    with suppress(Refused):  # it was requested before
        table().write(Put(mark, when=Missing()), people.name_is_free(name_or_email))
    process_each(ON_ERASURE, lambda step: step(name_or_email))


# --- forgetting ---


def erase_names(clock: Callable[[], datetime] = utc_now) -> int:
    """Erase the people who are due, for one turn of work; returns how many events were rewritten."""
    done, left = 0, TURN_EVENTS
    while left > 0 and (mark := _next_due(clock) or _next_kept()) is not None:
        seen, changed = (0, 0) if _is_all_kept(mark) else _go_on(mark if "at" in mark else _begun(mark))
        done, left = done + changed, left - max(seen, TRANSACTION_EVENTS)
    return done


def _begun(mark: Item) -> Item:
    """Adds the placeholders to the mark, with no progress yet."""
    known = mark.get("aliases")
    asof = _sealed()
    aliases = far_reaching([Alias(*each) for each in known], set(), asof) if known else aliases_of(mark, asof)
    marked = [list(astuple(each)) for each in with_placeholders(aliases).aliases]
    until = max((max(each.last, each.reach) for each in aliases), default=0)
    index = {"GSI1PK": keys.NAMES_TO_FORGET.pk, "GSI1SK": keys.by_date(mark["SK"], mark["PK"])}
    begun = {**mark, **index, "aliases": marked, "asof": asof, "until": until, "at": 0, **NOTHING_KEPT}
    with suppress(Refused):  # another worker has begun
        table().write(Put(begun, when=Exists() & Missing("at")))
    return table().get(_place(mark)) or begun


def _is_all_kept(mark: Item) -> bool:
    """Whether all elections that kept the name still exist; if so, the mark records that."""
    if "at" in mark or "kept" not in mark:
        return False
    asof = _sealed()
    ended = _Elections(_events_of(OF_ELECTIONS, asof)).ended
    if set(mark["kept"]) & ended:
        return False
    with suppress(Refused):  # another worker has checked
        still = {"asof": asof, "GSI1SK": keys.name_kept(asof, mark["PK"])}
        table().write(Update(_place(mark), set=still, when=Equals("asof", mark["asof"])))
    return True


def _place(mark: Item) -> Key:
    return Key(mark["PK"], mark["SK"])


def _go_on(mark: Item) -> tuple[int, int]:
    """Processes events up to the next full batch that names them; returns how many were read, and rewritten."""
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
    except Refused:  # another worker is doing it
        return seen, 0
    return seen, len(pairs)


def _step(mark: Item, further: Item, pairs: list[tuple[Item, Item]]) -> None:
    """One transaction: the rewritten events, their index entries, the event that announces them, and the progress."""
    moved = Update(_place(mark), set=further, when=Equals("at", mark["at"]))
    if not pairs:
        table().write(moved)
        return
    puts = [rewriting(table(), before, after) for before, after in pairs]
    event = names_forgotten(mark["aliases"][0][-1], (after for _before, after in pairs))
    EventLog(table()).record(event, *puts, *_reindexed(pairs), moved)


def _finish(mark: Item) -> None:
    """Delete the mark, or keep it for the elections that keep the name; the placeholders are deleted either way.

    They are purged from the store's files, too.
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
    """Index the events under the placeholder instead of the actor's name."""
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
        if place in there:  # refused if a sealer has read further meanwhile
            item = there[place]
            left, same = [number for number in item["numbers"] if number not in numbers], Equals("upto", item["upto"])
            yield Put({**item, "numbers": left}, when=same, table=LOG) if left else Delete(place, when=same)


def _by_place(named: Iterable[tuple[int, str]]) -> dict[Key, list[int]]:
    found: dict[Key, list[int]] = {}
    for number, name in named:
        found.setdefault(keys.log_index(ACTOR, name, first_of(number)), []).append(number)
    return found
