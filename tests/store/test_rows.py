"""The embedded adapter's rows: what is cut out of their text is what unpacking them would say."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.store.sqlite import rows

NAMES = ("name", "rankings", "a", ":")
# Made of what could mislead whoever cuts: the names themselves, and all that JSON is written with.
text = st.lists(st.sampled_from([*NAMES, '"', "\\", "{", "}", ",", "~", "é", "\n", '"a":"']), max_size=4).map("".join)
value = st.recursive(
    st.one_of(text, st.integers(0, 9), st.booleans(), st.none(), st.binary(max_size=2)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)),
    max_leaves=3,
)
plain = st.dictionaries(st.sampled_from(NAMES), st.one_of(text, st.booleans()), max_size=4)
item = st.one_of(plain, st.dictionaries(st.sampled_from(NAMES), value, max_size=4))


@pytest.mark.deep
@settings(max_examples=400, deadline=None)
@given(st.lists(item, max_size=3), st.lists(st.sampled_from(NAMES), max_size=3))
def test_values_are_what_unpacking_says(items, names):
    bodies = [rows.pack({"PK": "p", "SK": "s", **each}) for each in items]
    assert list(chain.from_iterable(rows.values_of(bodies, names))) == [tuple(map(each.get, names)) for each in items]


def test_plain_items_are_cut_and_others_are_not():
    ballots = [rows.pack({"PK": "p", "SK": f"{n}", "rankings": "0>1", "when": None}).decode() for n in range(3)]
    cut = rows._columns("".join(ballots), 3, ["rankings", "voter_name"])
    assert cut is not None
    assert list(cut) == [("0>1", None)] * 3
    assert rows._columns("".join(ballots), 3, ["when"]) is None


def test_truth_values_are_cut_where_all_items_have_one():
    entries = [rows.pack({"PK": "p", "SK": f"{n}", "voter_name": "Eve", "voted": n > 1}).decode() for n in range(3)]
    cut = rows._columns("".join(entries), 3, ["voter_name", "voted"])
    assert cut is not None
    assert list(cut) == [("Eve", False), ("Eve", False), ("Eve", True)]
    counted = rows.pack({"PK": "p", "SK": "3", "voter_name": "Eve", "voted": 1}).decode()
    assert rows._columns("".join([*entries, counted]), 4, ["voted"]) is None


def test_many_rows_are_unpacked_in_their_order():
    items = [{"PK": "p", "SK": f"{n:04}", "~": b"\x00" if n % 300 == 299 else "~"} for n in range(700)]
    assert rows.unpack_all([rows.pack(each) for each in items]) == items
