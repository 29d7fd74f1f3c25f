# ruff: noqa: N803 - arguments are called as DynamoDB calls them
"""DynamoDB in this process: a client with the operations the adapter uses, exact as the store's promises demand.

It knows no network, no limits of speed and no conflicts: all of that is `rules.Rules`, which can stand before any
engine. Items are kept as they go over the wire; one that is stored is never changed, only replaced.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from operator import itemgetter
from typing import Any

from botocore.exceptions import ClientError

from . import grammar, wires
from .wires import Item, Wire

TOKEN_SECONDS = 600
BATCH_BYTES = 16 * 1024 * 1024
LAST = "\U0010ffff" * 257  # no sort key has more than 1,024 bytes, so none comes after this

Request = dict[str, Any]
Answer = dict[str, Any]
Place = tuple[str, ...]  # where an item stands: its sort key, and in the index its whole key after it


def failure(operation: str, code: str, message: str = "", **more: Any) -> ClientError:
    """What boto3 raises when DynamoDB says no."""
    status = {"HTTPStatusCode": 400}
    return ClientError({"Error": {"Code": code, "Message": message}, "ResponseMetadata": status, **more}, operation)


def cancelled(reasons: Sequence[str | tuple[str, str]]) -> ClientError:
    """A transaction that did not happen, with a reason for each of its parts in their order."""
    codes = [each if isinstance(each, str) else each[0] for each in reasons]
    told = [{"Code": each} if isinstance(each, str) else {"Code": each[0], "Message": each[1]} for each in reasons]
    message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{', '.join(codes)}]"
    return failure("TransactWriteItems", "TransactionCanceledException", message, CancellationReasons=told)


class Mistake(Exception):
    """What DynamoDB calls a validation error."""


@dataclass
class Shelf:
    """Some items in order."""

    places: list[Place] = field(default_factory=list)
    items: dict[Place, Item] = field(default_factory=dict)

    def put(self, place: Place, item: Item) -> None:
        if place not in self.items:
            insort(self.places, place)
        self.items[place] = item

    def take(self, place: Place) -> None:
        if self.items.pop(place, None) is not None:
            del self.places[bisect_left(self.places, place)]


@dataclass
class Table:
    """A table and its index, partition by partition."""

    wanted: Request
    partitions: dict[str, Shelf] = field(default_factory=dict)
    index: dict[str, Shelf] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  # of the partitions, for whoever reads all of them
    expires: bool = False
    recovers: bool = False

    def get(self, pk: str, sk: str) -> Item | None:
        shelf = self.partitions.get(pk)
        return None if shelf is None else shelf.items.get((sk,))

    def keep(self, pk: str, sk: str, item: Item | None) -> None:
        """In place of what there is; `None` takes it away."""
        before = self.get(pk, sk)
        if pk not in self.partitions:
            if item is None:
                return
            self.partitions[pk] = Shelf()
            insort(self.order, pk)
        shelf = self.partitions[pk]
        shelf.take((sk,)) if item is None else shelf.put((sk,), item)
        self._index(pk, sk, before, item)

    def _index(self, pk: str, sk: str, before: Item | None, after: Item | None) -> None:
        old, new = wires.index_key(before), wires.index_key(after)
        if old is not None and old != new:
            self.index[old[0]].take((old[1], pk, sk))
        if new is not None and after is not None:
            self.index.setdefault(new[0], Shelf()).put((new[1], pk, sk), after)


def one_at_a_time(ask: Callable[..., Answer]) -> Callable[..., Answer]:
    @wraps(ask)
    def asked(engine: MemoryEngine, **request: Any) -> Answer:
        with engine.lock:
            try:
                return ask(engine, **request)
            except (Mistake, grammar.NotUnderstood) as mistake:
                raise failure(ask.__name__, "ValidationException", str(mistake)) from None

    return asked


class MemoryEngine:
    """As a boto3 client. `clock` says when a token may stand for another write."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.lock = threading.RLock()
        self.tables: dict[str, Table] = {}
        self.tokens: dict[str, tuple[float, int]] = {}

    def close(self) -> None:
        """There is nothing to let go of."""

    def look(self, table: str, pk: str, sk: str) -> Item | None:
        """What is there, without asking as others ask."""
        return self._table(table).get(pk, sk)

    # --- reading ---

    @one_at_a_time
    def get_item(self, TableName: str, Key: Item, **_: Any) -> Answer:
        found = self._table(TableName).get(*_key(Key))
        return {} if found is None else {"Item": found}

    @one_at_a_time
    def batch_get_item(self, RequestItems: Mapping[str, Request], **_: Any) -> Answer:
        responses: dict[str, list[Item]] = {name: [] for name in RequestItems}
        left: dict[str, Request] = {}
        _check_batch([key for asked in RequestItems.values() for key in asked["Keys"]], 100)
        room = BATCH_BYTES
        for name, asked in RequestItems.items():
            for key in asked["Keys"]:
                found = self._table(name).get(*_key(key))
                room -= wires.size(found) if found else 0
                if room < 0:
                    left.setdefault(name, {**asked, "Keys": []})["Keys"].append(key)
                elif found:
                    responses[name].append(found)
        return {"Responses": responses, "UnprocessedKeys": left}

    @one_at_a_time
    def query(self, TableName: str, KeyConditionExpression: str, **request: Any) -> Answer:
        names, values = _placeholders(request)
        table, asked = self._table(TableName), grammar.stretch(KeyConditionExpression)
        if request.get("IndexName") and request.get("ConsistentRead"):
            raise Mistake("Consistent reads are not supported on global secondary indexes")
        shelf = (table.index if "IndexName" in request else table.partitions).get(values[asked.pk[1]]["S"]) or Shelf()
        first, last = _ends(asked, values)
        begin, end = bisect_left(shelf.places, (first,)), bisect_right(shelf.places, last, key=itemgetter(0))
        backwards = not request.get("ScanIndexForward", True)
        start = _place(request["ExclusiveStartKey"], request) if "ExclusiveStartKey" in request else None
        rows = (shelf.items[place] for place in _from(shelf.places[begin:end], start, backwards))
        return _page(rows, request, names, values)

    @one_at_a_time
    def scan(self, TableName: str, **request: Any) -> Answer:
        table, start = self._table(TableName), request.get("ExclusiveStartKey")
        from_pk, from_sk = _key(start) if start else ("", "")
        pks = table.order[bisect_left(table.order, from_pk) :]

        def rows() -> Iterator[Item]:
            for pk in pks:
                shelf = table.partitions[pk]
                begin = bisect_right(shelf.places, (from_sk,)) if pk == from_pk else 0
                yield from (shelf.items[place] for place in shelf.places[begin:])

        return _page(rows(), request, *_placeholders(request))

    # --- writing ---

    @one_at_a_time
    def put_item(self, **request: Any) -> Answer:
        self._alone("Put", request)
        return {}

    @one_at_a_time
    def delete_item(self, **request: Any) -> Answer:
        self._alone("Delete", request)
        return {}

    @one_at_a_time
    def update_item(self, **request: Any) -> Answer:
        after = self._alone("Update", request)
        if request.get("ReturnValues") != "UPDATED_NEW" or after is None:
            return {}
        changes, names = grammar.update(request["UpdateExpression"]), request["ExpressionAttributeNames"]
        return {"Attributes": {names[short]: after[names[short]] for short, _ in (*changes.set, *changes.add)}}

    @one_at_a_time
    def batch_write_item(self, RequestItems: Mapping[str, list[Request]], **_: Any) -> Answer:
        writes = [(name, each) for name, several in RequestItems.items() for each in several]
        keys = [each.get("PutRequest", {}).get("Item") or each["DeleteRequest"]["Key"] for _, each in writes]
        _check_batch(keys, 25)
        for (name, each), key in zip(writes, keys, strict=True):
            item = wires.kept(each["PutRequest"]["Item"]) if "PutRequest" in each else None
            _check_size(item)
            self._table(name).keep(*_key(key), item)
        return {"UnprocessedItems": {}}

    @one_at_a_time
    def transact_write_items(
        self, TransactItems: list[dict[str, Request]], ClientRequestToken: str = "", **_: Any
    ) -> Answer:
        if self._done_before(ClientRequestToken, TransactItems):
            return {}
        parts = [next(iter(each.items())) for each in TransactItems]
        _check_batch(
            [part.get("Item") or part["Key"] for _, part in parts], 100, within=[p["TableName"] for _, p in parts]
        )
        outcomes = [self._outcome(kind, part) for kind, part in parts]
        reasons = [each if isinstance(each, str | tuple) else "None" for each in outcomes]
        if any(each != "None" for each in reasons):
            raise cancelled(reasons)
        for (kind, part), after in zip(parts, outcomes, strict=True):
            if kind != "ConditionCheck":
                self._table(part["TableName"]).keep(*_key(part.get("Item") or part["Key"]), after)
        if ClientRequestToken:
            self.tokens[ClientRequestToken] = (self.clock(), hash(repr(TransactItems)))
        return {}

    def _alone(self, kind: str, request: Request) -> Item | None:
        after = self._outcome(kind, request)
        if isinstance(after, str):
            raise failure(f"{kind}Item", "ConditionalCheckFailedException", "The conditional request failed")
        if isinstance(after, tuple):
            raise Mistake(after[1])
        self._table(request["TableName"]).keep(*_key(request.get("Item") or request["Key"]), after)
        return after

    def _outcome(self, kind: str, part: Request) -> Item | str | tuple[str, str] | None:
        """The item as this part leaves it; or why it cannot be."""
        before = self._table(part["TableName"]).get(*_key(part.get("Item") or part["Key"]))
        names, values = _placeholders(part)
        if (text := part.get("ConditionExpression")) and not grammar.condition(text)(before or {}, names, values):
            return "ConditionalCheckFailed"
        if kind in ("Delete", "ConditionCheck"):
            return None
        try:
            return _checked(wires.kept(part["Item"]) if kind == "Put" else _updated(before, part, names, values))
        except Mistake as mistake:
            return "ValidationError", str(mistake)

    def _done_before(self, token: str, items: list[dict[str, Request]]) -> bool:
        when, known = self.tokens.get(token, (float("-inf"), 0))
        if not token or self.clock() - when >= TOKEN_SECONDS:
            return False
        if known != hash(repr(items)):
            raise failure("TransactWriteItems", "IdempotentParameterMismatchException", "Another write has this token.")
        return True

    # --- the tables themselves ---

    def _table(self, name: str) -> Table:
        if name not in self.tables:
            raise failure("", "ResourceNotFoundException", f"There is no table {name}.")
        return self.tables[name]

    @one_at_a_time
    def create_table(self, **wanted: Any) -> Answer:
        if wanted["TableName"] in self.tables:
            raise failure("CreateTable", "ResourceInUseException", "The table is there already.")
        self.tables[wanted["TableName"]] = Table(wanted)
        return self.describe_table(TableName=wanted["TableName"])

    @one_at_a_time
    def describe_table(self, TableName: str) -> Answer:
        table = self._table(TableName)
        indexes = [{**each, "IndexStatus": "ACTIVE"} for each in table.wanted.get("GlobalSecondaryIndexes", ())]
        items = sum(len(each.items) for each in table.partitions.values())
        counted = {"TableStatus": "ACTIVE", "ItemCount": items, "TableSizeBytes": 0}
        return {"Table": {**table.wanted, **counted, **({"GlobalSecondaryIndexes": indexes} if indexes else {})}}

    @one_at_a_time
    def update_table(self, TableName: str, **wanted: Any) -> Answer:
        self._table(TableName).wanted |= wanted
        return self.describe_table(TableName=TableName)

    @one_at_a_time
    def delete_table(self, TableName: str) -> Answer:
        if self._table(TableName).wanted.get("DeletionProtectionEnabled"):
            raise Mistake("The table is protected against deletion.")
        del self.tables[TableName]
        return {}

    def list_tables(self, **_: Any) -> Answer:
        return {"TableNames": sorted(self.tables)}

    @one_at_a_time
    def describe_time_to_live(self, TableName: str) -> Answer:
        status = "ENABLED" if self._table(TableName).expires else "DISABLED"
        return {"TimeToLiveDescription": {"TimeToLiveStatus": status}}

    @one_at_a_time
    def update_time_to_live(self, TableName: str, TimeToLiveSpecification: Request) -> Answer:
        self._table(TableName).expires = TimeToLiveSpecification["Enabled"]
        return {}

    @one_at_a_time
    def describe_continuous_backups(self, TableName: str) -> Answer:
        status = "ENABLED" if self._table(TableName).recovers else "DISABLED"
        told = {"PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": status}}
        return {"ContinuousBackupsDescription": told}

    @one_at_a_time
    def update_continuous_backups(self, TableName: str, PointInTimeRecoverySpecification: Request) -> Answer:
        self._table(TableName).recovers = PointInTimeRecoverySpecification["PointInTimeRecoveryEnabled"]
        return {}


# --- parts of a request ---


def _key(key: Mapping[str, Wire]) -> tuple[str, str]:
    return key["PK"]["S"], key["SK"]["S"]


def _placeholders(request: Request) -> tuple[dict[str, str], Item]:
    return request.get("ExpressionAttributeNames") or {}, wires.kept(request.get("ExpressionAttributeValues") or {})


def _check_batch(keys: Sequence[Item], most: int, within: Sequence[str] | None = None) -> None:
    if not 1 <= len(keys) <= most:
        raise Mistake(f"A request names 1 to {most} items.")
    if within is not None and len({(table, *_key(key)) for table, key in zip(within, keys, strict=True)}) < len(keys):
        raise Mistake("Transaction request cannot include multiple operations on one item")


def _checked(item: Item | None) -> Item | None:
    _check_size(item)
    return item


def _check_size(item: Item | None) -> None:
    if item is not None and wires.size(item) > wires.ITEM_BYTES:
        raise Mistake("Item size has exceeded the maximum allowed size")


def _updated(before: Item | None, part: Request, names: Mapping[str, str], values: Item) -> Item | None:
    changes = grammar.update(part["UpdateExpression"])
    if before is None and not changes.set and not changes.add:
        return None  # taking attributes from an item that is not there does not make it
    after = dict(before or wires.kept(part["Key"]))
    for short, value in changes.set:
        after[names[short]] = values[value]
    for short, value in changes.add:
        there = after.get(names[short], {"N": "0"})
        if "N" not in there or "N" not in values[value]:
            raise Mistake("An operand in the update expression has an incorrect data type")
        after[names[short]] = {"N": str(int(there["N"]) + int(values[value]["N"]))}
    for short in changes.remove:
        after.pop(names[short], None)
    return after


# --- pages ---


def _ends(asked: grammar.Stretch, values: Item) -> tuple[str, str]:
    """The first sort key that can be in it, and the last."""
    bounds = [values[each]["S"] for each in asked.bounds]
    if asked.how == "begins_with":
        return bounds[0], bounds[0] + LAST
    return bounds[0] if asked.how in ("BETWEEN", ">=") else "", bounds[-1] if asked.how in ("BETWEEN", "<=") else LAST


def _place(start: Item, request: Request) -> Place:
    pk, sk = _key(start)
    return (start["GSI1SK"]["S"], pk, sk) if "IndexName" in request else (sk,)


def _from(places: list[Place], start: Place | None, backwards: bool) -> Iterable[Place]:
    if start is not None:
        places = places[: bisect_left(places, start)] if backwards else places[bisect_right(places, start) :]
    return reversed(places) if backwards else places


def _page(rows: Iterable[Item], request: Request, names: Mapping[str, str], values: Item) -> Answer:
    """At most `Limit` items are looked at, and at most a megabyte; of these the filter lets some through."""
    seen: list[Item] = []
    limit, bytes_, more = request.get("Limit"), 0, False
    for item in rows:
        bytes_ += (more_bytes := wires.size(item))
        if seen and bytes_ > wires.PAGE_BYTES:
            bytes_ -= more_bytes
            more = True
            break
        seen.append(item)
        if len(seen) == limit:
            more = True
            break
    test = grammar.condition(request["FilterExpression"]) if "FilterExpression" in request else None
    shown = [item for item in seen if test is None or test(item, names, values)]
    answer: Answer = {"Count": len(shown), "ScannedCount": len(seen), "ScannedBytes": bytes_}
    if more:
        answer["LastEvaluatedKey"] = _whole_key(seen[-1], request)
    if request.get("Select") != "COUNT":
        answer["Items"] = [_only(item, request, names) for item in shown]
    return answer


def _whole_key(item: Item, request: Request) -> Item:
    wanted = ("GSI1PK", "GSI1SK", "PK", "SK") if "IndexName" in request else ("PK", "SK")
    return {name: item[name] for name in wanted}


def _only(item: Item, request: Request, names: Mapping[str, str]) -> Item:
    if "ProjectionExpression" not in request:
        return item
    wanted = {names[short] for short in grammar.projection(request["ProjectionExpression"])}
    return {name: value for name, value in item.items() if name in wanted}
