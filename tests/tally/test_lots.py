"""Lots and ties: repeatable by anybody, blind to order, and reported."""

from __future__ import annotations

import hashlib
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.tally.lots import TieBreaker, by_earlier_rounds, commitment, draw, lot_hash, seed_of

NAMES = ("Ada", "Bo", "Cy", "דנה")


def drawn(names, seed="seed", where="elimination", round=1, method="irv"):
    return draw(names, seed=seed, method=method, where=where, round=round)


def test_a_lot_is_the_smallest_sha256_of_five_lines():
    texts = {name: f"seed\nirv\nelimination\n3\n{name}" for name in NAMES}
    smallest = min(NAMES, key=lambda name: hashlib.sha256(texts[name].encode()).hexdigest())
    assert drawn(NAMES, round=3).chosen == smallest


def test_the_mark_of_a_name_is_what_the_documentation_says():
    # printf 'seed\nirv\nelimination\n3\nAda' | sha256sum
    assert lot_hash("seed", "irv", "elimination", 3, "Ada").startswith("04daa1f72e13")


def test_commitment_and_seed_are_what_the_documentation_says():
    # printf 'plenum: commitment to lots\nsecret' | sha256sum
    assert commitment("secret") == "e44ac76829e77673c2a2d884bb8a8d73254abb2d2f106c6bb51be2f73293adde"
    # printf 'plenum: seed of lots\nsecret\ndigest' | sha256sum
    assert seed_of("secret", "digest") == "832437f4536b6bee55500208343b3a36919adddfc92814f96b59d952f3963d93"


@settings(max_examples=30, deadline=None)
@given(st.permutations(NAMES), st.text(max_size=5))
def test_the_order_of_the_names_plays_no_part(names, seed):
    assert drawn(names, seed) == drawn(NAMES, seed)


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=5))
def test_leaving_out_somebody_who_was_not_chosen_changes_nothing(seed):
    chosen = drawn(NAMES, seed).chosen
    for name in set(NAMES) - {chosen}:
        assert drawn(set(NAMES) - {name}, seed).chosen == chosen


def test_seeds_favour_nobody():
    chosen = Counter(drawn(NAMES, str(seed)).chosen for seed in range(2000))
    assert all(420 < chosen[name] < 580 for name in NAMES)


def test_another_round_method_or_question_is_another_lot():
    seeds = [str(number) for number in range(60)]
    one = [drawn(NAMES, seed).chosen for seed in seeds]
    for other in ({"round": 2}, {"method": "stv-meek"}, {"where": "transfer"}):
        assert one != [drawn(NAMES, seed, **other).chosen for seed in seeds]


def test_earlier_rounds_decide_the_latest_first():
    earlier = [{"Ada": 1, "Bo": 2}, {"Ada": 3, "Bo": 2}, {"Ada": 4, "Bo": 4}]
    assert by_earlier_rounds(["Ada", "Bo"], earlier, min) == ["Bo"]
    assert by_earlier_rounds(["Ada", "Bo"], earlier, max) == ["Ada"]


def test_of_three_the_one_ahead_drops_out_and_a_still_earlier_round_decides_between_the_others():
    earlier = [{"Ada": 9, "Bo": 2, "Cy": 1}, {"Ada": 5, "Bo": 4, "Cy": 4}]
    assert by_earlier_rounds(["Ada", "Bo", "Cy"], earlier, min) == ["Cy"]


def test_small_differences_can_count_as_none():
    assert by_earlier_rounds(["Ada", "Bo"], [{"Ada": 1000, "Bo": 1001}], min, within=1) == ["Ada", "Bo"]


def test_one_alone_is_no_tie():
    tie_breaker = TieBreaker("irv", "seed")
    assert tie_breaker.settle(["Ada"], where="elimination", round=1, earlier=[], choose=min) == "Ada"
    assert (tie_breaker.ties, tie_breaker.lots) == ([], [])


def test_a_tie_settled_by_an_earlier_round_is_reported_without_a_lot():
    tie_breaker = TieBreaker("irv", "seed")
    tie_breaker.settle(["Bo", "Ada"], where="elimination", round=2, earlier=[{"Ada": 1, "Bo": 2}], choose=min)
    assert [(tie.names, tie.settled, tie.round) for tie in tie_breaker.ties] == [(("Ada", "Bo"), "earlier round", 2)]
    assert tie_breaker.lots == []


def test_a_lot_is_drawn_only_among_those_whom_earlier_rounds_leave():
    tie_breaker = TieBreaker("irv", "seed")
    earlier = [{"Ada": 1, "Bo": 1, "Cy": 2}]
    chosen = tie_breaker.settle(["Cy", "Bo", "Ada"], where="elimination", round=2, earlier=earlier, choose=min)
    assert [(tie.names, tie.settled) for tie in tie_breaker.ties] == [(("Ada", "Bo", "Cy"), "lot")]
    assert [(lot.names, lot.chosen, lot.round) for lot in tie_breaker.lots] == [(("Ada", "Bo"), chosen, 2)]
