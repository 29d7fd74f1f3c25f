"""Publishes checkpoints of the log on a coarse clock.

The sealer seals every few seconds, so on a quiet site a checkpoint covers a single act and would reveal its time.
Therefore checkpoints become public at the end of their quarter of an hour. The exception is a close: then everything
sealed is published at once, so that people can take the proof away. The end of every full block of the log is published
too, so that no public checkpoint covers many numbers and a bundle stays small.

A public checkpoint says by when all that it covers had been recorded and sealed: the end of a quarter of an hour, at a
close up to fifteen minutes ahead, for the exact time could reveal when somebody voted. That time is under its hash.
Those of earlier versions have `published_at` instead, the beginning of a quarter, and their hash is the chain's.

An item says up to which number everything is public and up to which publishing is requested. Each step moves it
conditionally, so that another process can continue after a crash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from .. import keys
from ..table import LOG, Condition, Equals, Item, Less, Missing, Put, Refused, Table, Update
from .events import EventLog, as_text, utc_now
from .search import BLOCK_EVENTS, EPOCH, first_of

QUARTER_HOUR = timedelta(minutes=15)
PUBLISHED_IMMEDIATELY = frozenset({"ElectionClosed", "ResultSealed"})  # people are waiting for a proof of these


def quarter_of(moment: datetime) -> datetime:
    """The start of the quarter of an hour that contains this moment."""
    return moment - (moment - EPOCH) % QUARTER_HOUR


def as_quarter(moment: datetime) -> str:
    """A full quarter of an hour as displayed: 2026-11-15T10:30:00Z."""
    return quarter_of(moment).astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def end_of_quarter(moment: datetime) -> str:
    """The end of the quarter of an hour that contains this moment: always later than the moment itself."""
    return as_quarter(moment + QUARTER_HOUR)


def public_hash(chain: str, sealed_by: str | None) -> str:
    """The hash of a public checkpoint: the chain after its last event, and then the time, if it has one."""
    if sealed_by is None:
        return chain
    digest = hashlib.sha256(f"plenum: sealed by\n{sealed_by}".encode()).digest()
    return hashlib.sha256(bytes.fromhex(chain) + digest).hexdigest()


def publish_immediately(checkpoint: Item, events: Iterable[Item]) -> Iterator[Update]:
    """Added to the transaction that seals these events if one of them is a close."""
    if any(event["event_type"] in PUBLISHED_IMMEDIATELY for event in events):
        yield Update(keys.PUBLISHING, set={"wanted": checkpoint["event_id"]})


class Publisher:
    """Publishes what is due. Several may run at once: each checkpoint and each quarter is published once."""

    def __init__(self, table: Table, clock: Callable[[], datetime] = utc_now):
        self.table = table
        self.log = EventLog(table, clock)
        self.clock = clock

    def is_due(self) -> bool:
        """Whether `publish` would publish anything now."""
        state = self._state()
        return bool(state["wanted"] > state["event_id"] or self._newest_over(state))

    def publish(self) -> int:
        """Publish everything that is due; returns how many checkpoints."""
        state, quarter = self._state(), as_quarter(self.clock())
        if number := self._newest_over(state):
            unmoved = _is_still(state, "quarter") & (Missing("wanted") | Less("wanted", number))
            with suppress(Refused):  # another sealer has requested it already
                self.table.write(Update(keys.PUBLISHING, set={"wanted": number, "quarter": quarter}, when=unmoved))
        published = 0
        with suppress(Refused):  # another sealer is publishing and will continue
            while self._publish_next(self._state()):
                published += 1
        return published

    def _state(self) -> Item:
        """How far everything is public, and how far publishing is requested. A restored store lacks this item, but has
        what was public."""
        there = self.table.get(keys.PUBLISHING) or {}
        if "event_id" not in there and (newest := self.log.newest_public()):
            there = {"event_id": newest["event_id"], **there}
        return {"event_id": 0, "wanted": 0, "quarter": "", **there}

    # --- by the quarter ---

    def _newest_over(self, state: Item) -> int:
        """The newest number sealed before this quarter began, if it is neither public nor requested yet; else 0."""
        if state["quarter"] == as_quarter(self.clock()):
            return 0
        first = self.log.checkpoint_over(max(state["event_id"], state["wanted"]) + 1)
        if first is None or not self._is_over(first):
            return 0
        newest_first = self.table.each(keys.checkpoints(first["event_id"]), backwards=True)
        return next((int(each["event_id"]) for each in newest_first if self._is_over(each)), 0)

    def _is_over(self, checkpoint: Item) -> bool:
        """Whether the quarter in which the checkpoint was sealed is over, or lies far ahead because a clock was
        wrong."""
        now = quarter_of(self.clock())
        when = checkpoint["when_sealed"]
        return bool(when < as_text(now) or when >= as_text(now + 2 * QUARTER_HOUR))

    # --- step by step ---

    def _publish_next(self, state: Item) -> bool:
        """Publish one more checkpoint: the end of the next full block, or everything that is left."""
        before = state["event_id"]
        stop = min(state["wanted"], first_of(before + 1) + BLOCK_EVENTS - 1)
        checkpoint = self.log.checkpoint_over(stop) if stop > before else None
        if checkpoint is None:
            return False
        number = checkpoint["event_id"]
        covered = self.table.each(keys.checkpoints(before + 1, number))
        latest = max(max(each["when_sealed"], each.get("latest", "")) for each in covered)
        sealed_by = end_of_quarter(datetime.fromisoformat(latest))
        public = {
            "first_event_id": before + 1,
            "event_id": number,
            "hash": public_hash(checkpoint["hash"], sealed_by),
            "sealed_by": sealed_by,
        }
        self.table.write(
            Put({**keys.public_checkpoint(number).item, **public}, when=Missing(), table=LOG),
            Update(keys.PUBLISHING, set={"event_id": number}, when=_is_still(state, "event_id")),
        )
        return True


def _is_still(state: Item, name: str) -> Condition:
    """The attribute is as it was when read, possibly missing."""
    return Missing(name) | Equals(name, state[name])
