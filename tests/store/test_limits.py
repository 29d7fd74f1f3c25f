"""What every adapter keeps at the edge of DynamoDB's limits, what it refuses one step beyond, and what comes back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from foundation.store import limits
from foundation.store.table import Check, Delete, Equals, Exists, Invalid, Key, Missing, Put, Span, Unavailable, Update
from tests.rows import every_row

from .model import size_of
from .walks import every_row_apart, walk

MAX_ITEM_BYTES = 400 * 1024
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
BATCH_PUTS = 25
PK_BYTES, SK_BYTES = 2048, 1024
MAX_DEPTH = 32


def item_of(size, pk, fill="x"):
    """An item of exactly so many bytes."""
    item = {"PK": pk, "SK": "a", "text": ""}
    room = size - size_of(item)
    width = len(fill.encode())
    item["text"] = fill * (room // width) + "x" * (room % width)
    assert size_of(item) == size
    return item


def nested(depth):
    value = "core"
    for n in range(depth - 1):
        value = [value] if n % 2 else {"in": value}
    return value


# --- sizes ---


@every_row_apart("fill", ["x", "é", "🗳"])
def test_an_item_of_400_kilobytes_is_kept_and_one_byte_more_refused(table, pk, fill):
    item = item_of(MAX_ITEM_BYTES, pk, fill)
    table.write(Put(item))
    assert table.get(Key(pk, "a")) == item
    with pytest.raises(Invalid):
        table.write(Put({**item, "text": item["text"] + "x"}))
    with pytest.raises(Invalid):
        table.write(Put({**item, "n": None}))
    assert table.get(Key(pk, "a")) == item


def test_names_and_keys_count_towards_the_size(table, pk):
    item = {"PK": pk, "SK": "a" * 1000, "ñame" * 50: b"", "b": b""}
    item["b"] = bytes(MAX_ITEM_BYTES - size_of(item))
    table.write(Put(item))
    assert table.get(Key(pk, "a" * 1000)) == item
    with pytest.raises(Invalid):
        table.write(Put({**item, "b": item["b"] + b"\x00"}))


def test_an_update_may_fill_an_item_to_400_kilobytes_and_no_further(table, pk):
    full = item_of(MAX_ITEM_BYTES, pk)
    table.write(Put({"PK": pk, "SK": "a"}))
    table.write(Update(Key(pk, "a"), set={"text": full["text"]}))
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "b"}), Update(Key(pk, "a"), set={"n": 1}))
    with pytest.raises(Invalid):
        table.write(Update(Key(pk, "a"), add={"n": 1}))
    with pytest.raises(Invalid):
        table.increment(Key(pk, "a"), "n")
    assert walk(table, Span(pk)) == [full]


def test_the_items_of_one_write_have_at_most_four_megabytes_together(table, pk):
    items = [item_of(MAX_ITEM_BYTES - 10, f"{pk}{n}") for n in range(11)]
    assert sum(map(size_of, items)) > MAX_TRANSACTION_BYTES
    table.write(*map(Put, items[:10]))
    assert len(table.get_many(Key(f"{pk}{n}", "a") for n in range(11))) == 10
    with pytest.raises(Invalid):
        table.write(*map(Put, items))


@every_row_apart("count", [0, BATCH_PUTS + 1])
def test_a_batch_has_one_to_25_puts(table, pk, count):
    with pytest.raises(Invalid):
        table.put_all([{"PK": pk, "SK": f"{n:02}"} for n in range(count)])
    assert walk(table, Span(pk)) == []


def test_a_batch_may_hold_more_than_a_transaction_and_no_item_that_is_too_large(table, pk):
    items = [item_of(MAX_ITEM_BYTES - 10, f"{pk}{n}") for n in range(11)]
    table.put_all(items)
    assert len(table.get_many(Key(f"{pk}{n}", "a") for n in range(11))) == 11
    with pytest.raises(Invalid):
        table.put_all([{"PK": pk, "SK": "a"}, item_of(MAX_ITEM_BYTES + 1, pk)])
    with pytest.raises(Invalid):
        table.put_all([{"PK": pk}])
    assert walk(table, Span(pk)) == []


@every_row_apart("letter", ["k", "é", "🗳"])
def test_keys_have_at_most_2048_and_1024_bytes(table, pk, letter):
    def text(size):
        return (
            letter * ((size - len(pk)) // len(letter.encode())) + "x" * ((size - len(pk)) % len(letter.encode())) + pk
        )

    longest = Key(text(PK_BYTES), text(SK_BYTES))
    item = {"PK": longest.pk, "SK": longest.sk, "GSI1PK": longest.pk, "GSI1SK": longest.sk}
    table.write(Put(item))
    assert table.get(longest) == item
    assert walk(table, Span(longest.pk, prefix=longest.sk)) == [item]
    for name in item:
        with pytest.raises(Invalid):
            table.write(Put({**item, name: item[name] + "x"}))
    with pytest.raises(Invalid):
        table.write(Update(longest, set={"GSI1SK": text(SK_BYTES + 1)}))


@every_row("key", [Key("", "a"), Key("a", ""), Key("a" * 2049, "a"), Key("a", "a" * 1025), Key("\ud800", "a")])
def test_a_key_that_cannot_be_is_invalid_wherever_it_is_named(table, key):
    acts = [
        lambda: table.get(key),
        lambda: table.get_many([key]),
        lambda: table.write(Put({"PK": key.pk, "SK": key.sk})),
        lambda: table.put_all([{"PK": key.pk, "SK": key.sk}]),
        lambda: table.write(Update(key, set={"n": 1})),
        lambda: table.write(Delete(key)),
        lambda: table.write(Check(key, Exists())),
        lambda: table.increment(key, "n"),
    ]
    for act in acts:
        with pytest.raises(Invalid):
            act()


@every_row(
    "span",
    [
        Span(""),
        Span("a" * 2049),
        Span("\ud800"),
        Span("a", first=""),
        Span("a", last=""),
        Span("a", prefix="a" * 1025),
        Span("a", prefix="\ud800"),
        Span("a", first="a" * 1025, index=True),
    ],
)
def test_a_span_between_keys_that_cannot_be_is_invalid(table, span):
    with pytest.raises(Invalid):
        table.page(span)
    with pytest.raises(Invalid):
        table.count(span)


@every_row_apart("also", [{"n": 1}, {"PK": "other"}, {"GSI1PK": ""}, {"v": 1.5}, {"ttl": "soon"}])
def test_an_increment_that_makes_no_sense_is_invalid(table, pk, also):
    with pytest.raises(Invalid):
        table.increment(Key(pk, "a"), "n", setting=also)
    with pytest.raises(Invalid):
        table.increment(Key(pk, "a"), "GSI1PK")
    with pytest.raises(Invalid):
        table.increment(Key(pk, "a"), "n", True)
    assert table.get(Key(pk, "a")) is None


@every_row_apart("name", ["PK", "SK", "GSI1PK", "GSI1SK"])
@every_row_apart("value", ["", None, 1, b"bytes", ["a"]])
def test_keys_are_text_and_not_empty(table, pk, name, value):
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "a", "GSI1PK": "a", "GSI1SK": "a", name: value}))


@every_row_apart("missing", ["PK", "SK"])
def test_an_item_needs_its_key(table, pk, missing):
    item = {"PK": pk, "SK": "a", "n": 1}
    del item[missing]
    with pytest.raises((Invalid, KeyError)):
        table.write(Put(item))


@every_row_apart(
    "update",
    [
        {},
        {"set": {"PK": "other"}},
        {"set": {"SK": "other"}},
        {"remove": ("SK",)},
        {"add": {"PK": 1}},
        {"set": {"n": 1}, "add": {"n": 1}},
        {"set": {"n": 1}, "remove": ("n",)},
        {"remove": ("n", "n")},
        {"add": {"n": 1.5}},
        {"add": {"n": True}},
        {"add": {"n": "1"}},
        {"add": {"GSI1SK": 1}},
        {"set": {"n": 1.0}},
        {"set": {"ttl": "soon"}},
    ],
)
def test_an_update_that_makes_no_sense_is_invalid(table, pk, update):
    before = {"PK": pk, "SK": "a", "n": 1}
    table.write(Put(before))
    with pytest.raises(Invalid):
        table.write(Update(Key(pk, "a"), **update))
    assert walk(table, Span(pk)) == [before]


@every_row_apart("name", ["", "\ud800"])
def test_an_attribute_has_a_name_of_proper_text(table, pk, name):
    writes = [
        Put({"PK": pk, "SK": "a", name: 1}),
        Put({"PK": pk, "SK": "a", "m": {name: 1}}),
        Update(Key(pk, "a"), set={name: 1}),
        Update(Key(pk, "a"), add={name: 1}),
        Update(Key(pk, "a"), set={"n": 1}, remove=(name,)),
        Put({"PK": pk, "SK": "a"}, when=Missing(name)),
    ]
    for write in writes:
        with pytest.raises(Invalid):
            table.write(write)
    assert table.get(Key(pk, "a")) is None


# --- values ---


@every_row_apart(
    "value",
    [
        "",
        "text",
        "a\x00b",
        "\x00",
        "\ufeffbom",
        "שלום \u202eRTL\u202c",
        "e\u0301 is not é",
        "\U0001f5f3\ufe0f 👩‍👩‍👧 🇺🇳",
        "\U0010ffff\uffff\ufffe",
        "\r\n\t\u2028\x85",
        "12",
        "null",
        "NaN",
        0,
        1,
        -1,
        10**18,
        -(10**18),
        2**53 + 1,
        2**63 - 1,
        -(2**63) + 1,
        True,
        False,
        None,
        b"",
        b"\x00\xff" * 100,
        bytes(range(256)),
        [],
        {},
        [[], {}, [[]], ""],
        [1, "1", True, None, b"1", [1], {"1": 1}],
        {"S": "text", "N": "1", "M": {"L": []}, "NULL": True, "B": "AA=="},
        {"": 0}.__class__(a={"b": {"c": [{"d": None}]}}),
        {"🗳": "é", "a b": "#", "\x00": 1},
        {"b": 1, "a": 2},
    ],
)
@pytest.mark.names_attributes
def test_values_come_back_exactly_as_they_were(table, pk, value):
    table.write(Put({"PK": pk, "SK": "put", "v": value}))
    table.write(Update(Key(pk, "update"), set={"v": value}, when=None))
    for name in ("put", "update"):
        found = table.get(Key(pk, name))["v"]
        assert repr_of(found) == repr_of(value)
    table.write(Check(Key(pk, "put"), Equals("v", value)))


def repr_of(value):
    """So written that types and values must be the same, whatever the order of a map."""
    if isinstance(value, dict):
        return sorted((name, repr_of(each)) for name, each in value.items())
    return [repr_of(each) for each in value] if isinstance(value, list) else repr(value)


@pytest.mark.parametrize(
    "value",
    [
        1.5,
        1.0,
        float("nan"),
        float("inf"),
        Decimal(1),
        2**63,
        -(2**63),
        10**40,
        ("tuple",),
        {"set"},
        frozenset(),
        pytest.param(object(), id="anything"),
        bytearray(b"x"),
        "\ud800",
        "x\udfff",
        ["deep", 1.5],
        {"deep": {"er": ("tuple",)}},
        {1: "number as a name"},
        {"deep": "\ud800"},
        {"\ud800": "deep"},
        type("Text", (str,), {})("subclass"),
    ],
    ids=ascii,
)
def test_values_that_could_not_come_back_are_refused(table, pk, value):
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "a", "v": value}))
    with pytest.raises(Invalid):
        table.write(Update(Key(pk, "a"), set={"v": value}))
    assert table.get(Key(pk, "a")) is None


@pytest.mark.names_attributes
def test_values_nest_32_deep_and_no_deeper(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "v": nested(MAX_DEPTH)}))
    assert table.get(Key(pk, "a"))["v"] == nested(MAX_DEPTH)
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "b", "v": nested(MAX_DEPTH + 1)}))
    with pytest.raises(Invalid):
        table.write(Update(Key(pk, "b"), set={"v": nested(MAX_DEPTH + 1)}))


TABLES = [
    [{"confirmation": "A-1", "rankings": "0>1"}, {"confirmation": "Ä-2", "rankings": "", "voter_name": "🦜"}],
    [{"a": "b"}, {}],
    [{"a": "b"}, {"a": 1}],
    [{"a": "b"}, {"a": ["b", None]}],
    [{"a": "b"}, "c"],
    [],
]


@every_row("rows", TABLES)
def test_many_maps_weigh_together_what_they_weigh_one_by_one(rows):
    assert limits.check_value(rows) == 3 + sum(1 + limits.check_value(row, 2) for row in rows)


@every_row("wrong", [{"": "x"}, {"a": "\ud800"}, {"a": 1.5}, {1: "x"}])
def test_among_many_maps_one_that_cannot_be_is_found(wrong):
    with pytest.raises(Invalid):
        limits.check_value([{"a": "b"}, wrong])


def test_an_item_may_have_many_attributes(table, pk):
    item = {"PK": pk, "SK": "a", **{f"attribute {n}": n for n in range(1000)}}
    table.write(Put(item))
    assert table.get(Key(pk, "a")) == item


def test_changing_what_was_read_changes_nothing_stored(table, pk):
    table.write(Put({"PK": pk, "SK": "a", "GSI1PK": pk, "GSI1SK": "a", "list": [1], "map": {"x": [1]}}))
    reads = [
        lambda: table.get(Key(pk, "a")),
        lambda: table.get_many([Key(pk, "a")])[Key(pk, "a")],
        lambda: table.page(Span(pk)).items[0],
        lambda: table.page(Span(pk, index=True)).items[0],
    ]
    for read in reads:
        item = read()
        item["list"].append(2)
        item["map"]["x"][0] = 2
        item["more"] = True
        assert read() == {"PK": pk, "SK": "a", "GSI1PK": pk, "GSI1SK": "a", "list": [1], "map": {"x": [1]}}


# --- a store that is not there yet ---


def test_tables_not_created_say_so_in_a_sentence(uncreated):
    acts = [
        lambda: uncreated.get(Key("a", "b")),
        lambda: uncreated.get_many([Key("a", "b")]),
        lambda: uncreated.page(Span("a")),
        lambda: uncreated.count(Span("a")),
        lambda: uncreated.write(Put({"PK": "a", "SK": "b"})),
        lambda: uncreated.put_all([{"PK": "a", "SK": "b"}]),
        lambda: uncreated.write(Check(Key("a", "b"), Exists())),
        lambda: uncreated.increment(Key("a", "b"), "n"),
    ]
    for act in acts:
        with pytest.raises(Unavailable, match=r"create_tables"):
            act()


def test_creating_what_is_there_already_changes_nothing(adapter, pk, tmp_path):
    table = adapter.empty(tmp_path)
    table.write(Put({"PK": pk, "SK": "a"}))
    table.create()
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a"}


def test_a_closed_table_connects_anew(table, pk):
    table.write(Put({"PK": pk, "SK": "a"}))
    table.close()
    table.close()
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a"}


@every_row_apart("when", [None, Missing(), Missing("name") | Equals("name", 1)])
def test_an_update_that_only_removes_must_demand_that_the_item_is_there(table, pk, when):
    with pytest.raises(Invalid):
        table.write(Update(Key(pk, "a"), remove=("name",), when=when))
    table.write(Put({"PK": pk, "SK": "a", "name": 1}))
    table.write(Update(Key(pk, "a"), remove=("name",), when=Exists()))
    assert table.get(Key(pk, "a")) == {"PK": pk, "SK": "a"}


def test_a_table_that_nobody_knows_is_invalid(table, pk):
    with pytest.raises(Invalid):
        table.get(Key(pk, "a", "nowhere"))
    with pytest.raises(Invalid):
        table.page(Span(pk, table="nowhere"))
    with pytest.raises(Invalid):
        table.write(Put({"PK": pk, "SK": "a"}, table="nowhere"))
