"""What every adapter promises about items that expire: no read shows one again, though it may still be stored."""

from __future__ import annotations

import pytest

from foundation.store.sqlite import SqliteTable
from foundation.store.table import LOG, Check, Delete, Equals, Exists, Invalid, Key, Missing, Put, Refused, Span, Update

from .walks import every_row_apart, fill, names, walk


@pytest.fixture
def fading(table, pk, clock):
    """Items of which `b` and `d` expire ten seconds from now."""
    for name in "abcde":
        mortal = {"ttl": int(clock.now) + 10} if name in "bd" else {}
        table.write(Put({"PK": pk, "SK": name, "GSI1PK": pk, "GSI1SK": name, **mortal}))
    return table


def test_an_item_is_seen_until_the_second_it_expires(fading, pk, clock):
    clock.now += 9
    assert fading.get(Key(pk, "b"))["SK"] == "b"
    assert fading.count(Span(pk)) == 5
    clock.now += 1
    assert fading.get(Key(pk, "b")) is None
    assert fading.count(Span(pk)) == 3


def test_no_read_shows_an_expired_item(fading, pk, clock):
    clock.now += 11
    assert fading.get(Key(pk, "b")) is None
    assert fading.get_many(Key(pk, name) for name in "abcde").keys() == {Key(pk, name) for name in "ace"}
    assert names(walk(fading, Span(pk))) == list("ace")
    assert names(fading.each(Span(pk), backwards=True)) == list("eca")
    assert names(walk(fading, Span(pk, index=True))) == list("ace")
    assert names(walk(fading, Span(pk, first="b", last="d"))) == ["c"]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_pass_over_expired_items(fading, pk, clock, limit, index, backwards):
    clock.now += 11
    found = names(walk(fading, Span(pk, index=index), limit=limit, backwards=backwards))
    assert found == list("eca" if backwards else "ace")


def test_counts_leave_expired_items_out(fading, pk, clock):
    clock.now += 11
    assert fading.count(Span(pk)) == 3
    assert fading.count(Span(pk, index=True)) == 3
    assert fading.count(Span(pk, prefix="b")) == 0


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.names_attributes
def test_values_leave_expired_items_out_whichever_are_asked_for(fading, pk, clock, index):
    clock.now += 11
    assert list(fading.values(Span(pk, index=index), "SK")) == [("a",), ("c",), ("e",)]
    assert list(fading.values(Span(pk, index=index), "SK", "ttl")) == [("a", None), ("c", None), ("e", None)]


def test_a_page_of_expired_items_only_is_empty_and_the_walk_goes_on(table, pk, clock):
    fill(table, pk, "abcdefgh", ttl=int(clock.now) + 1)
    fill(table, pk, "i")
    clock.now += 1
    assert names(walk(table, Span(pk), limit=3)) == ["i"]


def test_expiry_works_in_the_log_as_well(table, pk, clock):
    fill(table, pk, "a", where=LOG, ttl=int(clock.now))
    fill(table, pk, "b", where=LOG)
    assert names(walk(table, Span(pk, table=LOG))) == ["b"]
    assert table.get(Key(pk, "a", LOG)) is None


def test_conditions_still_see_an_expired_item_that_was_not_swept(fading, pk, clock):
    clock.now += 11
    with pytest.raises(Refused):
        fading.write(Put({"PK": pk, "SK": "b"}, when=Missing()))
    fading.write(Check(Key(pk, "b"), Exists() & Equals("GSI1SK", "b")))


@pytest.mark.names_attributes
def test_an_expired_item_can_be_replaced_deleted_and_brought_back(fading, pk, clock):
    clock.now += 11
    fading.write(Put({"PK": pk, "SK": "b", "new": True}))
    assert fading.get(Key(pk, "b")) == {"PK": pk, "SK": "b", "new": True}
    fading.write(Update(Key(pk, "d"), set={"ttl": int(clock.now) + 5}))
    assert fading.get(Key(pk, "d"))["GSI1SK"] == "d"
    fading.write(Update(Key(pk, "d"), remove=("ttl",), when=Exists()), Delete(Key(pk, "b")))
    assert names(walk(fading, Span(pk))) == list("acde")


@pytest.mark.names_attributes
def test_a_change_to_an_expired_item_keeps_its_attributes_and_its_expiry(fading, pk, clock):
    clock.now += 11
    fading.write(Update(Key(pk, "b"), set={"n": 1}))
    assert fading.get(Key(pk, "b")) is None
    fading.write(Check(Key(pk, "b"), Equals("n", 1) & Equals("GSI1SK", "b") & Exists("ttl")))


@pytest.mark.names_attributes
def test_a_counter_that_expired_goes_on_unless_it_is_set_anew(table, pk, clock):
    table.increment(Key(pk, "n"), "tries", 5, setting={"ttl": int(clock.now) + 10})
    clock.now += 11
    assert table.increment(Key(pk, "n"), "tries") == 6
    table.write(Put({"PK": pk, "SK": "n", "tries": 1, "ttl": int(clock.now) + 10}))
    assert table.increment(Key(pk, "n"), "tries") == 2


def test_an_item_without_ttl_never_expires(table, pk, clock):
    fill(table, pk, "a")
    clock.now += 10**9
    assert names(walk(table, Span(pk))) == ["a"]


@every_row_apart("ttl", ["1", True, None, b"1", 1.5])
def test_an_expiry_is_a_whole_number_of_seconds(table, pk, ttl):
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "a", "ttl": ttl}))


def test_sweeping_never_touches_what_has_not_expired(fading, pk):
    fading.sweep()
    assert fading.count(Span(pk)) == 5


# --- sweeping the embedded file; DynamoDB sweeps by itself ---


@pytest.fixture
def file(tmp_path, clock):
    table = SqliteTable(str(tmp_path / "swept.sqlite3"), clock=clock)
    table.create()
    yield table
    table.close()


def test_sweeping_removes_what_has_expired_and_says_how_many(file, clock):
    fill(file, "p", "abc", ttl=int(clock.now) + 10)
    fill(file, "p", "de", ttl=int(clock.now) + 20)
    fill(file, "p", "f")
    assert file.sweep() == 0
    clock.now += 10
    assert file.sweep() == 3
    assert file.sweep() == 0
    clock.now = 0
    assert names(walk(file, Span("p"))) == list("def")


def test_what_was_swept_no_condition_sees(file, clock):
    fill(file, "p", "a", ttl=int(clock.now))
    file.sweep()
    file.write(Put({"PK": "p", "SK": "a"}, when=Missing()))
    assert names(walk(file, Span("p"))) == ["a"]


def test_sweeping_stops_at_its_limit(file, clock):
    fill(file, "p", "abcdefg", ttl=int(clock.now))
    assert [file.sweep(limit=3) for _ in range(4)] == [3, 3, 1, 0]
