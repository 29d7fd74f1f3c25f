"""What DynamoDB charges, as its documentation says it: units by size, in transactions and in the index."""

from __future__ import annotations

import pytest

from store.sqlite import SqliteTable
from store.table import DATA, LOG, Check, Delete, Exists, Key, Missing, Put, Span, Update
from tests.rows import every_row
from tests.store.metering import (
    INDEX,
    READ,
    WRITE,
    Charged,
    MeteredTable,
    get_units,
    index_units,
    item_bytes,
    page_units,
    write_units,
)

HERE = {"PK": "a", "SK": "b"}  # six bytes


def item(item_bytes: int, **more) -> dict:
    return {**HERE, **more, "x": "y" * (item_bytes - 7 - sum(len(name) + len(value) for name, value in more.items()))}


@every_row(("bytes_", "writes", "reads"), [(100, 1, 1), (1024, 1, 1), (1025, 2, 1), (4097, 5, 2)])
def test_units_by_size(bytes_, writes, reads):
    whole = item(bytes_)
    assert item_bytes(whole) == bytes_
    assert write_units(None, whole, in_transaction=False) == write_units(whole, None, in_transaction=False) == writes
    assert write_units(item(10), whole, in_transaction=True) == 2 * writes, "as large as it was or is"
    assert get_units(whole) == page_units(bytes_, index=False) == 2 * page_units(bytes_, index=True) == reads


def test_what_is_not_there_costs_as_if_it_were_small():
    assert (write_units(None, None, in_transaction=True), get_units(None), page_units(0, index=True)) == (2, 1, 0.5)


def test_the_index_takes_over_what_changes_and_is_never_doubled():
    small, large = item(100, GSI1PK="p", GSI1SK="q"), item(1500, GSI1PK="p", GSI1SK="q")
    moved = {**large, "GSI1PK": "r"}
    assert list(index_units(None, small)) == list(index_units(small, None)) == [("p", 1)]
    assert list(index_units(small, large)) == [("p", 2)]
    assert list(index_units(large, moved)) == [("p", 2), ("r", 2)], "taken out of one place and put into the other"
    assert list(index_units(large, dict(large))) == list(index_units(None, item(9))) == [], "nothing changed; not in it"


@pytest.fixture
def metered(tmp_path):
    table = SqliteTable(str(tmp_path / "units.sqlite3"))
    table.create()
    yield MeteredTable(table)
    table.close()


def test_a_metered_table_counts_what_every_question_costs_by_key(metered):
    here, log = Key("a", "b"), Key("l", "m", LOG)
    metered.write(Put(item(1500, GSI1PK="p", GSI1SK="q")))
    metered.write(
        Update(here, set={"z": 1}), Put({"PK": "l", "SK": "m"}, Missing(), LOG), Check(Key("c", "d"), Missing())
    )
    metered.increment(Key("n", "o"), "last")
    metered.put_all([{"PK": "n", "SK": "p"}])
    written = metered.take_units()
    writes = {("a", DATA): 2 + 4, ("l", LOG): 2, ("c", DATA): 2, ("n", DATA): 1 + 1, ("p", INDEX): 2 + 2}
    assert written == {Charged(WRITE, place, pk): units for (pk, place), units in writes.items()}
    assert metered.get_many([here, log, here]).keys() == {here, log}
    assert [*metered.each(Span("a")), *metered.each(Span("p", index=True))] == 2 * [metered.get(here)]
    assert metered.count(Span("n")) == len(list(metered.values(Span("n"), "last"))) == 2
    reads = {("a", DATA): 1 + 1 + 1, ("l", LOG): 1, ("p", INDEX): 0.5, ("n", DATA): 1 + 1}
    assert metered.take_units() == {Charged(READ, place, pk): units for (pk, place), units in reads.items()}
    metered.write(Delete(here, when=Exists()))
    assert metered.take_units() == {Charged(WRITE, DATA, "a"): 4, Charged(WRITE, INDEX, "p"): 2}
