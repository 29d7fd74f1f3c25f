"""Changing a stored thing by its version."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from foundation.acts import storage
from foundation.store.table import Item, Key, Put, Refused


@dataclass(frozen=True)
class Thing:
    name: str
    note: str = ""
    count: int = 0
    version: int = 1


def item_of(thing: Thing) -> Item:
    noted = {"note": thing.note} if thing.note else {}
    return {"PK": "THING#1", "SK": "A", "name": thing.name, "count": thing.count, "version": thing.version, **noted}


THING = Thing("Door", note="green")
PLACE = Key("THING#1", "A")


def test_the_item_is_as_the_thing_is_afterwards_and_what_it_no_longer_has_is_gone(site):
    site.write(Put(item_of(THING)))
    site.write(storage.change(THING, replace(THING, name="Gate", note=""), item_of))
    assert site.get(PLACE) == item_of(Thing("Gate", version=2))


def test_of_two_changes_of_the_same_version_one_happens(site):
    site.write(Put(item_of(THING)))
    site.write(storage.change(THING, replace(THING, name="Gate"), item_of))
    with pytest.raises(Refused):
        site.write(storage.change(THING, replace(THING, name="Wall"), item_of))
    assert site.get(PLACE)["name"] == "Gate"


def test_fields_that_change_by_other_ways_are_left_alone(site):
    site.write(Put(item_of(replace(THING, count=7))))
    site.write(storage.change(THING, replace(THING, name="Gate"), item_of, except_for=("count",)))
    assert site.get(PLACE)["count"] == 7


def test_a_thing_that_was_never_written_must_still_be_missing(site):
    new = replace(THING, version=0)
    site.write(Put(item_of(THING), when=storage.unchanged_or_new(new)))
    with pytest.raises(Refused):
        site.write(Put(item_of(THING), when=storage.unchanged_or_new(new)))
    site.write(Put(item_of(THING), when=storage.unchanged_or_new(THING)))
