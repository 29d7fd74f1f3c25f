"""The buffered store gives the same answers as the one that commits every write by itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from store.sqlite import BufferedTable, SqliteTable, buffered
from store.table import DATA, LOG, Check, Delete, Equals, Exists, Key, Missing, Put, Refused, Span, Update, Write

NOW = 1_900_000_000


@pytest.fixture
def tables(tmp_path, monkeypatch) -> Iterator[tuple[SqliteTable, SqliteTable]]:
    monkeypatch.setattr(buffered, "BUFFERED_ITEMS", 7)
    made = [kind(str(tmp_path / kind.__name__), clock=lambda: NOW) for kind in (SqliteTable, BufferedTable)]
    for table in made:
        table.create()
    yield made[0], made[1]
    for table in made:
        table.close()


def a_write(chance: random.Random, key: Key) -> Write:
    when = chance.choice([None, None, Exists(), Missing(), Equals("number", 1)])
    item = {"PK": key.pk, "SK": key.sk, "number": chance.randrange(3), "GSI1PK": "index", "GSI1SK": key.sk}
    return chance.choice(
        [
            Put(item, when=when),
            Put({**item, "ttl": NOW - 1}, when=when),
            Update(key, add={"number": 1}, remove=["GSI1PK"], when=when),
            Delete(key, when=when),
            Check(key, when=Exists()),
        ]
    )


def answers(table: SqliteTable, writes: list[Write]) -> object:
    try:
        table.write(*writes)
    except Refused as refused:
        return refused.parts
    return None


def test_random_writes_and_reads_are_answered_alike(tables):
    chance, keys = random.Random(3), [Key("a", str(number)) for number in range(12)]
    for _ in range(400):
        writes = [a_write(chance, key) for key in chance.sample(keys, 2)]
        assert answers(tables[0], writes) == answers(tables[1], writes)
        asked = chance.sample(keys, 3)
        assert tables[0].get_many(asked) == tables[1].get_many(asked)
        if chance.random() < 0.2:
            for span in (Span("a"), Span("index", index=True)):
                assert [*tables[0].each(span)] == [*tables[1].each(span)]
    assert [*tables[0].everything()] == [*tables[1].everything()]


def test_what_is_loaded_takes_the_place_of_what_was_gathered(tables):
    one, other = {"PK": "a", "SK": "1", "number": 1}, {"PK": "a", "SK": "1", "number": 2}
    for table in tables:
        table.write(Put(one))
        table.load([(DATA, other), (DATA, {"PK": "a", "SK": "2"})])
        assert table.get_many([Key("a", "1"), Key("a", "2"), Key("a", "3")]).keys() == {Key("a", "1"), Key("a", "2")}
        assert table.get(Key("a", "1")) == other
    assert [*tables[0].everything()] == [*tables[1].everything()]


def test_a_file_with_something_in_it_is_read(tables):
    tables[0].write(Put({"PK": "a", "SK": "1"}))
    with closing(BufferedTable(tables[0].path)) as again:
        again.create()
        assert again.get(Key("a", "1")) == {"PK": "a", "SK": "1"}


def test_what_differs_in_two_stages_is_found_in_the_order_of_its_keys(tmp_path):
    stages = [BufferedTable(str(tmp_path / name), clock=lambda: NOW) for name in ("here", "there")]
    same = {"PK": "a", "SK": "1"}
    gone, here, there = ({"PK": "a", "SK": sk, "n": n} for sk, n in (("2", 0), ("3", 1), ("3", True)))
    expired = {"PK": "a", "SK": "5", "ttl": NOW - 1}
    for stage, items in zip(stages, ([same, gone, here, expired], [same, there, {"PK": "a", "SK": "4"}]), strict=True):
        stage.create()
        for item in items:
            stage.write(Put(item))
    found = list(stages[0].differing(stages[1]))
    assert found == [(gone, None), (here, there), (None, {"PK": "a", "SK": "4"})]
    assert type(found[1][1]["n"]) is bool
    for stage in stages:
        stage.close()


def test_a_refused_write_changes_nothing(tables):
    table = tables[1]
    with suppress(Refused):
        table.write(Put({"PK": "a", "SK": "1"}), Check(Key("a", "2"), when=Exists()))
    assert table.get(Key("a", "1")) is None


def test_a_number_that_is_added_to_is_answered(tables):
    assert [table.increment(Key("a", "1"), "count", by=2) for table in tables for _ in range(2)] == [2, 4, 2, 4]


def test_what_is_chosen_is_copied_from_a_file_as_it_is(tables):
    source, copy = tables
    source.load(
        [
            (DATA, {"PK": "a", "SK": "1", "number": 1, "GSI1PK": "index", "GSI1SK": "1"}),
            (DATA, {"PK": "a", "SK": "2", "bytes": b"\x00"}),
            (DATA, {"PK": "secret", "SK": "1"}),
            (DATA, {"PK": "a", "SK": "expired", "ttl": NOW - 1}),
            (LOG, {"PK": "EVENTS", "SK": "1"}),
            (LOG, {"PK": "OTHER", "SK": "1"}),
        ]
    )
    assert copy.copy(source, lambda pk, sk: pk != "secret", Span("EVENTS", table=LOG)) == 3
    assert [*copy.everything()] == [
        (DATA, {"PK": "a", "SK": "1", "number": 1, "GSI1PK": "index", "GSI1SK": "1"}),
        (DATA, {"PK": "a", "SK": "2", "bytes": b"\x00"}),
        (LOG, {"PK": "EVENTS", "SK": "1"}),
    ]
    assert copy.get(Key("a", "1")) == source.get(Key("a", "1"))
    assert [item["SK"] for item in copy.each(Span("index", index=True))] == ["1"]
    copy.write(Update(Key("a", "1"), add={"number": 1}, when=Exists()))
    assert copy.get(Key("a", "1"))["number"] == 2
    assert source.get(Key("a", "1"))["number"] == 1
