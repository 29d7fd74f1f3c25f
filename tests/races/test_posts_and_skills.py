"""Races about posts, likes, skills and endorsements."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from accounts.rules import Role
from foundation.acts.refusals import Refusal
from foundation.acts.storage import table
from foundation.store import keys
from parts.news import likes, repository, services
from parts.skills import endorsements, merging
from parts.skills import repository as skills
from parts.skills import services as skilled
from parts.skills.endorsements import Ground
from parts.skills.rules import Visibility
from tests.background import finish_background
from tests.news.conftest import written
from tests.skills.conftest import SAID, have

from .overtaken import lost, overtaken_by
from .test_voting import events


def counted(post_id: str) -> int:
    return sum(item["likes"] for item in table().each(keys.all_likes(post_id)))


@pytest.mark.parametrize("on", [True, False])
def test_two_presses_like_once(post, on):
    one = post().id
    who = likes.visitor("Browser", one)
    if not on:
        likes.set_like(who, True)
    with overtaken_by(partial(likes.set_like, who, on)):
        likes.set_like(who, on)
    assert counted(one) == int(on)
    assert likes.is_on(who) == on


def test_of_two_edits_the_second_is_told(admin, post):
    one = post()
    lost(partial(services.edit, admin, one, written("Slow")), to=partial(services.edit, admin, one, written("Quick")))
    assert repository.find(one.id).title == "Quick"


def test_two_posts_of_one_title_have_two_addresses(admin):
    made = []
    with overtaken_by(lambda: made.append(services.write(admin, written("Same")))):
        made.append(services.write(admin, written("Same")))
    assert [each.slug for each in made] == ["same", "same-2"]


def test_one_skill_is_proposed_once(boss):
    propose = partial(skilled.add, boss, "Python", "Programming", "")
    lost(propose, to=propose)
    assert len(events("SkillAdded")) == 1


def test_of_two_who_say_they_have_a_skill_the_second_changes_it(person, boss, listed):
    hold = partial(skilled.hold, person("Ada"), listed("Python").id)
    with overtaken_by(partial(hold, "quick", **SAID)):
        hold("slow", **SAID | {"level": 4})
    assert skills.own_skills("Ada").held["python"].level == 4
    assert [len(events(f"PersonSkill{kind}")) for kind in ("Added", "Changed")] == [1, 1]


def test_what_is_added_while_a_profile_is_hidden_is_hidden_too(person, boss, listed):
    ada, python, rust = person("Ada", Role.VOTER), listed("Python").id, listed("Rust").id
    have(ada, python)
    with overtaken_by(partial(have, ada, rust)):
        skilled.show_to(ada, Visibility.NOBODY)
    own = skills.own_skills("Ada")
    assert (own.visibility, set(own.held)) == (Visibility.NOBODY, {"python", "rust"})
    assert [list(table().each(keys.skill_holders(each))) for each in own.held] == [[], []]


def test_a_skill_that_is_let_go_meanwhile_is_not_confirmed(person, boss, listed):
    ada, python = person("Ada", Role.VOTER), listed("Python").id
    have(ada, python)
    lost(partial(skilled.confirm, ada, python, ""), to=partial(skilled.remove_from_profile, ada, python))
    assert not skills.own_skills("Ada").held


@pytest.fixture
def endorsed(person, boss, listed):
    """Bob may endorse Ada's Python."""
    ada, bob, python = person("Ada", Role.VOTER), person("Bob", Role.VOTER), listed("Python")
    have(ada, python.id)
    skilled.show_to(ada, Visibility.MEMBERS)
    endorse = partial(skilled.endorse, bob, ada, python.id, (Ground.WORKED,))
    return endorse, partial(skilled.withdraw, bob, "Ada", python.id)


def test_one_endorsement_of_each_and_one_withdrawal(endorsed):
    endorse, withdraw = endorsed
    with overtaken_by(partial(endorse, "quick")), suppress(Refusal):
        endorse("slow")
    found, _more = endorsements.received("Ada", "python", limit=9)
    assert [each.by for each in found] == ["Bob"]
    assert endorsements.count_of("Bob") == 1
    lost(withdraw, to=withdraw)


@pytest.fixture
def merged(boss, listed, monkeypatch):
    """What merges Python into Rust, as far as the request does it; the worker moves what people have."""
    monkeypatch.setattr(merging, "REQUEST_BATCHES", 0)
    rust = listed("Rust")
    return lambda: merging.merge(boss, skills.find("python"), skills.find(rust.id))


def test_an_endorsement_that_is_given_while_its_skill_is_merged_is_of_the_other(endorsed, merged):
    endorse, _withdraw = endorsed
    with overtaken_by(merged):
        endorse("form")
    finish_background()
    assert [each["skill_id"] for each in events("PersonEndorsed")] == ["rust"]
    assert [each.by for each in endorsements.received("Ada", "rust", limit=9)[0]] == ["Bob"]
    assert not endorsements.received("Ada", "python", limit=9)[0]


def test_an_endorsement_that_is_withdrawn_while_it_is_moved_does_not_come_back(endorsed, merged):
    endorse, withdraw = endorsed
    endorse("form")
    merged()
    with overtaken_by(withdraw, touching=keys.endorsement("Ada", "python", "Bob")):
        finish_background()
    finish_background()
    assert not endorsements.received("Ada", "rust", limit=9)[0]
    assert not endorsements.received("Ada", "python", limit=9)[0]
