"""Votes per hour or day, counted from the log into one item of the election.

A worker counts seconds behind the votes, so that no vote waits for the item. The item stores the number of the last
event counted, so that no event counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from elections.rules import Election
from store import keys
from store.table import Equals, Item, Key, Put, Table, Update

MAX_HOURLY_WINDOW = timedelta(days=31)  # elections that end sooner count by the hour, longer ones by the day
SECONDS_PER_HOUR, SECONDS_PER_DAY = 3600, 24 * 3600
VOTES = {"BallotCast": 1, "BallotChanged": 1, "BallotWithdrawn": -1}
KINDS = (*VOTES, "ElectionUpdated", "ElectionClosed")  # of events that may count


@dataclass(frozen=True, slots=True)
class TurnoutEvent:
    """The part of an event that matters for when people voted."""

    number: int
    kind: str
    when: str
    data: Item

    @classmethod
    def from_event(cls, event: Item) -> TurnoutEvent:
        return cls(event["event_id"], event["event_type"], event["when_occurred"], event["event_data"])

    @property
    def counts(self) -> bool:
        if self.kind == "BallotCast":
            return not self.data["changed"]
        if self.kind == "BallotChanged":
            return bool(self.data.get("again"))
        return self.kind in ("BallotWithdrawn", "ElectionClosed") or self.moves_end

    @property
    def moves_end(self) -> bool:
        return self.kind == "ElectionUpdated" and "no_voting_after" in self.data

    @property
    def place(self) -> Key:
        return keys.turnout(self.data["election_name"])


def bucket(ends: datetime | None, now: datetime) -> str:
    """The attribute that counts the votes of this hour or day."""
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


def starting(election: Election, number: int) -> Put:
    """The item of an election opened by the event of that number."""
    place, ends = keys.turnout(election.name), election.no_voting_after
    return Put({"PK": place.pk, "SK": place.sk, "since": number, "counted": number, "ends": ends})


def with_event(item: Item, event: TurnoutEvent) -> Item:
    """The item with one more event applied; unchanged if it has that one, or if the election had closed before it."""
    if not event.counts or event.number <= item["counted"] or item.get("closed"):
        return item
    item = item | {"counted": event.number}
    if event.moves_end:
        return item | {"ends": event.data["no_voting_after"]}
    if event.kind == "ElectionClosed":
        return item | {"closed": True}
    ends = datetime.fromisoformat(item["ends"]) if item["ends"] else None
    name = bucket(ends, datetime.fromisoformat(event.when))
    return item | {name: item.get(name, 0) + VOTES[event.kind]}


def with_events(item: Item, events: Iterable[Item]) -> Item:
    """With all of these that are of its election."""
    for event in map(TurnoutEvent.from_event, events):
        if event.kind in KINDS and event.place == Key(item["PK"], item["SK"]):
            item = with_event(item, event)
        if item.get("closed"):
            break  # what comes after does not count, and the first of it are the published ballots, which are long
    return item


# --- following ---


def place_of(event: Item) -> Key | None:
    """The item that counts this event, if it affects turnout over time."""
    turnout_event = TurnoutEvent.from_event(event)
    return turnout_event.place if turnout_event.counts else None


def updating(table: Table, events: Iterable[Item]) -> list[Update]:
    """Changes by the events to items that still exist: that of a deleted election must not reappear."""
    every = [event for event in map(TurnoutEvent.from_event, events) if event.counts]
    found = table.get_many({event.place for event in every}) if every else {}
    after = dict(found)
    for event in every:
        if event.place in after:
            after[event.place] = with_event(after[event.place], event)
    return [change for place, item in found.items() for change in _update(item, after[place])]


def _update(before: Item, after: Item) -> list[Update]:
    """Refused if the election was deleted since, whether or not there is another of that name."""
    changed = {name: value for name, value in after.items() if before.get(name) != value}
    place, same = Key(before["PK"], before["SK"]), Equals("since", before["since"])
    return [Update(place, set=changed, when=same)] if changed else []


def counting(table: Table, event: TurnoutEvent) -> list[Update]:
    """The changes of one event, for a replay, where the next event already sees them."""
    item = table.get(event.place) if event.counts else None
    return _update(item, with_event(item, event)) if item else []


def apply_events(there: Table, events: Iterable[Item]) -> None:
    """On a copy of a store, count events that were not counted yet when it was made."""
    for change in updating(there, events):
        there.write(change)
