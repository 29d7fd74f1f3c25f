"""A list on its way into a group, in steps, so that nobody is added twice or skipped, whoever dies.

The list is stored first, in slices that fit one transaction each, and then a mark of it, by which a worker finds what
was cut short. A step puts one slice into the group, removes it, and moves the mark, all at once; the last removes it.
A list is known by its digest, so that the same one sent again takes the place of what was left of it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from acts.queues import take_each
from acts.refusals import Overtaken
from acts.site import log, now_text, table
from store import keys
from store.log import Event
from store.splitting import by_count
from store.table import Conflict, Delete, Equals, Exists, Item, Missing, Put, Refused, Update, Write

from . import repository
from .rules import Group, Member

A_WRITE = 40  # slices of one transaction: 90 long names are 72 KB, and it takes 4 MB
SECONDS_KEPT = 7 * 24 * 3600  # of slices whose mark was never written
SECONDS_ALONE = 30  # after which nobody seems to bring it in any more
TRIES = 5


@dataclass(frozen=True, slots=True)
class Filling:
    """How far a list has come."""

    group_id: str
    token: str
    by: str
    slices: int
    done: int = 0
    added: int = 0
    there: int = 0  # in the group already
    gone: int = 0  # whose account is no longer there

    @property
    def is_finished(self) -> bool:
        return self.done == self.slices


def stored(group_id: str, by: str, members: Sequence[Member]) -> Filling:
    """The list, in slices that nobody looks for before the mark is there."""
    token, until = _digest(group_id, members), int(time.time()) + SECONDS_KEPT
    slices = [_slice(group_id, token, number, some, until) for number, some in enumerate(by_count(members))]
    for some in by_count(slices, A_WRITE):
        table().write(*some)
    return Filling(group_id, token, by, len(slices))


def _digest(group_id: str, members: Sequence[Member]) -> str:
    names = "\n".join((group_id, *(each.name for each in members)))
    return hashlib.sha256(names.encode()).hexdigest()[:32]


def _slice(group_id: str, token: str, number: int, members: Sequence[Member], until: int) -> Put:
    place = keys.coming_members(group_id, token, number)
    return Put({"PK": place.pk, "SK": place.sk, **repository.told(members), "ttl": until})


def mark(new: Filling) -> Put:
    """With which the list is on its way; refused if it is already."""
    place = keys.group_filling(new.group_id, new.token)
    index = {"GSI1PK": keys.FILLING_GROUPS.pk, "GSI1SK": keys.group_by_date(now_text(), new.group_id)}
    words = {name: getattr(new, name) for name in Filling.__dataclass_fields__}
    return Put({"PK": place.pk, "SK": place.sk, **index, **words, "moved": int(time.time())}, when=Missing())


def is_under_way(group_id: str) -> bool:
    return bool(table().page(keys.group_fillings(group_id), limit=1).items)


# --- going on ---


def fill(filling: Filling) -> Filling:
    """Bring in what is left; whoever is overtaken looks again. What others get in the way of, a worker takes up."""
    tries = TRIES
    while not filling.is_finished and tries:
        try:
            filling = _step(filling)
        except (Refused, Overtaken, Conflict):
            tries -= 1
            item = table().get(keys.group_filling(filling.group_id, filling.token))
            if item is None:
                break  # somebody else has brought in the last of it, or the group is gone
            filling = _filling_of(item)
    return filling


def _filling_of(item: Item) -> Filling:
    return Filling(**{name: item[name] for name in Filling.__dataclass_fields__})


def _step(filling: Filling) -> Filling:
    place = keys.coming_members(filling.group_id, filling.token, filling.done)
    rows = table().get(place)
    members = repository.members_of(rows) if rows else []
    there = repository.there(filling.group_id, (each.name for each in members))
    absent = [each for each in members if keys.fold(each.name) not in there]
    new = repository.still_here(absent)
    counts = {"added": len(new), "there": len(members) - len(absent), "gone": len(absent) - len(new)}
    writes = [_moved(filling, counts), *([Delete(place, when=Exists())] if rows else [])]
    if new:
        event = Event(filling.by, "GroupMembersAdded", {"group_id": filling.group_id, **repository.told(new)})
        log().record(event, *repository.adding(filling.group_id, new), *writes)
    else:
        table().write(*writes)
    return _further(filling, counts)


def _moved(filling: Filling, counts: dict[str, int]) -> Write:
    place, here = keys.group_filling(filling.group_id, filling.token), Equals("done", filling.done)
    if filling.done + 1 == filling.slices:
        return Delete(place, when=here)
    return Update(place, set={"moved": int(time.time())}, add={"done": 1, **counts}, when=here)


def _further(filling: Filling, counts: dict[str, int]) -> Filling:
    more = {name: getattr(filling, name) + count for name, count in counts.items()}
    words = {name: getattr(filling, name) for name in ("group_id", "token", "by", "slices")}
    return Filling(**words, done=filling.done + 1, **more)


# --- taking up what nobody brings in any more ---


def take_up_all(now: Callable[[], float] = time.time) -> int:
    """Go on with lists whose process died; answers how many there were."""
    return take_each(list(table().each(keys.FILLING_GROUPS)), lambda item: _take_up(item, now()))


def _take_up(item: Item, now: float) -> bool:
    if item["moved"] + SECONDS_ALONE > now:
        return False
    if repository.find(item["group_id"]) is None:
        return False  # it is cleared away with the group
    return fill(_filling_of(item)).is_finished


def begun(group: Group, by: str, members: Sequence[Member]) -> tuple[Filling, list[Write]]:
    """The list, stored, and the mark that goes with the act which asks for it; nothing for nobody."""
    filling = stored(group.id, by, members) if members else Filling(group.id, "", by, 0)
    return filling, [mark(filling)] if members else []
