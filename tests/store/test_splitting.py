"""Splitting by the bytes that the store counts: nothing is lost, and every part fits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.store import splitting
from foundation.store.limits import check_value
from foundation.store.splitting import by_count, fitting, in_batches, in_parts, split_counts, split_text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, st.integers(4, 50))
def test_a_text_is_split_by_its_bytes_and_never_inside_a_character(text, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, "PART_BYTES", most)
        parts = split_text(text)
    assert "".join(parts) == text
    assert max(len(part.encode()) for part in parts) <= most


def test_an_empty_text_has_one_part():
    assert split_text("") == [""]


@given(st.lists(TEXTS), st.integers(1, 60), st.integers(1, 5))
def test_batches_have_everything_in_order_and_fit(things, most, count):
    batches = list(in_batches(things, most, max_count=count))
    assert [each for batch in batches for each in batch] == things
    assert all(len(batch) <= count for batch in batches)
    assert all(len(batch) == 1 or sum(map(check_value, batch)) <= most for batch in batches)


@given(st.lists(TEXTS), st.integers(1, 60))
def test_a_batch_is_as_large_as_it_can_be(things, most):
    batches = list(in_batches(things, most))
    sizes = [sum(map(check_value, batch)) for batch in batches]
    firsts = [check_value(batch[0]) for batch in batches]
    assert all(size + first > most for size, first in zip(sizes, firsts[1:], strict=False))


def test_things_are_counted_off_in_their_order():
    assert list(by_count(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(by_count([])) == []


def test_parts_fit_an_item():
    assert [len(part) for part in in_parts(["名" * 30_000] * 5)] == [2, 2, 1]


@given(st.lists(TEXTS), st.integers(0, 60))
def test_what_fits_is_in_order_and_what_is_left_out_had_no_room(things, most):
    found = list(fitting(things, most))
    left = most
    for thing in things:
        if found and found[0] is thing:
            found.pop(0)
            left -= check_value(thing)
            assert left >= 0
        else:
            assert check_value(thing) > left
    assert found == []


@pytest.mark.parametrize("most", [1, 40, 1000])
def test_counts_are_split_by_what_they_are_written_as(monkeypatch, most):
    monkeypatch.setattr(splitting, "PART_BYTES", most)
    counts = {f"{number}>名": number for number in range(20)}
    parts = list(split_counts(counts))
    assert {key: value for part in parts for key, value in part.items()} == counts
    written = [json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode() for part in parts]
    assert all(len(part) == 1 or len(text) <= most + 1 for part, text in zip(parts, written, strict=True))
