"""Every formula of a session at its edges, and who is shown which answers."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parts.live import scores
from parts.live.clock import LEAD_MS, PERCENTS, Clock
from parts.live.scores import Answer, BadVote, Vote, check_vote, halves, points_of_votes, showings, shown_late
from tests.rows import every_row

# --- trivia ---


@every_row(
    ("chosen", "right", "points"),
    [
        ([0], [0], 1000),
        ([1], [0], 0),
        ([], [0], 0),
        ([], [0, 1], 0),
        ([0, 1], [0, 1], 1000),
        ([0], [0, 1], 500),
        ([0], [0, 1, 2], 333),  # cut, not rounded
        ([0, 1], [0, 1, 2], 666),
        ([0, 1, 2], [0, 1, 2], 1000),
        ([0, 3], [0, 1, 2], 0),  # one right, one wrong
        ([0, 1, 3], [0, 1, 2], 333),
        ([0, 1, 2, 3], [0, 1, 2], 666),  # everything chosen is not fully right
        ([0, 3, 4], [0, 1], 0),  # more wrong than right: nobody loses points
        ([3, 4], [0, 1], 0),
        ([0, 0, 0], [0, 1], 500),  # said three times is said once
    ],
)
def test_a_wrong_option_takes_away_what_a_right_one_gives(chosen, right, points):
    assert scores.trivia(chosen, right) == points


@every_row(
    ("elapsed", "allowed", "bonus"),
    [
        (-300, 20_000, 500),  # before the clock has started
        (0, 20_000, 500),
        (500, 20_000, 500),  # the grace costs nothing
        (501, 20_000, 499),
        (10_500, 20_000, 250),
        (20_000, 20_000, 12),  # 500 * 500 // 20000
        (20_499, 20_000, 0),
        (20_500, 20_000, 0),
        (90_000, 20_000, 0),
        (20_000, 30_000, 175),  # the same moment with extra time: 500 * 10500 // 30000
        (30_000, 30_000, 8),
        (100, 0, 0),  # a question that has no end has no speed
    ],
)
def test_speed_counts_on_the_players_own_clock(elapsed, allowed, bonus):
    assert scores.speed([0, 1], [0, 1], elapsed, allowed) == bonus


@every_row("chosen", [[], [0], [1, 2], [0, 1, 2]])
def test_only_who_is_fully_right_is_quick(chosen):
    assert scores.speed(chosen, [0, 1], 0, 20_000) == 0


@every_row(("percent", "allowed", "bonus"), [(100, 5_000, 350), (150, 7_500, 400), (200, 10_000, 425)])
def test_extra_time_is_a_longer_clock(percent, allowed, bonus):
    clock = Clock(began=1_000, seconds=5)
    assert clock.length(percent) == 5 * 1000 * percent // 100 == allowed
    assert scores.speed([0], [0], clock.elapsed(1_000 + LEAD_MS + 2_000), clock.length(percent)) == bonus


def test_half_way_through_ones_own_time_is_worth_the_same_to_all():
    lengths = [Clock(seconds=30).length(percent) for percent in PERCENTS]
    found = [scores.speed([0], [0], length // 2, length) for length in lengths]
    assert found == [258, 255, 254]  # but for the grace, which is half a second for everybody


@given(st.integers(-1000, 10**6), st.integers(1, 4 * 10**6))
def test_speed_is_never_less_than_nothing_or_more_than_all(elapsed, allowed):
    assert 0 <= scores.speed([0], [0], elapsed, allowed) <= 500
    assert scores.speed([0], [0], elapsed, allowed) >= scores.speed([0], [0], elapsed + 1, allowed)


# --- answers ---


def test_equal_texts_are_one_answer_of_several_authors():
    found = scores.merged({"a": "More  trees", "b": "more TREES", "c": "Straße", "d": "STRASSE", "e": "trees"})
    assert {(answer.text, answer.authors) for answer in found} == {
        ("More trees", ("a", "b")),
        ("STRASSE", ("c", "d")),
        ("trees", ("e",)),
    }


def test_letters_that_are_composed_otherwise_are_the_same():
    (found,) = scores.merged({"a": "Cafe\u0301", "b": "Caf\u00e9", "c": "caf\u00e9"})
    assert found.authors == ("a", "b", "c")


def test_of_several_spellings_the_most_usual_is_shown():
    (found,) = scores.merged({"a": "plenum", "b": "Plenum", "c": "Plenum", "d": "PLENUM"})
    assert found.text == "Plenum"


def test_an_answer_without_words_is_none():
    assert scores.merged({"a": "  ", "b": ""}) == ()


@given(st.permutations([("a", "One"), ("b", "Two"), ("c", "Three"), ("d", "one"), ("e", "Four")]))
def test_the_order_of_answers_does_not_depend_on_who_came_first(given_answers):
    assert scores.merged(dict(given_answers)) == scores.merged(
        {"a": "One", "b": "Two", "c": "Three", "d": "one", "e": "Four"}
    )


def test_the_order_of_answers_does_not_depend_on_their_authors():
    texts = ["One", "Two", "Three", "Four"]
    forwards = scores.merged(dict(zip("abcd", texts, strict=True)))
    backwards = scores.merged(dict(zip("dcba", texts, strict=True)))
    assert [each.text for each in forwards] == [each.text for each in backwards]
    assert [each.text for each in forwards] != texts


@every_row(("number", "is_voted"), [(0, False), (2, False), (3, True)])
def test_fewer_than_three_answers_are_not_voted_on(number, is_voted):
    assert scores.is_voted_on(single(number)) is is_voted


def test_three_people_who_say_the_same_give_one_answer():
    assert not scores.is_voted_on(scores.merged(dict.fromkeys("abcd", "Same")))


# --- showings ---


def single(number: int) -> tuple[Answer, ...]:
    """So many answers by as many authors."""
    return tuple(Answer(f"Answer {each}", (f"p{each}",)) for each in range(number))


def times(dealt: scores.Showings, answers: int) -> list[int]:
    found = Counter(number for numbers in dealt.values() for number in numbers)
    return [found[number] for number in range(answers)]


def test_of_twelve_everybody_sees_all_but_their_own():
    dealt = showings(["p0", "p11", "guest"], single(12))
    assert set(dealt["p0"]) == set(range(1, 12))
    assert set(dealt["p11"]) == set(range(11))
    assert set(dealt["guest"]) == set(range(12))


def test_of_thirteen_everybody_sees_nine():
    dealt = showings([f"p{each}" for each in range(13)], single(13))
    assert {len(set(numbers)) for numbers in dealt.values()} == {9}
    assert times(dealt, 13) == [9] * 13
    assert all(int(voter[1:]) not in numbers for voter, numbers in dealt.items())


def test_answers_stand_in_another_order_for_everybody():
    dealt = showings([f"guest{each}" for each in range(20)], single(5))
    assert len(set(dealt.values())) > 10


def test_the_same_nine_do_not_always_meet():
    dealt = showings([f"guest{each}" for each in range(20)], single(18))
    assert len({frozenset(numbers) for numbers in dealt.values()}) > 10


@pytest.mark.deep
@settings(max_examples=25, deadline=None)
@given(answers=st.integers(13, 40), players=st.integers(0, 80), voting=st.randoms(use_true_random=False))
def test_all_answers_are_shown_equally_often(answers, players, voting):
    """Each by one author: then who may not see their own is never in the way."""
    everybody = [f"p{each}" for each in range(players)]
    voters = voting.sample(everybody, k=voting.randint(0, players))
    dealt = showings(voters, single(answers))
    shown = times(dealt, answers)
    assert max(shown) - min(shown) <= 1
    assert sum(shown) == 9 * len(voters)
    for voter, numbers in dealt.items():
        assert len(set(numbers)) == 9
        assert int(voter[1:]) not in numbers
    assert showings(reversed(voters), single(answers)) == dealt


@pytest.mark.deep
@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 14), min_size=30, max_size=60), st.integers(0, 10))
def test_an_answer_of_many_authors_is_shown_as_often_as_they_allow(said, guests):
    answers = scores.merged({f"p{each}": f"Text {text}" for each, text in enumerate(said)})
    own = scores.own_answers(answers)
    voters = [*own, *(f"guest{each}" for each in range(guests))]
    dealt = showings(voters, answers)
    shown = times(dealt, len(answers))
    assert all(own.get(voter) not in numbers for voter, numbers in dealt.items())
    if len(answers) > 12:
        for voter, numbers in dealt.items():  # nobody could have been shown a rarer one in place of one they were
            spared = [each for each in range(len(answers)) if each not in numbers and each != own.get(voter)]
            assert min(shown[each] for each in spared) + 2 > max(shown[each] for each in numbers)


def test_who_comes_late_is_always_shown_the_same():
    late = shown_late("late", single(40))
    assert len(set(late)) == 9
    assert shown_late("late", single(40)) == late
    assert shown_late("later", single(40)) != late
    assert set(shown_late("late", single(12))) == set(range(12))
    assert set(shown_late("p3", single(12))) == set(range(12)) - {3}
    assert all(each not in shown_late(f"p{each}", single(13)) for each in range(13))


# --- votes ---


@every_row(
    ("ranks", "expected"),
    [
        ({}, {}),
        ({7: 1}, {7: 6}),
        ({7: 1, 8: 2, 9: 3}, {7: 6, 8: 4, 9: 2}),
        ({7: 1, 8: 1}, {7: 5, 8: 5}),
        ({7: 1, 8: 1, 9: 1}, {7: 4, 8: 4, 9: 4}),
        ({7: 1, 8: 2, 9: 2}, {7: 6, 8: 3, 9: 3}),
        ({7: 1, 8: 1, 9: 2}, {7: 5, 8: 5, 9: 2}),
        ({7: 3}, {7: 6}),  # a gap does not matter: the best of a vote is its best
        ({7: 1, 8: 3}, {7: 6, 8: 4}),
    ],
)
def test_a_vote_gives_three_two_and_one_and_equals_share(ranks, expected):
    assert halves(ranks) == expected


@every_row(
    ("ranks", "words"),
    [
        ({0: 1, 1: 2, 2: 3, 3: 3}, "at most three answers"),
        ({0: 0}, "ranks are"),
        ({0: 4}, "ranks are"),
        ({0: -1}, "ranks are"),
        ({0: "1"}, "ranks are"),
        ({9: 1}, "answers you were shown"),
        ({5: 1}, "own answer"),
    ],
)
def test_what_is_not_a_vote_is_refused_in_words(ranks, words):
    with pytest.raises(BadVote, match=words):
        check_vote(Vote(ranks, (0, 1, 2, 3)), own=5)


def test_a_vote_for_others_passes():
    check_vote(Vote({0: 1, 3: 1, 2: 3}, (0, 1, 2, 3)), own=5)
    check_vote(Vote({}, ()), own=None)


def votes(*ranks: dict[int, int], shown: range) -> list[Vote]:
    return [Vote(each, shown) for each in ranks]


def test_up_to_twelve_answers_have_what_votes_give_them_cut_once():
    found = points_of_votes(votes({0: 1, 1: 1}, {0: 1, 1: 1}, {2: 1, 0: 2, 1: 2}, shown=range(12)), 12)
    assert found[:4] == [6, 6, 3, 0]  # 2.5 + 2.5 + 1.5 = 6.5
    assert len(found) == 12


def test_with_thirteen_answers_points_are_divided_by_showings():
    """Three voters; the first answer was shown to one of them, who put it first: all three might have."""
    cast = [Vote({0: 1, 1: 2}, range(9)), Vote({1: 1}, range(1, 10)), Vote({9: 1, 10: 1}, range(2, 11))]
    found = points_of_votes(cast, 13)
    assert found[0] == 3 * 3 // 1
    assert found[1] == (2 + 3) * 3 // 2
    assert found[9] == 15 // 4  # 2.5 of the third, shown to two of three: 2.5 * 3 / 2 = 3.75
    assert found[10] == 15 // 2  # 2.5 * 3 / 1
    assert found[12] == 0  # shown to nobody who voted


def test_with_twelve_answers_showings_play_no_part():
    cast = [Vote({0: 1}, range(9)), Vote({1: 1}, range(1, 10))]
    assert points_of_votes(cast, 12)[:2] == [3, 3]


def test_nobody_voted():
    assert points_of_votes([], 3) == [0, 0, 0]
    assert points_of_votes([], 13) == [0] * 13


ranked = st.dictionaries(st.integers(0, 8), st.integers(1, 3), max_size=3)


@pytest.mark.deep
@given(st.lists(ranked, max_size=12))
def test_what_all_were_shown_has_the_same_points_divided_or_not(ranks):
    """The scale is that of an answer which everybody saw."""
    cast = votes(*ranks, shown=range(13))
    assert points_of_votes(cast, 13)[:12] == points_of_votes(cast, 12)


@pytest.mark.deep
@given(ranked)
def test_a_vote_hands_out_what_its_places_have(ranks):
    assert sum(halves(ranks).values()) == sum([6, 4, 2][: len(ranks)])


# --- places ---


def test_equals_share_a_place_and_the_next_is_left_out():
    assert scores.places({"a": 10, "b": 7, "c": 7, "d": 1}) == {"a": 1, "b": 2, "c": 2, "d": 4}
    assert scores.places({"a": 0, "b": 0}) == {"a": 1, "b": 1}
    assert scores.places({}) == {}
