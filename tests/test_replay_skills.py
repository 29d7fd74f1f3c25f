"""Skills in the log: what it makes of them is what there is, and nothing of them changes without an event."""

from __future__ import annotations

from functools import partial

import pytest

from accounts import services as accounts
from accounts.rules import Role
from skills import merging, repository, services
from skills import replay as of_skills
from skills.endorsements import Ground
from skills.rules import Visibility
from store import keys
from store.table import Update
from tests.background import finish_background
from tests.skills.conftest import have
from tests.test_completeness import Watched, watched  # noqa: F401 - a fixture
from tests.test_replay_story import kinds_in
from upkeep import replay

check = partial(replay.check, report=replay.quietly)


def tell_of_skills(person) -> None:
    """Everything happens that can happen to a skill, and to somebody's."""
    owner, ada, bob = person("Olga", Role.OWNER), person("Ada", Role.VOTER), person("Bob")
    python = services.add(owner, "Python", "Programming", "Indents.")
    snakes = services.propose(ada, "Snakes", "Animals", "")
    services.edit(owner, repository.find(snakes.id), "Programming", "They are the same.")
    services.approve(owner, repository.find(snakes.id))
    services.refuse(owner, services.propose(ada, "Nonsense", "Some", ""))
    services.add_alias(owner, repository.find(python.id), "Py")
    services.add_alias(owner, repository.find(python.id), "Pie")
    services.remove_alias(owner, repository.find(python.id), "Pie")
    services.rename(owner, repository.find(python.id), "Python 3")
    for each, skill in ((ada, snakes.id), (bob, snakes.id), (bob, python.id)):
        have(each, skill, notes="Words of mine.")
    have(bob, python.id, level=4)
    services.confirm(bob, snakes.id, "")
    services.show_to(ada, Visibility.ADMINS)
    services.endorse(owner, bob, snakes.id, (Ground.SAW,), "form of before")
    services.withdraw(owner, "Bob", snakes.id)
    services.endorse(ada, bob, snakes.id, (Ground.SAW,), "form of Ada of before")
    services.endorse(ada, bob, python.id, (Ground.SAW,), "another form of Ada")
    merging.merge(owner, repository.find(snakes.id), repository.find(python.id))
    finish_background()
    services.endorse(owner, bob, "python", (Ground.WORKED, Ground.SAW), "form of Olga")
    services.hide(bob, "python", "Olga")
    services.hide(bob, "python", "Olga", hidden=False)
    services.withdraw(owner, "Bob", "python")
    have(ada, services.add(owner, "Tea", "Kitchen", "").id)
    services.let_go(ada, "tea")
    accounts.remove(owner, bob)


@pytest.fixture
def told(site, person):
    tell_of_skills(person)
    return site


def test_the_log_makes_the_skills_there_are(told):
    assert check(told).first == ()
    assert {event["event_type"] for event in told.each(keys.events())} >= kinds_in("skills")
    assert kinds_in("skills") == {each.name for each in of_skills.EVENTS}


def test_a_skill_changed_behind_our_back_is_named(told):
    told.write(Update(keys.person_skill("Ada", "python"), set={"level": 4}))
    assert [each.attribute for each in check(told).first] == ["level"]


def test_nothing_changes_without_an_event_and_no_event_without_a_change(watched, person):  # noqa: F811
    tell_of_skills(person)
    assert (watched.faults, watched.undeclared) == ([], set())
    watched.write(Update(keys.skill("python"), set={"name": "Boa"}))
    watched.write(*repository.removing(repository.own_skills("Ada"), "python"))
    assert [fault.partition(":")[0] for fault in watched.faults] == ["a change without an event"] * 2
