"""People and skills by the API: what profiles show, and one's own skills."""

from __future__ import annotations

import pytest

from accounts import repository as people
from accounts.api_tokens import Scope
from accounts.rules import Role
from parts.skills import repository, services
from parts.skills.rules import Visibility
from tests.api.test_elections import events, problem

PYTHON = {"skill": "python", "level": 3, "years": 5, "last_used": "2026-10", "notes": "Often", "interest": True}


@pytest.fixture
def olga(person):
    return person("Olga", Role.ADMIN)


@pytest.fixture
def ann(person, program, olga):
    """A voter who can use the catalogue."""
    services.add(olga, "Python", "Programming", "Snakes")
    services.add(olga, "Cake", "Kitchen", "")
    return program(person("Ann", Role.VOTER))


@pytest.mark.needs("skills")
def test_a_skill_is_added_read_changed_and_removed(ann):
    made = ann.post("people/Ann/skills", PYTHON)
    assert made.status_code == 201
    skill = made.json()
    assert {name: skill[name] for name in PYTHON} == PYTHON
    assert (skill["name"], skill["endorsements"]) == ("Python", 0)
    ann.post("people/Ann/skills", {"skill": "cake", "level": 4})
    assert [each["name"] for each in ann.get("people/ANN/skills").json()["skills"]] == ["Cake", "Python"]
    read = ann.get("people/Ann/skills/python")
    changed = ann.put("people/Ann/skills/python", {"level": 4}, If_Match=read["ETag"]).json()
    assert (changed["level"], changed["years"], changed["notes"]) == (4, 0, "")
    assert problem(ann.put("people/Ann/skills/python", {"level": 1}, If_Match=read["ETag"])) == (412, "changed")
    assert ann.delete("people/Ann/skills/python").status_code == 204
    assert problem(ann.get("people/Ann/skills/python")) == (404, "not-found")
    assert problem(ann.put("people/Ann/skills/python", {"level": 1})) == (404, "not-found")
    assert problem(ann.delete("people/Ann/skills/python")) == (404, "not-found")


@pytest.mark.needs("skills")
def test_a_skill_sent_again_is_added_once(ann):
    sent = [ann.post("people/Ann/skills", PYTHON, Idempotency_Key="k") for _ in range(2)]
    assert sent[0].json() == sent[1].json()
    assert events("PersonSkillAdded") == 1
    assert problem(ann.post("people/Ann/skills", PYTHON)) == (409, "not-now")
    for _ in range(2):
        assert ann.delete("people/Ann/skills/python", Idempotency_Key="d").status_code == 204


@pytest.mark.needs("skills")
def test_nobody_changes_the_skills_of_others(ann, person, program, olga):
    ann.post("people/Ann/skills", PYTHON)
    for other in (program(person("Uwe")), program(olga)):
        assert other.get("people/Ann/skills/python").status_code == 200
        assert problem(other.post("people/Ann/skills", PYTHON)) == (403, "not-allowed")
        assert problem(other.put("people/Ann/skills/python", {"level": 1})) == (403, "not-allowed")
        assert problem(other.delete("people/Ann/skills/python")) == (403, "not-allowed")


@pytest.mark.needs("skills")
def test_a_hidden_profile_is_not_there(ann, person, program, olga):
    ann.post("people/Ann/skills", PYTHON)
    uwe = program(person("Uwe"))
    services.show_to(person("Ann", Role.VOTER), Visibility.ADMINS)
    for path in ("people/Ann", "people/Ann/skills", "people/Ann/skills/python"):
        assert problem(uwe.get(path)) == (404, "not-found")
        assert uwe.get(path).content == uwe.get(path.replace("Ann", "Nobody")).content
        assert program(olga).get(path).status_code == 200
    assert problem(uwe.post("people/Ann/skills", PYTHON)) == (404, "not-found")
    assert uwe.get("skills/python/people").json()["items"] == []
    services.show_to(person("Ann", Role.VOTER), Visibility.NOBODY)
    seen = program(olga).get("people/Ann").json()
    assert (seen["about"], seen["profile"], seen["admin"]["role"]) == (None, None, "voter")
    assert problem(program(olga).get("people/Ann/skills")) == (404, "not-found")


@pytest.mark.needs("skills")
def test_who_has_a_skill_by_level(ann, person, program, olga):
    for name, level in (("Ann", 2), ("Bea", 4), ("Cem", 3)):
        program(person(name)).post(f"people/{name}/skills", PYTHON | {"level": level})
    assert [each["name"] for each in ann.get("skills/python/people").json()["items"]] == ["Bea", "Cem", "Ann"]
    assert [each["level"] for each in ann.get("skills/python/people?level=3").json()["items"]] == [4, 3]
    assert ann.get("skills/python/people?since=2026-11").json()["items"] == []
    part = ann.get("skills/python/people?limit=2").json()
    assert [each["name"] for each in ann.get(part["next"]).json()["items"]] == ["Ann"]


def test_a_cursor_of_another_query_is_refused(ann, olga, person, program):
    for number in range(3):
        person(f"Uwe {number}", Role.USER)
    admin = program(olga)
    found = admin.get("people?role=user&limit=1").json()
    assert problem(admin.get(found["next"].replace("role=user", "role=voter"))) == (422, "invalid")


@pytest.mark.needs("skills")
def test_the_catalogue(ann, program, olga, person):
    assert [each["name"] for each in ann.get("skills").json()["items"]] == ["Cake", "Python"]
    assert [each["id"] for each in ann.get("skills?q=pyt").json()["items"]] == ["python"]
    assert ann.get("skills/python").json()["description"] == "Snakes"
    services.propose(person("Ann", Role.VOTER), "Whistling", "Music", "")
    assert problem(ann.get("skills/whistling")) == (404, "not-found")
    assert program(olga).get("skills/whistling").json()["proposed"]


@pytest.mark.needs("skills")
def test_another_name_of_a_skill_leads_to_it(ann, olga, signed_in):
    services.add(olga, "Go", "Programming", "")
    services.add_alias(olga, repository.find("go"), "Golang")
    assert ann.get("skills/golang").json() == ann.get("skills/go").json()
    assert ann.get("skills/Golang").json()["id"] == "go"
    made = ann.post("people/Ann/skills", PYTHON | {"skill": "golang"})
    assert made.json()["skill"] == "go"
    assert [each["name"] for each in ann.get("skills/golang/people").json()["items"]] == ["Ann"]
    assert ann.get("people/Ann/skills/golang").json() == made.json()
    changed = ann.put("people/Ann/skills/golang", {"level": 1}, If_Match=made["ETag"])
    assert (changed.json()["skill"], changed.json()["level"]) == ("go", 1)
    assert signed_in("Ann").get("/skill/golang/").url == "/skill/go/"
    assert ann.delete("people/Ann/skills/golang").status_code == 204
    assert problem(ann.get("people/Ann/skills/go")) == (404, "not-found")
    services.propose(people.find("Ann"), "Whistling", "Music", "")
    assert problem(ann.get("skills/Whistling")) == (404, "not-found")


@pytest.mark.needs
def test_people_for_those_who_manage_them(ann, program, olga):
    admin = program(olga)
    found = admin.get("people").json()["items"]
    assert [(each["name"], each["role"]) for each in found] == [("Ann", "voter"), ("Olga", "admin")]
    assert [each["name"] for each in admin.get("people?role=admin").json()["items"]] == ["Olga"]
    assert [each["name"] for each in admin.get("people?q=an").json()["items"]] == ["Ann"]
    email = found[0]["email"]
    assert [each["name"] for each in admin.get(f"people?q={email}").json()["items"]] == ["Ann"]
    assert problem(ann.get("people")) == (403, "not-allowed")
    seen = ann.get("people/Olga")
    assert seen.json()["admin"] is None
    assert "@" not in seen.content.decode()
    assert problem(program(olga, Scope.READ).get("people/Ann")) == (403, "scope")
