"""What AWS does and no local engine does, before any of them: a client that stands between the adapter and another.

* A transaction holds its items, those it only checks included, from the moment it arrives until it is done. Another
  transaction that meets one of them is cancelled, a single write is refused; reads pass.
  https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
* A partition takes 1,000 write units and 3,000 read units a second, and one of the index as well. By default each key
  is alone in one; with `Limits(partitions=4)` keys share so many, by their hash, as they do in a new table. A table
  takes so many units as well: a new one 4,000 and 12,000 (`NEW_TABLE`).
  https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
  A write for which the table or its index has no units is refused whole; of a batch the rest is left over.
* The index is behind: it shows what there was some milliseconds ago.
* Everything is charged: a transaction twice, whatever it only checks included; what was refused by a condition, too.
  https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html

What it does not do, and AWS may: split a partition that stays hot in two, by sort key as well; show one item of a
transaction a moment before another; answer some requests much later than others. One client of this kind must see
every write to its tables: it keeps an index of its own, which begins as that of our own engine was, or else empty.
"""

# ruff: noqa: N803 - arguments are called as DynamoDB calls them
from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Any, NamedTuple
from zlib import crc32

from botocore.exceptions import ClientError

from . import grammar, wires
from .ledger import READ, WRITE, Bucket, Ledger, Partition
from .memory import MemoryEngine, cancelled, failure
from .memory import Table as IndexTable
from .wires import Item

WRITE_UNITS_PER_SECOND, READ_UNITS_PER_SECOND = 1000.0, 3000.0
THROTTLED, CONFLICT = "ThrottlingError", "TransactionConflict"
TOO_HOT = "The level of configured provisioned throughput for one or more partitions was exceeded."
PREPARED, COMMITTED = 1, 2  # how often each item of a transaction is charged that fails, and of one that happens

Request = dict[str, Any]
Answer = dict[str, Any]


@dataclass(frozen=True)
class Latency:
    """How long each kind of call takes, in seconds: half of it until it arrives. A transaction holds for its whole
    time but for the way there and back."""

    read: float = 0.004
    write: float = 0.005
    transaction: float = 0.010
    way: float = 0.001  # of a transaction, there and back each
    spread: float = 0.3  # by how much of itself one may be quicker or slower


@dataclass(frozen=True)
class Limits:
    """What one partition takes a second, for how many seconds units that nobody used can be had, and how old the
    index is at most. No number is no limit. Without a number of partitions each key has one for itself."""

    write_units: float | None = WRITE_UNITS_PER_SECOND
    read_units: float | None = READ_UNITS_PER_SECOND
    partitions: int | None = None
    table_write_units: float | None = None
    table_read_units: float | None = None
    burst: float = 0.5
    lag: float = 0.0


NEW_TABLE = Limits(partitions=4, table_write_units=4000.0, table_read_units=12_000.0)


class Place(NamedTuple):
    """Where one item is."""

    table: str
    pk: str
    sk: str


class Part(NamedTuple):
    """One part of a write."""

    kind: str
    place: Place
    request: Request


@dataclass
class Counts:
    """How often what happened."""

    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


class Rules:
    """As a boto3 client. Whatever it does not know it hands on."""

    def __init__(
        self,
        client: Any,
        *,
        latency: Latency | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        chance: Random | None = None,
    ) -> None:
        self.client = client
        self.latency = latency or Latency()
        self.limits = limits or Limits()
        self.clock = clock
        self.sleep = sleep
        self.chance = chance or Random(1)
        self.ledger = Ledger()
        self.counts = Counts()
        self._lock = threading.RLock()
        self._held: set[Place] = set()
        self._buckets: dict[tuple[str, Partition], Bucket] = {}
        self._shown = MemoryEngine()
        self._coming: deque[tuple[float, Place, Item | None]] = deque()
        for name, table in getattr(client, "tables", {}).items():
            for shelf in table.index.values():
                for _, pk, sk in shelf.places:
                    self._shown_table(name).keep(pk, sk, table.get(pk, sk))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    # --- reading ---

    def get_item(self, TableName: str, Key: Item, **request: Any) -> Answer:
        partition = Partition(TableName, Key["PK"]["S"])

        def ask() -> Answer:
            answer: Answer = self.client.get_item(TableName=TableName, Key=Key, **request)
            return answer | self._charged(partition, wires.size(answer.get("Item", {})), request)

        return self._read("get_item", partition, ask)

    def batch_get_item(self, RequestItems: Mapping[str, Request], **request: Any) -> Answer:
        """What lies in a partition that has no units is left over; if all does, that is no answer at all."""
        self._pass(self.latency.read / 2)
        with self._lock:
            self.counts.calls["batch_get_item"] += 1
            now, wanted, left = self.clock(), {}, {}
            for table, asked in RequestItems.items():
                for key in asked["Keys"]:
                    has_some = self._has_some(READ, Partition(table, key["PK"]["S"]), now)
                    (wanted if has_some else left).setdefault(table, {**asked, "Keys": []})["Keys"].append(key)
            if left:
                self.counts.refused["left over"] += 1
            answer = self._batch(wanted, request) if wanted else None
        self._pass(self.latency.read / 2)
        if answer is None:
            raise failure("BatchGetItem", "ProvisionedThroughputExceededException", TOO_HOT)
        for table, asked in left.items():
            answer["UnprocessedKeys"].setdefault(table, {**asked, "Keys": []})["Keys"] += asked["Keys"]
        return answer

    def _batch(self, wanted: Mapping[str, Request], request: Request) -> Answer:
        answer: Answer = self.client.batch_get_item(RequestItems=wanted, **request)
        answer["UnprocessedKeys"] = dict(answer.get("UnprocessedKeys") or {})
        units = 0.0
        for table, asked in wanted.items():
            found = {
                (item["PK"]["S"], item["SK"]["S"]): wires.size(item) for item in answer["Responses"].get(table, ())
            }
            for key in asked["Keys"]:
                pk, sk = key["PK"]["S"], key["SK"]["S"]
                units += self._charge_read(Partition(table, pk), found.get((pk, sk), 0), asked)
        return answer | {"ConsumedCapacity": [{"CapacityUnits": units}]}

    def query(self, **request: Any) -> Answer:
        asked = grammar.stretch(request["KeyConditionExpression"])
        pk = request["ExpressionAttributeValues"][asked.pk[1]]["S"]
        partition = Partition(request["TableName"], pk, "IndexName" in request)

        def ask() -> Answer:
            answer: Answer = (self._index() if partition.index and self.limits.lag else self.client).query(**request)
            size = answer.get("ScannedBytes") or sum(map(wires.size, answer.get("Items", ())))
            return answer | self._charged(partition, size, request)

        return self._read("query", partition, ask)

    def scan(self, **request: Any) -> Answer:
        """Read from all partitions: no single one is too hot for it."""
        self._pass(self.latency.read)
        return dict(self.client.scan(**request))

    def _read(self, method: str, partition: Partition, ask: Callable[[], Answer]) -> Answer:
        self._pass(self.latency.read / 2)
        with self._lock:
            self.counts.calls[method] += 1
            answer = ask() if self._has_some(READ, partition, self.clock()) else None
            self.counts.refused["throttled reads"] += int(answer is None)
        self._pass(self.latency.read / 2)
        if answer is None:
            raise failure(method, "ProvisionedThroughputExceededException", TOO_HOT)
        return answer

    def _charged(self, partition: Partition, size: int, request: Request) -> Answer:
        return {"ConsumedCapacity": {"CapacityUnits": self._charge_read(partition, size, request)}}

    def _charge_read(self, partition: Partition, size: int, request: Request) -> float:
        units = wires.read_units(size, consistent=bool(request.get("ConsistentRead")))
        self._pay(READ, partition, units)
        return units

    # --- writing ---

    def put_item(self, **request: Any) -> Answer:
        return self._alone("put_item", "Put", request)

    def delete_item(self, **request: Any) -> Answer:
        return self._alone("delete_item", "Delete", request)

    def update_item(self, **request: Any) -> Answer:
        return self._alone("update_item", "Update", request)

    def _alone(self, method: str, kind: str, request: Request) -> Answer:
        part = Part(kind, _place(request), request)
        self._pass(self.latency.write / 2)
        with self._lock:
            self.counts.calls[method] += 1
            refusal, answer = self._refusal(part), {}
            if refusal is None:
                answer, refusal = self._written([part], PREPARED, lambda: getattr(self.client, method)(**request))
        self._pass(self.latency.write / 2)
        if refusal is not None:
            raise refusal
        return answer

    def _refusal(self, part: Part) -> ClientError | None:
        """Why a single write cannot be now."""
        if reason := self._reason(part):
            self.counts.refused["throttled writes" if reason == THROTTLED else "single writes in conflict"] += 1
            if reason == THROTTLED:
                return failure(part.kind, "ProvisionedThroughputExceededException", TOO_HOT)
            return failure(part.kind, "TransactionConflictException", "Transaction is ongoing for the item")
        return None

    def batch_write_item(self, RequestItems: Mapping[str, list[Request]], **request: Any) -> Answer:
        """Puts only. What meets a transaction, or has no units, is left over."""
        self._pass(self.latency.write / 2)
        left: dict[str, list[Request]] = {}
        with self._lock:
            self.counts.calls["batch_write_item"] += 1
            units = 0.0
            for table, puts in RequestItems.items():
                for put in puts:
                    one = {"TableName": table, "Item": put["PutRequest"]["Item"]}
                    part = Part("Put", _place(one), one)
                    if self._reason(part):
                        self.counts.refused["left over"] += 1
                        left.setdefault(table, []).append(put)
                    else:
                        done, _ = self._written([part], PREPARED, lambda one=one: self.client.put_item(**one))
                        units += done["ConsumedCapacity"][0]["CapacityUnits"]
        self._pass(self.latency.write / 2)
        return {"UnprocessedItems": left, "ConsumedCapacity": [{"CapacityUnits": units}]}

    def transact_write_items(self, **request: Any) -> Answer:
        parts = [_part(each) for each in request["TransactItems"]]
        places = {part.place for part in parts}
        self._pass(self.latency.way)
        with self._lock:
            self.counts.calls["transact_write_items"] += 1
            reasons = [self._reason(part) for part in parts]
            if any(reasons):
                self._note_cancelled(parts, reasons)
            else:
                self._held |= places
        if any(reasons):
            self._pass(self.latency.way)
            raise cancelled([each or "None" for each in reasons])
        try:
            self._pass(max(0.0, self.latency.transaction - 2 * self.latency.way))
            with self._lock:
                ask = lambda: self.client.transact_write_items(**request)  # noqa: E731
                answer, refusal = self._written(parts, COMMITTED, ask)
        finally:
            with self._lock:
                self._held -= places
        self._pass(self.latency.way)
        if refusal is not None:
            raise refusal
        return answer

    def _note_cancelled(self, parts: list[Part], reasons: list[str]) -> None:
        """Whoever met a transaction has been looked at, and pays for that; whoever was throttled has not."""
        self.counts.refused["throttled writes" if THROTTLED in reasons else "transactions in conflict"] += 1
        if THROTTLED not in reasons:
            for part in parts:
                before = self._look(part.place)
                self._charge_write(part.place, before, before, PREPARED)

    def _reason(self, part: Part) -> str:
        if part.place in self._held:
            return CONFLICT
        now = self.clock()
        wanted = [Partition(part.place.table, part.place.pk), *self._indexed(part)]
        return "" if all(self._has_some(WRITE, each, now) for each in wanted) else THROTTLED

    def _indexed(self, part: Part) -> set[Partition]:
        """The partitions of the index in which the item stands, or will."""
        if part.kind == "ConditionCheck":
            return set()
        found = [wires.index_key(self._look(part.place)), wires.index_key(part.request.get("Item"))]
        names = part.request.get("ExpressionAttributeNames") or {}
        said = grammar.update(part.request["UpdateExpression"]).set if part.kind == "Update" else ()
        keys = {key[0] for key in found if key}
        keys |= {
            part.request["ExpressionAttributeValues"][value]["S"] for name, value in said if names[name] == "GSI1PK"
        }
        return {Partition(part.place.table, key, index=True) for key in keys}

    def _written(self, parts: list[Part], times: int, ask: Callable[[], Answer]) -> tuple[Answer, ClientError | None]:
        """What was answered, with what it cost; a refusal by a condition costs, too."""
        before = {part.place: self._look(part.place) for part in parts}
        try:
            answer, refusal = ask(), None
        except ClientError as error:
            answer, refusal, times = {}, error, PREPARED
            self.counts.refused[error.response["Error"]["Code"]] += 1
        units = 0.0
        for part in parts:
            is_check = refusal is not None or part.kind == "ConditionCheck"
            after = before[part.place] if is_check else self._look(part.place)
            units += self._charge_write(part.place, before[part.place], after, times)
            self._show(part.place, before[part.place], after)
        return answer | {"ConsumedCapacity": [{"CapacityUnits": units}]}, refusal

    def _charge_write(self, place: Place, before: Item | None, after: Item | None, times: int) -> float:
        units = wires.write_units(before, after) * times
        self._pay(WRITE, Partition(place.table, place.pk), units)
        for key, more in wires.index_units(before, after).items():
            self._pay(WRITE, Partition(place.table, key, index=True), more)
            units += more
        return units

    # --- units ---

    def _of_units(self, kind: str, partition: Partition) -> Iterator[Bucket]:
        """Where the units come from: the physical partition in which the key lies, and the table."""
        limits, own = self.limits, partition
        if limits.partitions:
            own = partition._replace(pk=f"partition {crc32(partition.pk.encode()) % limits.partitions}")
        rates = {own: limits.write_units if kind == WRITE else limits.read_units}
        rates[partition._replace(pk="")] = limits.table_write_units if kind == WRITE else limits.table_read_units
        for place, rate in rates.items():
            if (kind, place) not in self._buckets:
                room = inf if rate is None else rate * limits.burst
                self._buckets[kind, place] = Bucket(rate or 0.0, room, room, self.clock())
            yield self._buckets[kind, place]

    def _has_some(self, kind: str, partition: Partition, now: float) -> bool:
        return all(bucket.has_some(now) for bucket in self._of_units(kind, partition))

    def _pay(self, kind: str, partition: Partition, units: float) -> None:
        now = self.clock()
        for bucket in self._of_units(kind, partition):
            bucket.pay(units, now)
        self.ledger.charge(kind, partition, units, now)

    # --- the index ---

    def _show(self, place: Place, before: Item | None, after: Item | None) -> None:
        """The index will have it a little later, one after the other."""
        if self.limits.lag and before != after and (wires.index_key(before) or wires.index_key(after)):
            soonest = self._coming[-1][0] if self._coming else 0.0
            when = max(soonest, self.clock() + self.chance.uniform(0, self.limits.lag))
            self._coming.append((when, place, after))

    def _index(self) -> MemoryEngine:
        """The index as far as it has heard of writes."""
        while self._coming and self._coming[0][0] <= self.clock():
            _, place, item = self._coming.popleft()
            self._shown_table(place.table).keep(place.pk, place.sk, item)
        for name in getattr(self.client, "tables", ()):
            self._shown_table(name)
        return self._shown

    def _shown_table(self, name: str) -> IndexTable:
        return self._shown.tables.setdefault(name, IndexTable({}))

    # --- the rest ---

    def _look(self, place: Place) -> Item | None:
        if hasattr(self.client, "look"):
            return self.client.look(*place)
        key = {"PK": {"S": place.pk}, "SK": {"S": place.sk}}
        found: Item | None = self.client.get_item(TableName=place.table, Key=key, ConsistentRead=True).get("Item")
        return found

    def _pass(self, seconds: float) -> None:
        """Some time goes by, now a little more and now a little less."""
        if seconds > 0:
            self.sleep(seconds * self.chance.uniform(1 - self.latency.spread, 1 + self.latency.spread))


def _part(each: dict[str, Request]) -> Part:
    ((kind, request),) = each.items()
    return Part(kind, _place(request), request)


def _place(request: Request) -> Place:
    key = request.get("Item") or request["Key"]
    return Place(request["TableName"], key["PK"]["S"], key["SK"]["S"])
