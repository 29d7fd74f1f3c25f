"""Multi-question ballots by the API."""

from __future__ import annotations

import pytest

from accounts import repository as people
from accounts.rules import Role
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from tests.api.test_elections import problem
from tests.people import make_person

ENDS = "2099-03-01T17:00:00Z"


@pytest.fixture
def path(otto):
    """A draft of two questions, of which the second is for one group."""
    ballot = binding.make(people.find("Otto"), "Spring", ["Chair", "Colour"])
    for name in ("Chair", "Colour"):
        names = {"candidates": [{"name": "Bo"}, {"name": "Cy"}]}
        assert otto.post(f"elections/Spring:%20{name}/candidates", names).status_code == 200
    otto.patch("elections/Spring:%20Chair", {"ends": ENDS, "secret_ballot": False})
    voters = [{"voter": "Ann", "groups": ["North"]}, {"voter": "Ben"}]
    for each in voters:
        make_person(each["voter"], Role.VOTER)
    assert otto.post("elections/Spring:%20Chair/voters", {"voters": voters}).status_code == 200
    assert otto.patch("elections/Spring:%20Colour", {"for_groups": ["North"], "kind": "approval"}).status_code == 200
    return f"multi-question-ballots/{ballot.id}"


def questions(answer):
    return [each["question"] for each in answer.json()["questions"]]


def test_an_organiser_reads_a_draft_and_finds_it_from_its_elections(otto, path):
    ballot = otto.get(path)
    shown = ballot.json()
    assert (shown["name"], shown["state"], shown["leader"]) == ("Spring", "draft", "Spring: Chair")
    assert (shown["ends"], shown["secret_ballot"]) == (ENDS, False)
    assert [(each["question"], each["kind"], each["for_groups"]) for each in shown["questions"]] == [
        ("Chair", "ranked", []),
        ("Colour", "approval", ["North"]),
    ]
    assert otto.get(path, If_None_Match=ballot["ETag"]).status_code == 304
    listed = otto.get("elections?show=run").json()["items"]
    assert {each["multi_question_ballot"] for each in listed} == {shown["id"]}


def test_others_see_it_once_it_is_open_and_voters_what_they_are_asked(otto, path, program):
    ann, ben = program(people.find("Ann")), program(people.find("Ben"))
    olga = program(make_person("Olga", Role.VOTER))
    for client in (ann, ben, olga):
        assert problem(client.get(path)) == (404, "not-found")
    binding.open_(people.find("Otto"), multi_ballots.find(path.partition("/")[2]))
    assert questions(ann.get(path)) == ["Chair", "Colour"]
    assert questions(ben.get(path)) == ["Chair"]
    assert questions(olga.get(path)) == questions(otto.get(path)) == ["Chair", "Colour"]
    assert otto.get(path).json()["state"] == "open"


def test_one_that_does_not_exist_or_with_a_parameter(otto, stranger):
    assert problem(otto.get("multi-question-ballots/made-up")) == (404, "not-found")
    assert problem(otto.get("multi-question-ballots/made-up?x=1")) == (422, "invalid")
    assert problem(stranger.get("multi-question-ballots/made-up")) == (401, "no-token")
