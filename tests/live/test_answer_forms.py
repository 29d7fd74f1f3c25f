"""What a form says, checked against what was asked: at its edges, and when somebody else than our form made it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.http import QueryDict

from foundation.acts.refusals import Refusal
from parts.live import answer_forms, clock, scores
from parts.live.answer_forms import InvalidAnswer
from parts.live.play import play_for_type
from parts.live.plays import best_answer, survey
from parts.live.plays.best_answer import Gathered, vote_from_item
from parts.live.rounds import MAX_ANSWER_CHARS, Round
from parts.live.rules import Phase, State
from parts.live.scores import Answer
from parts.questions.question import Kind, Question, Type
from tests.live.conftest import SURVEY
from tests.rows import every_row

ONE = Question("Which?", Kind.CHOICE, options=("a", "b", "c"), right=(1,))
SEVERAL = Question("Which?", Kind.CHOICE, options=("a", "b", "c"), right=(0, 2))
RANKED = Question("Where?", Kind.RANKING, options=("Sea", "Hills", "Town"))
CHOSEN = Question("Where?", Kind.CHOICE, options=("Sea", "Hills", "Town"))
ANSWERS = tuple(Answer(text, (author,)) for text, author in (("A bus", "ada"), ("A boat", "ben"), ("A bike", "cem")))
VOTED_ON = Gathered(Round(3, 0, 3, {}), ANSWERS, {})


def post(typed: str) -> QueryDict:
    return QueryDict(typed)


# --- which round ---


@every_row(
    ("typed", "about", "was"),
    [
        ("round=3", True, True),
        ("round=2", False, True),
        ("round=4", False, False),
        ("round=0", False, False),
        ("round=", False, False),
        ("", False, False),
        ("round=-3", False, False),
        ("round=٣", False, False),
        ("round=3.0", False, False),
        ("round=99999999999999999999", False, False),
        ("round=2&round=3", True, True),
    ],
)
def test_a_form_is_about_one_round(typed, about, was):
    state = State(phase=Phase.QUESTION, round=3, played=(0, 1, 2), clock=clock.Clock(0, 30))
    assert answer_forms.is_about(post(typed), state, Phase.QUESTION) == about
    assert answer_forms.was_asked(post(typed), state) == was
    assert not answer_forms.is_about(post(typed), state, Phase.VOTING), "An answer is never taken for a vote."


# --- options ---


@every_row(
    ("question", "typed", "said"),
    [
        (ONE, "option=1", [1]),
        (ONE, "option=1&option=1", [1]),
        (SEVERAL, "option=2&option=0", [0, 2]),
        (SEVERAL, "option=0&option=1&option=2", [0, 1, 2]),
    ],
)
def test_options_that_were_chosen(question, typed, said):
    assert answer_forms.parse_options(post(typed), question) == said


@every_row(
    ("question", "typed", "why"),
    [
        (ONE, "", answer_forms.CHOOSE_ONE),
        (ONE, "option=0&option=1", answer_forms.CHOOSE_ONE),
        (SEVERAL, "", answer_forms.CHOOSE),
        *(
            (ONE, f"option={wrong}", answer_forms.UNKNOWN_OPTION)
            for wrong in ("3", "-1", "", "x", "1.0", "²", "١", "1" * 5000)
        ),
    ],
)
def test_options_that_there_are_not(question, typed, why):
    with pytest.raises(InvalidAnswer) as refused:
        answer_forms.parse_options(post(typed), question)
    assert str(refused.value) == str(why)


# --- texts ---


@every_row(
    ("typed", "said"),
    [
        ("A bus", "A bus"),
        ("  A \r\n\t bus  ", "A bus"),
        ("A\x00bus\x1b", "A bus"),
        ("A \u202ebus\u202c", "A bus"),
        ("\ufeffA bus\u200b", "A bus"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("\ud800A bus", "A bus"),
        ("é" * MAX_ANSWER_CHARS, "é" * MAX_ANSWER_CHARS),
    ],
)
def test_a_text_is_one_line_without_what_cannot_be_seen(typed, said):
    form = QueryDict(mutable=True)
    form["text"] = typed
    assert answer_forms.parse_text(form) == said


@every_row("typed", ["", "   ", "\n\n", "\x00\x07", "\u200b", "\u200d", "\u202e \u2066"])
def test_nothing_is_no_answer(typed):
    form = QueryDict(mutable=True)
    form["text"] = typed
    with pytest.raises(InvalidAnswer) as refused:
        answer_forms.parse_text(form)
    assert str(refused.value) == "Write an answer first."


@every_row("count", [MAX_ANSWER_CHARS + 1, 10_000])
def test_a_text_that_is_too_long_is_refused_and_not_cut(count):
    form = QueryDict(mutable=True)
    form["text"] = "x" * count
    with pytest.raises(InvalidAnswer) as refused:
        answer_forms.parse_text(form)
    assert str(refused.value) == f"Too long: {count} characters. The limit is 300."
    assert answer_forms.typed_values(form) == {"text": ["x" * count]}, "Nothing that was typed is lost."


# --- rankings ---


@every_row(
    ("question", "typed", "said"),
    [
        (RANKED, "rank-0=2&rank-1=1&rank-2=", "1>0"),
        (RANKED, "rank-0=1&rank-1=1&rank-2=7", "0=1>2"),
        (CHOSEN, "option=2", "2"),
    ],
)
def test_rankings(question, typed, said):
    snapshot = SimpleNamespace(question=question, open_question=question)
    assert play_for_type(Type.POLL, question).answer(post(typed), snapshot, "ada") == said


@every_row(
    ("question", "typed"),
    [
        (RANKED, ""),
        (RANKED, "rank-0=&rank-1="),
        (RANKED, "rank-3=1"),
        (RANKED, "rank-x=1"),
        (RANKED, "rank-0=0"),
        (RANKED, "rank-0=-1"),
        (RANKED, "rank-0=1.5"),
        (RANKED, "rank-0=١"),
        (RANKED, "rank-0=1&rank-0=2"),
        (RANKED, "option=1"),
        (CHOSEN, ""),
        (CHOSEN, "rank-0=1"),
        (CHOSEN, "option=0&option=1"),
    ],
)
def test_what_is_no_ranking(question, typed):
    snapshot = SimpleNamespace(question=question, open_question=question)
    with pytest.raises(Refusal) as refused:
        play_for_type(Type.POLL, question).answer(post(typed), snapshot, "ada")
    assert str(refused.value)


# --- surveys ---


def test_a_sheet_says_what_was_filled_in():
    sheet = post("q-3= Thanks &q-0=5&q-1=no&q-2=1&round=1")
    assert survey.parse_sheet(sheet, SURVEY) == {"0": 5, "1": False, "2": 1, "3": "Thanks"}
    assert survey.parse_sheet(post("q-0=&q-1=yes&q-3="), SURVEY) == {"1": True}


@every_row(
    ("typed", "why"),
    [
        ("", survey.NOTHING_SAID),
        ("q-0=&q-3=+", survey.NOTHING_SAID),
        ("q-3=%00", survey.NOTHING_SAID),
        *((f"q-{place}=1", survey.UNKNOWN_QUESTION) for place in ("4", "-1", "x", "", "٠", "99999")),
        *((f"q-0={rating}", survey.NOT_A_RATING) for rating in ("0", "6", "٣", "4.5", "x")),
        ("q-1=true", survey.NEITHER),
        ("q-2=2", answer_forms.UNKNOWN_OPTION),
        ("q-2=0&q-2=1", answer_forms.CHOOSE_ONE),
        (f"q-0=4&q-3={'x' * 301}", "Too long: 301 characters. The limit is 300."),
    ],
)
def test_a_sheet_that_is_none(typed, why):
    with pytest.raises(InvalidAnswer) as refused:
        survey.parse_sheet(post(typed), SURVEY)
    assert str(refused.value) == str(why)


# --- votes ---


def number_of(text: str) -> int:
    return next(number for number, answer in enumerate(ANSWERS) if answer.text == text)


def test_a_vote_ranks_what_somebody_was_shown():
    boat, bike = number_of("A boat"), number_of("A bike")
    said = best_answer.parse_vote(post(f"rank-{boat}=1&rank-{bike}=1"), VOTED_ON, "ada")
    assert said == {"ranks": {str(boat): 1, str(bike): 1}, "shown": sorted((boat, bike))}
    assert vote_from_item(said).ranks == {boat: 1, bike: 1}


def test_what_a_voter_was_shown_is_not_theirs_to_say():
    said = best_answer.parse_vote(post("rank-1=2&shown=1&shown=0"), VOTED_ON, "ada")
    assert said["shown"] == [1, 2]
    many = Gathered(VOTED_ON.round, tuple(Answer(f"Idea {n}", (f"p{n}",)) for n in range(20)), {"ada": [3, 4, 5]})
    with pytest.raises(scores.BadVote) as refused:
        best_answer.parse_vote(post("rank-6=1&shown=6"), many, "ada")
    assert str(refused.value) == str(scores.NOT_SHOWN)


@every_row(
    ("typed", "why"),
    [
        ("", best_answer.VOTE_FOR_ONE),
        ("rank-1=&rank-2=+", best_answer.VOTE_FOR_ONE),
        ("rank-0=1", scores.OWN),
        ("rank-9=1", scores.NOT_SHOWN),
        ("rank-x=1", scores.NOT_SHOWN),
        ("rank-١=1", scores.NOT_SHOWN),
        *((f"rank-1={rank}", scores.NOT_A_RANK) for rank in ("0", "4", "-1", "1.5", "x", "١", "1" * 4000)),
        ("rank-1=1&rank-1=2", scores.NOT_A_RANK),
    ],
)
def test_a_vote_that_is_none(typed, why):
    with pytest.raises(Refusal) as refused:
        best_answer.parse_vote(post(typed), VOTED_ON, "ada")
    assert str(refused.value) == str(why)


def test_a_vote_for_four_is_too_much():
    five = Gathered(VOTED_ON.round, tuple(Answer(f"Idea {n}", (f"p{n}",)) for n in range(5)), {})
    with pytest.raises(scores.BadVote) as refused:
        best_answer.parse_vote(post("&".join(f"rank-{n}={min(n + 1, 3)}" for n in range(4))), five, "ada")
    assert str(refused.value) == str(scores.TOO_MANY)


# --- back into the form ---


@every_row(
    ("said", "type_", "phase", "kind", "typed"),
    [
        ([0, 2], Type.TRIVIA, Phase.QUESTION, Kind.CHOICE, {"option": ["0", "2"]}),
        ("A bus", Type.CALL_AND_ANSWER, Phase.QUESTION, Kind.TEXT, {"text": ["A bus"]}),
        ("1>0=2", Type.POLL, Phase.QUESTION, Kind.RANKING, {"rank-1": ["1"], "rank-0": ["2"], "rank-2": ["2"]}),
        ("2", Type.POLL, Phase.QUESTION, Kind.CHOICE, {"option": ["2"]}),
        ({"0": 5, "1": False}, Type.SURVEY, Phase.QUESTION, Kind.RATING, {"q-0": ["5"], "q-1": ["no"]}),
        ({"ranks": {"4": 1}, "shown": [4]}, Type.CALL_AND_ANSWER, Phase.VOTING, Kind.TEXT, {"rank-4": ["1"]}),
    ],
)
def test_what_was_said_stands_in_the_form_again(said, type_, phase, kind, typed):
    snapshot = SimpleNamespace(question=Question("?", kind), state=State(phase=phase))
    assert play_for_type(type_, Question("?", kind, right=(0,))).form_values(said, snapshot) == typed
