"""What every adapter promises about writing: all or nothing, at one moment, once; and which part was refused."""

from __future__ import annotations

import pytest

from foundation.store.table import (
    LOG,
    Check,
    Delete,
    Equals,
    Exists,
    Invalid,
    Key,
    Missing,
    Put,
    Refused,
    Span,
    TokenReused,
    Update,
)

from .walks import every_row_apart, fill, names, walk

# --- one item ---


def test_a_put_replaces_the_whole_item(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "old": 1}))
    table.write(Put({"PK": pk, "SK": "a", "new": 2}))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "new": 2}


def test_a_delete_removes_the_item(table, pk):
    fill(table, pk, "ab")
    table.write(Delete(Key(pk, "a")))
    assert names(walk(table, Span(pk))) == ["b"]


def test_deleting_what_is_not_there_is_no_error(table, pk):
    table.write(Delete(Key(pk, "nobody")))
    assert table.get(Key(pk, "nobody")) is None


def test_a_check_changes_nothing(table, pk):
    fill(table, pk, "a", n=1)
    table.write(Check(Key(pk, "a"), Exists()), Check(Key(pk, "b"), Missing()))
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "a", "n": 1}]


def test_an_item_may_be_changed_after_it_was_written_without_changing_the_store(table, pk):
    item = {"PK": pk, "SK": "a", "list": [1, {"x": 1}]}
    table.write(Put(item))
    item["list"][1]["x"] = 2
    item["more"] = True
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "list": [1, {"x": 1}]}


# --- many puts at once ---


def test_after_a_batch_of_puts_all_of_them_are_there(table, pk):
    table.put_all([{"PK": f"{pk}{n % 3}", "SK": f"{n:02}", "n": n} for n in range(25)])
    assert sorted(item["n"] for part in range(3) for item in walk(table, Span(f"{pk}{part}"))) == [*range(25)]


def test_a_batch_of_puts_replaces_what_was_there(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "old": 1}))
    table.put_all([{"PK": pk, "SK": "a", "new": 2}, {"PK": pk, "SK": "b"}])
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "a", "new": 2}, {"PK": pk, "SK": "b"}]


def test_the_same_batch_once_more_changes_nothing(table, pk):
    items = [{"PK": pk, "SK": name, "said": [name, 1]} for name in "abc"]
    for _ in range(2):
        table.put_all(items)
    assert walk(table, Span(pk)) == items


def test_a_batch_that_names_an_item_twice_is_refused_whole(table, pk):
    with pytest.raises(Invalid):
        table.put_all([{"PK": pk, "SK": "a"}, {"PK": pk, "SK": "b"}, {"PK": pk, "SK": "a", "n": 2}])
    assert walk(table, Span(pk)) == []


# --- updates ---


@pytest.mark.names_attributes
def test_an_update_makes_the_item_that_is_not_there(table, pk):
    table.write(Update(Key(pk, "a"), set={"name": "Ada"}, add={"n": 2}))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "name": "Ada", "n": 2}


@pytest.mark.names_attributes
def test_an_update_leaves_the_other_attributes_as_they_are(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "name": "Ada", "list": [1], "none": None, "n": 1}))
    table.write(Update(Key(pk, "a"), set={"name": "Grace"}))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "name": "Grace", "list": [1], "none": None, "n": 1}


@pytest.mark.names_attributes
def test_an_update_sets_values_of_any_type_over_any_other(table, pk):
    values = ["text", 1, True, None, b"\x00\xff", [], {}, [1, ["x"]], {"a": {"b": None}}, ""]
    for value in values:
        table.write(Update(Key(pk, "a"), set={"v": value}))
        found = table.get(Key(pk, "a"))["v"]
        assert (found, type(found)) == (value, type(value))


@pytest.mark.names_attributes
def test_adding_counts_from_zero_and_may_go_below(table, pk):
    table.write(Update(Key(pk, "a"), add={"up": 3, "down": -2, "nothing": 0}))
    table.write(Update(Key(pk, "a"), add={"up": 4, "down": -5, "nothing": 0}))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "up": 7, "down": -7, "nothing": 0}


@pytest.mark.names_attributes
def test_adding_is_exact_for_large_numbers(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "n": 2**62}))
    table.write(Update(Key(pk, "a"), add={"n": 2**62 - 1}))
    assert table.get(Key(pk, "a"))["n"] == 2**63 - 1


@every_row_apart("value", ["3", True, None, b"3", [3], {"n": 3}])
@pytest.mark.names_attributes
def test_adding_to_what_is_not_a_number_is_invalid_and_writes_nothing(table, pk, value):
    before = {"PK": pk, "SK": "a", "n": value, "m": 1}
    table.write(Put(before))
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "b"}), Update(Key(pk, "a"), set={"o": 1}, add={"m": 1, "n": 1}))
    assert walk(table, Span(pk)) == [before]


@pytest.mark.names_attributes
def test_a_removed_attribute_is_gone(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "x": 1, "y": 2, "z": None}))
    table.write(Update(Key(pk, "a"), remove=("x", "z", "never there"), when=Exists()))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "y": 2}


@pytest.mark.names_attributes
def test_set_add_and_remove_go_together(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "x": 1, "n": 1}))
    table.write(Update(Key(pk, "a"), set={"y": "new"}, add={"n": 1}, remove=("x",)))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "y": "new", "n": 2}


@every_row_apart(
    "name", ["size", "a.b", "a#b", ":v", "ünïcode", "with space", "0", "list[0]", "ttl2", "'\"`;--", "x" * 255]
)
@pytest.mark.names_attributes
def test_attributes_may_have_any_name(table, pk, name):
    table.write(Put({"PK": pk, "SK": "a", name: 1}, when=Missing(name)))
    table.write(Update(Key(pk, "a"), add={name: 1}, when=Equals(name, 1)))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", name: 2}
    table.write(Update(Key(pk, "a"), set={name: "text"}))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", name: "text"}
    table.write(Update(Key(pk, "a"), remove=(name,), when=Exists(name)))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a"}


# --- all or nothing ---


@pytest.mark.names_attributes
def test_all_parts_of_a_write_happen_in_both_tables(table, pk):
    fill(table, pk, ["gone", "changed"])
    table.write(
        Put({"PK": pk, "SK": "new"}),
        Update(Key(pk, "changed"), set={"n": 1}),
        Delete(Key(pk, "gone")),
        Put({"PK": pk, "SK": "event"}, table=LOG),
    )
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "changed", "n": 1}, {"PK": pk, "SK": "new"}]
    assert names(walk(table, Span(pk, table=LOG))) == ["event"]


@every_row_apart("position", range(5))
@pytest.mark.names_attributes
def test_one_refused_part_leaves_nothing_of_the_write(table, pk, position):
    fill(table, pk, ["gone", "changed"])
    writes = [
        Put({"PK": pk, "SK": "new"}),
        Update(Key(pk, "changed"), set={"n": 1}),
        Delete(Key(pk, "gone")),
        Put({"PK": pk, "SK": "event"}, table=LOG),
    ]
    writes.insert(position, Check(Key(pk, "nobody"), Exists()))
    with pytest.raises(Refused) as refused:
        table.write(*writes)
    assert refused.value.parts == (position,)
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "changed"}, {"PK": pk, "SK": "gone"}]
    assert walk(table, Span(pk, table=LOG)) == []


@pytest.mark.names_attributes
def test_a_refusal_names_every_part_whose_condition_did_not_hold(table, pk):
    fill(table, pk, "abcd")
    with pytest.raises(Refused) as refused:
        table.write(
            Put({"PK": pk, "SK": "a"}, when=Missing()),
            Put({"PK": pk, "SK": "e"}, when=Missing()),
            Update(Key(pk, "b"), set={"n": 1}, when=Equals("n", 2)),
            Delete(Key(pk, "c"), when=Exists()),
            Delete(Key(pk, "d"), when=Exists("n")),
            Check(Key(pk, "x", LOG), Exists()),
        )
    assert refused.value.parts == (0, 2, 4, 5)
    assert names(walk(table, Span(pk))) == list("abcd")


@every_row_apart("kind", ["put", "update", "delete", "check"])
@pytest.mark.names_attributes
def test_every_kind_of_write_alone_can_be_refused(table, pk, kind):
    fill(table, pk, "a", n=1)
    write = {
        "put": Put({"PK": pk, "SK": "a"}, when=Missing()),
        "update": Update(Key(pk, "a"), add={"n": 1}, when=Equals("n", 5)),
        "delete": Delete(Key(pk, "a"), when=Exists("nothing")),
        "check": Check(Key(pk, "a"), Missing("n")),
    }[kind]
    with pytest.raises(Refused) as refused:
        table.write(write)
    assert refused.value.parts == (0,)
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a", "n": 1}


def test_conditions_look_at_the_items_as_they_were_before_the_write(table, pk):
    fill(table, pk, "a")
    with pytest.raises(Refused) as refused:
        table.write(Delete(Key(pk, "a")), Put({"PK": pk, "SK": "b"}), Check(Key(pk, "c"), Exists()))
    assert refused.value.parts == (2,)
    table.write(Delete(Key(pk, "a")), Put({"PK": pk, "SK": "b"}, when=Missing()))
    assert names(walk(table, Span(pk))) == ["b"]


def test_an_invalid_part_leaves_nothing_of_the_write(table, pk):
    fill(table, pk, "a", n="text")
    with pytest.raises(Invalid):
        table.write(
            Put({"PK": pk, "SK": "b"}), Put({"PK": pk, "SK": "e"}, table=LOG), Update(Key(pk, "a"), add={"n": 1})
        )
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "a", "n": "text"}]
    assert walk(table, Span(pk, table=LOG)) == []


def test_a_write_may_not_name_one_item_twice(table, pk):
    fill(table, pk, "a")
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "a", "n": 1}), Check(Key(pk, "a"), Exists()))
    with pytest.raises(Invalid):
        table.write(Update(Key(pk, "b"), add={"n": 1}), Update(Key(pk, "b"), add={"m": 1}))
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "a"}]


def test_a_write_may_name_the_same_key_in_both_tables(table, pk):
    table.write(Put({"PK": pk, "SK": "a"}), Put({"PK": pk, "SK": "a"}, table=LOG))
    assert set(table.get_many([Key(pk, "a"), Key(pk, "a", LOG)])) == {Key(pk, "a"), Key(pk, "a", LOG)}


def test_a_write_has_at_least_one_part_and_at_most_a_hundred(table, pk):
    table.write(*(Put({"PK": pk, "SK": f"{n:03d}"}) for n in range(100)))
    assert table.count(Span(pk)) == 100
    with pytest.raises(Invalid):
        table.write(*(Put({"PK": pk, "SK": f"more {n}"}) for n in range(101)))
    with pytest.raises(Invalid):
        table.write()
    assert table.count(Span(pk)) == 100


def test_the_position_of_a_refused_part_is_right_among_a_hundred(table, pk):
    fill(table, pk, ["037", "099"])
    with pytest.raises(Refused) as refused:
        table.write(*(Put({"PK": pk, "SK": f"{n:03d}"}, when=Missing()) for n in range(100)))
    assert refused.value.parts == (37, 99)
    assert table.count(Span(pk)) == 2


# --- the same write again ---


def test_the_same_write_with_the_same_token_happens_once(table, pk, token):
    for _ in range(3):
        table.write(Update(Key(pk, "a"), add={"n": 1}), token=token)
    assert table.get(Key(pk, "a"))["n"] == 1


def test_a_write_that_could_not_happen_again_is_still_the_same_write(table, pk, token):
    write = (Put({"PK": pk, "SK": "a"}, when=Missing()), Put({"PK": pk, "SK": "e"}, table=LOG))
    table.write(*write, token=token)
    table.write(*write, token=token)
    assert names(walk(table, Span(pk))) == ["a"]


def test_a_repeated_write_does_not_undo_what_came_between(table, pk, token):
    table.write(Put({"PK": pk, "SK": "a", "n": 1}), token=token)
    table.write(Put({"PK": pk, "SK": "a", "n": 2}))
    table.write(Put({"PK": pk, "SK": "a", "n": 1}), token=token)
    assert table.get(Key(pk, "a"))["n"] == 2


@pytest.mark.names_attributes
def test_the_same_write_with_another_token_happens_again(table, pk, token):
    for n in range(3):
        table.write(Update(Key(pk, "a"), add={"n": 1}), token=f"{token[:30]}{n}")
    table.write(Update(Key(pk, "a"), add={"n": 1}))
    assert table.get(Key(pk, "a"))["n"] == 4


def test_a_token_of_another_write_is_refused_and_nothing_is_written(table, pk, token):
    table.write(Update(Key(pk, "a"), add={"n": 1}), token=token)
    others = [
        [Update(Key(pk, "a"), add={"n": 2})],
        [Update(Key(pk, "b"), add={"n": 1})],
        [Update(Key(pk, "a"), add={"n": 1}, when=Exists())],
        [Update(Key(pk, "a"), add={"n": 1}), Put({"PK": pk, "SK": "c"})],
        [Put({"PK": pk, "SK": "a", "n": True})],
    ]
    for writes in others:
        with pytest.raises(TokenReused):
            table.write(*writes, token=token)
    assert walk(table, Span(pk)) == [{"PK": pk, "SK": "a", "n": 1}]


def test_a_refused_writes_token_may_be_tried_again(table, pk, token):
    write = Update(Key(pk, "a"), add={"n": 1}, when=Exists())
    for _ in range(2):
        with pytest.raises(Refused):
            table.write(write, token=token)
    fill(table, pk, "a")
    table.write(write, token=token)
    table.write(write, token=token)
    assert table.get(Key(pk, "a"))["n"] == 1


def test_a_token_has_one_to_36_characters(table, pk, token):
    table.write(Put({"PK": pk, "SK": "a"}), token=token + "-234")
    for bad in ("", token + "-2345"):
        with pytest.raises(Invalid):
            table.write(Put({"PK": pk, "SK": "b"}), token=bad)
    assert names(walk(table, Span(pk))) == ["a"]


# --- increment ---


@pytest.mark.names_attributes
def test_incrementing_answers_each_number_once(table, pk):
    assert [table.increment(Key(pk, "n"), "last") for _ in range(5)] == [1, 2, 3, 4, 5]
    assert table.get(Key(pk, "n")) == {"PK": pk, "SK": "n", "last": 5}


def test_incrementing_goes_by_any_step(table, pk):
    key = Key(pk, "n", LOG)
    assert [table.increment(key, "last", by) for by in (10, -3, 0, 2**40)] == [10, 7, 7, 2**40 + 7]


@pytest.mark.names_attributes
def test_incrementing_sets_what_comes_with_it(table, pk, clock):
    assert table.increment(Key(pk, "n"), "tries", setting={"ttl": int(clock.now) + 60, "who": "Ada"}) == 1
    assert table.increment(Key(pk, "n"), "tries", setting={"who": "Grace"}) == 2
    assert table.get(Key(pk, "n")) == {"PK": pk, "SK": "n", "tries": 2, "who": "Grace", "ttl": int(clock.now) + 60}


@pytest.mark.names_attributes
def test_incrementing_leaves_the_other_attributes_as_they_are(table, pk):
    table.write(Put({"PK": pk, "SK": "n", "name": "Ada", "last": 41}))
    assert table.increment(Key(pk, "n"), "last") == 42
    assert table.get(Key(pk, "n")) == {"PK": pk, "SK": "n", "name": "Ada", "last": 42}


def test_incrementing_what_is_not_a_number_is_invalid_and_changes_nothing(table, pk):
    table.write(Put({"PK": pk, "SK": "n", "last": "41"}))
    with pytest.raises(Invalid):
        table.increment(Key(pk, "n"), "last", setting={"who": "Ada"})
    assert table.get(Key(pk, "n")) == {"PK": pk, "SK": "n", "last": "41"}


@pytest.mark.names_attributes
def test_an_increment_moves_an_item_in_the_index(table, pk):
    table.increment(Key(pk, "n"), "last", setting={"GSI1PK": pk, "GSI1SK": "1"})
    assert names(walk(table, Span(pk, index=True))) == ["n"]
