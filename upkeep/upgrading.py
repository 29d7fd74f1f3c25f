"""Upgrading: from the format a store has to the one this program writes, step by step.

Every step may be taken again, and may be cut off anywhere: what it has done by then is left as it is when it is taken
again. Which steps are taken stands in the store; when all to a format are, the store says that it has it. Formats that
can be served as they are have no steps, and a start marks them by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from acts.handfuls import handfuls
from ballots import secrecy
from elections import descriptions
from store import formats, keys
from store.backup import Progress, silent
from store.limits import WRITES
from store.log import EventLog
from store.log.index import make_anew
from store.replay import like
from store.table import Condition, Equals, Exists, Item, Key, Missing, Refused, StoreError, Table, Update

from . import figures
from .jobs import LOG
from .leases import SECONDS, Leases
from .replay import side_by_side

Said = Callable[[str], AbstractContextManager[Progress]]  # how far a step has come, by its words


class Busy(StoreError):
    """Another process seals the log, or upgrades, and does not end."""


@dataclass(frozen=True, slots=True)
class Step:
    to: int  # the format that is reached when this step, and all of the same format, are taken
    name: str
    words: str
    take: Callable[[Table, Progress], None]


# --- to format 1 ---

NEAR = timedelta(seconds=5)  # how far a moment of an item can have been from its event's
MOMENTS = {
    like(keys.user("")): "created_at",
    like(keys.listed_person("")): "created_at",
    like(keys.ballot("", "")): "when_cast",
    like(keys.result("")): "sealed_at",
}
LACKING = {like(keys.ballot("", "")): ("GSI1PK", "GSI1SK"), like(keys.result("")): ("voted", "paper", "steps")}


def refuse_what_is_older(table: Table, progress: Progress) -> None:
    """Before format 0 there were no reminders by the clock, nor sealed results; nobody has kept such a store."""
    if any("remind_before" not in listed for listed in table.each(keys.elections())):
        raise formats.TooOld("The store was written before any format that can be upgraded, and is left as it was.")


def recognise_keys(table: Table, progress: Progress) -> None:
    """Of elections that are open: closed ones have no salt any more."""
    for done, listed in enumerate(table.each(keys.elections()), 1):
        salt = table.get(keys.salt(listed["name"]))
        writes = secrecy.recognised(salt) if salt else []
        if writes:
            with suppress(Refused):  # then it was closed just now
                table.write(*writes)
        progress(done)


def index(table: Table, progress: Progress) -> None:
    newest = EventLog(table).newest_checkpoint()
    for last in make_anew(table, newest["event_id"] if newest else 0):
        progress(last)


def count(table: Table, progress: Progress) -> None:
    progress(figures.follow(table))


def say_what_the_log_says(table: Table, progress: Progress) -> None:
    """Items had moments of their own, just before their event's, and lacked what later versions keep beside them.

    What differs by more than that is no matter of formats: it stays, and `replay --check` names it.
    """
    with side_by_side(table) as (_verdict, there, made):
        done = 0
        for some in handfuls(_updates(there, made), WRITES):
            _write(table, some)
            progress(done := done + len(some))


# --- to format 2 ---


def move_descriptions(table: Table, progress: Progress) -> None:
    """A store that was not upgraded to it is served all the same: where they were, they are read, too."""
    descriptions.move_all(table, progress)


def _write(table: Table, updates: Sequence[Update]) -> None:
    try:
        table.write(*updates)
    except Refused:
        for update in updates:
            with suppress(Refused):  # then somebody has changed it since
                table.write(update)


def _updates(there: Table, made: Table) -> Iterator[Update]:
    for _name, item in there.everything():
        key = Key(item["PK"], item["SK"])
        kind = next((each for each in (like(key), key._replace(sk="")) if each in MOMENTS), None)
        told = made.get(key) if kind else None
        if kind and told and (changed := dict(_as_told(kind, item, told))):
            yield Update(key, set=changed, when=_is_still(item, changed))


def _as_told(kind: Key, item: Item, told: Item) -> Iterator[tuple[str, object]]:
    moment = MOMENTS[kind]
    if item.get(moment) != told.get(moment) and _is_near(item.get(moment), told.get(moment)):
        yield moment, told[moment]
    for name in LACKING.get(kind, ()):
        if name not in item and name in told:
            yield name, told[name]


def _is_near(one: object, other: object) -> bool:
    try:
        return abs(datetime.fromisoformat(str(one)) - datetime.fromisoformat(str(other))) <= NEAR
    except ValueError:
        return False


def _is_still(item: Item, names: dict[str, object]) -> Condition:
    condition: Condition = Exists()
    for name in names:
        condition = condition & (Equals(name, item[name]) if name in item else Missing(name))
    return condition


STEPS = (
    Step(1, "look", "A look whether this store can be upgraded", refuse_what_is_older),
    Step(1, "keys", "Keys of open secret elections are recognised as they are today", recognise_keys),
    Step(1, "index", "The log gets its index", index),
    Step(1, "figures", "The log is counted", count),
    Step(1, "log", "Items say what the log says of them", say_what_the_log_says),
    Step(2, "descriptions", "Descriptions of elections get items of their own", move_descriptions),
)


# --- taking them ---


def steps_from(number: int) -> list[Step]:
    return [step for step in STEPS if step.to > number]


def upgrade(table: Table, said: Said, rest: Callable[[float], None] = time.sleep) -> int:
    """Take all steps that are left; answers the format the store had. Nobody else seals or upgrades meanwhile."""
    with alone(table, rest):
        number = formats.check(table, oldest=0)
        began = formats.FORMAT if number is None else number
        for next_one in range(began + 1, formats.FORMAT + 1):
            _reach(table, next_one, said)
        formats.mark(table, formats.FORMAT)
    return began


def _reach(table: Table, number: int, said: Said) -> None:
    """Take a store of the format before this one to it."""
    formats.mark(table, number - 1)
    done = formats.steps_done(table)
    for step in (each for each in STEPS if each.to == number and each.name not in done):
        with said(step.words) as progress:
            step.take(table, progress)
        formats.mark_step(table, number - 1, done := (*done, step.name))
    formats.mark(table, number)


@contextmanager
def alone(table: Table, rest: Callable[[float], None]) -> Iterator[None]:
    """Whoever was killed leaves the lease behind, and it is free when it has stood still for half a minute."""
    leases = Leases(table)
    for _ in range(SECONDS + 10):
        with leases.held(LOG.name) as ours:
            if ours:
                yield
                return
        rest(1)
    raise Busy("Somebody seals the log or upgrades the store just now. Stop the site, and try again.")


@contextmanager
def quietly(words: str) -> Iterator[Progress]:
    """Nobody watches the step."""
    yield silent
