"""Both tables on AWS, or on anything that speaks DynamoDB's protocol and supports its transactions."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from foundation.store.parallel import run_parallel

from .. import cursors, limits
from ..keys.declared import with_entity_type
from ..log import layout
from ..table import (
    DATA,
    TABLES,
    Check,
    Delete,
    Item,
    Key,
    Numbered,
    Page,
    Put,
    Span,
    Table,
    Update,
    Value,
    Write,
)
from . import schema, wire
from .connection import COUNTING, Connection
from .errors import FAILURES, translated
from .expressions import Expressions

DEFAULT_THREADS = 32
INDEX_LAG_SECONDS = 60.0  # AWS guarantees no bound; usually under a second, and never seen to take a minute

_LOG = logging.getLogger(__name__)


class TableState(NamedTuple):
    """A table as DynamoDB describes it; sizes are updated only every few hours."""

    name: str
    status: str
    size: int  # bytes
    items: int


class DynamoDbTable(Table):
    """Both tables behind boto3's low-level client. `prefix` lets several sites share an account.

    `threads` is how many threads of this process send requests at once. `protected` is whether the tables are protected
    from deletion; by default they are on AWS, by whatever endpoint it is reached.
    """

    def __init__(
        self,
        *,
        region: str,
        prefix: str = "",
        endpoint: str | None = None,
        threads: int = DEFAULT_THREADS,
        protected: bool | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        ticking: Callable[[], float] = time.monotonic,
    ) -> None:
        self.region = region
        self.prefix = prefix
        self.endpoint = endpoint
        self.threads = threads
        self.protected = wire.is_amazons(endpoint) if protected is None else protected
        self._clock = clock
        self._connection = Connection(region, endpoint, threads, sleep, self._all_names(), ticking)

    @property
    def index_lag(self) -> float:
        return INDEX_LAG_SECONDS

    is_distant = True
    log_partitions = layout.NEW_LOG_PARTITIONS

    def run_parallel(self, asks: Sequence[Callable[[], Any]]) -> list[Any]:
        return self._connection.run_parallel(asks)

    # --- reading ---

    def get(self, key: Key) -> Item | None:
        limits.check_key(key)
        answer = self._connection.ask("get", "get_item", **self._addressed(key), ConsistentRead=True)
        if (found := answer.get("Item")) is None:
            return None
        item = wire.decode_item(found)
        return item if self._is_live(item, self._clock()) else None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Item]:
        """More keys than one request takes are split over several, sent in parallel."""
        wanted = list(dict.fromkeys(keys))
        for key in wanted:
            limits.check_key(key)
        if len(wanted) <= limits.BATCH_KEYS:
            return self._get_all(wanted)
        batches = [wanted[at : at + limits.BATCH_KEYS] for at in range(0, len(wanted), limits.BATCH_KEYS)]
        found: dict[Key, Item] = {}
        for each in run_parallel(self, *(partial(self._get_all, batch) for batch in batches)):
            found |= each
        return found

    def _get_all(self, keys: list[Key]) -> dict[Key, Item]:
        found: dict[Key, Item] = {}
        self._connection.send_until_done(keys, lambda left: self._get_batch(left, found))
        return found

    def page(
        self,
        span: Span,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        backwards: bool = False,
    ) -> Page:
        limits.check_limit(limit)
        request = self._query(span) | Expressions().span(span).arguments()
        if limit is not None:
            request["Limit"] = limit
        if cursor is not None:
            request["ExclusiveStartKey"] = wire.encode_item(cursors.decode(span, cursor))
        answer = self._connection.ask("page", "query", ScanIndexForward=not backwards, **request)
        now = self._clock()
        items = [item for item in map(wire.decode_item, answer["Items"]) if self._is_live(item, now)]
        last = answer.get("LastEvaluatedKey")
        return Page(items, cursors.encode(span, wire.decode_item(last)) if last else None)

    def count(self, span: Span) -> int:
        expressions = Expressions().span(span).not_expired(int(self._clock()))
        request = self._query(span) | expressions.arguments() | {"Select": "COUNT"}
        return sum(int(answer["Count"]) for answer in self._connection.answers("count", "query", request))

    def values(self, span: Span, *names: str) -> Iterator[tuple[Value, ...]]:
        request = self._query(span) | Expressions().span(span).only([*names, "ttl"]).arguments()
        for item in self._live_items("page", "query", request):
            yield tuple(map(item.get, names))

    def everything(self) -> Iterator[tuple[str, Item]]:
        for table in TABLES:
            request = {"TableName": self._name(table), "ConsistentRead": True}
            for item in self._live_items("everything", "scan", request):
                yield table, item

    # --- writing ---

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        parts = limits.unnumbered(writes)
        limits.check_writes(parts, token)
        if token is None and len(parts) == 1 and is_idempotent(parts[0]):
            ((kind, request),) = self._part(parts[0]).items()
            self._connection.ask("write", "put_item" if kind == "Put" else "delete_item", **request)
            return
        request = {
            "TransactItems": [self._part(part) for part in parts],
            # Kept across attempts, so that a lost reply neither repeats nor refuses the write.
            "ClientRequestToken": token or str(uuid.uuid4()),
        }
        self._connection.ask("write", "transact_write_items", **request)

    def put_all(self, items: Sequence[Item]) -> None:
        limits.check_puts(items)
        puts = [{"PutRequest": {"Item": wire.encode_item(with_entity_type(item))}} for item in items]
        self._connection.send_until_done(puts, self._put_batch)

    def increment(self, key: Key, name: str, by: int = 1, *, setting: Mapping[str, Value] | None = None) -> int:
        update = Update(key, set=setting or {}, add={name: by})
        limits.check_writes([update])
        expressions = Expressions().update(update)
        request = self._addressed(key) | expressions.arguments() | {"ReturnValues": "UPDATED_NEW"}
        answer = self._connection.ask(COUNTING, "update_item", **request)
        return int(wire.decode(answer["Attributes"][name]))

    # --- the tables themselves ---

    def create(self) -> None:
        try:
            unknown = schema.create(self._connection.patient_client(), self.prefix, protected=self.protected)
        except FAILURES as error:
            raise translated(error, self._all_names()) from error
        for sentence in unknown:
            _LOG.info(sentence)

    def lacking(self) -> list[str]:
        """A sentence for each protection of the tables that is off."""
        try:
            return schema.lacking(self._connection.patient_client(), self.prefix, protected=self.protected)
        except FAILURES as error:
            raise translated(error, self._all_names()) from error

    def states(self) -> list[TableState]:
        """The state of both tables. Serving works without this permission; then it raises `Unavailable`."""
        states = []
        for name in map(self._name, TABLES):
            table = self._connection.ask("describe", "describe_table", TableName=name)["Table"]
            states.append(
                TableState(name, table["TableStatus"], table.get("TableSizeBytes", 0), table.get("ItemCount", 0))
            )
        return states

    def sweep(self, limit: int = 1000) -> int:
        """DynamoDB sweeps by itself."""
        return 0

    def close(self) -> None:
        self._connection.close()

    # --- the parts of a request, and of an answer ---

    def _name(self, table: str) -> str:
        return self.prefix + table

    def _all_names(self) -> str:
        return " or ".join(map(self._name, TABLES))

    def _addressed(self, key: Key) -> dict[str, Any]:
        return {"TableName": self._name(key.table), "Key": wire.encode_key(key)}

    def _query(self, span: Span) -> dict[str, Any]:
        limits.check_span(span)
        request: dict[str, Any] = {"TableName": self._name(span.table)}
        if span.index:
            request["IndexName"] = schema.INDEX
        else:
            request["ConsistentRead"] = True
        return request

    def _part(self, write: Write) -> dict[str, Any]:
        expressions = Expressions().condition(write.when)
        if isinstance(write, Put):
            item = wire.encode_item(with_entity_type(write.item, write.table))
            return {"Put": {"TableName": self._name(write.table), "Item": item} | expressions.arguments()}
        if isinstance(write, Update):
            return {"Update": self._addressed(write.key) | expressions.update(write).arguments()}
        kind = "ConditionCheck" if isinstance(write, Check) else "Delete"
        return {kind: self._addressed(write.key) | expressions.arguments()}

    def _put_batch(self, puts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns what DynamoDB left unprocessed."""
        name = self._name(DATA)
        answer = self._connection.ask("put_all", "batch_write_item", RequestItems={name: puts})
        left: list[dict[str, Any]] = (answer.get("UnprocessedItems") or {}).get(name, [])
        return left

    def _get_batch(self, keys: list[Key], found: dict[Key, Item]) -> list[Key]:
        """Add the items that exist to `found`; returns the keys that DynamoDB left unprocessed."""
        requested: dict[str, Any] = {}
        for key in keys:
            of_table = requested.setdefault(self._name(key.table), {"Keys": [], "ConsistentRead": True})
            of_table["Keys"].append(wire.encode_key(key))
        answer = self._connection.ask("get_many", "batch_get_item", RequestItems=requested)
        now = self._clock()
        for table in TABLES:
            for item in map(wire.decode_item, answer["Responses"].get(self._name(table), ())):
                if self._is_live(item, now):
                    found[Key(item["PK"], item["SK"], table)] = item
        unprocessed = answer.get("UnprocessedKeys") or {}
        return [
            Key(key["PK"]["S"], key["SK"]["S"], table)
            for table in TABLES
            for key in unprocessed.get(self._name(table), {"Keys": ()})["Keys"]
        ]

    def _live_items(self, operation: str, method: str, request: dict[str, Any]) -> Iterator[Item]:
        for answer in self._connection.answers(operation, method, request):
            now = self._clock()
            yield from (item for item in map(wire.decode_item, answer["Items"]) if self._is_live(item, now))

    @staticmethod
    def _is_live(item: Item, now: float) -> bool:
        ttl = item.get("ttl")
        return ttl is None or ttl > now


def is_idempotent(write: Write) -> bool:
    """Whether sending it twice does no harm, so that a lost reply can be retried without a transaction."""
    return write.when is None and isinstance(write, Put | Delete)
