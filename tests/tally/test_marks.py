"""Ballots with marks and values: their texts, most votes, approval, score, points, STAR, and yes or no."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.tally.ballots import BadBallot, Ballots, check_marks, ratings_of, text_of
from foundation.tally.cost import COSTS
from foundation.tally.count_job import CountJob, CountOutcome
from foundation.tally.explain import TEMPLATES, explain
from foundation.tally.majorities import ABSTAIN, NO, YES
from foundation.tally.methods import KIND_OF, KINDS, METHODS, count
from foundation.tally.pairwise import PairwiseSummary
from foundation.tally.result import Result
from tests.rows import every_row

from .published_marks import FIVES_THEN_LOT, FIVES_TWICE

NAMES = ("Ada", "bo", "Čeněk", "דנה", "Eve 🦊")
MARKS = [method for method in METHODS if KIND_OF[method] != "ranked"]
few = settings(max_examples=25, deadline=None)


def scored(names, rows) -> Ballots:
    """From what each ballot gives each candidate."""
    return Ballots.of(names, [text_of(dict(enumerate(row))) for row in rows])


def marked(names: str, lines: str) -> Ballots:
    """From lines such as `3: A B`: so many ballots mark these."""
    numbers = {name: number for number, name in enumerate(names)}
    counts: Counter[str] = Counter()
    for line in lines.splitlines():
        times, _colon, chosen = line.partition(":")
        counts["=".join(str(numbers[name]) for name in sorted(chosen.split()))] += int(times)
    return Ballots(tuple(names), counts)


@st.composite
def elections(draw, method: str) -> Ballots:
    """Ballots of the kind this method counts."""
    kind, size = KIND_OF[method], draw(st.integers(1, 5))
    if kind == "yes-no":
        return Ballots(
            (YES, NO, ABSTAIN), draw(st.dictionaries(st.sampled_from(["", "0", "1", "2"]), st.integers(1, 9)))
        )
    highest = {"score": 5, "points": 9}.get(kind, 1)
    values = st.dictionaries(st.integers(0, size - 1), st.integers(0, highest))
    counts: Counter[str] = Counter()
    for given_values, times in draw(st.lists(st.tuples(values, st.integers(1, 3)), max_size=8)):
        text = text_of(given_values)
        counts[text if highest > 1 else text.removesuffix("@1")] += times
    return Ballots(NAMES[:size], counts)


# --- texts ---


def test_values_are_written_highest_first_and_read_again():
    assert text_of({4: 5, 1: 3, 0: 5, 2: 0}) == "0=4@5>1@3"
    assert ratings_of("0=4@5>1@3") == {0: 5, 4: 5, 1: 3}
    assert ratings_of("0=3") == {0: 1, 3: 1}
    assert ratings_of("") == {}
    assert text_of({}) == ""


@every_row(
    ("kind", "text", "fewest", "most"),
    [
        ("ranked", "1>0=2", 0, 0),
        ("yes-no", "2", 0, 0),
        ("choose", "0=2", 2, 2),
        ("choose", "", 0, 1),
        ("approval", "0=1=2", 0, 0),
        ("approval", "", 0, 0),
        ("score", "0=2@5>1@1", 0, 0),
        ("score", "", 0, 0),
        ("points", "1@7>0@3", 0, 10),
        ("points", "", 0, 10),
    ],
)
def test_what_may_be_marked_is_accepted(kind, text, fewest, most):
    check_marks(text, 3, kind, fewest, most)


@every_row(
    ("kind", "text", "fewest", "most"),
    [
        ("ranked", "1@5", 0, 0),
        ("yes-no", "", 0, 0),
        ("yes-no", "0=1", 0, 0),
        ("yes-no", "3", 0, 0),
        ("choose", "0", 2, 2),
        ("choose", "0=1=2", 0, 2),
        ("choose", "0>1", 0, 2),
        ("choose", "1=0", 0, 2),
        ("choose", "00", 0, 2),
        ("approval", "0@1", 0, 0),
        ("approval", "-1", 0, 0),
        ("approval", "0=0", 0, 0),
        ("approval", "3", 0, 0),
        ("approval", "x", 0, 0),
        ("score", "0@6", 0, 0),
        ("score", "0@0", 0, 0),
        ("score", "0@-1", 0, 0),
        ("score", "0", 0, 0),
        ("score", "0@3>1@5", 0, 0),
        ("score", "0@3>1@3", 0, 0),
        ("score", "0@5>0@3", 0, 0),
        ("score", "@5", 0, 0),
        ("score", "0@", 0, 0),
        ("points", "1@7>0@4", 0, 10),
        ("points", "1@\u0667", 0, 10),
        ("points", f"1@{'9' * 5000}", 0, 10),
    ],
)
def test_what_may_not_be_marked_is_refused(kind, text, fewest, most):
    with pytest.raises(BadBallot):
        check_marks(text, 3, kind, fewest, most)


def test_another_order_of_candidates_keeps_the_values():
    cast = Ballots(("b", "a", "c"), {"0=1@5>2@3": 2, "": 1})
    assert cast.in_order(("c", "a", "b")).counts == {"1=2@5>0@3": 2, "": 1}
    assert cast.without(["b", "a"]).counts == {"0@3": 2, "": 1}
    assert cast.normal.candidates == ("a", "b", "c")
    assert cast.digest == Ballots(("a", "b", "c"), {"0=1@5>2@3": 2, "": 1}).digest


def test_contests_compare_values():
    cast = Ballots(("a", "b", "c"), {"0=1@5>2@3": 2, "0=1@4>2@1": 1, "1@1": 4})
    assert cast.summary == PairwiseSummary.of(cast.candidates, {"0=1>2": 3, "1": 4})
    assert cast.summary.pairwise("below") == ((0, 0, 3), (4, 0, 7), (0, 0, 0))


# --- votes and points ---


def test_those_with_most_votes_are_elected():
    cast = marked("ABCD", "5: A B\n3: B C\n2: A D\n1: C\n1:")
    result = count(cast, "most-votes", seats=2)
    assert result.winners == ("B", "A")
    assert result.reasons == {"votes": {"A": "7", "B": "8", "C": "4", "D": "2"}}
    assert result.places == (("B", 1), ("A", 2), ("C", 3), ("D", 4))
    assert (result.total, result.blank, result.seats) == (12, 1, 2)


def test_a_lot_decides_the_last_seat_between_equals_and_only_that():
    cast = marked("ABCD", "3: A B\n2: C D\n1: A")
    result = count(cast, "approval", seats=3, seed="s")
    assert result.winners[:2] == ("A", "B")
    assert {name for name, place in result.places if place <= 3} == set(result.winners)
    assert [(lot.where, lot.names, lot.round) for lot in result.lots] == [("election", ("C", "D"), 3)]
    assert {count(cast, "approval", seats=3, seed=str(n)).winners[2] for n in range(20)} == {"C", "D"}
    assert count(cast, "approval", seats=4).lots == ()


def test_of_three_equals_two_are_chosen_one_after_the_other():
    result = count(marked("ABC", "1: A\n1: B\n1: C"), "most-votes", seats=2, seed="s")
    assert [(len(lot.names), lot.round) for lot in result.lots] == [(3, 1), (2, 2)]
    assert [place for _name, place in result.places] == [1, 1, 3]


def test_nobody_is_elected_without_a_vote():
    assert count(marked("ABC", "4: B"), "approval", seats=2).winners == ("B",)
    empty = count(marked("ABC", "4:"), "approval", seats=2)
    assert (empty.winners, empty.lots) == ((), ())


def test_points_and_scores_add_up():
    cast = scored("ABC", [[5, 4, 0], [0, 4, 0], [0, 4, 5]])
    result = count(cast, "score")
    assert result.winners == ("B",)
    assert result.reasons["points"] == {"A": "5", "B": "12", "C": "5"}
    assert result.reasons["levels"]["A"] == ["2", "0", "0", "0", "0", "1"]
    assert count(scored("AB", [[9, 1], [0, 10]]), "cumulative").reasons == {"points": {"A": "9", "B": "11"}}


# --- STAR ---


def test_the_preferred_of_two_finalists_wins_though_another_has_more_points():
    result = count(scored("ABC", [[5, 0, 0], [5, 0, 1], [3, 4, 0], [3, 4, 0], [3, 4, 1]]), "star")
    assert result.winners == ("B",)
    assert result.reasons["finalists"] == ["A", "B"]
    assert (result.reasons["runoff"], result.reasons["equal"]) == ({"A": "2", "B": "3"}, "0")
    assert result.places == (("B", 1), ("A", 2), ("C", 3))


@every_row(
    ("rows", "winners", "settled"),
    [
        ([[0, 5], [3, 2]], {"B"}, [("runoff", "points")]),
        ([[2, 4], [5, 3]], {"A"}, [("runoff", "fives")]),
        ([[1, 3], [4, 2]], {"A", "B"}, [("runoff", "lot")]),
        ([[5, 2, 3], [5, 2, 3], [5, 2, 0]], {"A"}, [("finalists", "head to head")]),
        (
            [[5, 5, 3, 0], [5, 0, 3, 5], [0, 0, 0, 1], [1, 1, 0, 0]],
            {"A"},
            [("finalists", "fives"), ("finalists", "lot")],
        ),
        ([[5, 5, 5], [2, 2, 2]], {"A", "B", "C"}, [("finalists", "lot"), ("finalists", "lot"), ("runoff", "lot")]),
    ],
)
def test_ties_are_broken_by_the_official_protocol(rows, winners, settled):
    names = "ABCD"[: len(rows[0])]
    results = [count(scored(names, rows), "star", seed=str(seed)) for seed in range(30)]
    assert {result.winners[0] for result in results} == winners
    assert [(tie.where, tie.settled) for tie in results[0].ties if tie.where != "places"] == settled


def test_of_three_tied_for_two_places_most_fives_decide_twice_and_not_head_to_head():
    result = count(scored("ABCDE", FIVES_TWICE), "star", seed="s")
    assert [result.reasons["points"][name] for name in "ABD"] == ["18"] * 3
    assert (result.reasons["finalists"], result.winners, result.lots) == (["B", "A"], ("A",), ())
    assert [(tie.names, tie.settled) for tie in result.ties if tie.where == "finalists"] == [(("A", "B", "D"), "fives")]


def test_after_a_tie_of_three_a_lot_chooses_between_equal_fives():
    """BetterVoting's "Three way score tie for first, advance one candidate with most five star votes"."""
    names = ["Allison", "Bill", "Carmen", "Doug"]
    results = [count(scored(names, FIVES_THEN_LOT), "star", seed=str(seed)) for seed in range(30)]
    assert {tuple(each.reasons["finalists"]) for each in results} == {("Allison", "Bill"), ("Allison", "Carmen")}
    assert {each.lots[0].names for each in results} == {("Bill", "Carmen")}
    assert [(tie.names, tie.settled) for tie in results[0].ties if tie.where == "finalists"] == [
        (("Allison", "Bill", "Carmen"), "fives"),
        (("Bill", "Carmen"), "lot"),
    ]


def test_bloc_star_breaks_the_ties_of_later_seats_in_the_same_way():
    """The first seat is without a tie; for the second, the three of the election above are tied."""
    rows = [[*row, 5] for row in FIVES_THEN_LOT]
    result = count(scored("ABCDE", rows), "star", seats=2, seed="s")
    assert (result.winners[0], result.lots[0].round, result.lots[0].names) == ("E", 2, ("B", "C"))


def test_one_finalist_needs_no_runoff_and_without_points_there_is_no_decision():
    lone = count(scored("ABC", [[1, 0, 0]]), "star")
    assert (lone.winners, lone.reasons["finalists"], lone.reasons["runoff"]) == (("A",), ["A"], {})
    assert lone.lots == ()
    none = count(scored("ABC", [[0, 0, 0]]), "star")
    assert (none.winners, none.reasons["finalists"]) == ((), [])
    assert count(scored("ABC", [[1, 0, 0]]), "star", seats=2).winners == ("A",)


# --- yes or no ---


def test_a_proposal_is_carried_by_the_majority_asked_for():
    cast = Ballots((YES, NO, ABSTAIN), {"0": 61, "1": 20, "2": 3, "": 1})
    result = count(cast, "majority", majority="2/3 cast", entitled=200)
    assert result.winners == (YES,)
    assert result.reasons == {
        **{"yes": "61", "no": "20", "abstain": "4", "needed": "54", "base": "81"},
        **{"majority": "2/3 cast", "carried": True},
    }
    lost = count(cast, "majority", majority="1/2 entitled", entitled=200)
    assert (lost.winners, lost.reasons["needed"], lost.places[0]) == ((), "101", (NO, 1))
    assert count(cast, "majority", majority="3/4 present").reasons["base"] == "85"
    assert count(cast, "majority", majority="3/5 cast").reasons["needed"] == "49"
    assert count(cast, "majority", majority="1/2 entitled").reasons["base"] == "85", "the roll is at least the voters"


# --- of every method ---


@pytest.mark.deep
@few
@given(st.data(), st.integers(1, 3))
@every_row("method", MARKS)
def test_any_order_of_ballots_and_candidates_gives_the_same_bytes(method, data, seats):
    cast = data.draw(elections(method))
    order = data.draw(st.permutations(cast.candidates))
    shuffled = Ballots(cast.candidates, dict(data.draw(st.permutations(list(cast.counts.items())))))
    one = count(cast, method, seats=seats, seed="s")
    assert count(shuffled.in_order(order), method, seats=seats, seed="s").as_json() == one.as_json()
    assert Result.from_json(one.as_json()) == one


@pytest.mark.deep
@few
@given(st.data(), st.integers(1, 3))
@every_row("method", MARKS)
def test_winners_have_the_first_places_and_everybody_has_one(method, data, seats):
    result = count(data.draw(elections(method)), method, seats=seats)
    assert sorted(dict(result.places)) == sorted(result.candidates)
    assert [name for name, _place in result.places][: len(result.winners)] == list(result.winners)
    assert len(result.winners) <= seats


@pytest.mark.deep
@few
@given(st.data())
@every_row("method", ["most-votes", "approval", "score", "cumulative", "star"])
def test_another_vote_for_a_winner_never_hurts(method, data):
    cast = data.draw(elections(method))
    for winner in count(cast, method, seed="s").winners:
        number = str(cast.candidates.index(winner))
        vote = f"{number}@5" if KIND_OF[method] in ("score", "points") else number
        more = Ballots(cast.candidates, Counter(cast.counts) + Counter([vote]))
        assert count(more, method, seed="s").winners == (winner,)


@pytest.mark.deep
@few
@given(st.data(), st.integers(1, 3), st.sampled_from(["", "2/3 present", "3/5 cast", "1/2 entitled", "3/4 entitled"]))
@every_row("method", MARKS)
def test_every_result_is_told_with_templates_of_the_catalogue(method, data, seats, majority):
    sentences = explain(count(data.draw(elections(method)), method, seats=seats, majority=majority))
    assert sentences
    for sentence in sentences:
        assert sentence.template in TEMPLATES.values()
        assert set(re.findall(r"%\((\w+)\)s", sentence.template)) == set(sentence.values)


def test_every_method_has_a_kind_and_a_cost():
    assert KIND_OF.keys() == METHODS.keys() == COSTS.keys()
    assert KINDS["ranked"][0] == "schulze"
    assert KINDS["score"] == ("star", "score")


def test_a_job_compares_only_methods_for_the_same_kind_of_ballot():
    job = CountJob(scored("AB", [[5, 0], [4, 5]]), "star", {"seats": 1, "seed": "s"}, draws=3)
    outcome = CountOutcome.from_json(CountJob.from_json(job.as_json()).run().as_json())
    assert list(outcome.methods) == ["star", "score"]
    assert outcome.result == count(job.ballots, "star", seed="s")


# --- sentences ---


def said(cast: Ballots, method: str, **rules) -> list[str]:
    return [str(sentence) for sentence in explain(count(cast, method, **rules))]


def test_votes_are_told():
    cast = marked("ABC", "5: A B\n3: B C\n1:")
    assert said(cast, "most-votes") == ["B won.", "Votes for B: 8.", "Next was A; votes: 5."]
    assert said(cast, "approval", seats=2) == [
        "Elected: B, A.",
        "Votes that approve of B: 8 of 9.",
        "Votes that approve of A: 5 of 9.",
        "Next was C; votes that approve: 3 of 9.",
    ]
    assert said(marked("ABC", "4: B\n1:"), "approval", seats=2)[2] == (
        "Seats left empty because nobody else has a vote: 1."
    )
    assert said(marked("AB", "4:"), "approval") == ["No ballot has a mark, so there is no decision."]


def test_a_runoff_is_told_step_by_step():
    rows = [[4, 2, 3, 2], [1, 5, 5, 5], [4, 3, 0, 3], [5, 4, 0, 3], [4, 2, 2, 3], [1, 1, 4, 3], [2, 5, 1, 5]]
    assert said(scored(["Anika", "Bo", "Cora", "Dev"], rows), "star", seats=2) == [
        "Elected: Dev, Anika.",
        "Dev (points: 24) and Bo (points: 22) had the most and went into the runoff.",
        "Runoff: votes that score Dev higher: 2; Bo higher: 1; both the same: 4.",
        "Dev was elected.",
        "Seat 2 was filled in the same way from those not yet elected.",
        "Bo (points: 22) and Anika (points: 21) had the most and went into the runoff.",
        "Runoff: votes that score Bo higher: 2; Anika higher: 4; both the same: 1.",
        "Anika was elected.",
    ]
    assert said(scored("AB", [[2, 4], [5, 3]]), "star")[3] == (
        "The runoff was a draw, and so were the points; most ratings of five decided."
    )
    lots = said(scored("AB", [[1, 3], [4, 2]]), "star", seed="s")
    assert lots[3].startswith("A, B were tied, so a lot drawn from the election's seed chose ")


def test_a_vote_on_yes_or_no_is_told_with_what_was_needed():
    cast = Ballots((YES, NO, ABSTAIN), {"0": 61, "1": 20, "2": 4})
    assert said(cast, "majority", majority="2/3 cast") == [
        "Carried: 61 yes, 20 no, 4 abstentions; 54 needed.",
        "At least 2/3 of the votes cast (81) must be yes: 54. An abstention is not a vote cast.",
    ]
    assert said(cast, "majority", majority="1/2 entitled", entitled=200)[0] == (
        "Not carried: 61 yes, 20 no, 4 abstentions; 101 needed."
    )
