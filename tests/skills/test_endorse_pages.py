"""Pages about endorsements: for whom they are, what is shown apart and marked, and who is seen on none of them."""

from __future__ import annotations

import html
import re

import pytest

from accounts import repository as people
from accounts.rules import Role
from foundation.store import keys
from foundation.store.limits import BATCH_PUTS
from foundation.store.splitting import by_count
from parts.skills import endorsements, services
from parts.skills.endorsements import Endorsement, Ground
from parts.skills.rules import Visibility
from tests.people import sign_in
from tests.skills.conftest import have


def text_of(answer) -> str:
    return html.unescape(answer.content.decode())


@pytest.fixture
def bob(ada, signed_in):
    """Bob's browser."""
    return signed_in("Bob", Role.VOTER)


def endorse(name: str, whom: str, form: str = "a form") -> None:
    services.endorse(people.find(name), people.find(whom), "python", (Ground.SAW,), form)


def test_endorsing_and_withdrawing_without_scripts(bob):
    assert "/profile/Ada/skill/python/endorse/" in text_of(bob.get("/profile/Ada/"))
    page = text_of(bob.get("/profile/Ada/skill/python/endorse/"))
    assert "Their level: Intermediate, works alone on ordinary tasks" in page
    words = {"grounds": ["worked", "saw"], "token": "one"}
    for _ in range(2):
        answer = bob.post("/profile/Ada/skill/python/endorse/", words, follow=True)
        assert answer.redirect_chain == [("/profile/Ada/", 302)]
    assert "1 endorsement<" in text_of(answer)
    assert "/endorse/" not in text_of(answer), "once"
    shown = text_of(bob.get("/profile/Ada/skill/python/"))
    assert "We worked together · I saw the result" in shown
    assert "Endorsed at: Intermediate" in shown
    assert "Ada" in text_of(bob.get("/me/endorsements/"))
    answer = bob.post("/profile/Ada/skill/python/withdraw/", follow=True)
    assert "No endorsements yet" in text_of(answer)
    assert bob.post("/profile/Ada/skill/python/withdraw/").status_code == 404
    assert "endorsement<" not in text_of(bob.get("/profile/Ada/"))


@pytest.mark.parametrize("words", [{}, {"grounds": "envy"}, {"grounds": ["saw", "envy"]}])
def test_without_grounds_there_is_no_endorsement(bob, words):
    assert bob.post("/profile/Ada/skill/python/endorse/", words).status_code == 422
    assert endorsements.find("Ada", "python", "Bob") is None


def test_what_is_refused_is_said_at_the_form(bob):
    endorse("Bob", "Ada")
    answer = bob.post("/profile/Ada/skill/python/endorse/", {"grounds": "saw", "token": "another"})
    assert (answer.status_code, "You have already endorsed this." in text_of(answer)) == (422, True)


def test_who_only_looks_endorses_nobody_and_strangers_see_nothing(ada, signed_in, client):
    browser = signed_in("Olaf", Role.OBSERVER)
    assert "/endorse/" not in text_of(browser.get("/profile/Ada/"))
    assert browser.get("/profile/Ada/skill/python/").status_code == 200
    assert browser.get("/profile/Ada/skill/python/endorse/").status_code == 403
    assert client.get("/profile/Ada/skill/python/").status_code == 302
    for address in ("/profile/Nobody/skill/python/", "/profile/Ada/skill/tea/"):
        assert browser.get(address).status_code == 404


def test_who_has_the_skill_is_shown_apart_and_mutual_pairs_are_marked(bob, person):
    for name in ("Cyd", "Dan"):
        have(person(name, Role.VOTER), "python")
    person("Eve", Role.VOTER)
    for name in ("Cyd", "Dan", "Eve"):
        endorse(name, "Ada")
    endorse("Ada", "Cyd")
    shown = text_of(bob.get("/profile/Ada/skill/python/"))
    apart, others = shown.split("Others</h2>")
    assert "Have this skill themselves" in apart
    assert [name in apart for name in ("/profile/Cyd/", "/profile/Dan/", "/profile/Eve/")] == [True, True, False]
    assert "/profile/Eve/" in others
    assert shown.count("endorse each other") == 1
    assert apart.index("/profile/Cyd/") < apart.index("endorse each other") < apart.index("/profile/Dan/")
    services.hide(people.find("Cyd"), "python", "Ada")
    assert "endorse each other" not in text_of(bob.get("/profile/Ada/skill/python/")), "what is hidden shows nowhere"


def test_the_owner_hides_it_and_nobody_else_can(ada, bob, signed_in, person):
    person("Cyd", Role.VOTER)
    endorse("Bob", "Ada")
    endorse("Cyd", "Ada")
    assert bob.post("/me/skill/python/by/Cyd/hide/").status_code == 404
    browser = signed_in("Ada", Role.VOTER)
    assert "/me/skill/python/by/Cyd/hide/" in text_of(browser.get("/profile/Ada/skill/python/"))
    assert "hidden from others" in text_of(browser.post("/me/skill/python/by/Cyd/hide/", follow=True))
    assert browser.get("/me/skill/python/by/Cyd/hide/").status_code == 405
    assert "/profile/Cyd/" not in text_of(bob.get("/profile/Ada/skill/python/"))
    assert "1 endorsement<" in text_of(bob.get("/profile/Ada/"))
    cyd = signed_in("Cyd", Role.VOTER)
    assert "/profile/Cyd/" in text_of(cyd.get("/profile/Ada/skill/python/")), "whoever gave it is not told"
    assert "hidden from others" not in text_of(cyd.get("/profile/Ada/skill/python/"))
    browser.post("/me/skill/python/by/Cyd/show/")
    assert "2 endorsements<" in text_of(bob.get("/profile/Ada/"))


def test_who_hides_is_seen_and_counted_nowhere(ada, bob, signed_in, person):
    eve = person("Eve", Role.VOTER)
    endorse("Eve", "Ada")
    services.show_to(eve, Visibility.NOBODY)
    own = signed_in("Ada", Role.VOTER)
    for browser in (own, bob, signed_in("Ann", Role.ADMIN)):
        for address in ("/profile/Ada/", "/profile/Ada/skill/python/"):
            assert not re.search(r"\bEve\b", (shown := text_of(browser.get(address))))
            assert "endorsement<" not in shown
    assert own.post("/me/skill/python/by/Eve/hide/").status_code == 404
    browser = signed_in("Eve", Role.VOTER)
    assert "1 endorsement<" in text_of(browser.get("/profile/Ada/")), "one's own word one sees"
    services.show_to(ada, Visibility.NOBODY)
    assert bob.get("/profile/Ada/skill/python/endorse/").status_code == 404
    assert browser.get("/profile/Ada/skill/python/").status_code == 404
    assert "Ada" in text_of(browser.get("/me/endorsements/"))
    assert browser.post("/profile/Ada/skill/python/withdraw/").status_code == 302
    assert endorsements.find("Ada", "python", "Eve") is None


def test_an_admin_sees_who_is_shown_to_admins_and_endorses_them_neither(ada, bob, signed_in):
    endorse("Bob", "Ada")
    services.show_to(people.find("Bob"), Visibility.ADMINS)
    admin = signed_in("Ann", Role.ADMIN)
    assert "1 endorsement<" in text_of(admin.get("/profile/Ada/"))
    services.show_to(ada, Visibility.ADMINS)
    assert "/endorse/" not in text_of(admin.get("/profile/Ada/"))
    assert admin.get("/profile/Ada/skill/python/endorse/").status_code == 404


def test_whoever_hides_is_told_that_nobody_will_see_it(bob):
    services.show_to(people.find("Bob"), Visibility.NOBODY)
    assert "will not see this endorsement" in text_of(bob.get("/profile/Ada/skill/python/endorse/"))


def test_profiles_are_not_ordered_by_endorsements(bob, listed, ada, person):
    have(ada, listed("Tea").id, level=2)
    have(ada, listed("Zither").id, level=2)
    services.endorse(people.find("Bob"), ada, "zither", (Ground.SAW,), "form")
    shown = text_of(bob.get("/profile/Ada/"))
    assert shown.index("/skill/python/") < shown.index("/skill/tea/") < shown.index("/skill/zither/")


def test_many_endorsers_are_leafed_through(bob, site, monkeypatch, person):
    monkeypatch.setattr("foundation.pages.paging.PAGE_ROWS", 2)
    for name in ("Cyd", "Dan", "Eve"):
        person(name, Role.VOTER)
        endorse(name, "Ada")
    shown = text_of(bob.get("/profile/Ada/skill/python/"))
    assert ("/profile/Dan/" in shown, "/profile/Eve/" in shown) == (True, False)
    after = shown.split('rel="next"')[0].rpartition('href="')[2].rpartition('"')[0]
    assert "/profile/Eve/" in text_of(bob.get(after))
    assert site.count(keys.endorsements("Ada", "python")) == 3


# --- what it costs ---


def endorsed_by_many(site, name: str, skill: str, many: int) -> None:
    """As if so many had vouched for it; straight into the store."""
    all_of_them = (
        Endorsement(name, skill, f"Somebody {each:04d}", ("worked",), 3, "2026-11-01") for each in range(many)
    )
    for some in by_count((endorsements._item(each) for each in all_of_them), BATCH_PUTS):
        site.put_all(some)


def test_of_very_many_one_still_finds_that_one_has_endorsed(site, person, listed):
    listed("Python")
    have(person("Ada"), "python")
    endorsed_by_many(site, "Ada", "python", 250)
    zoe = person("Zoe")
    services.endorse(zoe, person("Ada"), "python", [Ground.WORKED], "form")
    shown = sign_in(zoe).get("/profile/Ada/").content.decode()
    assert "/profile/Ada/skill/python/endorse/" not in shown
