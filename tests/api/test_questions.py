"""Elections with several questions by the API: asked, answered with, put in order, changed and removed."""

from __future__ import annotations

import pytest

from elections import repository
from elections.rules import MAX_QUESTIONS
from foundation.acts.storage import log
from tests.api.test_elections import problem

ASKED = [
    {"title": "The chair", "seats": 2, "method": "stv-scottish"},
    {"title": "The budget", "kind": "yes-no", "majority": "2/3 cast"},
    {"title": "A speaker", "kind": "choose"},
]
BOARD = "elections/Board"


@pytest.fixture
def board(otto):
    """A draft with three questions."""
    answer = otto.post("elections", {"name": "Board", "questions": ASKED})
    assert answer.status_code == 201
    return answer.json()


def titles(answer) -> list[tuple[int, str]]:
    return [(each["number"], each["title"]) for each in answer.json()["questions"]]


def test_an_election_has_a_question_without_a_title_or_several_with_one(otto, board):
    assert [(each["number"], each["title"], each["kind"]) for each in board["questions"]] == [
        (1, "The chair", "ranked"),
        (2, "The budget", "yes-no"),
        (3, "A speaker", "choose"),
    ]
    assert (board["seats"], board["method"]) == (2, "stv-scottish"), "of the first"
    assert board["questions"][1]["majority"] == "2/3 cast"
    assert sum(event["event_type"].startswith("Election") for event in log().since(0)) == 1, "made at once"
    (alone,) = otto.post("elections", {"name": "Prize"}).json()["questions"]
    assert (alone["number"], alone["title"], alone["candidates"]) == (1, "", 0)


@pytest.mark.parametrize(
    ("sent", "fields"),
    [
        ({"questions": ASKED, "seats": 2}, ["seats"]),
        ({"questions": [{"title": "One"}, {"title": "Two", "kind": "yes-no", "seats": 2}]}, ["questions[1].seats"]),
        ({"questions": [{"title": "One"}, {"title": " "}]}, ["questions[1]"]),
        ({"questions": [{"title": "One"}]}, ["questions"]),
        ({"questions": [{"title": f"{number}"} for number in range(MAX_QUESTIONS + 1)]}, ["questions"]),
        ({"questions": ASKED, "ends": "2001-01-01T00:00:00Z", "begins": "2002-01-01T00:00:00Z"}, [""]),
    ],
)
def test_what_is_wrong_with_several_questions_is_named(otto, sent, fields):
    answer = otto.post("elections", {"name": "Board", **sent})
    assert problem(answer) == (422, "invalid")
    assert [each["field"] for each in answer.json()["errors"]] == fields
    assert otto.get(BOARD).status_code == 404


def test_two_questions_never_have_the_same_title(otto, board):
    same = [{"title": "The chair"}, {"title": "the CHAIR"}]
    assert problem(otto.post("elections", {"name": "Other", "questions": same})) == (409, "not-now")
    assert problem(otto.post(f"{BOARD}/questions", {"title": "the chair"})) == (409, "not-now")
    assert problem(otto.patch(f"{BOARD}/questions/2", {"title": "The chair"})) == (409, "not-now")


def test_another_question_is_asked(otto):
    otto.post("elections", {"name": "Board"})
    sent = {"title": "The budget", "first_title": "The chair", "kind": "yes-no"}
    answer = otto.post(f"{BOARD}/questions", sent, idempotency_key="once")
    assert answer.status_code == 201
    assert answer["Location"].endswith("/api/v1/elections/Board/questions/2")
    assert (answer.json()["number"], answer.json()["method"], answer.json()["candidates"]) == (2, "majority", 3)
    assert otto.post(f"{BOARD}/questions", sent, idempotency_key="once").json() == answer.json()
    assert titles(otto.get(BOARD)) == [(1, "The chair"), (2, "The budget")]
    assert otto.get(answer["Location"]).json() == answer.json()


def test_a_question_is_changed_moved_and_removed(otto, board):
    changed = otto.patch(f"{BOARD}/questions/3", {"title": "Two speakers", "seats": 2, "most": 2}).json()
    assert (changed["title"], changed["seats"], changed["most"]) == ("Two speakers", 2, 2)
    assert repository.find("Board").seats == 2
    otto.post(f"{BOARD}/voters", {"voters": [{"voter": "ann@example.org", "groups": ["North"]}]})
    assert otto.patch(f"{BOARD}/questions/3", {"for_groups": ["North"]}).json()["for_groups"] == ["North"]
    assert problem(otto.patch(f"{BOARD}/questions/2", {"for_groups": ["South"]})) == (422, "invalid")
    assert titles(otto.patch(BOARD, {"order": [3, 1, 2]}))[0] == (3, "Two speakers")
    for wrong in ([1, 2], [1, 2, 2], [1, 2, 4]):
        assert [each["field"] for each in otto.patch(BOARD, {"order": wrong}).json()["errors"]] == ["order"]
    assert problem(otto.delete(f"{BOARD}/questions/1")) == (409, "not-now")
    assert otto.delete(f"{BOARD}/questions/2").status_code == 204
    assert problem(otto.get(f"{BOARD}/questions/2")) == (404, "not-found")
    assert titles(otto.get(BOARD)) == [(3, "Two speakers"), (1, "The chair")]
    otto.delete(f"{BOARD}/questions/3")
    assert titles(otto.get(BOARD)) == [(1, "")]
    answer = otto.patch(f"{BOARD}/questions/1", {"title": "The chair"})
    assert [each["field"] for each in answer.json()["errors"]] == ["title"], "a question alone has none"


def test_each_question_has_candidates_of_its_own(otto, board):
    sent = {"candidates": [{"name": "Ada", "statement": "I *will*.", "link": ""}]}
    for number in (1, 3):
        assert otto.post(f"{BOARD}/candidates?question={number}", sent).json() == sent
    assert otto.patch(f"{BOARD}/candidates/Ada?question=3", {"statement": "Me."}).json()["statement"] == "Me."
    assert otto.get(f"{BOARD}/candidates/Ada").json()["statement"] == "I *will*."
    assert [each["candidates"] for each in otto.get(BOARD).json()["questions"]] == [1, 3, 1]
    assert otto.delete(f"{BOARD}/candidates/Ada?question=3").status_code == 204
    assert otto.get(f"{BOARD}/candidates?question=3").json() == {"candidates": []}
    assert otto.get(f"{BOARD}/candidates").json() == sent
    assert problem(otto.post(f"{BOARD}/candidates?question=2", sent)) == (409, "not-now"), "it is on one proposal"
    assert problem(otto.get(f"{BOARD}/candidates?question=4")) == (404, "not-found")
    assert problem(otto.get(f"{BOARD}/candidates?question=0")) == (422, "invalid")


def test_nothing_changes_once_it_is_open(otto, board):
    names = {"candidates": [{"name": "Ada"}, {"name": "Bo"}, {"name": "Cy"}]}
    for number in (1, 3):
        otto.post(f"{BOARD}/candidates?question={number}", names)
    otto.post(f"{BOARD}/voters", {"voters": [{"voter": "ann@example.org"}]})
    assert otto.post(f"{BOARD}/open", {}).json()["state"] == "open"
    assert problem(otto.post(f"{BOARD}/questions", {"title": "One more"})) == (409, "not-now")
    assert problem(otto.patch(f"{BOARD}/questions/2", {"title": "Another"})) == (409, "not-now")
    assert problem(otto.delete(f"{BOARD}/questions/2")) == (409, "not-now")
    assert problem(otto.patch(BOARD, {"order": [3, 2, 1]})) == (409, "not-now")
