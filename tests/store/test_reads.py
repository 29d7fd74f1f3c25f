"""What every adapter promises about reading: single items, spans, their order, pages, cursors and counts."""

from __future__ import annotations

import random
import re

import pytest

from foundation.store.table import DATA, LOG, BadCursor, Delete, Invalid, Key, Put, Span

from .model import PAGE_BYTES, size_of
from .walks import every_row_apart, fill, names, pages, walk

# In the order of their UTF-8 bytes; UTF-16, a locale or a case-blind order would each put some elsewhere.
IN_ORDER = [
    "\x00",
    "\x00a",
    " ",
    "#",
    "%",
    "0",
    "10",
    "2",
    "A",
    "B",
    "Z",
    "_",
    "a",
    "a\x00",
    "a\x00b",
    "a ",
    "aa",
    "b",
    "e",
    "e\u0301",
    "z",
    "\x7f",
    "\x80",
    "ß",
    "é",
    "é!",
    "\u0301",
    "א",
    "ก",
    "中",
    "中文",
    "文",
    "\ue000",
    "\ufb01",
    "\ufffd",
    "\uffff",
    "𐍈",
    "🗳",
    "🗳\ufe0f",
    "😀",
    "\U0010ffff",
]


# --- single items ---


def test_an_item_that_is_not_there_reads_as_none(table, pk):
    assert table.get(Key(pk, "nobody")) is None


def test_a_written_item_is_read_back_whole(table, pk):
    item = {"PK": pk, "SK": "one", "name": "Ada", "votes": 3}
    table.write(Put(item))
    assert table.get(Key(pk, "one")) == item


def test_every_read_sees_the_write_before_it(table, pk):
    for n in range(20):
        table.write(Put({"PK": pk, "SK": "one", "n": n}))
        assert table.get(Key(pk, "one"))["n"] == n
        assert table.get_many([Key(pk, "one")])[Key(pk, "one")]["n"] == n
        assert table.page(Span(pk)).items[0]["n"] == n


def test_the_two_tables_share_no_items(table, pk):
    fill(table, pk, ["one"], where=LOG)
    assert table.get(Key(pk, "one")) is None
    assert table.get(Key(pk, "one", LOG)) == {"PK": pk, "SK": "one"}
    assert walk(table, Span(pk)) == []
    assert names(walk(table, Span(pk, table=LOG))) == ["one"]


def test_keys_are_told_apart_to_the_last_byte(table, pk):
    keys = ["A", "a", "a ", "a\x00", "é", "e\u0301", "\uff41"]
    for key in keys:
        table.write(Put({"PK": pk + key, "SK": key, "is": key}))
    assert [table.get(Key(pk + key, key))["is"] for key in keys] == keys
    assert table.get(Key(pk + "A", "a")) is None


def test_get_many_answers_those_that_are_there(table, pk):
    fill(table, pk, ["a", "c"])
    found = table.get_many(Key(pk, name) for name in "abcd")
    assert found == {Key(pk, name): {"PK": pk, "SK": name} for name in "ac"}


def test_get_many_of_nothing_is_empty(table):
    assert table.get_many([]) == {}


def test_get_many_may_name_an_item_twice(table, pk):
    fill(table, pk, ["a"])
    assert table.get_many([Key(pk, "a")] * 3) == {Key(pk, "a"): {"PK": pk, "SK": "a"}}


def test_get_many_reads_more_than_a_hundred_items_from_both_tables(table, pk):
    wanted = [f"{n:03d}" for n in range(110)]
    fill(table, pk, wanted, kind="data")
    fill(table, pk, wanted, kind="log", where=LOG)
    keys = [Key(pk, name, where) for name in wanted for where in (DATA, LOG)]
    found = table.get_many([*keys, Key(pk, "nobody"), *keys[:7]])
    assert found.keys() == set(keys)
    assert all(
        item["SK"] == key.sk and item["kind"] == ("log" if key.table == LOG else "data") for key, item in found.items()
    )


def test_get_many_reads_more_than_sixteen_megabytes_worth_of_keys_in_one_call(table, pk):
    """DynamoDB answers at most 16 MB at once and names the rest; nobody who calls should notice."""
    for n in range(42):
        table.write(Put({"PK": pk, "SK": str(n), "text": "x" * 400_000}))
    assert len(table.get_many(Key(pk, str(n)) for n in range(42))) == 42


# --- spans ---


def test_a_span_is_one_partition_and_no_other(table, pk):
    for other in (pk, pk + "#", pk + "\x00", pk[:-1], pk.lower()):
        fill(table, other, ["x"], of=other)
    assert [item["of"] for item in walk(table, Span(pk))] == [pk]


def test_an_empty_span_is_one_empty_page(table, pk):
    page = table.page(Span(pk))
    assert (page.items, page.cursor) == ([], None)


@every_row_apart(
    ("prefix", "found"),
    [
        ("V#", ["V#", "V#1", "V#a", "V#é"]),
        ("V", ["V", "V!", "V#", "V#1", "V#a", "V#é", "V_", "Va"]),
        ("V_", ["V_"]),
        ("V%", []),
        ("v", ["v#1"]),
        ("V#e", []),
        ("\U0010ffff", ["\U0010ffff", "\U0010ffff\U0010ffff"]),
        ("W", []),
        ("X\x7f", ["X\x7f", "X\x7fy"]),
        ("X\ud7ff", ["X\ud7ff", "X\ud7ffy"]),
    ],
)
def test_a_prefix_finds_the_keys_that_begin_with_it(table, pk, prefix, found):
    keys = [
        "V",
        "V!",
        "V#",
        "V#1",
        "V#a",
        "V#é",
        "V_",
        "Va",
        "v#1",
        "U",
        "X\x7f",
        "X\x7fy",
        "X\x80",
        "X\ud7ff",
        "X\ud7ffy",
    ]
    fill(table, pk, [*keys, "X\ue000", "\U0010ffff", "\U0010ffff\U0010ffff"])
    assert names(walk(table, Span(pk, prefix=prefix))) == found
    assert table.count(Span(pk, prefix=prefix)) == len(found)


@every_row_apart(
    ("first", "last", "found"),
    [
        ("b", "d", "bcd"),
        ("b", None, "bcdeé"),
        (None, "c", "abc"),
        ("c", "c", "c"),
        ("bb", "d!", "cd"),
        ("f", None, "é"),
        ("g", "h", ""),
        (None, "A", ""),
        ("e", "é", "eé"),
    ],
)
def test_a_range_includes_both_its_ends_and_may_leave_them_open(table, pk, first, last, found):
    fill(table, pk, "daecéb")
    span = Span(pk, first=first, last=last)
    assert names(walk(table, span)) == list(found)
    assert names(walk(table, span, backwards=True)) == list(found)[::-1]
    assert table.count(span) == len(found)


def test_a_span_is_not_prefix_and_range_at_once():
    with pytest.raises(ValueError, match="not both"):
        Span("p", prefix="a", first="b")


def test_a_span_does_not_end_before_it_begins():
    with pytest.raises(ValueError, match="after its last"):
        Span("p", first="b", last="a")


def test_a_span_of_the_log_is_read_like_one_of_the_data(table, pk):
    fill(table, pk, "abcd", where=LOG)
    assert names(walk(table, Span(pk, first="b", last="c", table=LOG), limit=1)) == ["b", "c"]
    assert table.count(Span(pk, table=LOG)) == 4


# --- order ---


def test_items_come_in_the_order_of_their_keys_utf8_bytes(table, pk):
    assert sorted(IN_ORDER, key=str.encode) == IN_ORDER
    fill(table, pk, random.Random(1).sample(IN_ORDER, len(IN_ORDER)))
    assert names(walk(table, Span(pk))) == IN_ORDER
    assert names(walk(table, Span(pk), limit=4)) == IN_ORDER


def test_backwards_is_the_same_order_from_the_other_end(table, pk):
    fill(table, pk, IN_ORDER)
    assert names(walk(table, Span(pk), backwards=True)) == IN_ORDER[::-1]
    assert names(walk(table, Span(pk), limit=4, backwards=True)) == IN_ORDER[::-1]


def test_ranges_compare_by_utf8_bytes_too(table, pk):
    fill(table, pk, IN_ORDER)
    for first, last in [("\x00", "A"), ("Z", "z"), ("é", "文"), ("\uffff", "🗳"), ("𐍈", "\U0010ffff")]:
        found = names(walk(table, Span(pk, first=first, last=last)))
        assert found == IN_ORDER[IN_ORDER.index(first) : IN_ORDER.index(last) + 1]


# --- pages and cursors ---


def test_a_span_longer_than_one_megabyte_is_read_page_by_page(table, pk):
    fill(table, pk, [f"{n:02d}" for n in range(12)], text="é" * 50_000)
    all_pages = pages(table, Span(pk))
    assert len(all_pages) > 1
    assert all(sum(map(size_of, page)) <= PAGE_BYTES + 101_000 for page in all_pages)
    assert names(item for page in all_pages for item in page) == [f"{n:02d}" for n in range(12)]
    assert names(table.each(Span(pk))) == [f"{n:02d}" for n in range(12)]
    assert names(table.each(Span(pk), backwards=True)) == [f"{n:02d}" for n in range(12)][::-1]


@every_row_apart("backwards", [False, True])
@every_row_apart("limit", [1, 2, 3, 6, 7, 100])
def test_walking_page_by_page_sees_every_item_once(table, pk, limit, backwards):
    fill(table, pk, "fbdace")
    all_pages = pages(table, Span(pk), limit, backwards)
    assert all(len(page) <= limit for page in all_pages)
    assert names(item for page in all_pages for item in page) == list("fedcba" if backwards else "abcdef")


@every_row_apart("span", [{"prefix": "b"}, {"first": "b1", "last": "b4"}, {"first": "b1"}, {"last": "b4"}])
def test_pages_stay_within_their_span(table, pk, span):
    keys = ["a1", "a2", "b1", "b2", "b3", "b4", "c1"]
    fill(table, pk, keys)
    whole = names(walk(table, Span(pk, **span)))
    assert names(walk(table, Span(pk, **span), limit=1)) == whole
    assert names(walk(table, Span(pk, **span), limit=3, backwards=True)) == whole[::-1]


def test_a_page_has_room_for_at_least_one_item(table, pk):
    fill(table, pk, "a")
    for limit in (0, -1):
        with pytest.raises(Invalid):
            table.page(Span(pk), limit=limit)


def test_a_cursor_is_text_that_can_stand_in_an_address(table, pk):
    fill(table, pk, IN_ORDER)
    for n in range(1, len(IN_ORDER), 5):
        assert re.fullmatch(r"[A-Za-z0-9_.~=-]+", table.page(Span(pk), limit=n).cursor)


def test_the_last_page_has_no_cursor_or_one_that_leads_to_an_empty_page(table, pk):
    fill(table, pk, "abcd")
    page = table.page(Span(pk), limit=4)
    assert names(page.items) == list("abcd")
    if page.cursor is not None:
        assert table.page(Span(pk), cursor=page.cursor).items == []


@every_row_apart("backwards", [False, True])
def test_deleting_the_item_a_cursor_stands_on_loses_no_other(table, pk, backwards):
    fill(table, pk, "abcde")
    page = table.page(Span(pk), limit=2, backwards=backwards)
    table.write(Delete(Key(pk, page.items[-1]["SK"])))
    rest = table.page(Span(pk), cursor=page.cursor, backwards=backwards)
    assert names(rest.items) == list("cba" if backwards else "cde")


def test_deleting_everything_after_a_cursor_leaves_an_empty_page(table, pk):
    fill(table, pk, "abcd")
    page = table.page(Span(pk), limit=2)
    table.write(Delete(Key(pk, "c")), Delete(Key(pk, "d")))
    assert table.page(Span(pk), cursor=page.cursor).items == []


def test_what_is_written_behind_a_cursor_is_not_seen_and_what_is_written_ahead_is(table, pk):
    fill(table, pk, "bdf")
    page = table.page(Span(pk), limit=2)
    fill(table, pk, "aceg")
    assert names(table.page(Span(pk), cursor=page.cursor).items) == ["e", "f", "g"]


@every_row_apart(
    "cursor",
    [
        "x",
        "!!!",
        "é",
        "e30",
        "e30=",
        "W10",
        "bnVsbA",
        "MQ",
        "Int7Ig",
        "eyJQSyI6MSwiU0siOjJ9",
        "WyJhIl0",
        "A" * 70_000,
        "\x00",
    ],
)
def test_a_made_up_cursor_is_refused(table, pk, cursor):
    fill(table, pk, "abc")
    with pytest.raises(BadCursor):
        table.page(Span(pk), cursor=cursor)


def test_a_cursor_of_another_span_is_refused(table, pk):
    for where in (DATA, LOG):
        fill(table, pk, ["a1", "a2", "b1", "b2"], GSI1PK=pk, GSI1SK="x", where=where)
        fill(table, pk + "2", ["a1", "a2"], where=where)
    at_a1 = table.page(Span(pk), limit=1).cursor
    elsewhere = [Span(pk + "2"), Span(pk, index=True), Span(pk, prefix="b"), Span(pk, first="a2"), Span(pk, last="a0")]
    for span in elsewhere:
        with pytest.raises(BadCursor):
            table.page(span, cursor=at_a1)
    with pytest.raises(BadCursor):
        table.page(Span(pk), cursor=table.page(Span(pk, index=True), limit=1).cursor)


def test_a_tampered_cursor_is_refused_or_stays_within_its_span(table, pk):
    fill(table, pk, [f"a{n}" for n in range(6)])
    fill(table, pk, ["b"])
    span = Span(pk, prefix="a")
    cursor = table.page(span, limit=2).cursor
    chance = random.Random(7)
    for _ in range(80):
        at = chance.randrange(len(cursor))
        forged = cursor[:at] + chance.choice(["", *"AZaz09-_="]) + cursor[at + chance.randrange(2) :]
        try:
            page = table.page(span, cursor=forged)
        except BadCursor:
            continue
        assert all(item["PK"] == pk and item["SK"].startswith("a") for item in page.items)


# --- counts ---


def test_a_count_is_the_length_of_the_walk(table, pk):
    fill(table, pk, IN_ORDER)
    assert table.count(Span(pk)) == len(IN_ORDER)
    assert table.count(Span(pk + "x")) == 0
    assert table.count(Span(pk, prefix="a")) == 5


def test_a_count_goes_on_past_one_megabyte(table, pk):
    fill(table, pk, [f"{n:02d}" for n in range(12)], text="x" * 100_000)
    assert table.count(Span(pk)) == 12


# --- some attributes only ---

CURIOUS = [
    {"name": "Ada", "rankings": "0>1"},
    {"name": 'an "\\ and {a: "b"} and ~', "rankings": ""},
    {"name": '"rankings":"2"', "rankings": "1"},
    {"name": "no rankings"},
    {"rankings": None},
    {"rankings": 5, "name": False},
    {"rankings": "0", "name": {"rankings": "1"}},
    {"name": {"rankings": "1", "name": "nested"}},
    {"rankings": b"\x00", "name": ["rankings", "é", "中"]},
    {"rankings": "été 🗳", "other": b"\xff"},
]


@every_row_apart("names", [("rankings",), ("name", "rankings"), ("SK", "name", "SK"), ("nothing",), ()])
@every_row_apart("some", [CURIOUS, CURIOUS[:1], CURIOUS[:2], CURIOUS[2:3], CURIOUS[6:7], CURIOUS[7:8]])
@pytest.mark.names_attributes
def test_values_are_these_attributes_of_every_item(table, pk, some, names):
    for number, attributes in enumerate(some):
        table.write(Put({"PK": pk, "SK": f"{number}", **attributes}))
    found = list(table.values(Span(pk), *names))
    assert found == [tuple(map(item.get, names)) for item in walk(table, Span(pk))]
    assert len(found) == len(some)


@every_row_apart("name", [":", ",", ":,", "a.b", '"', "\\", "#a", "size", "é"])
@pytest.mark.names_attributes
def test_values_of_an_attribute_whatever_its_name(table, pk, name):
    table.write(Put({"PK": pk, "SK": "1", "a": ":", "b": ",", name: ":"}))
    table.write(Put({"PK": pk, "SK": "2", "a": [0], "b": ":"}))
    assert list(table.values(Span(pk), name, "b")) == [(":", ","), (None, ":")]


@pytest.mark.names_attributes
def test_values_go_on_past_one_megabyte(table, pk):
    for number in range(30):
        table.write(Put({"PK": pk, "SK": f"{number:02}", "long": "x" * 50_000, "number": f"{number}"}))
    assert list(table.values(Span(pk), "number")) == [(f"{number}",) for number in range(30)]


@pytest.mark.names_attributes
def test_values_stay_within_their_span(table, pk):
    fill(table, pk, ["a1", "a2", "b1"])
    assert list(table.values(Span(pk, "a"), "SK")) == [("a1",), ("a2",)]
    assert list(table.values(Span(pk, "c"), "SK")) == []
