"""Splitting by the bytes that the store counts: nothing is lost, and every part fits."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.limits import check_value
from store.splitting import in_batches, split_counts, split_text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS, st.integers(4, 50))
def test_a_text_is_split_by_its_bytes_and_never_inside_a_character(text, most):
    parts = split_text(text, most)
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


@given(st.lists(TEXTS, max_size=20), st.integers(1, 60))
def test_a_batch_may_end_with_what_exceeds_it(things, most):
    batches = list(in_batches(things, most, exceeding=True))
    assert [each for batch in batches for each in batch] == things
    assert all(sum(map(check_value, batch[:-1])) <= most for batch in batches)
    assert all(sum(map(check_value, batch)) > most for batch in batches[:-1])


@pytest.mark.parametrize("most", [1, 40, 1000])
def test_counts_are_split_by_what_they_are_written_as(most):
    counts = {f"{number}>名": number for number in range(20)}
    parts = list(split_counts(counts, most))
    assert {key: value for part in parts for key, value in part.items()} == counts
    written = [json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode() for part in parts]
    assert all(len(part) == 1 or len(text) <= most + 1 for part, text in zip(parts, written, strict=True))
