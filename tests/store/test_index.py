"""What every adapter promises about GSI1, the second order in which items can be read."""

from __future__ import annotations

import time

import pytest

from foundation.store.table import LOG, Delete, Exists, Invalid, Key, Put, Span, Update

from .walks import fill, names, pages, walk


@pytest.fixture
def shelf(pk):
    """A partition of the index nobody else has."""
    return pk + "-shelf"


def settled(table, span, count):
    """The walk, once the index has caught up: on AWS it lags behind."""
    deadline = time.monotonic() + 60
    while len(found := walk(table, span)) != count and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def place(table, pk, shelf, **sort_keys):
    for name, sort_key in sort_keys.items():
        table.write(Put({"PK": pk, "SK": name, "GSI1PK": shelf, "GSI1SK": sort_key}))


def test_the_index_lists_items_in_its_own_order(table, pk, shelf):
    place(table, pk, shelf, a="3", b="1", c="2", d="é", e="🗳", f="\uffff")
    assert names(settled(table, Span(shelf, index=True), 6)) == list("bcadfe")
    assert names(walk(table, Span(shelf, index=True), backwards=True)) == list("efdacb")


def test_the_index_lists_whole_items(table, pk, shelf):
    item = {
        "PK": pk,
        "SK": "a",
        "GSI1PK": shelf,
        "GSI1SK": "1",
        "name": "Ada",
        "list": [1, {"b": b"\x00"}],
        "none": None,
    }
    table.write(Put(item))
    assert settled(table, Span(shelf, index=True), 1) == [item]


def test_only_items_with_both_index_keys_are_in_the_index(table, pk, shelf):
    place(table, pk, shelf, both="1")
    table.write(Put({"PK": pk, "SK": "no sort key", "GSI1PK": shelf}))
    table.write(Put({"PK": pk, "SK": "no partition", "GSI1SK": "1"}))
    table.write(Put({"PK": shelf, "SK": "neither"}))
    assert names(settled(table, Span(shelf, index=True), 1)) == ["both"]
    assert table.count(Span(shelf, index=True)) == 1


def test_the_index_gathers_items_of_several_partitions(table, pk, shelf):
    for n in range(3):
        table.write(Put({"PK": f"{pk}{n}", "SK": "METADATA", "GSI1PK": shelf, "GSI1SK": str(n)}))
    assert [item["PK"] for item in settled(table, Span(shelf, index=True), 3)] == [f"{pk}{n}" for n in range(3)]


def test_prefix_range_and_count_work_on_the_index(table, pk, shelf):
    place(table, pk, shelf, a="x1", b="x2", c="x3", d="y1")
    settled(table, Span(shelf, index=True), 4)
    assert names(walk(table, Span(shelf, prefix="x", index=True))) == list("abc")
    assert names(walk(table, Span(shelf, first="x2", last="y1", index=True))) == list("bcd")
    assert table.count(Span(shelf, prefix="x", index=True)) == 3
    assert table.count(Span(shelf, last="x2", index=True)) == 2


@pytest.mark.names_attributes
def test_an_update_moves_an_item_within_the_index(table, pk, shelf):
    place(table, pk, shelf, a="1", b="2")
    table.write(Update(Key(pk, "a"), set={"GSI1SK": "3"}))
    assert names(settled(table, Span(shelf, index=True), 2)) == ["b", "a"]


@pytest.mark.names_attributes
def test_an_update_moves_an_item_to_another_partition_of_the_index(table, pk, shelf):
    place(table, pk, shelf, a="1", b="2")
    table.write(Update(Key(pk, "a"), set={"GSI1PK": shelf + "2"}))
    assert names(settled(table, Span(shelf, index=True), 1)) == ["b"]
    assert names(settled(table, Span(shelf + "2", index=True), 1)) == ["a"]


@pytest.mark.names_attributes
def test_an_update_puts_an_item_into_the_index_and_takes_it_out(table, pk, shelf):
    table.write(Put({"PK": pk, "SK": "a", "GSI1PK": shelf}))
    table.write(Update(Key(pk, "a"), set={"GSI1SK": "1", "n": 1}))
    assert names(settled(table, Span(shelf, index=True), 1)) == ["a"]
    table.write(Update(Key(pk, "a"), remove=("GSI1SK",), when=Exists()))
    assert settled(table, Span(shelf, index=True), 0) == []


def test_a_put_without_index_keys_takes_the_item_out_of_the_index(table, pk, shelf):
    place(table, pk, shelf, a="1")
    fill(table, pk, ["a"])
    assert settled(table, Span(shelf, index=True), 0) == []


def test_a_deleted_item_leaves_the_index(table, pk, shelf):
    place(table, pk, shelf, a="1", b="2")
    table.write(Delete(Key(pk, "a")))
    assert names(settled(table, Span(shelf, index=True), 1)) == ["b"]


@pytest.mark.names_attributes
def test_the_index_shows_what_an_update_changed_elsewhere_in_the_item(table, pk, shelf):
    place(table, pk, shelf, a="1")
    table.write(Update(Key(pk, "a"), set={"title": "Mayor"}, add={"votes": 2}))
    item = settled(table, Span(shelf, index=True), 1)[0]
    assert (item["title"], item["votes"]) == ("Mayor", 2)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_items_of_one_index_sort_key_are_all_listed_page_by_page(table, pk, shelf, limit, backwards):
    wanted = {(f"{pk}{n % 3}", f"item {n}") for n in range(7)}
    for partition, name in wanted:
        table.write(Put({"PK": partition, "SK": name, "GSI1PK": shelf, "GSI1SK": "same"}))
    settled(table, Span(shelf, index=True), 7)
    all_pages = pages(table, Span(shelf, index=True), limit, backwards)
    listed = [(item["PK"], item["SK"]) for page in all_pages for item in page]
    assert all(len(page) <= limit for page in all_pages)
    assert len(listed) == 7
    assert set(listed) == wanted


def test_deleting_the_item_an_index_cursor_stands_on_loses_no_other(table, pk, shelf):
    place(table, pk, shelf, a="1", b="2", c="2", d="2", e="3")
    settled(table, Span(shelf, index=True), 5)
    page = table.page(Span(shelf, index=True), limit=2)
    table.write(Delete(Key(pk, page.items[-1]["SK"])))
    settled(table, Span(shelf, index=True), 4)
    rest = table.page(Span(shelf, index=True), cursor=page.cursor)
    assert {*names(page.items), *names(rest.items)} == set("abcde")
    assert len(rest.items) == 3


def test_an_index_longer_than_one_megabyte_is_read_page_by_page(table, pk, shelf):
    for n in range(12):
        table.write(Put({"PK": pk, "SK": str(n), "GSI1PK": shelf, "GSI1SK": f"{99 - n}", "text": "x" * 100_000}))
    settled(table, Span(shelf, index=True), 12)
    assert names(walk(table, Span(shelf, index=True))) == [str(n) for n in range(12)][::-1]
    assert table.count(Span(shelf, index=True)) == 12


def test_the_log_has_no_index(table, pk, shelf):
    table.write(Put({"PK": pk, "SK": "a", "GSI1PK": shelf, "GSI1SK": "1"}, table=LOG))
    with pytest.raises(Invalid):
        table.page(Span(shelf, index=True, table=LOG))
    assert settled(table, Span(shelf, index=True), 0) == []
