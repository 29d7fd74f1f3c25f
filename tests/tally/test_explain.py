"""Results in plain sentences."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.tally import methods
from foundation.tally.ballots import Ballots
from foundation.tally.explain import TEMPLATES, Sentence, explain
from tests.rows import every_row

from .examples import CYCLE, EQUAL_CYCLE, TENNESSEE, election
from .test_properties import elections

CLEAR = election("5: Ada > Bo > Cy\n3: Bo > Ada > Cy\n1: Cy")


def said(ballots, method, **settings) -> list[str]:
    return [str(sentence) for sentence in explain(methods.count(ballots, method, **settings))]


def test_a_sentence_is_a_template_with_its_values():
    sentence = Sentence("%(name)s won.", {"name": "100 % Ada"})
    assert str(sentence) == "100 % Ada won."


@pytest.mark.parametrize("method", ["schulze", "ranked-pairs", "copeland", "minimax"])
def test_a_clear_winner_beat_everybody(method):
    assert said(CLEAR, method)[:2] == [
        "Ada won.",
        "Ada beat every other candidate head to head; the closest contest was against Bo, 5 to 3.",
    ]


def test_a_cycle_is_named_with_its_links_and_the_weakest():
    sentences = said(CYCLE, "schulze")
    assert sentences[:4] == [
        "tea won.",
        "No candidate beat every other head to head.",
        "There was a cycle in which each candidate beat the next head to head: tea > coffee > milk > tea.",
        "tea beat coffee, 14 to 7.",
    ]
    assert "The weakest link in the cycle was milk against tea, 12 to 9." in sentences
    assert sentences[-1] == (
        "milk beat tea head to head, 12 to 9, but there is a stronger chain of wins the other way: "
        "tea > coffee > milk. Its weakest contest was won 14 to 7."
    )


def test_ranked_pairs_say_which_contest_was_left_out():
    assert said(CYCLE, "ranked-pairs")[-1] == (
        "The win of milk over tea, 12 to 9, was left out because it would have closed a cycle with stronger wins: "
        "milk > tea > coffee > milk."
    )


@pytest.mark.parametrize("method", ["schulze", "ranked-pairs", "copeland", "minimax", "borda", "plurality"])
def test_a_tie_is_called_a_tie(method):
    sentences = said(EQUAL_CYCLE, method)
    assert sentences[0] == "A, B, C share first place; the ballots do not decide between them."
    assert ("No single link in the cycle was the weakest." in sentences) == (method not in ("borda", "plurality"))


def test_a_drawn_contest_is_named():
    assert said(election("1: A > B > C\n1: B > A > C"), "schulze")[2] == (
        "Nobody beat A head to head; the contest with B was a draw, 1 to 1."
    )


def test_the_worst_defeat_is_named():
    assert said(CYCLE, "minimax")[-1] == (
        "The worst defeat of tea was by milk, 12 to 9; every other candidate had a worse one."
    )


def test_points_and_first_preferences_name_the_next():
    assert said(CLEAR, "borda") == ["Ada won.", "Points for Ada: 13.5.", "Next was Bo; points: 11.5."]
    assert said(CLEAR, "plurality")[2] == "Next was Bo; first preferences: 3."


def test_rounds_of_a_runoff_are_told_one_by_one():
    assert said(TENNESSEE, "irv") == [
        "Knoxville won.",
        "Round 1: Chattanooga had the fewest votes (15) and was eliminated.",
        "The largest share of these votes went to Knoxville: 15.",
        "Round 2: Nashville had the fewest votes (26) and was eliminated.",
        "The largest share of these votes went to Knoxville: 26.",
        "Round 3: Knoxville won with 58 of 100 votes; 51 were needed.",
    ]


def test_a_lot_is_told_with_whom_it_chose():
    result = methods.count(EQUAL_CYCLE, "irv", seed="x")
    assert str(explain(result)[1]) == (
        f"Round 1: A, B, C were still tied, so a lot drawn from the election's seed chose {result.lots[0].chosen}."
    )


def test_a_tie_that_an_earlier_round_settled_is_told():
    assert "Round 2: B, C were tied; an earlier round in which they differed decided." in said(
        election("5: A\n4: B\n3: C\n1: D > C"), "irv"
    )


def test_stv_tells_quotas_surpluses_and_last_seats():
    ballots = election("7: A > B\n2: C\n1: B")
    assert said(ballots, "stv-scottish", seats=2) == [
        "Elected: A, B.",
        "Round 1: with 7, A reached the quota of 4 and was elected.",
        "Round 1: A had a surplus of 3, which was passed on.",
        "The largest share of these votes went to B: 2.99999.",
        "Round 2: C had the fewest votes (2) and was eliminated.",
        "Ballots with no further choice: 2.",
        "Round 3: B was elected with 3.99999 because there was a seat for every remaining candidate.",
    ]
    assert "Round 2: A kept 47.62 per cent of each vote; the rest was passed on." in said(ballots, "stv-meek", seats=2)


@every_row("method", methods.KINDS["ranked"])
def test_without_votes_there_is_nothing_to_count(method):
    sentences = said(Ballots(("A", "B"), {"": 2}), method)
    assert sentences[0] == "No ballot ranks any candidate, so there is nothing to count."
    assert sentences[1] == (
        "Nobody was elected."
        if method.startswith("stv")
        else "A, B share first place; the ballots do not decide between them."
    )


@every_row("method", methods.KINDS["ranked"])
def test_one_candidate_alone_and_none_at_all(method):
    assert said(election("1: A"), method)[0] == "A was the only candidate."
    assert said(Ballots((), {}), method) == ["There were no candidates."]


@pytest.mark.few(3)
@settings(max_examples=20, deadline=None)
@given(elections(), st.sampled_from(("below", "no-opinion")), st.integers(1, 3))
@pytest.mark.parametrize("method", methods.KINDS["ranked"])
def test_every_result_can_be_told_with_templates_of_the_catalogue(method, cast, unranked, seats):
    sentences = explain(methods.count(cast, method, seats=seats, unranked=unranked))
    assert sentences
    for sentence in sentences:
        assert sentence.template in TEMPLATES.values()
        assert set(re.findall(r"%\((\w+)\)s", sentence.template)) == set(sentence.values)
        assert str(sentence).endswith(".")


def test_every_template_is_a_sentence():
    assert all(template.endswith(".") and "  " not in template for template in TEMPLATES.values())
