"""The demo has a catalogue, people who can do these things, and what the log makes of it is what there is."""

from __future__ import annotations

import pytest

from accounts import repository as people
from accounts.demo import PASSWORD, PEOPLE
from accounts.services import make_demo_person
from foundation.store import keys
from parts.skills import demo, repository
from parts.skills.rules import Visibility


@pytest.mark.deep
def test_sixty_skills_and_forty_people_who_have_them(site):
    for name, role, about in PEOPLE:
        make_demo_person(name, role, about, PASSWORD)
    assert demo.load() == sum(map(len, demo.CATALOGUE.values())) == 60
    assert demo.load() == 0, "what is there stays as it is"
    assert len(people.people(limit=99)[0]) == 40
    held = {name: repository.own_skills(name) for name in (*demo.KNOWN, *demo.MEMBERS)}
    assert min(len(own.held) for own in held.values()) >= 4
    wanted = {skill for skills in demo.CALLINGS.values() for skill in skills}
    shown = sum(len(own.held) for own in held.values() if own.visibility == Visibility.MEMBERS)
    assert shown == sum(site.count(keys.skill_holders(skill)) for skill in wanted)
    assert repository.find_by_name("golang").name == "Go"
    assert len(repository.proposals(limit=9)[0]) == 2
    given = [name for name in demo.MEMBERS if site.count(keys.endorses(name))]
    assert len(given) > len(demo.MEMBERS) / 2
    assert not any(site.count(keys.endorsements(name)) for name in demo.HIDDEN)
