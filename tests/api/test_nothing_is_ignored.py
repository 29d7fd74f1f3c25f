"""Every value that a request names takes effect, or is refused with its field: nothing is thrown away."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from accounts import repository as people
from accounts.api.operations import OPERATIONS
from accounts.rules import Role
from elections import kinds
from foundation.tally import methods
from parts.skills.services import add as add_skill
from tests.api.test_elections import problem

MOMENTS = ("begins", "ends", "at")
SETTINGS = {
    "description": "New",
    "electorate": "everyone",
    "joining": True,
    "secret_ballot": False,
    "changeable": False,
    "safeguards": ["leave"],
    "paper_ballots": True,
    "mail_votes": False,
    "vote_by_link": True,
    "announces": True,
    "results_visible": "live",
    "results_public": True,
    "kind": "score",
    "method": "irv",
    "fewest": 1,
    "most": 2,
    "majority": "2/3 cast",
    "seats": 2,
    "unranked": "no-opinion",
    "time_zone": "Europe/Berlin",
    "begins": "2098-03-01T17:00:00Z",
    "ends": "2099-03-01T17:00:00.123Z",
    "remind_before": [24],
    "letter_check": "birth",
}
CHANGES = SETTINGS | {"for_groups": ["North"]}
OF_KINDS = {field: SETTINGS[field] for field in kinds.SETTINGS}  # which depend on the kind of ballot
POST = {"title": "Hello", "text": "*World*", "tags": ["a", "b"], "summary": "Short", "slug": "hi"}
POLL = {
    **{"title": "Tea?", "options": ["Pizza", "Sushi"], "kind": "approval", "most": 2, "description": "*Where*"},
    **{"ends": "2027-06-01T18:00:00Z", "time_zone": "Europe/Berlin", "results_hidden": True, "sign_in": True},
    **{"listed": True, "days": 30},
}
QUESTION = {
    **{"title": "Who?", "kind": "choice", "detail": "More", "category": "One", "school": "Two", "seconds": 10},
    **{"custom_instruction": "Think", "options": ["a", "b"], "right": [2], "twice": True},
}
SET = {"name": "Morning", "questions": [{"title": "What?"}], "description": "New", "custom_instructions": "Wait"}
VOTER = {
    **{"voter": "ben@example.org", "name": "Ben", "groups": ["North"], "weight": 2, "postal": ["Road 1"]},
    **{"language": "de", "born": "1815-12-10"},
}
STATEMENT = {"level": 2, "years": 3, "last_used": "2026-01", "notes": "Some", "interest": True}
# what each operation is tried with; those of an election are tried on several
VALUES: dict[str, dict[str, Any]] = {
    "elections_create": SETTINGS | {"name": "Other", "questions": [{"title": "Who?"}, {"title": "What?"}]},
    "elections_edit": CHANGES | {"order": [2, 1]},
    "questions_add": OF_KINDS | {"title": "Next", "first_title": "First", "for_groups": ["North"]},
    "questions_change": OF_KINDS | {"title": "Next", "for_groups": ["North"]},
    "elections_open": {"editable": True, "shows_skills": True},
    "elections_extend": {"ends": "2099-04-01T17:00:00Z"},
    "candidates_add": {"candidates": [{"name": "Dee", "statement": "I will.", "link": "https://dee.example"}]},
    "candidates_change": {"statement": "I will.", "link": "https://ada.example"},
    "roll_add": {"voters": [VOTER]},
    "roll_replace": {"voters": [VOTER], "preview": True},
    "polls_create": POLL,
    "polls_extend": {"ends": "2027-06-01T18:00:00Z"},
    "polls_reopen": {"ends": "2027-06-01T18:00:00Z"},
    "news_write": POST | {"election": "Nothing"},
    "news_edit": POST | {"revised": True},
    "news_publish": {"at": "2099-03-01T17:00:00Z", "time_zone": "Europe/Berlin", "mails": True},
    "question_sets_create": SET,
    "question_sets_replace": SET,
    "skills_add": STATEMENT | {"skill": "python"},
    "skills_change": STATEMENT,
}


def is_settled(answer, field: str, value: Any) -> bool:
    """Whether it is what was sent, or the field is refused."""
    body = answer.json()
    if answer.status_code >= 400:
        assert answer.status_code in (409, 422), body
        named = [each["field"] for each in body.get("errors", [])]
        return field in named or "" in named or not named
    shown = body | (body.get("organiser") or {})
    if field in MOMENTS:
        return datetime.fromisoformat(shown[{"at": "published_at"}.get(field, field)]) == datetime.fromisoformat(value)
    return shown[field] == value


@pytest.fixture
def otto(person, program):
    return program(person("Otto", Role.ADMIN))


def test_every_operation_is_tried_with_every_value():
    takes = {each.id: set(each.takes.__struct_fields__) for each in OPERATIONS if each.takes}
    assert {name: set(values) for name, values in VALUES.items()} == takes


OTHERS = {field: value for field, value in CHANGES.items() if field not in OF_KINDS}


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", methods.KINDS)
def test_settings_of_a_kind_of_ballot_are_not_ignored(otto, kind):
    for number, (field, value) in enumerate(OF_KINDS.items()):
        sent = {"name": f"Board {number}", "kind": kind, field: value}
        assert is_settled(otto.post("elections", sent), field, value), field
    otto.post("elections", {"name": "Board", "kind": kind})
    for field, value in OF_KINDS.items():
        assert is_settled(otto.patch("elections/Board", {field: value}), field, value), field


@pytest.mark.parametrize("half", [0, 1])
def test_a_new_election_ignores_nothing(otto, half):
    for number, (field, value) in enumerate(list(OTHERS.items())[half::2]):
        if field != "for_groups":
            assert is_settled(otto.post("elections", {"name": f"Board {number}", field: value}), field, value), field


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("questions", [1, 2])
def test_an_edit_of_an_election_ignores_nothing(otto, questions, half):
    otto.post("elections", {"name": "Board"})
    for number in range(1, questions):
        otto.post("elections/Board/questions", {"title": f"Question {number}"})
    for field, value in list(OTHERS.items())[half::2]:
        assert is_settled(otto.patch("elections/Board", {field: value}), field, value), field


@pytest.mark.few(2)
@pytest.mark.parametrize("kind", methods.KINDS)
def test_settings_of_a_question_are_not_ignored(otto, kind):
    """Whether it is asked with others, or added to them, or changed."""
    for number, (field, value) in enumerate(OF_KINDS.items()):
        asked = {"title": "Next", "kind": kind, field: value}
        answer = otto.post("elections", {"name": f"Board {number}", "questions": [{"title": "First"}, asked]})
        if answer.status_code == 201:
            assert answer.json()["questions"][1][field] == value, field
        else:
            assert [each["field"] for each in answer.json()["errors"]] in ([f"questions[1].{field}"], [""])
        otto.post("elections", {"name": f"Board {number}"})
        assert is_settled(otto.post(f"elections/Board%20{number}/questions", asked), field, value), field
    otto.post("elections", {"name": "Board"})
    otto.post("elections/Board/questions", {"title": "Next", "kind": kind})
    for field, value in OF_KINDS.items():
        assert is_settled(otto.patch("elections/Board/questions/2", {field: value}), field, value), field


def test_settings_that_a_kind_of_ballot_does_not_have_are_refused(otto):
    answer = otto.post("elections", {"name": "Board", "kind": "yes-no", "seats": 3, "method": "irv"})
    assert problem(answer) == (422, "invalid")
    assert {each["field"] for each in answer.json()["errors"]} == {"seats", "method"}


@pytest.mark.parametrize("groups", [["Nonsense"], ["North", "Nonsense"]])
def test_groups_that_the_roll_does_not_have_are_refused(otto, groups):
    otto.post("elections", {"name": "Board"})
    for voters in ([], [{"voter": "ann@example.org", "groups": ["North"]}]):
        if voters:
            otto.post("elections/Board/voters", {"voters": voters})
        answer = otto.patch("elections/Board", {"for_groups": groups})
        assert problem(answer) == (422, "invalid")
        assert [each["field"] for each in answer.json()["errors"]] == ["for_groups"]
    assert otto.patch("elections/Board", {"for_groups": []}).status_code == 200


@pytest.mark.parametrize(("kind", "field"), [("ranked", "shows_skills"), ("yes-no", "editable")])
def test_an_opening_ignores_nothing(otto, kind, field):
    otto.post("elections", {"name": "Board", "kind": kind})
    if kind == "ranked":
        otto.post("elections/Board/candidates", {"candidates": [{"name": "Ada"}, {"name": "Bo"}]})
    otto.post("elections/Board/voters", {"voters": [{"voter": "Otto"}]})
    answer = otto.post("elections/Board/open", {field: True})
    assert problem(answer) == (422, "invalid")
    assert [each["field"] for each in answer.json()["errors"]] == [field]


def test_texts_of_candidates_are_not_ignored(otto):
    otto.post("elections", {"name": "Board"})
    sent = VALUES["candidates_add"]
    assert otto.post("elections/Board/candidates", sent).json() == sent
    assert otto.post("elections/Board/candidates", sent).status_code == 200
    assert otto.post("elections/Board/candidates", {"candidates": [{"name": "dee"}]}).status_code == 200
    twice = {"candidates": [{"name": "Bo", "statement": "One."}, {"name": "bo", "statement": "Two."}]}
    assert [each["field"] for each in otto.post("elections/Board/candidates", twice).json()["errors"]] == [
        "candidates[0]"
    ]
    answer = otto.post(
        "elections/Board/candidates", {"candidates": [{"name": "Bo"}, {"name": "dee", "link": "https://x.example"}]}
    )
    assert problem(answer) == (409, "name-taken")
    assert [each["field"] for each in answer.json()["errors"]] == ["candidates[1]"]
    assert problem(otto.get("elections/Board/candidates/Bo")) == (404, "not-found")
    for field, value in VALUES["candidates_change"].items():
        assert otto.patch("elections/Board/candidates/Dee", {field: value}).json()[field] == value


@pytest.mark.needs("roll_sources")
def test_what_a_list_of_voters_says_is_not_ignored(otto):
    otto.post("elections", {"name": "Board", "secret_ballot": False})
    path = "elections/Board/voters"
    for voter, unused in (
        ("Otto", ["name", "postal", "language", "born"]),
        ("ben@example.org", ["postal", "language", "born"]),
    ):
        for method in ("POST", "PUT"):
            answer = otto.send(method, path, {"voters": [{"voter": "ann@example.org"}, VOTER | {"voter": voter}]})
            assert problem(answer) == (422, "invalid")
            assert [each["field"] for each in answer.json()["errors"]] == [f"voters[1].{field}" for field in unused]
    known = {field: VOTER[field] for field in ("voter", "name", "groups", "weight")}
    assert otto.post(path, {"voters": [known]}).status_code == 200
    assert known.items() <= otto.get(path).json()["items"][0].items()
    regrouped = known | {"groups": ["South"], "weight": 3}
    assert otto.post(path, {"voters": [regrouped]}).status_code == 200
    assert regrouped.items() <= otto.get(path).json()["items"][0].items()
    assert problem(otto.post(path, {"voters": [known | {"name": "Benjamin"}]})) == (409, "not-now")
    assert otto.post(path, {"voters": [VOTER | {"voter": "4711@"}]}).status_code == 200
    preview = otto.put(path, {"voters": [{"voter": "cay@example.org"}], "preview": True}).json()
    assert preview["added"] == ["cay@example.org"]
    assert len(otto.get(path).json()["items"]) == 2


def test_groups_and_weights_of_those_who_are_there_are_refused_once_it_is_open(otto):
    otto.post("elections", {"name": "Board", "secret_ballot": False})
    otto.post("elections/Board/candidates", {"candidates": [{"name": "Ada"}, {"name": "Bo"}]})
    there = {"voter": "ann@example.org", "name": "Ann", "groups": ["North"], "weight": 2}
    otto.post("elections/Board/voters", {"voters": [there]})
    assert otto.post("elections/Board/open", {}).status_code == 200
    assert otto.post("elections/Board/voters", {"voters": [there]}).status_code == 200, "as they are"
    for changed in ({"groups": ["South"]}, {"groups": []}, {"weight": 3}, {"name": "Anna"}):
        new = {"voter": "ben@example.org"}
        answer = otto.post("elections/Board/voters", {"voters": [new, there | changed]})
        assert problem(answer) == (409, "not-now")
        assert [each["field"] for each in answer.json()["errors"]] == [f"voters[1].{next(iter(changed))}"]
    assert [each["voter"] for each in otto.get("elections/Board/voters").json()["items"]] == ["ann@example.org"]


@pytest.mark.needs("polls")
def test_a_new_poll_ignores_nothing(otto):
    usual = {"title": "Lunch?", "options": ["Pasta", "Soup"]}
    for field, value in POLL.items():
        answer = otto.post("polls", usual | {field: value})
        if field == "days":
            made, gone = (datetime.fromisoformat(answer.json()[each]) for each in ("created_at", "removed_at"))
            assert (gone - made).days == value
        else:
            assert is_settled(answer, field, value), field
    assert problem(otto.post("polls", usual | {"most": 2})) == (422, "invalid")


@pytest.mark.needs("news")
def test_posts_ignore_nothing(otto):
    path = otto.post("news", {"title": "First", "text": "Text"})["Location"]
    for field, value in POST.items():
        assert is_settled(otto.patch(path, {field: value}), field, value), field
        number = list(POST).index(field)
        made = otto.post(
            "news", {"title": f"Post {number}", "text": "Text", field: f"{value}-2" if field == "slug" else value}
        )
        assert made.json()[field] == (f"{value}-2" if field == "slug" else value)
    answer = otto.patch(path, {"revised": True})
    assert problem(answer) == (422, "invalid")
    assert [each["field"] for each in answer.json()["errors"]] == ["revised"]
    for field, value in VALUES["news_publish"].items():
        answer = otto.post(f"{path}/publish", {field: value})
        assert answer.status_code == 200
        assert field == "mails" or is_settled(answer, field, value), field
    otto.post(f"{path}/publish", {})
    assert otto.patch(path, {"revised": True}).json()["revised_at"]


@pytest.mark.needs("questions")
def test_questions_ignore_nothing(otto):
    for field, value in QUESTION.items():
        sent = {"title": "Which?", "kind": "choice", "options": ["x", "y"], field: value}
        answer = otto.post("question-sets", {"name": "Evening", "questions": [sent]})
        if answer.status_code == 201:
            assert answer.json()["questions"][0][field] == value
        else:
            assert [each["field"] for each in answer.json()["errors"]] == [f"questions[0].{field}"]
    path = otto.post("question-sets", {"name": "Evening", "questions": []})["Location"]
    for field, value in SET.items():
        shown = otto.put(path, {"name": "Evening", "questions": [], field: value}).json()[field]
        assert shown == value if field != "questions" else shown[0]["title"] == "What?", field


@pytest.mark.needs("skills")
def test_skills_ignore_nothing(otto):
    add_skill(people.find("Otto"), "Python", "Programming", "")
    otto.post("people/Otto/skills", {"skill": "python", "level": 1})
    for field, value in STATEMENT.items():
        answer = otto.put("people/Otto/skills/python", {"level": 1, field: value})
        assert is_settled(answer, field, value), field
