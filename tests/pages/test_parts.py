"""Parts that are rendered once: what they are remembered by, and that a page shows every change at once."""

from __future__ import annotations

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.urls import set_script_prefix
from django.utils.safestring import mark_safe
from django.utils.translation import override

from accounts.rules import Role
from elections import repository, services
from elections.rules import Action
from pages import parts
from pages.parts import part
from ranking.candidates import Candidate
from store.memory import Memory

CHOICE = "ranking/parts/choice.html"


@pytest.fixture
def renderings(monkeypatch) -> list[str]:
    """The parts that are rendered from here on, by a process that remembers nothing."""
    names, render = [], parts.render_to_string
    monkeypatch.setattr(parts, "memory", Memory(1_000_000, parts._weight))
    monkeypatch.setattr(parts, "render_to_string", lambda name, given: names.append(name) or render(name, given))
    return names


def choice(**given) -> str:
    return part(CHOICE, {"number": 1, "name": "Ada", "statement": "", "link": "", "photo": None, "ranks": 3, **given})


def test_a_part_is_rendered_once_for_the_same_values(renderings):
    assert choice() == choice()
    assert len(renderings) == 1


def test_while_templates_are_written_nothing_is_remembered(renderings, settings):
    settings.DEBUG = True
    assert choice() == choice()
    assert len(renderings) == 2


@pytest.mark.parametrize("other", [{"name": "Grace"}, {"number": 2}, {"ranks": 4}, {"link": "https://example.org/"}])
def test_other_values_make_another_part(renderings, other):
    assert choice() != choice(**other)
    assert len(renderings) == 2


def test_a_text_that_is_safe_and_one_that_is_not_are_two(renderings):
    said = "<b>Boats first</b>"
    assert said in choice(statement=mark_safe(said))
    assert said not in choice(statement=said)
    assert said in choice(statement=mark_safe(said))


def test_a_number_and_whether_something_is_so_are_two(renderings):
    assert choice(ranks=1) != choice(ranks=True)


def test_the_same_values_by_other_names_make_another_part(renderings):
    assert part(CHOICE, {"name": "Ada", "link": "x"}) != part(CHOICE, {"link": "Ada", "name": "x"})
    assert part(CHOICE, {"name": "Ada", "number": 1}) != part(CHOICE, {"name": "Ada", "ranks": 1})


def test_every_language_has_its_own(renderings):
    with override("de"):
        assert "Rang" in choice()
    with override("en"):
        assert "Rank" in choice()


def test_a_site_that_lies_elsewhere_has_its_own(renderings):
    at_home = part("parts/nav.html", {"known": True})
    set_script_prefix("/vote/")
    try:
        assert part("parts/nav.html", {"known": True}) != at_home
    finally:
        set_script_prefix("/")


def test_a_part_sees_nothing_but_what_it_is_given(renderings):
    page = Template('{% load parts %}{% part "ranking/parts/choice.html" name=who number=1 %}')
    assert "Ada" in page.render(Context({"who": "Ada", "statement": "unsaid"}))
    assert "unsaid" not in page.render(Context({"who": "Ada", "statement": "unsaid"}))


@pytest.mark.parametrize("written", ["{% part name %}", '{% part "parts/nav.html" here %}'])
def test_a_part_that_is_not_named_is_a_mistake(written):
    with pytest.raises(TemplateSyntaxError):
        Template("{% load parts %}" + written)


# --- on pages ---


def test_a_page_shows_every_change_at_once(site, person, signed_in):
    owner = person("Otto", Role.USER)
    election = services.create(owner, "Board")
    services.add_candidates(owner, election, [Candidate("Ada", "Boats first.")])
    browser = signed_in(owner)
    page = "/election/Board/"
    assert "Boats first." in browser.get(page).content.decode()
    services.edit_candidate(owner, repository.find("Board"), Candidate("Ada", "Papers first."))
    changed = browser.get(page).content.decode()
    assert "Papers first." in changed
    assert "Boats first." not in changed
    services.change(owner, repository.find("Board"), Action.SET_UP, seats=2)
    assert "2 seats" in browser.get(page).content.decode()


def test_what_somebody_has_ranked_is_not_remembered(renderings):
    page = Template('{% include "ranking/parts/ranks.html" %}')
    chosen = [{"number": 1, "name": "Ada", "rank": "1"}, {"number": 2, "name": "Grace", "rank": ""}]
    shown = page.render(Context({"choices": chosen, "ranks": 2}))
    assert 'value="1"' in shown
    assert renderings == [CHOICE]
    assert not any("Ada" in str(asked) for asked in parts.memory._kept)
