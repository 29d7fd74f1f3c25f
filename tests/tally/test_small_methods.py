"""Copeland, minimax, first preferences; methods by name; numbers as text."""

from __future__ import annotations

from fractions import Fraction

import pytest

from foundation.tally import condorcet, methods, positional
from foundation.tally.ballots import Ballots
from foundation.tally.result import exact_text
from tests.rows import every_row

from .examples import CYCLE, TENNESSEE, election

# --- Copeland ---


def test_copeland_counts_contests_won():
    result = condorcet.copeland(TENNESSEE)
    assert result.places == (("Nashville", 1), ("Chattanooga", 2), ("Knoxville", 3), ("Memphis", 4))
    assert result.reasons["scores"]["Chattanooga"] == {"score": "2", "won": 2, "lost": 1, "drawn": 0}


def test_copeland_gives_half_a_point_for_a_draw():
    result = condorcet.copeland(election("1: A > B > C\n1: B > A > C"))
    assert result.reasons["scores"]["A"] == {"score": "1.5", "won": 1, "lost": 0, "drawn": 1}
    assert result.reasons["scores"]["C"]["score"] == "0"
    assert result.winners == ("A", "B")


def test_copeland_ties_a_cycle():
    assert condorcet.copeland(CYCLE).winners == ("coffee", "milk", "tea")


# --- minimax ---


def test_minimax_prefers_the_weakest_worst_defeat():
    result = condorcet.minimax(CYCLE)
    assert result.places == (("tea", 1), ("coffee", 2), ("milk", 3))
    assert result.reasons["worst"]["tea"] == {"by": "milk", "for": 12, "against": 9}


def test_minimax_knows_who_was_never_beaten():
    result = condorcet.minimax(TENNESSEE)
    assert result.winners == ("Nashville",)
    assert result.reasons["worst"]["Nashville"] is None


def test_minimax_can_elect_another_by_margins():
    cast = election("4: A > B > C\n2: B > C\n3: C")
    assert condorcet.minimax(cast).winners == ("B",)
    assert condorcet.minimax(cast, strength="margins").winners == ("A",)


# --- first preferences ---


def test_most_first_preferences_win():
    result = positional.plurality(TENNESSEE)
    assert result.winners == ("Memphis",)
    assert result.reasons["votes"]["Memphis"] == "42"


def test_equal_firsts_share_the_vote_exactly():
    result = positional.plurality(election("1: A = B = C > D\n1: A"))
    assert result.reasons["votes"] == {"A": "4/3", "B": "1/3", "C": "1/3", "D": "0"}
    assert result.places == (("A", 1), ("B", 2), ("C", 2), ("D", 4))


def test_thirds_add_up_to_a_whole():
    assert positional.plurality(election("3: A = B = C\n1: D", "A B C D")).winners == ("A", "B", "C", "D")


# --- methods by name ---


@every_row("method", methods.KINDS["ranked"])
def test_every_method_counts_under_its_name(method):
    result = methods.count(TENNESSEE, method, unranked="below", seed="seed")
    assert result.method == method
    assert sorted(name for name, _ in result.places) == sorted(TENNESSEE.candidates)
    assert result.total == 100


def test_all_methods_count_the_same_ballots():
    results = {method: methods.count(TENNESSEE, method) for method in methods.KINDS["ranked"]}
    assert {result.digest for result in results.values()} == {TENNESSEE.digest}
    assert results["schulze"].winners == ("Nashville",)
    assert results["plurality"].winners == ("Memphis",)
    assert results["irv"].winners == ("Knoxville",)


def test_the_rule_for_the_unranked_reaches_the_method():
    cast = election("3: A\n2: B > A")
    for method in ("schulze", "ranked-pairs", "copeland", "minimax"):
        assert methods.count(cast, method).winners == ("A",)
        assert methods.count(cast, method, unranked="no-opinion").winners == ("B",)


@every_row("method", ["schulze", "ranked-pairs", "borda", "copeland", "minimax", "plurality"])
@every_row("cast", [Ballots(("A", "B"), {}), Ballots(("A", "B"), {"": 2}), Ballots(("A", "B"), {"0=1": 3})])
def test_where_nothing_is_said_all_are_equal(method, cast):
    result = methods.count(cast, method)
    assert result.winners == ("A", "B")
    assert [tie.names for tie in result.ties] == [("A", "B")]


# --- numbers ---


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(5, 2), "2.5"),
        (Fraction(7, 3), "7/3"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 10**9), "0.000000001"),
        (10**30, "1" + "0" * 30),
    ],
)
def test_numbers_are_decimals_where_that_is_exact(number, text):
    assert exact_text(number) == text
