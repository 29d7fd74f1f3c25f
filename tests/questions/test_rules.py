"""How a set changes: pure decisions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.rules import Role
from foundation.acts.refusals import NotAllowed, NotNow, NotThere
from parts.questions import rules
from parts.questions.question import MAX_QUESTIONS, SET_TYPES, Kind, Question, Type, flaws, tidied
from parts.questions.rules import FullSet, NoRoom, QuestionSet
from tests.rows import every_row

from .conftest import CAPITAL, IDEA, MANY, MEET, RATE, numbered

NOW = "2026-11-16T03:00:00.000Z"
EMPTY = FullSet(QuestionSet("id", "Evening", NOW, "Ida", NOW))
FULL = rules.added(EMPTY, MANY, NOW)


def titles(full):
    return [each.question.title for each in full.placed]


def test_questions_stand_in_their_categories_in_the_order_in_which_these_came():
    assert [each.name for each in FULL.categories] == ["Towns", "Plans", ""]
    assert FULL.questions == MANY
    assert [each.id for each in FULL.placed] == ["01-0001", "02-0002", "02-0003", "03-0004"]
    more = rules.added(FULL, [Question("Where is Lima?", category="TOWNS")], NOW)
    assert titles(more)[:2] == [CAPITAL.title, "Where is Lima?"]
    assert more.find(5).question.category == "Towns", "as the category is called"


def test_a_set_says_for_which_sessions_it_serves():
    assert {type_: FULL.set.suits(type_) for type_ in SET_TYPES} == {
        Type.CALL_AND_ANSWER: 1,
        Type.TRIVIA: 1,
        Type.POLL: 2,
        Type.SURVEY: 3,
    }
    assert (FULL.set.total_questions, FULL.set.categories) == (4, ("Towns", "Plans", ""))


def test_a_question_moves_within_its_category():
    up = rules.moved(FULL, 3, up=True)
    assert titles(up) == [CAPITAL.title, IDEA.title, MEET.title, RATE.title]
    assert rules.moved(up, 3, up=False) == FULL
    assert rules.moved(FULL, 2, up=True) == FULL, "the first stays the first"
    assert rules.moved(FULL, 3, up=False) == FULL


def test_a_question_moves_to_another_category_and_keeps_its_number():
    after = rules.changed(FULL, 2, replace(MEET, category="Towns"))
    assert titles(after) == [CAPITAL.title, MEET.title, IDEA.title, RATE.title]
    assert after.find(2).id == "01-0002"


def test_a_category_goes_with_its_last_question_and_no_number_comes_twice():
    after = rules.without(FULL, 1)
    assert [each.name for each in after.categories] == ["Plans", ""]
    again = rules.added(after, [CAPITAL], NOW)
    assert [each.id for each in again.placed][-1] == "04-0005"
    with pytest.raises(NotThere):
        rules.without(after, 1)


def test_categories_are_renamed_described_and_moved():
    after = rules.category_changed(FULL, 2, "Ideas", "What we want.")
    assert {each.category for each in after.questions} == {"Towns", "Ideas", ""}
    assert after.category(2).description == "What we want."
    with pytest.raises(NotNow):
        rules.category_changed(FULL, 2, "towns", "")
    assert [each.number for each in rules.category_moved(FULL, 3, up=True).categories] == [1, 3, 2]
    assert rules.category_moved(FULL, 1, up=True) == FULL


def test_a_set_has_an_end():
    rules.check_room(FULL, numbered(MAX_QUESTIONS - 4))
    with pytest.raises(NoRoom, match="200 questions"):
        rules.check_room(FULL, numbered(MAX_QUESTIONS - 3))
    with pytest.raises(NoRoom, match="categories"):
        rules.check_room(EMPTY, [Question("?", category=str(number)) for number in range(21)])
    with pytest.raises(NoRoom, match="KB"):
        rules.check_room(EMPTY, numbered(60, detail="\N{GRINNING FACE}" * 2000, custom_instruction="ä" * 3000))
    with pytest.raises(NoRoom):
        rules.check_room(replace(EMPTY, waiting=150), numbered(51))


def test_who_may():
    private, shared = EMPTY.set, replace(EMPTY.set, shared=True)
    asleep = replace(shared, is_active=False)
    seen = {name: [rules.may_see(name, role, each) for each in (private, shared, asleep)] for name, role in WHO.items()}
    assert seen == {"ida": [True] * 3, "Bo": [False, True, False], "Olga": [False, True, True]}
    rules.check_may_withdraw("Olga", Role.ADMIN, shared)
    for who, role, set_ in (("Olga", Role.ADMIN, private), ("Bo", Role.USER, shared)):
        with pytest.raises(NotAllowed):
            rules.check_may_withdraw(who, role, set_)
    assert not rules.owns("", replace(private, created_by="")), "of nobody, nobody is the owner"


WHO = {"ida": Role.USER, "Bo": Role.USER, "Olga": Role.ADMIN}

WRONG = [
    (replace(IDEA, title=" \u200b"), "title"),
    (replace(IDEA, title="x" * 301), "title"),
    (replace(IDEA, detail="x" * 2001), "detail"),
    (replace(IDEA, category="x" * 101), "category"),
    (replace(IDEA, school="x" * 201), "school"),
    (replace(IDEA, custom_instruction="x" * 1001), "custom_instruction"),
    (replace(IDEA, seconds=3601), "seconds"),
    (replace(IDEA, options=("a", "b")), "option1"),
    (replace(CAPITAL, options=("a",), right=()), "option1"),
    (replace(CAPITAL, options=tuple("abcdefghijk"), right=()), "option1"),
    (replace(CAPITAL, options=("a", "b", "A")), "option3"),
    (replace(CAPITAL, options=("a", "x" * 201)), "option2"),
    (replace(MEET, right=(0,)), "right"),
]


@every_row(("question", "field"), WRONG)
def test_what_is_wrong_with_a_question_is_said_with_its_field(question, field):
    assert [flaw.field for flaw in flaws(tidied(question))] == [field]


@every_row("question", [*MANY, Question("Yes?", Kind.YES_NO, seconds=3600)])
def test_what_is_right_is_kept_as_it_is(question):
    assert list(flaws(question)) == []
    assert tidied(question) == question


def test_white_space_and_what_nobody_sees_is_tidied():
    typed = Question(" What \n is\tthis\x07? ", detail=" One\r\ntwo \n", options=(" a  b ",), right=(1, 0, 1))
    tidy = tidied(typed)
    assert (tidy.title, tidy.detail, tidy.options, tidy.right) == ("What is this?", "One\ntwo", ("a b",), (0, 1))
