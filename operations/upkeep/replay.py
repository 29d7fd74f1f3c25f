"""Replay of the core: people, elections, candidates, rolls, ballots and results.

Their state is rebuilt from the log alone, in a temporary store, and compared with the actual one. Which fields of which
items are compared is declared with them (`ItemType.replayed`); everything else is covered by the log's chain, which
`verify` checks. The ballots of a secret election lie under hashes that are not in the log: once they are sealed they
are counted again instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from accounts import replay as accounts
from ballots import replay as ballots
from elections import replay as elections
from foundation.acts.storage import use_table
from foundation.store import keys
from foundation.store.backup import Progress, batches, contents, no_progress, take_snapshot
from foundation.store.keys.declared import beginning
from foundation.store.log import layout
from foundation.store.log.events import DoesNotFit, Effect, LoggedEvent
from foundation.store.schema import SCHEMA, ItemType
from foundation.store.sqlite import SqliteTable
from foundation.store.table import DATA, Conflict, Item, Key, Refused, Table, Unavailable, same
from results import replay as results

EFFECTS: dict[str, Effect] = {
    **accounts.EFFECTS,
    **elections.EFFECTS,
    **ballots.EFFECTS,
    **results.EFFECTS,
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One disagreement between the log and the store."""

    place: str  # an item's key, or an event
    attribute: str
    message: str

    def __str__(self) -> str:
        named = f"{self.place}, {self.attribute}" if self.attribute else self.place
        return f"{named}: {self.message}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many events were read, and how log and store differ: the number of differences, and the first ones."""

    events: int
    count: int
    first: tuple[Difference, ...]


Report = Callable[[str], AbstractContextManager[Progress]]  # shows the progress of a part under its title


@contextmanager
def quietly(what: str) -> Iterator[Progress]:
    """The default: progress is not reported."""
    yield no_progress


def check(source: Table, report: Report = quietly, most: int = 20) -> Verdict:
    """Compare the store, as it was at one moment, with what follows from its log."""
    with temporary_store() as there, temporary_store() as made:
        with report("Copy") as progress:  # the events, and what is compared with them
            done, type_of, entries = 0, _types(), contents(source, take_snapshot(source))
            for batch in batches(each for each in entries if (type_of if each[0] == DATA else is_event)(each[1])):
                there.load([layout.entry(there, *each) for each in batch])
                progress(done := done + len(batch))
        found = chain(_apply_all(there, made, report), _differences(there, made, report))
        first = tuple(islice(found, most))
        return Verdict(there.count(keys.events()), len(first) + sum(1 for _ in found), first)


@contextmanager
def temporary_store() -> Iterator[SqliteTable]:
    """It need not survive a power cut, so it does not wait for the disk."""
    with TemporaryDirectory(prefix="plenum-replay-") as folder:
        table = SqliteTable(str(Path(folder) / "store.sqlite3"))
        table.create()
        table.wait_for_no_disk()
        try:
            yield table
        finally:
            table.close()


def is_event(item: Item) -> bool:
    return keys.holds_events(item["PK"])


# --- applying events ---


def _apply_all(there: Table, made: Table, report: Report) -> Iterator[Difference]:
    with report("Replay") as progress, use_table(made):
        for done, item in enumerate(there.each(keys.events()), 1):
            kind, data = str(item.get("event_type")), item.get("event_data") or {}
            event = LoggedEvent(kind, str(item.get("actor")), str(item.get("when_occurred")), data)
            if (effect := EFFECTS.get(kind)) and (misfit := _misfit(effect, event, made)):
                yield Difference(f"event {layout.number_of(item)} ({kind})", "", misfit)
            progress(done)


def _misfit(effect: Effect, event: LoggedEvent, made: Table) -> str:
    """Apply an event; returns why it was not possible, if so."""
    try:
        for writes in effect(event):
            try:
                made.write(*writes)
            except Refused as refused:
                place = _place(writes[refused.parts[0]].key)
                return f"is not possible, because of what {place} is by then."
    except (Conflict, Unavailable):
        raise
    except DoesNotFit as misfit:
        return str(misfit)
    except Exception as error:  # a tampered event may break its effect in any way
        return f"cannot have happened ({type(error).__name__}: {error})."
    return ""


# --- comparing ---


def _differences(there: Table, made: Table, report: Report) -> Iterator[Difference]:
    is_settled = _settled(there, made)
    with report("Compare") as progress:
        for done, (key, item_type, item) in enumerate(_compared(there), 1):
            if is_settled(key):
                if (twin := made.get(key)) is None:
                    yield Difference(_place(key), "", "is in the store, but does not follow from the log.")
                else:
                    yield from _different(key, item_type, item, twin)
            progress(done)
        for key, _item_type, _item in _compared(made):
            if is_settled(key) and there.get(key) is None:
                yield Difference(_place(key), "", "follows from the log, but is not in the store.")


def _compared(table: Table) -> Iterator[tuple[Key, ItemType, Item]]:
    type_of = _types()
    for name, item in table.everything():
        if name == DATA and (item_type := type_of(item)):
            yield Key(item["PK"], item["SK"]), item_type, item


def _types() -> Callable[[Item], ItemType | None]:
    """Tells the type of an item that is compared."""
    ballot = keys.ballot("", "").sk

    @lru_cache
    def replayed(pk: str, sk: str) -> ItemType | None:
        found = SCHEMA.type_of(Key(pk, sk))
        return found if found and found.replayed else None

    def type_of(item: Item) -> ItemType | None:
        _question, (pk, sk, *_) = keys.question_of(Key(item["PK"], item["SK"]))
        is_secret_ballot = sk.startswith(ballot) and "voter_name" not in item
        return None if is_secret_ballot else replayed(beginning(pk), beginning(sk))

    return type_of


def _settled(there: Table, made: Table) -> Callable[[Key], bool]:
    """Tells what is compared of elections: nothing while one is being renamed, and nothing that a deleted one left."""
    of_elections = keys.election("").pk

    @lru_cache(1000)
    def is_settled(pk: str) -> bool:
        head = Key(pk, keys.METADATA)
        stored = there.get(head)
        return not stored.get("renamed_from") if stored else made.get(head) is not None

    return lambda key: key.sk == keys.METADATA or not key.pk.startswith(of_elections) or is_settled(keys.home(key.pk))


def _different(key: Key, item_type: ItemType, there: Item, made: Item) -> Iterator[Difference]:
    """A field that is missing has its default: an earlier version did not have it."""
    for name, default in item_type.defaults.items():
        is_being_closed = name == "closed_at" and there.get("closing")  # the log says so when all gates are shut
        one, other = (item.get(name, default) or None for item in (there, made))
        if not same(one, other) and not is_being_closed:
            yield Difference(_place(key), name, "is not what follows from the log.")


def _place(key: Key) -> str:
    return f"{key.pk} / {key.sk}"
