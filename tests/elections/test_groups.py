"""Groups: electorates that are kept and reused, which never change a roll by themselves."""

from __future__ import annotations

import pytest

from elections import copying, imports, repository, services
from elections.groups import repository as groups
from elections.groups import services as keeping
from elections.groups.rules import Group, Member

ADDRESSES = [f"voter{n:03}@example.org" for n in range(200)]
HOSTILE = ["a#b@example.org", "'=1+1@example.org"]


@pytest.fixture
def ada(person):
    return person("Ada")


def election(ada, name="Board", voters=()):
    made = services.create(ada, name)
    if voters:
        services.add_voters(ada, made, voters)
    return repository.find(name)


def names_in(group: Group) -> list[str]:
    return [member.name for member in groups.every_member(group.id)]


def on_roll(name="Board") -> list[str]:
    return [voter.name for voter in repository.every_voter(name)]


def put_on(ada, name, group) -> imports.Import:
    found = repository.find(name)
    return imports.go_on(ada, found, keeping.put_on_roll(ada, found, group.id), 60)


def test_the_election_before_this_one_is_the_newest_that_had_the_group_and_was_opened(site, ada):
    group, _came = keeping.make(ada, "Club", [Member(each) for each in ADDRESSES[:3]])
    for name in ("One", "Two", "Three", "Four"):
        election(ada, name)
        put_on(ada, name, group)
    for name in ("One", "Two"):
        services.add_candidates(ada, repository.find(name), [*map(candidate, "AB")])
        services.open_(ada, repository.find(name), editable=False)
    four = repository.find("Four")
    assert four.group == group.id
    assert keeping.last_election(group.id, before=four).name == "Two"
    services.delete(ada, repository.find("Two"))
    assert keeping.last_election(group.id, before=four).name == "One"
    assert keeping.last_election(group.id, before=repository.find("One")) is None
    copy = copying.copy(ada, repository.find("One"), "Five")
    assert (copy.group, keeping.last_election(group.id, before=copy).name) == (group.id, "One")
    keeping.delete(ada, group.id)
    keeping.clear_away_all()
    assert keeping.last_election(group.id, before=four) is None
    assert copying.copy(ada, repository.find("One"), "Six").group == ""


def candidate(name):
    from ranking.candidates import Candidate

    return Candidate(name)
