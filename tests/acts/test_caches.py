"""What a process remembers is bounded by its weight, however many things there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from foundation.acts.caches import ParseCache, SizedCache
from tests.at_once import at_once


def test_what_was_found_is_found_once():
    memory, found = SizedCache[str](100, len), []
    for _ in range(3):
        assert memory.get("a", lambda: found.append(1) or "answer") == "answer"
    assert found == [1]


def test_what_nobody_asked_for_longest_makes_room():
    memory = SizedCache[str](40, len)
    for question in ("a", "b", "c", "d"):
        memory.get(question, lambda: "x" * 10)
    memory.get("a", lambda: "anew")
    memory.get("e", lambda: "x" * 10)
    assert memory.get("a", lambda: "anew") == "x" * 10
    assert memory.get("b", lambda: "anew") == "anew"


def test_what_is_too_heavy_is_handed_out_and_not_kept():
    memory = SizedCache[str](40, len)
    memory.get("small", lambda: "x")
    assert memory.get("big", lambda: "x" * 11) == "x" * 11
    assert memory.get("big", lambda: "found again") == "found again"
    assert memory.get("small", lambda: "anew") == "x"


def test_a_failure_is_not_remembered():
    memory = SizedCache[int](40, lambda number: number)
    for answer in (ZeroDivisionError, None):
        try:
            assert memory.get("a", (lambda: 1 // 0) if answer else (lambda: 7)) == 7
        except ZeroDivisionError:
            assert answer is ZeroDivisionError


@pytest.mark.deep
@given(some.lists(some.tuples(some.integers(0, 9), some.integers(0, 30)), max_size=60))
def test_it_never_weighs_more_than_it_may_and_knows_its_weight(asked):
    memory = SizedCache[tuple[int, int]](50, lambda answer: answer[1])
    for question, weight in asked:
        found = memory.get(question, lambda question=question, weight=weight: (question, weight))
        assert found[0] == question
        assert memory.weight <= 50
        assert memory.weight == sum(kept for _answer, kept in memory._entries.values())


def test_many_at_once_leave_its_weight_right():
    memory = SizedCache[str](1000, len)
    at_once(*[lambda n=n: [memory.get((n + step) % 7, lambda: "x" * 20) for step in range(50)] for n in range(8)])
    assert memory.weight == 20 * len(memory._entries) == 140


def test_what_is_as_it_was_when_last_seen_is_not_read_again():
    read: list[object] = []
    seen = ParseCache(lambda item: read.append(item["n"]) or item["n"], most=2)
    one = {"PK": "a", "SK": "1", "n": 1}
    assert [seen(one), seen(dict(one)), seen(one | {"n": 2}), seen(one)] == [1, 1, 2, 1]
    assert read == [1, 2, 1]
    for number in range(5):  # more than are remembered
        assert seen({"PK": str(number), "SK": "1", "n": number}) == number


def test_whoever_changes_an_item_afterwards_changes_nothing_of_what_was_seen():
    seen, item = ParseCache(lambda item: item["n"]), {"PK": "a", "SK": "1", "n": 1}
    assert seen(item) == 1
    item["n"] = 2
    assert seen(item) == 2
