"""The layer below the DynamoDB adapter: boto3's plain client, with hand-written attribute values."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import boto3

from foundation.store.table import DATA, LOG, Item

from . import ballots

BATCH_ITEMS = 25
NO_ONE = {"aws_access_key_id": "plenum", "aws_secret_access_key": "plenum"}

Wire = dict[str, dict[str, str]]


class BareDynamoDb:
    def __init__(self, region: str, endpoint: str, prefix: str) -> None:
        self.client = boto3.client("dynamodb", region_name=region, endpoint_url=endpoint, **NO_ONE)
        self.table = prefix + DATA
        self.log = prefix + LOG

    def load(self, items: Iterable[Item]) -> None:
        rest = iter(items)
        while batch := [{"PutRequest": {"Item": _wire_ballot(item)}} for item in islice(rest, BATCH_ITEMS)]:
            left: dict[str, Any] = {self.table: batch}
            while left:
                left = self.client.batch_write_item(RequestItems=left).get("UnprocessedItems") or {}

    def get(self, number: int) -> Item:
        key = {"PK": {"S": ballots.LARGE}, "SK": {"S": ballots.sort_key(number)}}
        return _ballot(self.client.get_item(TableName=self.table, Key=key, ConsistentRead=True)["Item"])

    def put(self, number: int) -> None:
        self.client.put_item(TableName=self.table, Item=_wire_ballot(ballots.ballot(ballots.CAST, number)))

    def transact(self, number: int) -> None:
        cast = _wire_ballot(ballots.ballot(ballots.CAST, number))
        once = {"ConditionExpression": "attribute_not_exists(PK)"}
        self.client.transact_write_items(
            TransactItems=[
                {"Put": {"TableName": self.table, "Item": cast}},
                {"Put": {"TableName": self.table, "Item": _wire_mark(ballots.mark(number)), **once}},
                {"Put": {"TableName": self.log, "Item": _wire_event(ballots.event(number))}},
            ],
            ClientRequestToken=str(uuid.uuid4()),
        )

    def query(self) -> list[Item]:
        return self.page(ballots.SMALL)[0]

    def each(self) -> Iterator[Item]:
        start: dict[str, Any] = {}
        while True:
            items, last = self.page(ballots.LARGE, **start)
            yield from items
            if last is None:
                return
            start = {"ExclusiveStartKey": last}

    def page(self, partition: str, **start: Any) -> tuple[list[Item], Wire | None]:
        """The items of one reply, and where it ended if there is more."""
        reply = self.client.query(
            TableName=self.table,
            KeyConditionExpression="PK = :pk",
            ExpressionAttributeValues={":pk": {"S": partition}},
            ConsistentRead=True,
            **start,
        )
        return [_ballot(wire) for wire in reply["Items"]], reply.get("LastEvaluatedKey")


# --- attribute values, by hand ---


def _wire_ballot(item: Item) -> Wire:
    return {
        "PK": {"S": item["PK"]},
        "SK": {"S": item["SK"]},
        "rankings": {"S": item["rankings"]},
        "confirmation": {"S": item["confirmation"]},
        "cast_at": {"S": item["cast_at"]},
        "version": {"N": str(item["version"])},
    }


def _wire_mark(item: Item) -> Wire:
    return {"PK": {"S": item["PK"]}, "SK": {"S": item["SK"]}, "voted_at": {"S": item["voted_at"]}}


def _wire_event(item: Item) -> Wire:
    return {
        "PK": {"S": item["PK"]},
        "SK": {"S": item["SK"]},
        "event_id": {"N": str(item["event_id"])},
        "actor": {"S": item["actor"]},
        "when_occurred": {"S": item["when_occurred"]},
        "event_type": {"S": item["event_type"]},
    }


def _ballot(wire: Wire) -> Item:
    return {
        "PK": wire["PK"]["S"],
        "SK": wire["SK"]["S"],
        "rankings": wire["rankings"]["S"],
        "confirmation": wire["confirmation"]["S"],
        "cast_at": wire["cast_at"]["S"],
        "version": int(wire["version"]["N"]),
    }
