"""The table at the end of a run names every published election that is not reproduced, and why."""

from __future__ import annotations

from . import test_published, test_published_rounds
from .published_table import NOT_A_RESPECT, RESPECTS, Compared, table

NOTHING: dict[str, str] = {}
SAME = [
    Compared("irv", "aspen", "winners"),
    Compared("irv", "aspen", "every round"),
    Compared("irv", "troy", "winners"),
]


def test_a_line_a_method_says_how_many_in_which_respect():
    *lines, last = table([*SAME, Compared("stv", "dublin", "winners")], 5, NOTHING, NOTHING)
    assert lines == ["irv            2  winners 2, every round 1", "stv            1  winners 1"]
    assert last == "3 of 5 files ran; 3 are reproduced in all that is compared."


def test_what_differs_is_named_and_counted():
    different = Compared("irv", "troy", "every round", "assert 1 == 2")
    lines = table([*SAME, different], 2, NOTHING, NOTHING)
    assert "every round 1 of 2" in lines[0]
    assert "Not reproduced: troy, every round: assert 1 == 2" in lines
    assert lines[-1] == "2 of 2 files ran; 1 are reproduced in all that is compared."


def test_what_is_known_not_to_be_reproduced_has_its_reason():
    lines = table([*SAME, Compared("irv", "oslo", NOT_A_RESPECT)], 3, {"oslo": "Lost ballots.", "rome": "x"}, NOTHING)
    assert "Not reproduced: oslo: Lost ballots." in lines
    assert lines[-1] == "3 of 3 files ran; 2 are reproduced in all that is compared."
    assert not [line for line in lines if "rome" in line or NOT_A_RESPECT in line]


def test_other_rules_are_said():
    lines = table([Compared("stv", "dublin", "winners")], 1, NOTHING, {"stv": "Irish rules.", "irv": "None here."})
    assert "stv: only the winners. Irish rules." in lines
    assert not [line for line in lines if "None here" in line]


def test_many_differences_stay_a_short_table():
    many = [Compared("irv", f"city {number}", "winners", "assert 1 == 2") for number in range(40)]
    lines = table(many, 40, NOTHING, NOTHING)
    assert len(lines) < 10
    assert "Not reproduced: and 36 more" in lines


def test_every_test_of_a_published_election_has_its_word():
    modules = (test_published, test_published_rounds)
    tests = {name for module in modules for name in vars(module) if name.startswith("test_")}
    assert tests == RESPECTS.keys() | {NOT_A_RESPECT}
