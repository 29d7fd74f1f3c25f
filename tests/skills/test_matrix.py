"""People by skills, as a page and as a file: nobody is in it who does not show it."""

from __future__ import annotations

import csv
import io

import pytest

from accounts.rules import Role
from parts.skills import finding, repository, services
from parts.skills.rules import Visibility
from tests.skills.conftest import have


@pytest.fixture
def shown(listed, person):
    """Ada and Bo show what they can do; Cy shows it to admins, and Di to nobody."""
    listed("Go")
    listed("Tea", "Kitchen")
    for name, skill, level in (("Ada", "go", 3), ("Ada", "tea", 1), ("bo", "tea", 4), ("Cy", "go", 2), ("Di", "go", 4)):
        have(person(name, Role.VOTER) if name != "Ada" or skill == "go" else people()["Ada"], skill, level=level)
    services.show_to(people()["Cy"], Visibility.ADMINS)
    services.show_to(people()["Di"], Visibility.NOBODY)


def people() -> dict:
    from accounts import repository as accounts

    return {name: accounts.find(name) for name in ("Ada", "bo", "Cy", "Di")}


def test_holders_from_a_level_on(shown):
    tea, go = (repository.find(skill) for skill in ("tea", "go"))
    assert list(repository.holders(tea, 2)) == [("bo", 4)]
    assert sorted(repository.holders(tea)) == [("Ada", 1), ("bo", 4)]
    assert list(repository.holders(go)) == [("Ada", 3)]


def test_the_page_and_the_file(shown, signed_in):
    admin = signed_in("Ann", Role.ADMIN)
    page = admin.get("/skills/matrix/").content.decode()
    assert page.index("/profile/Ada/") < page.index("/profile/bo/")
    assert "/profile/Cy/" not in page
    assert "/profile/Di/" not in page
    assert "/skill/go/" not in admin.get("/skills/matrix/", {"category": "Kitchen"}).content.decode()
    file = b"".join(admin.get("/skills/matrix.csv").streaming_content).decode("utf-8-sig")
    assert list(csv.reader(io.StringIO(file))) == [["Person", "Tea", "Go"], ["Ada", "1", "3"], ["bo", "4", ""]]


def test_a_page_has_some_columns_and_some_of_many_people(shown, signed_in, monkeypatch):
    monkeypatch.setattr("parts.skills.people_views.PAGE_COLUMNS", 1)
    page = signed_in("Ann", Role.ADMIN).get("/skills/matrix/").content.decode()
    assert 'rel="next"' in page
    assert "/skill/go/" not in page
    found = finding.skill_matrix([repository.find("tea"), repository.find("go")], most=1)
    assert not found.is_complete
    assert found.rows == [("Ada", [1, 3])]
    assert finding.skill_matrix([repository.find("go")], most=1).is_complete
