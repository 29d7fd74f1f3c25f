"""When people voted, by the hour or the day: counted from the log, in one item of the election.

Whoever follows the log counts, seconds behind the votes themselves, so that no vote waits for the item. It knows the
number of the last event that changed it: up to there it has counted every event of the election, and after it none.
So no event counts twice, whoever follows, and however often.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from elections.rules import Election
from store import keys
from store.table import Equals, Item, Key, Put, Table, Update

MAX_HOURLY_WINDOW = timedelta(days=31)  # elections that end sooner count by the hour, longer ones by the day
SECONDS_PER_HOUR, SECONDS_PER_DAY = 3600, 24 * 3600
VOTES = {"BallotCast": 1, "BallotWithdrawn": -1}
KINDS = (*VOTES, "ElectionUpdated", "ElectionClosed")  # of events that may count


@dataclass(frozen=True, slots=True)
class Told:
    """An event, as far as it may tell of when people voted."""

    number: int
    kind: str
    when: str
    said: Item

    @classmethod
    def by(cls, event: Item) -> Told:
        return cls(event["event_id"], event["event_type"], event["when_occurred"], event["event_data"])

    @property
    def counts(self) -> bool:
        if self.kind == "BallotCast":
            return not self.said["changed"]
        return self.kind in ("BallotWithdrawn", "ElectionClosed") or self.moves_end

    @property
    def moves_end(self) -> bool:
        return self.kind == "ElectionUpdated" and "no_voting_after" in self.said

    @property
    def place(self) -> Key:
        return keys.turnout(self.said["election_name"])


def bucket(ends: datetime | None, now: datetime) -> str:
    """The name under which the votes of this hour, or of this day, are counted."""
    seconds = int(now.timestamp())
    soon = ends is not None and ends - now < MAX_HOURLY_WINDOW
    return f"h{seconds // SECONDS_PER_HOUR}" if soon else f"d{seconds // SECONDS_PER_DAY}"


def end_of(name: str) -> int | None:
    """When the hour or the day ends that is counted under this name, if it is one."""
    if not name[1:].isdigit():
        return None
    length = {"h": SECONDS_PER_HOUR, "d": SECONDS_PER_DAY}.get(name[0])
    return (int(name[1:]) + 1) * length if length else None


# --- counting ---


def begun(election: Election, number: int) -> Put:
    """Of an election that the event of that number opens."""
    place, ends = keys.turnout(election.name), election.no_voting_after
    return Put({"PK": place.pk, "SK": place.sk, "since": number, "counted": number, "ends": ends})


def with_event(item: Item, told: Told) -> Item:
    """The item with one more event in it; as it was, if it has that one, or if the election had closed before it."""
    if not told.counts or told.number <= item["counted"] or item.get("closed"):
        return item
    return item | {"counted": told.number} | _changed(item, told)


def _changed(item: Item, told: Told) -> dict[str, Any]:
    if told.moves_end:
        return {"ends": told.said["no_voting_after"]}
    if told.kind == "ElectionClosed":
        return {"closed": True}
    ends = datetime.fromisoformat(item["ends"]) if item["ends"] else None
    name = bucket(ends, datetime.fromisoformat(told.when))
    return {name: item.get(name, 0) + VOTES[told.kind]}


def with_events(item: Item, events: Iterable[Item]) -> Item:
    """With all of these that are of its election."""
    for told in map(Told.by, events):
        if told.kind in KINDS and told.place == Key(item["PK"], item["SK"]):
            item = with_event(item, told)
        if item.get("closed"):
            break  # what comes after does not count, and the first of it are the published ballots, which are long
    return item


# --- following ---


def place_of(event: Item) -> Key | None:
    """Where an event is counted, if it tells of when people voted."""
    told = Told.by(event)
    return told.place if told.counts else None


def following(table: Table, events: Iterable[Item]) -> list[Update]:
    """What the events change, of elections that still have such an item: one that was deleted must not rise again."""
    every = [told for told in map(Told.by, events) if told.counts]
    found = table.get_many({told.place for told in every}) if every else {}
    after = dict(found)
    for told in every:
        if told.place in after:
            after[told.place] = with_event(after[told.place], told)
    return [change for place, item in found.items() for change in _update(item, after[place])]


def _update(before: Item, after: Item) -> list[Update]:
    """Refused if the election was deleted since, whether or not there is another of that name."""
    changed = {name: value for name, value in after.items() if before.get(name) != value}
    place, same = Key(before["PK"], before["SK"]), Equals("since", before["since"])
    return [Update(place, set=changed, when=same)] if changed else []


def counting(table: Table, told: Told) -> list[Update]:
    """What one event changes, for a replay, in which the next one already finds it."""
    item = table.get(told.place) if told.counts else None
    return _update(item, with_event(item, told)) if item else []


def follow_on(there: Table, events: Iterable[Item]) -> None:
    """On the copy of a store, count what nobody had come to count when it was made."""
    for change in following(there, events):
        there.write(change)
