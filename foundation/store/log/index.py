"""The index of the log: events by actor, type and election, in blocks of a thousand numbers.

The sealer writes it for every batch, before the checkpoint that covers the batch, so it is complete for everything
sealed and no writer waits for it. An item lists the numbers found under one name in one block and grows until the block
is full; `upto` is how far the log was read, and of two sealers the one that has read further wins. The times of all
events of a block are stored beside it, because an event's key contains its time as well as its number.

The index is derived from the log alone and can be rebuilt from it. A surplus entry does no harm, because readers check
the event itself; a missing one is reported by `verify`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from .. import keys
from ..limits import MAX_TRANSACTION_ITEMS
from ..splitting import by_count
from ..table import LOG, Item, Key, Less, Missing, Put, Refused, Table
from . import layout
from .events import as_text

BLOCK_EVENTS = 1000
ACTOR, TYPE, ELECTION, BALLOTS = "actor", "type", "election", "ballots"
# So numerous that organisers' acts have a list of their own; anybody can send requests.
OF_BALLOTS = ("BallotCast", "BallotChanged", "BallotWithdrawn", "BallotsSealed", "RequestSent")
TIMESTAMP_BYTES = 6  # milliseconds since 1970
NEVER = bytes(TIMESTAMP_BYTES)  # of a void number
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Numbered = tuple[int, Item | None]  # an event by its number; None for a void one


def first_of(number: int) -> int:
    """The first number of the block that contains this number."""
    return (number - 1) // BLOCK_EVENTS * BLOCK_EVENTS + 1


# --- what is found where ---


def essence(event: Item) -> Item:
    """All that the index needs of an event; some events are large."""
    names = {name: event["event_data"][name] for name in ("election_name", "new_name") if name in event["event_data"]}
    return {name: event[name] for name in ("actor", "event_type", "when_occurred")} | {"event_data": names}


def names_of(event: Item) -> Iterator[tuple[str, str]]:
    """The kinds and names under which an event is found; a rename under both names."""
    yield ACTOR, event["actor"]
    yield TYPE, event["event_type"]
    event_data = event["event_data"]
    kind = BALLOTS if event["event_type"] in OF_BALLOTS else ELECTION
    both = ("election_name", "new_name") if event["event_type"] == "ElectionRenamed" else ("election_name",)
    for name in both:
        if isinstance(event_data.get(name), str):
            yield kind, event_data[name]


def found_in(first: int, entries: Iterable[Numbered]) -> dict[Key, list[int]]:
    """The index items for events of one block, and the numbers that belong in each."""
    found: dict[Key, list[int]] = {}
    for number, event in entries:
        places = (keys.log_index(kind, name, first) for kind, name in names_of(event)) if event else ()
        for place in dict.fromkeys(places):
            found.setdefault(place, []).append(number)
    return found


def moment_bytes(event: Item | None) -> bytes:
    if event is None:
        return NEVER
    since = datetime.fromisoformat(event["when_occurred"]) - EPOCH
    return (since // timedelta(milliseconds=1)).to_bytes(TIMESTAMP_BYTES, "big")


def moment_at(moments: bytes, position: int) -> str | None:
    """When the event at that position of its block happened, as stored; `None` if there is none."""
    stored = moments[position * TIMESTAMP_BYTES : (position + 1) * TIMESTAMP_BYTES]
    return as_text(EPOCH + timedelta(milliseconds=int.from_bytes(stored, "big"))) if stored.strip(b"\0") else None


# --- writing ---


def extend_index(table: Table, before: int, entries: list[Numbered]) -> None:
    """Add the events after the number `before`, all of one block. Idempotent and safe to run concurrently."""
    _write(table, _items(table, before, entries))


def _items(table: Table, before: int, entries: list[Numbered]) -> list[Item]:
    upto = entries[-1][0]
    first = first_of(upto)
    earlier = max(0, before - first + 1)  # numbers of this block that are already indexed
    found, moments = found_in(first, entries), keys.moments(first)
    known = table.get_many([*found, moments]) if earlier else {}
    items = [
        {"PK": place.pk, "SK": place.sk, "upto": upto, "numbers": _joined(known.get(place, {}), before, numbers)}
        for place, numbers in found.items()
    ]
    passed = (
        known.get(moments, {}).get("moments", b"")[: earlier * TIMESTAMP_BYTES].ljust(earlier * TIMESTAMP_BYTES, b"\0")
    )
    added = b"".join(moment_bytes(event) for _, event in entries)
    return [*items, {"PK": moments.pk, "SK": moments.sk, "upto": upto, "moments": passed + added}]


def _joined(known: Mapping[str, list[int]], before: int, numbers: list[int]) -> list[int]:
    return [*(number for number in known.get("numbers", ()) if number <= before), *numbers]


def _write(table: Table, items: list[Item]) -> None:
    for batch in by_count(items, MAX_TRANSACTION_ITEMS):
        left = batch
        while left:
            try:
                table.write(*(Put(item, when=Missing() | Less("upto", item["upto"]), table=LOG) for item in left))
                break
            except Refused as refused:  # another sealer has read as far as we have
                left = [item for part, item in enumerate(left) if part not in refused.parts]


def rebuild(table: Table, sealed: int) -> Iterator[int]:
    """Rebuild the whole index, overwriting what is there; yields the last number of each block. No sealer may run."""
    for first in range(1, sealed + 1, BLOCK_EVENTS):
        last = min(first + BLOCK_EVENTS - 1, sealed)
        there = {event["event_id"]: event for event in layout.each(table, first, last)}
        items = _items(table, first - 1, [(number, there.get(number)) for number in range(first, last + 1)])
        for batch in by_count(items, MAX_TRANSACTION_ITEMS):
            table.write(*(Put(item, table=LOG) for item in batch))
        yield last


def as_of(item: Item, sealed: int) -> Item | None:
    """An index item as it was when the log was sealed up to this number, `None` if it did not exist; other items
    unchanged.

    A backup copies the sealed log as of its start, and so must copy the index as of then.
    """
    first = int(item["SK"]) if (is_moments := item["PK"] == keys.moments(1).pk) else 0
    if item.get("upto", 0) <= sealed or not (is_moments or item["PK"].startswith(keys.LOG_INDEX)):
        return item
    if is_moments:
        left: bytes | list[int] = item["moments"][: max(0, sealed - first + 1) * TIMESTAMP_BYTES]
    else:
        left = [number for number in item["numbers"] if number <= sealed]
    return {**item, "upto": sealed, "moments" if is_moments else "numbers": left} if left else None


# --- verifying ---

AGAIN = "“plenum seal --reindex” makes the index again from the log."


def flaw_in(table: Table, entries: list[Numbered]) -> str | None:
    """The first error in the index for a block's sealed events, all of which are given; or nothing."""
    last = entries[-1][0]
    first = first_of(last)
    expected, moments = found_in(first, entries), keys.moments(first)
    known = table.get_many([*expected, moments])
    for place, numbers in expected.items():
        listed = {number for number in known.get(place, {}).get("numbers", ()) if number <= last}
        if wrong := listed ^ set(numbers):
            return _sentence(min(wrong), place, min(wrong) in listed)
    stored = known.get(moments, {}).get("moments", b"")
    for position, (number, event) in enumerate(entries):
        if stored[position * TIMESTAMP_BYTES : (position + 1) * TIMESTAMP_BYTES] != moment_bytes(event):
            return f"The index has another time for event {number}. {AGAIN}"
    return None


def _sentence(number: int, place: Key, too_many: bool) -> str:
    kind = place.pk.split("#")[1]
    if too_many:
        return f"The index by {kind} names event {number}, which does not belong there. {AGAIN}"
    return f"Event {number} is missing from the index by {kind}. {AGAIN}"
