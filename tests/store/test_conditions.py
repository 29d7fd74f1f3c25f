"""What every adapter promises about conditions: when each holds of what is there, missing or of another type."""

from __future__ import annotations

import pytest

from foundation.store.table import (
    AllOf,
    AnyOf,
    Check,
    Equals,
    Exists,
    Greater,
    Invalid,
    Key,
    Less,
    Missing,
    Put,
    Refused,
)
from tests.rows import every_row

from .walks import every_row_apart

ITEM = {
    "text": "banana",
    "empty": "",
    "accent": "é",
    "emoji": "🗳",
    "number": 10,
    "negative": -5,
    "zero": 0,
    "one": 1,
    "large": 2**63 - 1,
    "yes": True,
    "no": False,
    "null": None,
    "bytes": b"\x01\xff",
    "no bytes": b"",
    "list": [1, "two", [None, True], {"three": 3}],
    "no list": [],
    "map": {"a": 1, "b": {"c": [True, b"\x00"]}, "d": None},
    "no map": {},
}

ALWAYS_TRUE, ALWAYS_FALSE = Exists("text"), Missing("text")


@pytest.fixture
def holds(table, pk):
    """Whether a condition holds of the item above, as a check sees it."""
    table.write(Put({"PK": pk, "SK": "item", **ITEM}))

    def ask(condition):
        try:
            table.write(Check(Key(pk, "item"), condition))
        except Refused:
            return False
        return True

    return ask


def test_an_item_or_attribute_exists_or_is_missing(holds):
    for name in ("PK", "SK", *ITEM):
        assert holds(Exists(name)), name
        assert not holds(Missing(name)), name
    assert holds(Missing("nothing"))
    assert not holds(Exists("nothing"))
    assert holds(Exists())
    assert not holds(Missing())


def test_everything_is_missing_from_an_item_that_is_not_there(table, pk):
    absent = Key(pk, "nobody")
    table.write(Check(absent, Missing()))
    table.write(Check(absent, Missing("name") & Missing("PK") & Missing("SK")))
    for condition in (Exists(), Exists("SK"), Equals("PK", pk), Equals("null", None), Less("n", 1), Greater("n", -1)):
        with pytest.raises(Refused):
            table.write(Check(absent, condition))


def test_every_value_equals_itself(holds, pk):
    assert holds(AllOf(tuple(Equals(name, value) for name, value in ITEM.items())))
    assert holds(Equals("PK", pk) & Equals("SK", "item"))


@every_row(
    ("name", "other"),
    [
        ("text", "Banana"),
        ("text", "banana "),
        ("text", b"banana"),
        ("text", ["banana"]),
        ("empty", None),
        ("empty", b""),
        ("empty", []),
        ("accent", "e\u0301"),
        ("number", 11),
        ("number", "10"),
        ("number", [10]),
        ("zero", None),
        ("zero", ""),
        ("one", "1"),
        ("yes", "True"),
        ("yes", False),
        ("no", None),
        ("no", ""),
        ("null", False),
        ("null", 0),
        ("null", ""),
        ("null", "null"),
        ("null", []),
        ("large", 2**63 - 2),
        ("bytes", b"\x01"),
        ("bytes", "\x01ÿ"),
        ("no bytes", ""),
        ("no list", {}),
        ("no list", None),
        ("no map", []),
        ("list", [1, "two", [None, True]]),
        ("list", ["two", 1, [None, True], {"three": 3}]),
        ("list", [1, "two", [None, True], {"three": "3"}]),
        ("map", {"a": 1, "b": {"c": [True, b"\x00"]}}),
        ("map", {"a": 1, "b": {"c": [True, b"\x00"]}, "d": None, "e": None}),
        ("map", {"a": 1, "b": {"c": [True, "\x00"]}, "d": None}),
        ("map", {"A": 1, "b": {"c": [True, b"\x00"]}, "d": None}),
    ],
)
def test_another_value_or_another_type_is_not_equal(holds, name, other):
    assert not holds(Equals(name, other))


def test_a_truth_value_equals_no_number_not_even_deep_inside(holds):
    for name, other in [("zero", False), ("one", True), ("yes", 1), ("no", 0)]:
        assert not holds(Equals(name, other)), name
    assert not holds(Equals("list", [1, "two", [None, 1], {"three": 3}]))
    assert not holds(Equals("list", [True, "two", [None, True], {"three": 3}]))
    assert not holds(Equals("map", {"a": True, "b": {"c": [True, b"\x00"]}, "d": None}))


def test_a_missing_attribute_equals_nothing(holds):
    for value in (None, "", 0, False, [], {}, b""):
        assert not holds(Equals("nothing", value)), value


def test_maps_are_equal_in_whatever_order_they_were_written(holds):
    assert holds(Equals("map", {"d": None, "b": {"c": [True, b"\x00"]}, "a": 1}))


@every_row(
    ("name", "smaller", "larger"),
    [
        ("number", 9, 11),
        ("number", -11, 100),
        ("negative", -6, -4),
        ("negative", -10, 0),
        ("large", 2**63 - 2, None),
        ("text", "banan", "bananas"),
        ("text", "Zebra", "c"),
        ("text", "", "banana\x00"),
        ("accent", "e\u0301", "ê"),
        ("accent", "z", "中"),
        ("emoji", "\uffff", "🗴"),
        ("emoji", "中", "\U0010ffff"),
        ("bytes", b"\x01\xfe", b"\x01\xff\x00"),
        ("bytes", b"\x01", b"\x02"),
        ("bytes", b"", b"\xff"),
    ],
)
def test_numbers_compare_by_value_and_text_and_bytes_by_their_bytes(holds, name, smaller, larger):
    assert holds(Greater(name, smaller))
    assert not holds(Less(name, smaller))
    if larger is not None:
        assert holds(Less(name, larger))
        assert not holds(Greater(name, larger))


@every_row("name", ["number", "negative", "zero", "text", "empty", "accent", "bytes"])
def test_nothing_is_less_or_greater_than_itself(holds, name):
    assert not holds(Less(name, ITEM[name]))
    assert not holds(Greater(name, ITEM[name]))


@every_row("value", ["5", 5, b"5", "", 0, b""])
def test_other_types_and_missing_attributes_are_neither_less_nor_greater(holds, value):
    names = [name for name, stored in ITEM.items() if type(stored) is not type(value)]
    for name in [*names, "nothing"]:
        assert not holds(Less(name, value) | Greater(name, value)), name


@every_row("left", [True, False])
@every_row("right", [True, False])
def test_and_holds_if_both_hold_and_or_if_one_does(holds, left, right):
    first, second = ({True: ALWAYS_TRUE, False: ALWAYS_FALSE}[each] for each in (left, right))
    assert holds(first & second) == (left and right)
    assert holds(first | second) == (left or right)


def test_conditions_nest(holds):
    assert holds((ALWAYS_FALSE & ALWAYS_TRUE) | (ALWAYS_TRUE & ALWAYS_TRUE))
    assert not holds((ALWAYS_TRUE | ALWAYS_FALSE) & (ALWAYS_FALSE | ALWAYS_FALSE))
    assert not holds(ALWAYS_TRUE & (ALWAYS_TRUE & (ALWAYS_TRUE & (ALWAYS_TRUE & ALWAYS_FALSE))))
    assert holds(ALWAYS_FALSE | (ALWAYS_FALSE | (ALWAYS_FALSE | (ALWAYS_FALSE | ALWAYS_TRUE))))


def test_and_binds_as_it_is_written_not_as_it_would_be_read(holds):
    assert not holds(AllOf((AnyOf((ALWAYS_TRUE, ALWAYS_FALSE)), ALWAYS_FALSE)))
    assert holds(AnyOf((ALWAYS_TRUE, AllOf((ALWAYS_FALSE, ALWAYS_FALSE)))))


def test_conditions_of_one_part_and_of_many_parts(holds):
    assert holds(AllOf((ALWAYS_TRUE,)))
    assert not holds(AnyOf((ALWAYS_FALSE,)))
    assert holds(AllOf((ALWAYS_TRUE,) * 50))
    assert holds(AnyOf((ALWAYS_FALSE,) * 49 + (ALWAYS_TRUE,)))


@every_row_apart(
    "condition",
    [
        AllOf(()),
        AnyOf(()),
        ALWAYS_TRUE & AnyOf(()),
        Less("number", True),
        Greater("null", None),
        Less("list", [1]),
        Less("number", 1.5),
        Equals("number", 10.0),
        Equals("map", {"a": 1.0}),
        Equals("text", "\ud800"),
        Equals("number", 2**63),
    ],
)
def test_a_condition_that_makes_no_sense_is_invalid(table, pk, condition):
    table.write(Put({"PK": pk, "SK": "item", **ITEM}))
    with pytest.raises(Invalid):
        table.write(Check(Key(pk, "item"), condition))
