"""Question sets by the API."""

from __future__ import annotations

import pytest

from accounts.rules import Role
from foundation.acts.storage import table
from parts.questions import repository, services
from parts.questions.question import Question
from parts.questions.rules import fingerprint
from tests.api.test_elections import events, problem
from tests.background import finish_background

pytestmark = pytest.mark.needs("questions")

WHO = {"title": "Who won?", "kind": "choice", "options": ["Ada", "Bo"], "right": [2], "category": "Past"}
NEXT = {"title": "What is next?", "category": "Plans", "seconds": 60}
EVENING = {"name": "Evening", "description": "For *all*.", "questions": [WHO, NEXT]}


@pytest.fixture
def ida(person, program):
    return program(person("Ida"))


@pytest.fixture
def evening(ida) -> str:
    return f"question-sets/{ida.post('question-sets', EVENING).json()['id']}"


def titles(answer) -> list[str]:
    return [each["title"] for each in answer.json()["questions"]]


def test_a_set_is_created_read_listed_and_exported(ida, evening):
    found = ida.get(evening).json()
    assert (found["name"], found["total_questions"], found["shared"]) == ("Evening", 2, False)
    who, then = found["questions"]
    assert who == who | WHO
    assert then == then | NEXT
    assert [each["name"] for each in ida.get("question-sets").json()["items"]] == ["Evening"]
    assert "Who won?,choice" in ida.get(f"{evening}/export").json()["text"]
    gift = ida.get(f"{evening}/export?format=gift").json()
    assert gift["name"] == "questions.gift.txt"
    assert "=Bo" in gift["text"]


def test_a_set_is_replaced(ida, evening):
    before = ida.get(evening)
    sent = {"name": "Morning", "questions": [WHO, {"title": "Why?"}, NEXT | {"title": "Then?"}]}
    after = ida.put(evening, sent, If_Match=before["ETag"])
    assert (after.json()["name"], after.json()["description"]) == ("Morning", "")
    assert titles(after) == ["Who won?", "Why?", "Then?"]
    assert problem(ida.put(evening, sent, If_Match=before["ETag"])) == (412, "changed")
    assert titles(ida.put(evening, {"name": "Morning", "questions": []})) == []
    assert titles(ida.put(evening, sent)) == ["Who won?", "Why?", "Then?"]
    assert titles(ida.put(evening, sent)) == ["Who won?", "Why?", "Then?"]
    assert events("QuestionsAdded") == 2


def test_descriptions_of_categories_stay(ida, evening, person):
    services.change_category(
        person("Ida"), evening.partition("/")[2], 2, "Plans", "What we want", fingerprint("Plans", "")
    )
    after = ida.put(evening, EVENING | {"questions": [NEXT | {"title": "Then?"}, WHO]}).json()
    assert after["categories"] == [
        {"name": "Plans", "description": "What we want"},
        {"name": "Past", "description": ""},
    ]


@pytest.mark.deep
def test_a_large_set_is_replaced_in_parts(ida):
    large = {"name": "Large", "questions": [{"title": f"Question {number}"} for number in range(120)]}
    made = ida.post("question-sets", large)
    finish_background()
    path = f"question-sets/{made.json()['id']}"
    assert len(titles(ida.get(path))) == 120
    names = [f"Another {number}" for number in range(110)]
    other = {"name": "Other", "questions": [{"title": name} for name in names]}
    assert ida.put(path, other, Idempotency_Key="k").status_code == 200
    finish_background()
    assert titles(ida.put(path, other, Idempotency_Key="k")) == names
    assert events("QuestionsRemoved") == 3


def test_a_set_that_is_being_filled_is_not_replaced(ida, evening):
    filling = repository.filling(evening.partition("/")[2], [[Question("Late?")]], (), "2027-01-01")
    table().write(*filling)
    assert problem(ida.put(evening, EVENING)) == (409, "try-later")
    assert ida.get(evening).json()["waiting"] == 1


def test_a_set_sent_again_is_made_once(ida):
    made = [ida.post("question-sets", EVENING, Idempotency_Key="k").json() for _ in range(2)]
    assert made[0] == made[1]
    assert events("QuestionSetMade") == 1


def test_sets_of_others_are_hidden_until_they_are_shared(ida, evening, person, program):
    uwe, olga = program(person("Uwe")), program(person("Olga", Role.ADMIN))
    for other in (uwe, olga):
        assert problem(other.get(evening)) == (404, "not-found")
        assert problem(other.get(f"{evening}/export")) == (404, "not-found")
        assert problem(other.put(evening, EVENING)) == (404, "not-found")
    services.share(person("Ida"), evening.partition("/")[2], on=True)
    assert [each["name"] for each in uwe.get("question-sets?show=shared").json()["items"]] == ["Evening"]
    assert uwe.get("question-sets").json()["items"] == []
    assert uwe.get(evening).status_code == 200
    assert problem(uwe.put(evening, EVENING)) == (403, "not-allowed")


def test_too_many_categories_are_refused_before_anything_is_removed(ida, evening):
    many = [{"title": "?", "category": str(number)} for number in range(21)]
    assert problem(ida.put(evening, {"name": "Many", "questions": many})) == (422, "refused")
    assert ida.get(evening).json()["name"] == "Evening"
    assert titles(ida.get(evening)) == ["Who won?", "What is next?"]
