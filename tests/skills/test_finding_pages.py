"""The page on which people are found: what is asked for stands in the address, and what is typed wrongly is told."""

from __future__ import annotations

import html
import re

import pytest

from accounts.rules import Role
from foundation.store import keys
from foundation.store.table import Delete
from parts.skills import services
from parts.skills.endorsements import Ground
from parts.skills.rules import Visibility
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
    for words in ("Advanced", "7 years", "last used October 2026", "wants to use it more", "are not found here"):
        assert words in text_of(shown)
    assert "Secret sauce." not in text_of(shown), "notes are on the profile"
    assert found(olaf.get("/skills/find/", {"skill": "Go", "interest": "on"})) == ["Bob"]
    assert found(olaf.get("/skills/find/", {"skill": "Go", "skill2": "tea", "skill5": "golang"})) == ["Ada"]
    assert "Nobody matches your search." in text_of(olaf.get("/skills/find/", {"skill": "Go", "years": "8"}))
    assert "/skills/find/?skill=Go" in text_of(olaf.get("/skill/go/"))
    assert 'href="/skills/find/"' in text_of(olaf.get("/skills/"))


@pytest.mark.few(4)
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


def test_a_part_of_a_name_finds_the_skill_it_can_only_mean(olaf, listed):
    listed("Bookkeeping", "Office", "accounting")
    shown = olaf.get("/skills/find/", {"skill": "lang"})
    assert (shown.status_code, found(shown)) == (200, ["Cyd", "Bob", "Ada"])
    assert '<option value="accounting">' in text_of(olaf.get("/skills/find/")), "suggested by the browser itself"
    listed("Beekeeping", "Garden")
    unsure = olaf.get("/skills/find/", {"skill": "keeping", "level": "2"})
    assert unsure.status_code == 422
    links = re.findall(r'<a href="\?(\S+)"><bdi>(\w+)</bdi>', text_of(unsure))
    assert links == [("skill=Beekeeping&amp;level=2", "Beekeeping"), ("skill=Bookkeeping&amp;level=2", "Bookkeeping")]
    assert "Bookkeeping</bdi>" in text_of(olaf.get("/skills/find/", {"skill": "Bokkeepin"})), "a slip of the finger"


def test_the_page_of_a_skill_shows_who_has_it(olaf, person):
    page = text_of(olaf.get("/skill/go/"))
    assert found(olaf.get("/skill/go/")) == ["Cyd", "Bob", "Ada"]
    assert re.search(r'<span class="avatar" aria-hidden="true">A</span>', page), "initials where there is no picture"
    assert re.search(r"<bdi>Tea</bdi>.{0,200}: Beginner", page, re.DOTALL), "what Ada can do besides"
    services.show_to(person("Cyd"), Visibility.ADMINS)
    assert found(olaf.get("/skill/go/")) == ["Bob", "Ada"]


def test_endorsements_of_those_who_have_the_skill_themselves_are_counted_apart(olaf, person):
    for by in ("Bob", "Eve", "Fay"):
        services.endorse(person(by, Role.VOTER), person("Ada"), "go", (Ground.SAW,), f"form of {by}")
    services.show_to(person("Fay"), Visibility.NOBODY)
    for page in ("/skill/go/", "/skills/find/?skill=Go", "/profile/Ada/"):
        counted = re.sub(r"<[^>]+>", "", text_of(olaf.get(page)))
        assert "2 endorsements, 1 from somebody with this skill" in counted, page


def test_what_is_only_proposed_is_looked_for_by_nobody(olaf, person):
    services.propose(person("Ada"), "Whistling", "Music", "")
    assert olaf.get("/skills/find/", {"skill": "Whistling"}).status_code == 422


def test_the_address_leads_to_the_next_page_of_the_same_search(olaf, monkeypatch):
    monkeypatch.setattr("parts.skills.people_views.PAGE_CARDS", 2)
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


def test_nobody_who_has_left_is_on_the_page(site, olaf):
    site.write(Delete(keys.user("Bob")))
    assert found(olaf.get("/skills/find/", {"skill": "Go"})) == ["Cyd", "Ada"]
