"""Fragments that are rendered once: what they are cached by, and that a page shows every change at once."""

from __future__ import annotations

import re

import pytest
from django.template import engines
from django.test import Client
from django.urls import set_script_prefix
from django.utils.safestring import mark_safe
from django.utils.translation import override
from jinja2 import Environment

from accounts.rules import Role
from accounts.services.people import change_role
from elections import actions, repository
from elections.candidates import add_candidates, edit_candidate
from elections.drafts import services as drafts
from elections.rules import Action
from foundation.acts.caches import SizedCache
from foundation.pages import fragments
from foundation.pages.fragments import cached_include, fragment
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import Choice

CHOICE = "ranking/parts/choice.html"
NAV = {"section": "home", "known": True, "looks": True, "manages": False}


@pytest.fixture
def renderings(monkeypatch) -> list[str]:
    """The fragments that are rendered from here on, with an empty cache."""
    names, render = [], fragments.render_to_string
    monkeypatch.setattr(fragments, "include_cache", SizedCache(1_000_000, fragments.include_cache.weigh))
    monkeypatch.setattr(fragments, "render_to_string", lambda name, *rest: names.append(name) or render(name, *rest))
    return names


def here() -> Environment:
    return engines["jinja2"].env.active()


def choice(**values) -> str:
    return cached_include(
        here(), CHOICE, **{"number": 1, "name": "Ada", "statement": "", "link": "", "ranks": 3, **values}
    )


def test_a_fragment_is_rendered_once_for_the_same_values(renderings):
    assert choice() == choice()
    assert len(renderings) == 1


@pytest.mark.parametrize("other", [{"name": "Grace"}, {"number": 2}, {"ranks": 4}, {"link": "https://example.org/"}])
def test_other_values_make_another_fragment(renderings, other):
    assert choice() != choice(**other)
    assert len(renderings) == 2


def test_a_text_that_is_safe_and_one_that_is_not_are_two(renderings):
    said = "<b>Boats first</b>"
    assert said in choice(statement=mark_safe(said))
    assert said not in choice(statement=said)
    assert said in choice(statement=mark_safe(said))


def test_a_number_and_whether_something_is_so_are_two(renderings):
    assert choice(ranks=1) != choice(ranks=True)


def test_the_same_values_by_other_names_make_another_fragment(renderings):
    assert choice(name="Ada", link="x") != choice(name="x", link="Ada")
    assert choice(number=1, ranks=2) != choice(number=2, ranks=1)


def test_every_language_has_its_own(renderings):
    with override("de"):
        assert "Rang" in choice()
    with override("en"):
        assert "Rank" in choice()


def test_a_site_that_lies_elsewhere_has_its_own(renderings):
    at_home = cached_include(here(), "parts/nav.html", **NAV)
    set_script_prefix("/vote/")
    try:
        assert cached_include(here(), "parts/nav.html", **NAV) != at_home
    finally:
        set_script_prefix("/")


def test_a_fragment_sees_nothing_but_what_it_is_given(renderings):
    page = engines["jinja2"].from_string(
        '{{ cached_include("ranking/parts/choice.html", name=who, number=1, ranks=2) }}'
    )
    shown = page.render({"who": "Ada", "statement": "unsaid"})
    assert "Ada" in shown
    assert "unsaid" not in shown


# --- on pages ---


def test_a_page_shows_every_change_at_once(site, person, signed_in):
    owner = person("Otto", Role.USER)
    election = drafts.create(owner, "Board")
    add_candidates(owner, election, [Candidate("Ada", "Boats first.")])
    browser = signed_in(owner)
    page = "/election/Board/"
    assert "Boats first." in browser.get(page).content.decode()
    edit_candidate(owner, repository.find("Board"), Candidate("Ada", "Papers first."))
    changed = browser.get(page).content.decode()
    assert "Papers first." in changed
    assert "Boats first." not in changed
    actions.change(owner, repository.find("Board"), Action.SET_UP, seats=2)
    assert "2 seats" in browser.get(page).content.decode()


def header_of(browser: Client) -> str:
    return re.search(r'<header class="site-header">.*?</header>', browser.get("/").content.decode(), re.S)[0]


def test_everybody_has_the_header_that_is_theirs_now(site, person, signed_in):
    ada, owner = person("Ada", Role.ADMIN), person("Olga", Role.OWNER)
    browsers = {"Ada": signed_in(ada), "Eve": signed_in("Eve", Role.VOTER), "Olga": signed_in(owner), "": Client()}
    admins = {"Ada", "Olga"}
    for _again in range(2):
        for name, browser in browsers.items():
            header = header_of(browser)
            assert {each for each in ("Ada", "Eve", "Olga") if f">{each}<" in header} == {name} - {""}
            assert ('href="/admin/"' in header) == (name in admins)
            assert ("data-signs-out" in header, 'href="/sign-in/"' in header) == (bool(name), not name)
        if "Ada" in admins:
            change_role(owner, ada, Role.VOTER)
            admins.remove("Ada")


def test_what_somebody_has_ranked_is_not_cached(renderings):
    choices = [Choice(1, "Ada", "", "", rank="1"), Choice(2, "Grace", "", "", rank="")]
    words = {"draft_key": "", "unranked_sentence": ""}
    shown = fragment("ranking/parts/ranks.html", {"choices": choices, "ranks": 2, **words})
    assert 'value="1"' in shown
    assert CHOICE in renderings
    assert not any("Ada" in str(key) for key in fragments.include_cache._entries)
