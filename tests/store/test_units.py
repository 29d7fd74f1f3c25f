"""What DynamoDB charges, as its documentation says it: units by size, in transactions and in the index."""

from __future__ import annotations

import pytest

from store.metered import READ, WRITE, Charged, Metered
from store.sqlite import SqliteTable
from store.table import DATA, LOG, Check, Delete, Exists, Key, Missing, Put, Span, Update
from store.units import INDEX, of_get, of_index, of_page, of_write, size, stored
from tests.rows import every_row

HERE = {"PK": "a", "SK": "b"}  # six bytes


def item(size: int, **more) -> dict:
    return {**HERE, **more, "x": "y" * (size - 7 - sum(len(name) + len(value) for name, value in more.items()))}


@every_row(("bytes_", "writes", "reads"), [(100, 1, 1), (1024, 1, 1), (1025, 2, 1), (4097, 5, 2)])
def test_units_by_size(bytes_, writes, reads):
    whole = item(bytes_)
    assert size(whole) == bytes_
    assert of_write(None, whole, in_transaction=False) == of_write(whole, None, in_transaction=False) == writes
    assert of_write(item(10), whole, in_transaction=True) == 2 * writes, "as large as it was or is"
    assert of_get(whole) == of_page(bytes_, index=False) == 2 * of_page(bytes_, index=True) == reads


def test_what_is_not_there_costs_as_if_it_were_small():
    assert (of_write(None, None, in_transaction=True), of_get(None), of_page(0, index=True)) == (2, 1, 0.5)


def test_the_index_takes_over_what_changes_and_is_never_doubled():
    small, large = item(100, GSI1PK="p", GSI1SK="q"), item(1500, GSI1PK="p", GSI1SK="q")
    moved = {**large, "GSI1PK": "r"}
    assert list(of_index(None, small)) == list(of_index(small, None)) == [("p", 1)]
    assert list(of_index(small, large)) == [("p", 2)]
    assert list(of_index(large, moved)) == [("p", 2), ("r", 2)], "taken out of one place and put into the other"
    assert list(of_index(large, dict(large))) == list(of_index(None, item(9))) == [], "nothing changed; not in it"


def test_what_is_kept_counts_in_the_table_and_in_the_index():
    assert (stored(item(100)), stored(item(100, GSI1PK="p", GSI1SK="q")), stored(None)) == (200, 400, 0)
    assert stored({**HERE, "ttl": 1}) == 0, "what ends by itself is not kept"


@pytest.fixture
def metered(tmp_path):
    table = SqliteTable(str(tmp_path / "units.sqlite3"))
    table.create()
    yield Metered(table)
    table.close()


def test_a_metered_table_counts_what_every_question_costs_by_key(metered):
    here, log = Key("a", "b"), Key("l", "m", LOG)
    metered.write(Put(item(1500, GSI1PK="p", GSI1SK="q")))
    metered.write(
        Update(here, set={"z": 1}), Put({"PK": "l", "SK": "m"}, Missing(), LOG), Check(Key("c", "d"), Missing())
    )
    metered.increment(Key("n", "o"), "last")
    metered.put_all([{"PK": "n", "SK": "p"}])
    bill = metered.taken()
    writes = {("a", DATA): 2 + 4, ("l", LOG): 2, ("c", DATA): 2, ("n", DATA): 1 + 1, ("p", INDEX): 2 + 2}
    assert bill.units == {Charged(WRITE, place, pk): units for (pk, place), units in writes.items()}
    assert (bill.stored, bill.largest) == (2 * 1603 + 106 + 112 + 106, 1503)
    assert metered.get_many([here, log, here]).keys() == {here, log}
    assert [*metered.each(Span("a")), *metered.each(Span("p", index=True))] == 2 * [metered.get(here)]
    assert metered.count(Span("n")) == len(list(metered.values(Span("n"), "last"))) == 2
    reads = {("a", DATA): 1 + 1 + 1, ("l", LOG): 1, ("p", INDEX): 0.5, ("n", DATA): 1 + 1}
    assert metered.taken().units == {Charged(READ, place, pk): units for (pk, place), units in reads.items()}
    metered.write(Delete(here, when=Exists()))
    assert metered.taken().units == {Charged(WRITE, DATA, "a"): 4, Charged(WRITE, INDEX, "p"): 2}
