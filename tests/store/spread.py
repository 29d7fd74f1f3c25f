"""Logs in several partitions, though their store is an embedded one: the quick way to try them."""

from __future__ import annotations

from foundation.store import keys
from foundation.store.log import layout
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Item, Key, Table


class Distant(SqliteTable):
    """An embedded store that lays out what it holds as a distant one does."""

    is_distant = True
    log_partitions = layout.NEW_LOG_PARTITIONS


LAYOUTS = (SqliteTable, Distant)


def place_of(table: Table, number: int, when: str) -> Key:
    """Where an event of that number lies, or would."""
    return keys.event(number, when, table.log_partitions)


def place_of_event(table: Table, event: Item) -> Key:
    return place_of(table, event["event_id"], event["when_occurred"])
