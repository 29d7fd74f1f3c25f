"""Logs that are spread over several partitions, though their store is an embedded one: the quick way to try them."""

from __future__ import annotations

from store import keys
from store.log import layout
from store.table import LOG, Item, Key, Put, Table

LAYOUTS = (1, 4)  # partitions


def spread(table: Table, partitions: int) -> Table:
    """The empty table, whose log says that it is spread."""
    if partitions > 1:
        place = keys.event_number()
        table.write(Put({"PK": place.pk, "SK": place.sk, "last": 0, "partitions": partitions}, table=LOG))
    return table


def place_of(table: Table, number: int, when: str) -> Key:
    """Where an event of that number lies, or would."""
    return keys.event(number, when, layout.partitions_of(table))


def place_of_event(table: Table, event: Item) -> Key:
    return place_of(table, event["event_id"], event["when_occurred"])
