"""Majorities and quorums at their edges, each with where the rule is from."""

from __future__ import annotations

import pytest

from foundation.tally.majorities import Majority, Of, Quorum, majority_of, parse_majority
from parts.assembly.wording import QUORUMS, SHARES
from tests.rows import every_row

ROBERT, BGB = "Robert's Rules of Order Newly Revised", "German BGB § 32 (1)"
BGH, BGH_1987 = "BGH 25 January 1982, II ZR 164/81 (BGHZ 83, 35)", "BGH 12 January 1987, II ZR 152/86"
STATUTE, GG = "German BGB § 33 (1)", "Grundgesetz art. 79 (2), 121"

EDGES = [
    # majority, yes, no, present, entitled, carried, why
    ("1/2 cast", 5, 5, 20, 50, False, "exactly half is a draw", f"{ROBERT} § 44"),
    ("1/2 cast", 6, 5, 20, 50, True, "one more than half", f"{ROBERT} 44:1"),
    ("1/2 cast", 1, 0, 20, 50, True, "nineteen abstain, and have cast no vote", BGH),
    ("1/2 cast", 4, 3, 8, 8, True, "four of eight present, one abstains: elected", BGH),
    ("1/2 present", 4, 3, 8, 8, False, "the same where the statutes count those present", BGH_1987),
    ("1/2 cast", 28, 1, 87, 87, True, "58 abstain", BGH_1987),
    ("1/2 present", 28, 1, 87, 87, False, "where abstentions have the effect of a no", BGH_1987),
    ("1/2 cast", 0, 0, 20, 50, False, "nobody votes", BGB),
    ("1/2 cast", 0, 0, 0, 0, False, "nobody is there", BGB),
    ("2/3 cast", 10, 5, 20, 50, True, "exactly two thirds is enough", f"{ROBERT} § 44"),
    ("2/3 cast", 9, 5, 20, 50, False, "9 of 14 is less", f"{ROBERT} § 44"),
    ("2/3 cast", 2, 1, 3, 3, True, "two of three", f"{ROBERT} § 44"),
    ("3/4 cast", 3, 1, 20, 50, True, "exactly three quarters change the statutes", STATUTE),
    ("3/4 cast", 74, 25, 100, 200, False, "74 of 99 is a little less than 74 1/4", STATUTE),
    ("4/5 cast", 4, 1, 20, 50, True, "exactly four fifths", ROBERT),
    ("4/5 cast", 7, 2, 20, 50, False, "7 of 9 is less than 7.2", ROBERT),
    ("1/2 present", 10, 0, 20, 50, False, "half of those present; silence has the effect of a no", f"{ROBERT} § 44"),
    ("1/2 present", 11, 9, 20, 50, True, "one more than half of those present", f"{ROBERT} § 44"),
    ("1/2 present", 10, 0, 19, 50, True, "one has left before the vote was closed", f"{ROBERT} § 44"),
    ("2/3 present", 14, 0, 21, 50, True, "exactly two thirds of those present", f"{ROBERT} § 44"),
    ("1/2 entitled", 25, 0, 25, 50, False, "half of all members", f"{ROBERT} § 44"),
    ("1/2 entitled", 26, 24, 50, 50, True, "the majority of all members", GG),
    ("2/3 entitled", 34, 0, 34, 50, True, "34 of 50 is more than 33 1/3", GG),
    ("2/3 entitled", 33, 17, 50, 50, False, "33 of 50 is less", GG),
    ("4/5 entitled", 40, 10, 50, 50, True, "exactly four fifths of all", ROBERT),
]


@every_row(("text", "yes", "no", "present", "entitled", "carried", "why", "source"), EDGES)
def test_a_majority_is_exact_at_its_edge(text, yes, no, present, entitled, carried, why, source):
    majority = majority_of(text)
    assert majority.carries(yes, no, present, entitled) is carried, f"{why} ({source})"
    assert str(majority) == text


def test_a_majority_never_needs_more_than_all_nor_less_than_one():
    for share in SHARES:
        for whole in range(200):
            needed = Majority(share).needed(whole)
            assert 1 <= needed <= max(1, whole)
            assert Majority(share).needed(whole + 1) >= needed


QUORUM_EDGES = [
    ("", 1, 0, True, "nothing is asked"),
    ("", 0, 0, False, "nobody is there"),
    ("25", 25, 100, True, "exactly as many"),
    ("25", 24, 100, False, "one is missing"),
    ("1/4", 25, 100, True, "exactly a quarter"),
    ("1/4", 25, 101, False, "a quarter of 101 is more than 25"),
    ("1/2", 50, 100, True, "at least half"),
    (">1/2", 50, 100, False, "a majority of the members is more than half: Robert's Rules 3:3"),
    (">1/2", 51, 100, True, "one more than half"),
    ("1/3", 1, 0, False, "a share of nobody knows how many"),
]


@every_row(("text", "present", "entitled", "met", "why"), QUORUM_EDGES)
def test_a_quorum_is_exact_at_its_edge(text, present, entitled, met, why):
    assert Quorum(text).is_met(present, entitled) is met, why


def test_what_is_no_majority_is_refused():
    with pytest.raises(ValueError, match="valid"):
        majority_of("1/2 there")


@every_row(
    ("typed", "stored"),
    [
        ("2/3 cast", "2/3 cast"),
        ("6/10 present", "3/5 present"),
        ("60% entitled", "3/5 entitled"),
        (" 60 % cast ", "3/5 cast"),
        ("50% cast", "1/2 cast"),
        ("100% cast", "1/1 cast"),
        ("9998/9999 entitled", "9998/9999 entitled"),
    ],
)
def test_a_majority_is_typed_as_a_fraction_or_in_percent(typed, stored):
    assert str(parse_majority(typed)) == stored
    assert parse_majority(stored) == majority_of(stored)


@every_row(
    "typed",
    [
        *("", "2/3", "cast", "2/3 there", "2/3 cast cast", "1/0 cast", "0/1 cast", "1/3 cast", "49% cast", "101% cast"),
        *("3/2 cast", "-1/2 cast", "1/1000000 cast", "0.5 cast", "1e9/1 cast", "\u0662/\u0663 cast", "nan cast"),
    ],
)
def test_what_is_less_than_half_more_than_all_or_no_share_is_refused(typed):
    with pytest.raises(ValueError, match=r".*"):
        parse_majority(typed)


@every_row(("share", "whole", "needed"), [("1/1", 3, 3), ("1/1", 0, 1), ("9998/9999", 2, 2), ("9998/9999", 9999, 9998)])
def test_the_largest_shares_need_all_or_all_but_one(share, whole, needed):
    assert Majority(share).needed(whole) == needed
    assert Majority(share).needed(10**15) <= 10**15


def test_usual_is_more_than_half_of_the_votes_cast():
    assert majority_of("") == Majority("1/2", Of.CAST)
    assert all(Quorum(each).is_share for each in QUORUMS)
