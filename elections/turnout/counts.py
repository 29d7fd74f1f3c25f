"""Turnout: votes counted at the gates, by voter group on the roll, and by the hour or day from the log; and what of it
may be told.

A worker counts the times seconds behind the votes, into one item of the election, so that no vote waits for the item.
It stores the number of the last event counted, so that no event counts twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from elections.repository import election_of
from elections.rules import Election, State, takes_names
from elections.sharding import ElectionOrName, gates_of, name_of, roll_spans
from foundation.acts.caches import Cacheable, SizedCache, get_cached
from foundation.acts.storage import log, table
from foundation.store import keys, sharded_reads
from foundation.store.schema import ON_EVERY_ITEM, Rule
from foundation.store.table import Equals, Item, Key, Put, Table, Update

MIN_SECRET_VOTES = 3  # with fewer votes in a secret election, who voted would reveal how
MIN_GROUP_VOTERS = 5  # voters of a group; of fewer, it is not shown how many have voted
MAX_HOURLY_WINDOW = timedelta(days=31)  # elections that end sooner count by the hour, longer ones by the day
SECONDS_PER_HOUR, SECONDS_PER_DAY = 3600, 24 * 3600
VOTES = {"BallotCast": 1, "BallotChanged": 1, "BallotWithdrawn": -1}
COUNTS = ("voted", "paper", "withdrawn", "extra")  # at each gate
KINDS = (*VOTES, "ElectionUpdated", "InterruptionRecorded", "ElectionClosed")  # of events that may count


@dataclass(frozen=True, slots=True)
class Turnout:
    voted: int
    paper: int
    steps: tuple[tuple[datetime, int], ...]  # by the hour or the day: how many had voted at its end, as far as counted
    withdrawn: int = 0  # ballots of a secret election: the roll still says that their voters have voted
    extra: int = 0  # votes beyond one for each ballot, by the weights of voters

    @property
    def votes(self) -> int:
        return self.voted + self.extra

    def percent(self, voters: int) -> int:
        return round(100 * self.voted / voters) if voters else 0

    def curve(self, voters: int, now: datetime) -> str:
        """Points of a line, 100 wide and 40 high, from the first vote until now."""
        if not self.steps:
            return ""
        first, last = self.steps[0][0] - timedelta(hours=1), max(now, self.steps[-1][0])
        top = max(voters, *(count for _moment, count in self.steps)) or 1
        points = [(first, 0), *self.steps, (last, self.steps[-1][1])]
        span = (last - first).total_seconds()
        return " ".join(
            f"{100 * (moment - first).total_seconds() / span:.1f},{40 - 40 * count / top:.1f}"
            for moment, count in points
        )


def turnout(election: ElectionOrName) -> Turnout:
    """In one round trip, whatever the number of voters. The times of the latest votes may lag by seconds."""
    return turnouts(election)[0]


def turnouts(*elections: ElectionOrName, to_show: bool = False) -> list[Turnout]:
    """Of several elections, also in one round trip. With `to_show`, they may be a second old."""
    gates = [gates_of(each).keys(name_of(each)) for each in elections]
    times = [keys.turnout(name_of(each)) for each in elections]
    places = [*times, *(place for each in gates for place in each)]
    found = get_cached(Cacheable(places)) if to_show else table().get_many(places)
    return [
        _counted([found[place] for place in own if place in found], found.get(when))
        for own, when in zip(gates, times, strict=True)
    ]


def votes_of(election: Election) -> int:
    """How many have voted; cached once the election is closed."""
    if election.stored_state != State.CLOSED:
        return turnout(election).voted
    end = election.name, election.created_at, election.closed_at
    return _known_votes.get(end, lambda: turnout(election).voted)


_known_votes = SizedCache[int](10_000, lambda votes: 1)  # elections


def final_turnout(election: Election) -> Turnout:
    """Of a closed election, or of one of its questions, completed from the log if the worker has not counted it all
    yet. The times are those of the election.

    How far the log was followed is read before the item, which has then counted everything up to there.
    """
    place, gates = keys.turnout(election.name), gates_of(election).keys(election.name)
    found = table().get_many([place, *gates])
    times = found.get(place)
    if times is not None and not times.get("closed"):
        followed = (table().get(keys.FIGURES) or {}).get("last_event_id", 0)
        times = table().get(place) or times
        times = with_events(times, log().since(max(followed, times["counted"])))
    counted = _counted([found[gate] for gate in gates if gate in found], times)
    if not election.more:
        return counted
    fields = {name: counted_in(name, election.number) for name in COUNTS}
    return replace(
        counted,
        **{name: sum(found[gate].get(own, 0) for gate in gates if gate in found) for name, own in fields.items()},
    )


def counted_in(name: str, question: int) -> str:
    """The field of a gate that counts in one of several questions."""
    return f"{name}_{question:02d}"


def _counted(gates: Sequence[Item], times: Item | None) -> Turnout:
    counts = {name: sum(gate.get(name, 0) for gate in gates) for name in COUNTS}
    steps: dict[int, int] = {}
    for name, count in (times or {}).items():
        if (end := end_of(name)) is not None:
            steps[end] = steps.get(end, 0) + count
    ends = sorted(steps)
    totals = accumulate(steps[end] for end in ends)
    moments = (datetime.fromtimestamp(end, UTC) for end in ends)
    return Turnout(**counts, steps=tuple(zip(moments, totals, strict=True)))


def tells_names(election: Election, voted: int) -> bool:
    """Whether names on the roll may be shown: where every member may vote, it is voting that adds them."""
    return takes_names(election) or tells_who(election, voted)


def tells_who(election: Election, voted: int) -> bool:
    """Whether it may be shown who voted: in a secret election, not while so few have that it would reveal how; nor in
    one with weights, which an earlier version opened and promised that."""
    return not election.secret_ballot or (voted >= MIN_SECRET_VOTES and not election.has_secret_weights)


# --- of voter groups ---


@dataclass(frozen=True, slots=True)
class GroupTurnout:
    name: str
    voters: int
    voted: int

    @property
    def percent(self) -> int:
        return round(100 * self.voted / self.voters)


def group_turnouts(election: Election, voted: int) -> list[GroupTurnout]:
    """Of those who may vote, in the order of the groups. Reads the whole roll, if it has groups. None while so few have
    voted in a secret election that it would reveal how."""
    if not election.voter_groups or not tells_who(election, voted):
        return []
    found = sharded_reads.values(table(), roll_spans(election), "groups", "voted")
    every = Counter((frozenset(groups or ()), bool(has_voted)) for groups, has_voted in found)
    sizes, cast = Counter[frozenset[str]](), Counter[str]()
    for (groups, has_voted), size in every.items():
        if election.questions_for(groups):
            sizes[groups] += size
            cast.update(dict.fromkeys(groups, size if has_voted else 0))
    large = large_groups(sizes)
    return [GroupTurnout(name, large[name], cast[name]) for name in election.voter_groups if name in large]


def large_groups(sizes: Mapping[frozenset[str], int]) -> dict[str, int]:
    """The groups to show, with their sizes, by how many are in each combination of groups.

    Who knows the turnout of all can subtract that of groups. So nobody may be told apart by the groups that are shown,
    or be in none of them, together with fewer than four others. As long as somebody is, one more group is not shown:
    that which leaves the fewest of these people, and of several such groups the smallest.
    """
    voters = Counter[str]()
    for groups, size in sizes.items():
        voters.update(dict.fromkeys(groups, size))
    large = {name: size for name, size in voters.items() if size >= MIN_GROUP_VOTERS}
    bits = {name: 1 << place for place, name in enumerate(large)}
    parts = Counter[int]()  # how many are in each combination of the groups that are shown
    for groups, size in sizes.items():
        parts[sum(bits[name] for name in groups if name in bits)] += size
    while large and _told_apart(parts):
        merged = {name: Counter[int]() for name in large}  # the same without this group
        for name, others in merged.items():
            for combination, size in parts.items():
                others[combination & ~bits[name]] += size
        hidden = min(large, key=lambda name: (_told_apart(merged[name]), large[name], name))
        parts = merged[hidden]
        del large[hidden]
    return large


def _told_apart(parts: Mapping[int, int]) -> int:
    return sum(size for size in parts.values() if size < MIN_GROUP_VOTERS)


# --- when people voted ---


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
        name = {"ElectionUpdated": "no_voting_after", "InterruptionRecorded": "new_end"}.get(self.kind)
        return name in self.data

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


# --- counting their times ---


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
        return item | {"ends": event.data.get("new_end", event.data.get("no_voting_after"))}
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


# --- following the log ---


def place_of(event: Item) -> Key | None:
    """The item that counts this event, if it affects turnout over time."""
    turnout_event = TurnoutEvent.from_event(event)
    return turnout_event.place if turnout_event.counts else None


def updating(table: Table, events: Iterable[Item]) -> list[Update]:
    """Changes by the events to items that still exist: that of a deleted election must not reappear. Refused if the
    election was deleted since, whether or not there is another of that name."""
    every = [event for event in map(TurnoutEvent.from_event, events) if event.counts]
    found = table.get_many({event.place for event in every}) if every else {}
    after = dict(found)
    for event in every:
        if event.place in after:
            after[event.place] = with_event(after[event.place], event)
    updates = []
    for place, item in found.items():
        if changed := {name: value for name, value in after[place].items() if item.get(name) != value}:
            updates.append(Update(place, set=changed, when=Equals("since", item["since"])))
    return updates


# --- what auditors may see of voters and ballots, while an election runs and after it closed ---


@dataclass(frozen=True, slots=True)
class Allowed:
    """What auditors may see; of a missing election, as little as of a secret one."""

    ballots: bool = False  # under their voters' names
    published: bool = False
    who: bool = False  # has voted
    unread: tuple[str, ...] = ("BALLOT#", "QUESTION#")  # what keys of items begin with that are not even read


NOTHING_ALLOWED = Allowed()


def allowed(item: Item | None, voted: int | None = None) -> Allowed:
    """By the election's own item, and the turnout, if it is known."""
    if item is None:
        return NOTHING_ALLOWED
    election = election_of(item)
    if not election.secret_ballot:
        return Allowed(True, True, True, ())
    is_closed = election.stored_state == State.CLOSED and election.closing is None
    boxes = tuple(keys.ballots(election.name, question=each.number)[0].prefix for each in election.questions)
    return Allowed(False, is_closed, voted is not None and tells_who(election, voted), boxes)


def who_is_on_the_roll(item: Item, may: Allowed) -> Item:
    """Even the names of other fields are hidden: a paper vote would reveal that someone voted."""
    return item if may.who else _only(item, ("voter_name", "election_name", "groups", "weight"))


def after_the_close(item: Item, may: Allowed) -> Item | None:
    return item if may.published else None


def before_the_close_only(*names: str) -> Rule:
    def rule(item: Item, may: Allowed) -> Item:
        return item if may.published else _only(item, names)

    return rule


def of_a_named_voter(item: Item, may: Allowed) -> Item | None:
    """A ballot without a name is a secret one, wherever it is stored."""
    return item if may.ballots and "voter_name" in item else None


def _only(item: Item, names: Iterable[str]) -> Item:
    return {name: item[name] for name in (*names, *ON_EVERY_ITEM) if name in item}
