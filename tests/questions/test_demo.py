"""The sets of the demo: right by the same rules as everybody's, one for each type of session."""

from __future__ import annotations

from parts.questions import demo, repository
from parts.questions.question import SET_TYPES, Type, flaws, tidied
from parts.questions.rules import count_suiting


def test_the_demo_has_a_set_for_each_type_of_session(site, person):
    assert demo.load() == 0, "without its people there is nothing to load"
    person(demo.MAKER)
    assert (demo.load(), demo.load()) == (len(demo.PLANNED), 0)
    offered = repository.usable_by("Somebody else")
    assert {type_ for type_ in SET_TYPES for each in offered if each.suits(type_) == each.total_questions} == set(
        SET_TYPES
    )


def test_its_questions_are_right():
    questions = [each for planned in demo.PLANNED for each in planned.questions]
    assert [(each.title, list(flaws(each))) for each in questions if list(flaws(each)) or tidied(each) != each] == []
    assert len(questions) == 21
    assert count_suiting(demo.PLANNED[0].questions)[Type.TRIVIA] == 10
