"""Figures of the whole site, updated by following the sealed log: people by role, elections by state; and when people
voted in each election.

They are derived. The process that seals the log also updates them, one batch per transaction; each batch moves
`last_event_id`, so that only one of several processes counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from django.conf import settings

from accounts.rules import Role
from elections.rules import State
from elections.turnout.counts import place_of, updating
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import layout
from foundation.store.log.seal import Sealer
from foundation.store.splitting import by_count
from foundation.store.table import Condition, Equals, Item, Key, Missing, Refused, Table, Update

BATCH_EVENTS = 1000
TRANSACTION_PARTS = 90  # elections of one batch, and the figures: a transaction has at most a hundred parts
SHOWN_STATES = (State.DRAFT, State.OPEN, State.CLOSED)
LATEST = "latest"  # the latest moment of any event, not necessarily of the last one: a clock may be set back


# --- what an event changes ---


def of_role(name: str) -> str:
    return f"role_{name}"


def of_state(state: State) -> str:
    """Whether candidates may still be added makes no difference here, as in the lists of elections."""
    return f"state_{(State.OPEN if state == State.EDITABLE else state).value}"


def changes(event: Item) -> dict[str, int]:
    """Which of the site's figures an event changes, and by how much."""
    kind, data = event["event_type"], event["event_data"]
    if kind == "UserRegistered":
        return {of_role(data["role"]): 1}
    if kind == "UserRoleChanged":
        return {of_role(data["old_role"]): -1, of_role(data["new_role"]): 1}
    if kind == "OwnershipTransferred":  # the owner becomes an auditor
        gone, come = of_role(data.get("old_role", Role.ADMIN.name)), of_role(Role.AUDITOR.name)
        return {gone: -1, come: 1} if gone != come else {}
    if kind == "UserRemoved":
        return {of_role(data.get("role", Role.USER.name)): -1}
    if kind == "ElectionCreated":
        return {of_state(State.DRAFT): 1}
    if kind == "ElectionOpened":
        return {of_state(State.DRAFT): -1, of_state(State.OPEN): 1}
    if kind == "ElectionClosed":
        return {of_state(State.OPEN): -1, of_state(State.CLOSED): 1}
    if kind == "ElectionDeleted":
        return {of_state(State(data.get("state", State.DRAFT.value))): -1}
    return {}


# --- following ---


def update(table: Table) -> int:
    """Count what was sealed since the last call; returns how many events."""
    counted = 0
    while (batch := _next_batch(table)) is not None:
        counted += batch
    return counted


def _next_batch(table: Table) -> int | None:
    found = table.get_many([keys.FIGURES, keys.SYNC])
    figures = found.get(keys.FIGURES, {})
    before = figures.get("last_event_id", 0)
    sealed = found.get(keys.SYNC, {}).get("last_event_id", 0)
    if before >= sealed:
        return None
    found_events = list(islice(layout.each(table, before + 1, sealed), BATCH_EVENTS + 1))
    events = list(_within_parts(found_events[:BATCH_EVENTS]))
    is_last = len(events) == len(found_events)
    latest = max((figures.get(LATEST, ""), *(event["when_occurred"] for event in events)))
    after = {"last_event_id": sealed if is_last else events[-1]["event_id"], LATEST: latest}
    _store(table, before, after, events)
    return len(events)


def _within_parts(events: list[Item]) -> Iterator[Item]:
    parts: set[Key] = set()
    for event in events:
        parts |= {place} if (place := place_of(event)) else set()
        if len(parts) > TRANSACTION_PARTS:
            return
        yield event


def _store(table: Table, before: int, after: Item, events: list[Item]) -> None:
    untouched = Equals("last_event_id", before) if before else Missing("last_event_id")
    with suppress(Refused):  # another process has counted them, or an election was deleted: the next look shows which
        table.write(_counting(events, after, untouched), *updating(table, events))


def _counting(events: list[Item], after: Item, when: Condition | None = None) -> Update:
    total: Counter[str] = Counter()
    for event in events:
        for name, by in changes(event).items():
            total[name] += by
    return Update(keys.FIGURES, set=after, add=dict(total), when=when)


def count(table: Table, events: Sequence[Item], last: int) -> None:
    """Count these events and mark those up to `last` as counted; only if no other process counts."""
    latest = (table.get(keys.FIGURES) or {}).get(LATEST, "")
    for some in by_count(events, TRANSACTION_PARTS):
        latest = max(latest, *(event["when_occurred"] for event in some))
        table.write(_counting(some, {"last_event_id": last, LATEST: latest}))


# --- reading ---


def by_role(figures: Item) -> dict[Role, int]:
    return {role: figures.get(of_role(role.name), 0) for role in reversed(Role)}


def by_state(figures: Item) -> dict[State, int]:
    return {state: figures.get(of_state(state), 0) for state in SHOWN_STATES}


# --- sealing ---

# The counts that pages show, by the events that change them.
COUNTED = {
    "UserRegistered": {"user_count": 1},
    "UserRemoved": {"user_count": -1},
    "ElectionCreated": {"election_count": 1},
    "ElectionDeleted": {"election_count": -1},
}


class SiteSealer(Sealer):
    """Seals, and then updates the figures."""

    def seal(self, progress: Callable[[int], None] = lambda number: None) -> int:
        sealed = super().seal(progress)
        update(self.table)
        return sealed


def site_sealer() -> SiteSealer:
    return SiteSealer(connect(settings.STORE_URL), COUNTED)
