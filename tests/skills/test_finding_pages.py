"""The page on which people are found: what is asked for stands in the address, and what is typed wrongly is told."""

from __future__ import annotations

import html
import re

import pytest

from accounts.rules import Role
from skills import services
from skills.rules import Visibility
from tests.skills.conftest import have
from tests.skills.test_pages import text_of


@pytest.fixture
def olaf(listed, person, signed_in):
    """Somebody who only looks, at a site with a few who can do something."""
    listed("Go", "Programming", "Golang")
    listed("Tea", "Kitchen")
    for name in ("Ada", "Bob", "Cyd"):
        have(person(name, Role.VOTER), "go", interest=name == "Bob", notes="Secret sauce.")
    have(person("Ada"), "tea", level=1)
    return signed_in("Olaf", Role.OBSERVER)


def found(answer) -> list[str]:
    return re.findall(r"/profile/(\w+)/", text_of(answer))


def test_people_are_found_by_any_name_of_a_skill(olaf):
    assert olaf.get("/skills/find/").status_code == 200
    shown = olaf.get("/skills/find/", {"skill": "GOLANG", "level": "3"})
    assert found(shown) == ["Cyd", "Bob", "Ada"]
    for words in ("Advanced", "7 years", "last used 2026-10", "wants to use it more", "are not found here"):
        assert words in text_of(shown)
    assert "Secret sauce." not in text_of(shown), "notes are on the profile"
    assert found(olaf.get("/skills/find/", {"skill": "Go", "interest": "on"})) == ["Bob"]
    assert found(olaf.get("/skills/find/", {"skill": "Go", "skill2": "tea", "skill5": "golang"})) == ["Ada"]
    assert "Nobody matches your search." in text_of(olaf.get("/skills/find/", {"skill": "Go", "years": "8"}))
    assert "/skills/find/?skill=Go" in text_of(olaf.get("/skill/go/"))
    assert 'href="/skills/find/"' in text_of(olaf.get("/skills/"))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"skill": "Whistling"}, "That skill is not in the catalogue"),
        ({"skill": "Go", "skill3": "Whistling"}, "That skill is not in the catalogue"),
        ({"skill": "  "}, "Enter a skill"),
        ({"level": "3"}, "Enter a skill"),
        ({"skill": "Go", "level": "9"}, "valid choice"),
        ({"skill": "Go", "years": "-1"}, "greater than or equal to 0"),
        ({"skill": "Go", "years": "many"}, "whole number"),
        ({"skill": "Go", "since": "2999-01"}, "future"),
        ({"skill": "x" * 500}, "at most"),
        ({"skill": "a\x00b"}, "Null characters"),
    ],
)
def test_what_is_typed_wrongly_is_told(olaf, asked, words):
    answer = olaf.get("/skills/find/", asked)
    assert answer.status_code == 422
    assert words in html.unescape(text_of(answer))
    assert found(answer) == []


def test_what_is_only_proposed_is_looked_for_by_nobody(olaf, person):
    services.propose(person("Ada"), "Whistling", "Music", "")
    assert olaf.get("/skills/find/", {"skill": "Whistling"}).status_code == 422


def test_the_address_leads_to_the_next_page_of_the_same_search(olaf, monkeypatch):
    monkeypatch.setattr("pages.paging.PAGE_ROWS", 2)
    asked = {"skill": "Go", "level": "2", "skill2": ""}
    shown = olaf.get("/skills/find/", asked)
    following = html.unescape(re.search(r'href="([^"]*)" rel="next"', text_of(shown))[1])
    assert "level=2" in following
    assert found(shown) + found(olaf.get(following)) == ["Cyd", "Bob", "Ada"]
    olaf.raise_request_exception = False
    assert olaf.get(following.replace("skill=Go", "skill=Tea")).status_code == 400
    assert olaf.get("/skills/find/", asked | {"after": "forged"}).status_code == 400


def test_nobody_who_hides_is_on_the_page(olaf, person):
    services.show_to(person("Ada"), Visibility.ADMINS)
    services.show_to(person("Bob"), Visibility.NOBODY)
    assert found(olaf.get("/skills/find/", {"skill": "Go"})) == ["Cyd"]
    assert found(olaf.get("/skills/find/", {"skill": "Tea"})) == []


def test_it_is_for_members(olaf, client, signed_in):
    asked = {"skill": "Go"}
    assert client.get("/skills/find/", asked).status_code == 302
    assert olaf.post("/skills/find/", asked).status_code == 405
