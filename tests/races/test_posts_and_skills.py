"""Races about posts, likes, skills and endorsements."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from accounts.rules import Role
from acts.refusals import Refusal
from acts.storage import table
from news import likes, repository, services
from skills import endorsements
from skills import repository as skills
from skills import services as skilled
from skills.endorsements import Ground
from skills.rules import Visibility
from store import keys
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
