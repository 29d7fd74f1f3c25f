"""`entity_type`, which every item of the data table is stored with, so that a reader of the table knows what it is.

It follows from the key (foundation/store/keys), so the adapters add it when they write an item. Items stored by earlier
versions get it with their next change; nothing depends on it.
"""

from __future__ import annotations

from .keys import question_of
from .keys.declared import ENTITY_TYPES, beginning
from .table import DATA, Item, Key

ENTITY_TYPE = "entity_type"


def entity_type_of(key: Key) -> str:
    """Empty for keys that nobody has declared, for secret ballots, and for the log."""
    if key.table != DATA:
        return ""
    pk, sk = beginning(key.pk), beginning(key.sk)
    if (found := ENTITY_TYPES.get((pk, sk))) is not None:
        return found
    question, first = question_of(key)
    return ENTITY_TYPES.get((pk, "" if question == 1 else beginning(first.sk)), "")


def with_entity_type(item: Item, table: str = DATA) -> Item:
    """The item as it is stored."""
    if ENTITY_TYPE in item or not (found := entity_type_of(Key(item["PK"], item["SK"], table))):
        return item
    return {**item, ENTITY_TYPE: found}
