"""Rounds made of what was given: the same in any order, storable, without a trace where nobody is to be known."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.store.limits import MAX_ITEM_BYTES, check_item
from foundation.tally.ballots import Ballots
from parts.live import scores
from parts.live.plays import best_answer, ranked_poll, survey, trivia
from parts.live.rounds import GivenAnswer, Round, round_as_parts, round_digest, round_from_parts
from parts.polls.counting import MethodComparison
from parts.questions.question import Kind, Question
from tests.rows import every_row

CAPITAL = Question(
    "Capital of Australia?", Kind.CHOICE, options=("Sydney", "Canberra", "Perth"), right=(1,), seconds=20
)
PRIMES = Question("Which are prime?", Kind.CHOICE, options=("2", "3", "4", "5"), right=(0, 1, 3), seconds=20)
LUNCH = Question("Lunch?", Kind.RANKING, options=("Soup", "Salad", "Rice"))
COLOUR = Question("Colour?", Kind.CHOICE, options=("Red", "Blue", "Green"))
SURVEY = (
    Question("How was it?", Kind.RATING),
    Question("Which part?", Kind.CHOICE, options=("First", "Second")),
    Question("Again?", Kind.YES_NO),
    Question("What else?", Kind.TEXT),
)


def said(*values, at: int = 0) -> list[GivenAnswer]:
    return [GivenAnswer(f"p{number}", value, at + number) for number, value in enumerate(values)]


def untimed(_given: GivenAnswer) -> tuple[int, int]:
    raise AssertionError("Without a bonus nobody looks at a clock.")


def points(found: Round) -> dict[str, tuple[int, int]]:
    return {entry.player: (entry.points, entry.bonus) for entry in found.entries}


def answered(*texts: str) -> Round:
    return best_answer.count_answers(4, 3, said(*texts))


def ranked(found: Round, ranks: dict[str, int], shown=None) -> dict:
    """A vote by the answers' texts."""
    texts = [answer.text for answer in best_answer.merged_answers(found)]
    numbers = {texts.index(text): rank for text, rank in ranks.items()}
    return {"ranks": {str(each): rank for each, rank in numbers.items()}, "shown": shown or list(range(len(texts)))}


# --- trivia ---


def test_trivia_counts_options_and_pays_what_is_right():
    found = trivia.count(1, 0, PRIMES, said([0, 1, 3], [0, 2], [], [0]), untimed)
    assert found.result == {"chosen": [3, 1, 1, 1], "right": [0, 1, 3], "fully_right": 1}
    assert points(found) == {"p0": (1000, 0), "p1": (0, 0), "p2": (0, 0), "p3": (333, 0)}
    assert (found.number, found.question, found.count) == (1, 0, 4)


def test_speed_is_paid_apart_and_on_ones_own_clock():
    clocks = {"p0": (2500, 20_000), "p1": (2500, 40_000), "p2": (0, 20_000)}
    found = trivia.count(1, 0, CAPITAL, said([1], [1], [0]), lambda each: clocks[each.player], bonus=True)
    assert points(found) == {"p0": (1000, 450), "p1": (1000, 475), "p2": (0, 0)}
    assert [entry.total for entry in found.entries] == [1450, 1475, 0]


def test_nobody_answered():
    found = trivia.count(1, 0, CAPITAL, [], untimed)
    assert (found.count, found.result["chosen"], found.entries) == (0, [0, 0, 0], ())


def test_options_that_are_not_there_are_not_chosen():
    found = trivia.count(1, 0, CAPITAL, said([1, 7], [-1], "1", 1, [True], None), untimed)
    assert [entry.value for entry in found.entries] == [[1], [], [], [1], [], []]


def test_of_several_answers_of_one_player_the_last_counts():
    twice = [GivenAnswer("p0", [1], 9), GivenAnswer("p0", [0], 5)]
    for order in (twice, twice[::-1]):
        found = trivia.count(1, 0, CAPITAL, order, untimed)
        assert (found.count, found.entries[0].value) == (1, [1])


# --- call and answer ---


def test_the_first_close_gathers_answers_that_nobody_has_points_for():
    found = answered("Trees", "trees", "Benches", "A fountain")
    assert (found.count, found.result["merged"], found.result["voted"], found.votes) == (4, 3, False, 0)
    assert {answer["text"]: (answer["by"], answer["words"]) for answer in found.result["answers"]} == {
        "Trees": (2, 1),
        "Benches": (1, 1),
        "A fountain": (1, 2),
    }
    assert points(found) == dict.fromkeys(["p0", "p1", "p2", "p3"], (0, 0))


def test_all_authors_of_an_answer_get_its_points():
    found = answered("Trees", "trees", "Benches", "A fountain")
    cast = [ranked(found, {"Benches": 1}), ranked(found, {}), ranked(found, {"Trees": 1, "A fountain": 2})]
    done = best_answer.count_votes(found, said(*cast))
    assert points(done) == {"p0": (3, 0), "p1": (3, 0), "p2": (3, 0), "p3": (2, 0)}
    assert (done.votes, done.result["voted"]) == (3, True)
    assert [(each["text"], each["points"], each["place"]) for each in done.result["answers"]][2:] == [
        ("A fountain", 2, 3)
    ]
    assert [each["place"] for each in done.result["answers"]] == [1, 1, 3]
    assert {tuple(each["authors"]) for each in done.result["answers"]} == {("p0", "p1"), ("p2",), ("p3",)}


@every_row("texts", [(), ("One",), ("One", "Two"), ("One", "Two", "two", "TWO")])
def test_fewer_than_three_answers_are_not_voted_on_and_have_no_points(texts):
    found = answered(*texts)
    done = best_answer.count_votes(found, said({"ranks": {"0": 1}, "shown": [0, 1]}))
    assert done == found
    assert not scores.is_voted_on(best_answer.merged_answers(found))
    assert all(entry.total == 0 for entry in done.entries)


def test_votes_that_are_none_give_nothing_and_are_not_counted():
    found = answered("One", "Two", "Three", "Four", "Five")
    bad = [
        ranked(found, {"One": 1}),  # their own
        ranked(found, {"One": 0}),
        ranked(found, {"One": 4}),
        ranked(found, {"One": 1, "Two": 2, "Three": 3, "Five": 3}),
        ranked(found, {"One": 1}, shown=[9]),
        {"ranks": {"9": 1}, "shown": [9]},
        {"ranks": {"-1": 1}, "shown": [-1]},
        {"ranks": {"one": 1}, "shown": [0]},
        {"ranks": [], "shown": []},
        {"ranks": {}},
        "One",
        None,
    ]
    done = best_answer.count_votes(found, said(*bad))
    assert done.votes == 0
    assert {entry.points for entry in done.entries} == {0}


def test_thirteen_answers_are_paid_by_showings():
    found = answered(*(f"Answer {number}" for number in range(13)))
    own = scores.own_answers(best_answer.merged_answers(found))
    dealt = scores.showings(own, best_answer.merged_answers(found))
    cast = [
        GivenAnswer(voter, best_answer.vote_as_item(scores.Vote({numbers[0]: 1}, numbers)), 0)
        for voter, numbers in dealt.items()
    ]
    done = best_answer.count_votes(found, cast)
    firsts = [numbers[0] for numbers in dealt.values()]
    assert points(done) == {voter: (firsts.count(own[voter]) * 3 * 13 // 9, 0) for voter in own}


def test_the_result_holds_the_best_texts_and_the_entries_all():
    found = answered(*(f"Answer {number}" for number in range(60)))
    done = best_answer.count_votes(found, said(ranked(found, {"Answer 59": 1})))
    assert len(done.result["answers"]) == best_answer.MAX_ANSWERS_IN_RESULT
    assert done.result["answers"][0]["text"] == "Answer 59"
    assert len(done.entries) == 60


def test_texts_are_one_line_and_not_longer_than_they_may_be():
    found = answered(" two\n lines ", "x" * 400, "", "   ", 7, "lone \ud800 half")
    assert [entry.value for entry in found.entries] == ["two lines", "x" * 300, "lone ? half"]


# --- polls ---


def test_a_ranking_is_counted_round_by_round():
    found = ranked_poll.count(2, 1, LUNCH, said("0>2", "0>2", "1>2>0", "1>2", "2>1"), seed="s")
    assert (found.count, found.result["method"], found.result["winners"]) == (5, "irv", [1])
    first, last = found.result["rounds"]
    assert first == {
        "tally": ["2", "2", "1"],
        "threshold": "3",
        "exhausted": "0",
        "elected": [],
        "eliminated": [2],
        "transfers": [[2, 1, "1"]],
    }
    assert (last["tally"], last["elected"], last["eliminated"]) == (["2", "3", None], [1], [])
    assert found.result["places"] == [[1, 1], [0, 2], [2, 3]]


def test_a_poll_keeps_rankings_and_nobody_in_an_order_that_says_nothing():
    signed = zip(said("2>1", "0>2", "1>2", ""), "CADB", strict=True)
    found = ranked_poll.count(2, 1, LUNCH, [replace(each, receipt=receipt) for each, receipt in signed], seed="s")
    assert [(each.player, each.value, each.receipt) for each in found.entries] == [
        ("", "0>2", "A"),
        ("", "", "B"),
        ("", "2>1", "C"),
        ("", "1>2", "D"),
    ]
    assert (found.count, found.result["total"], found.result["blank"]) == (4, 4, 1)


@every_row("rankings", [(), ("0",), ("0", "1"), ("0", "1", ""), ("0", "1", "9", "1>1", "x", 3, None)])
def test_below_three_votes_nothing_of_a_poll_is_told_or_kept(rankings):
    found = ranked_poll.count(2, 1, LUNCH, said(*rankings), seed="s")
    assert found == Round(2, 1, len(rankings), {"too_few": True, "count": len(rankings)}, ())
    assert "p0" not in repr(round_as_parts(found))


def test_three_votes_are_told():
    assert "too_few" not in ranked_poll.count(2, 1, LUNCH, said("0", "1", "0"), seed="s").result


def test_a_choice_is_won_by_whoever_has_most():
    found = ranked_poll.count(2, 1, COLOUR, said("0", "1", "1", "2", "1"), seed="s")
    assert (found.result["method"], found.result["winners"], found.result["lots"]) == ("plurality", [1], [])
    (only,) = found.result["rounds"]
    assert (only["tally"], only["elected"], only["threshold"]) == (["1", "3", "1"], [1], "")


def test_a_choice_may_end_in_a_tie():
    found = ranked_poll.count(2, 1, COLOUR, said("0", "1", "1", "0"), seed="s")
    assert found.result["winners"] == [1, 0]  # by their names
    assert found.result["places"] == [[1, 1], [0, 1], [2, 3]]


def test_a_lot_is_drawn_from_the_session_and_a_winner_that_hangs_on_it_is_a_tie():
    found = ranked_poll.count(2, 1, LUNCH, said("0", "0", "1", "1"), seed="s").result
    assert found["between"]
    assert sorted(found["winners"]) == [0, 1]
    assert found["lots"]
    round_, chosen, among = found["lots"][0]
    assert chosen in among
    assert found["rounds"][round_ - 1]["eliminated"] == [chosen]
    drawn = {
        tuple(ranked_poll.count(2, 1, LUNCH, said("0", "0", "1", "1"), seed=str(n)).result["lots"][-1][:2])
        for n in range(9)
    }
    assert len(drawn) > 1


def test_two_options_of_one_name_are_two():
    twins = Question("Who?", Kind.RANKING, options=("Kim", "Kim", "Lee"))
    found = ranked_poll.count(2, 1, twins, said("1", "1", "0"), seed="s").result
    assert found["winners"] == [1]


every_ranking = st.permutations(range(4)).flatmap(
    lambda order: st.integers(0, 4).map(lambda kept: ">".join(map(str, order[:kept])))
)


@pytest.mark.deep
@settings(max_examples=40, deadline=None)
@given(st.lists(every_ranking, min_size=3, max_size=12), st.text("abc", max_size=3))
def test_the_count_is_that_of_a_quick_poll(rankings, seed):
    names = ("Soup", "Salad", "Rice", "Bread")
    found = ranked_poll.count(1, 0, Question("Lunch?", Kind.RANKING, options=names), said(*rankings), seed).result
    if "too_few" in found:
        assert sum(map(bool, rankings)) < 3
        return
    poll = MethodComparison.of(Ballots.of(names, rankings), seed).by("irv")
    assert tuple(names[each] for each in found["winners"]) == poll.leaders
    places = {names[each]: place for each, place in found["places"]}
    assert places == poll.places or found["lots"], "Only where a lot was drawn, places are shared in the room."
    ahead = [(one, other) for one, other in permutations(names, 2) if places[one] < places[other]]
    assert all(poll.places[one] < poll.places[other] for one, other in ahead)
    for here, there in zip(found["rounds"], poll.result.rounds, strict=True):
        assert {names[each]: votes for each, votes in enumerate(here["tally"]) if votes is not None} == there.tally
        assert [names[each] for each in here["eliminated"]] == list(there.eliminated)
        assert (here["threshold"], here["exhausted"]) == (there.threshold, there.exhausted)
    assert len(found["lots"]) == len(poll.result.lots)


# --- surveys ---


def sheets(*rows) -> list[GivenAnswer]:
    return said(*({str(place): value for place, value in enumerate(row)} for row in rows))


def test_every_question_of_a_survey_is_summed_by_its_kind():
    found = survey.count(1, SURVEY, sheets((5, 0, True, "a"), (4, [0, 1], False, "b"), (2, 1, True, "c")))
    rating, choice, yes_no, text = found.result["questions"]
    assert rating == {"kind": "rating", "count": 3, "values": [0, 1, 0, 1, 1], "mean": "3.67"}
    assert choice == {"kind": "choice", "count": 3, "chosen": [2, 2]}
    assert yes_no == {"kind": "yes-no", "count": 3, "yes": 2, "no": 1}
    assert text == {"kind": "text", "count": 3, "kept": 3}
    assert found.count == 3


@every_row(("values", "mean"), [((1, 1, 1), "1.00"), ((5, 5, 4), "4.67"), ((1, 2, 1, 1, 1, 1, 1, 1), "1.13")])
def test_a_mean_is_rounded_half_up(values, mean):
    assert survey.count(1, SURVEY[:1], sheets(*((each,) for each in values))).result["questions"][0]["mean"] == mean


def test_texts_are_nobodys_and_stand_in_no_ones_order():
    rows = [(5, 0, True, f"Text {number}") for number in range(9)]
    found = survey.count(1, SURVEY, sheets(*rows))
    assert {entry.player for entry in found.entries} == {""}
    assert {entry.value["question"] for entry in found.entries} == {3}
    assert sorted(entry.value["text"] for entry in found.entries) == [row[3] for row in rows]
    assert [entry.value["text"] for entry in found.entries] != [row[3] for row in rows]
    assert survey.count(1, SURVEY, sheets(*rows[::-1])) == found


def test_what_one_person_said_to_two_questions_cannot_be_put_together():
    """Whoever said which of the first and which of the second: the round is the same."""
    two = (Question("First?"), Question("Second?"))
    pairs = [list(zip("abc", order, strict=True)) for order in itertools.permutations("def")]
    assert len({round_digest(survey.count(1, two, sheets(*rows))) for rows in pairs}) == 1


@every_row("number", [0, 1, 2])
def test_below_three_sheets_nothing_of_a_survey_is_told_or_kept(number):
    found = survey.count(1, SURVEY, sheets(*[(5, 0, True, "secret")] * number))
    assert found == Round(1, 0, number, {"too_few": True, "count": number}, ())


def test_a_question_that_fewer_than_three_answered_tells_nothing_either():
    found = survey.count(1, SURVEY, sheets((5, 0, True, "secret"), (4, 0, True, "hidden"), (3, 1, True, " ")))
    assert found.result["questions"][3] == {"kind": "text", "count": 2, "too_few": True, "kept": 0}
    assert found.entries == ()


def test_what_is_not_an_answer_to_the_question_is_left_out():
    rows = [(0, 9, 1, 7), (6, [], "yes", None), (True, None, None, ["x"]), ("5", "0", 0, {})]
    found = survey.count(1, SURVEY, [*sheets(*rows), GivenAnswer("x", "no sheet", 0)])
    assert [each["count"] for each in found.result["questions"]] == [0, 0, 0, 0]
    assert found.count == 4


def test_texts_beyond_what_a_transaction_holds_are_left_out_and_told(monkeypatch):
    monkeypatch.setattr(survey, "MAX_SURVEY_BYTES", 700)
    found = survey.count(1, SURVEY, sheets(*((5, 0, True, f"{number}" * 30) for number in range(9))))
    assert found.result["questions"][3] == {"kind": "text", "count": 9, "kept": 7}
    assert len(found.entries) == 7


# --- stored ---


def rounds() -> list[Round]:
    texts = answered("One", "Two", "Three", "Four")
    return [
        trivia.count(1, 0, PRIMES, said([0, 1, 3], [0, 2]), lambda each: (900, 20_000), bonus=True),
        texts,
        best_answer.count_votes(texts, said(ranked(texts, {"Two": 1}), ranked(texts, {"One": 1}))),
        ranked_poll.count(2, 1, LUNCH, said("0>2", "0=1>2", "1>2>0", "1>2", "2>1"), seed="s"),
        ranked_poll.count(2, 1, COLOUR, said("0", "1", "1"), seed="s"),
        ranked_poll.count(2, 1, LUNCH, said("0>2"), seed="s"),
        survey.count(1, SURVEY, sheets((5, 0, True, "a"), (4, 1, False, "b"), (2, 1, True, "c"))),
        Round(3, 2, 0, {}),
    ]


@every_row("sealed", rounds())
def test_a_round_comes_back_from_its_parts(sealed):
    parts = round_as_parts(sealed)
    for part in parts:
        check_item({"PK": "GAME#x", "SK": "ROUND#001#000", **part})
    again = round_from_parts(json.loads(json.dumps(parts)))
    assert again == sealed
    assert round_digest(again) == round_digest(sealed)


def test_the_digest_is_of_everything_in_the_round():
    assert len({round_digest(each) for each in rounds()}) == len(rounds())


@every_row("order", list(itertools.permutations(range(3))))
def test_the_digest_does_not_depend_on_the_order_of_reading(order):
    votes = said("0>2", "1>0", "2")
    assert round_digest(ranked_poll.count(1, 0, LUNCH, [votes[each] for each in order], "s")) == round_digest(
        ranked_poll.count(1, 0, LUNCH, votes, "s")
    )


@pytest.mark.deep
def test_two_thousand_long_answers_fit_into_twenty_parts():
    texts = [f"{chr(0x1F600 + number % 60)}" * 295 + f"{number:05d}" for number in range(2000)]
    found = answered(*texts)
    parts = round_as_parts(found)
    sizes = [check_item({"PK": "GAME#x", "SK": "ROUND#001#000", **part}) for part in parts]
    assert len(parts) <= 20
    assert max(sizes) < MAX_ITEM_BYTES
    assert sum(sizes) < 4_000_000
    assert round_from_parts(parts) == found
