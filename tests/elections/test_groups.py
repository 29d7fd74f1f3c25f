"""Groups: electorates that are kept and reused, which never change a roll by themselves."""

from __future__ import annotations

import pytest

from accounts.rules import Role
from accounts.services import removal_effects, remove_self
from elections import repository, rolls
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.groups import repository as groups
from elections.groups import services as keeping
from elections.groups.repository import Group, Member
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager
from elections.personal_data import groups_with, own_groups
from elections.roll import imports
from elections.roll.services import add_voters, remove_voter
from foundation.acts.refusals import NameTaken, NotAllowed, NotThere, TooMany
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import EventLog
from tests.at_once import at_once
from tests.background import finish_background
from tests.people import enrol

ADDRESSES = [f"voter{n:03}@example.org" for n in range(200)]
HOSTILE = ["a#b", "100% 😀", "مريم", 'the "one"', "=sum(1)", "MEMBER#x", "Doe, Jane"]


def election(ada, name="Board", voters=(), **settings):
    made = drafts.create(ada, name, **settings)
    if voters:
        add_voters(ada, made, voters)
    return repository.find(name)


def opened(ada, name):
    add_candidates(ada, repository.find(name), [Candidate("Bo"), Candidate("Cy")])
    lifecycle.open_(ada, repository.find(name), editable=False)


def club(ada, *names, name="Club") -> Group:
    group = keeping.make(ada, name)
    keeping.add(ada, group.id, names)
    return groups.find(group.id)


def names_in(group: Group) -> list[str]:
    return [member.name for member in groups.every_member(group.id)]


def on_roll(name="Board") -> list[str]:
    return [voter.name for voter in rolls.every_voter(name)]


def put_on(ada, name, group) -> imports.Import:
    found = repository.find(name)
    return imports.resume(ada, found, keeping.put_on_roll(ada, found, group.id), 60)


def events(site, *kinds):
    return [event["event_data"] for event in EventLog(site).since(0) if event["event_type"] in kinds]


# --- making and keeping ---


def test_a_roll_is_kept_with_one_press_and_put_on_the_next(site, ada):
    enrol(*HOSTILE)
    first = election(ada, "Board", [*HOSTILE, *ADDRESSES])
    group = keeping.save_roll(ada, first, "form")
    assert (group.name, groups.find(group.id).members) == ("Board", 207)
    assert sorted(names_in(group)) == sorted(on_roll())
    assert max(len(said["members"]) for said in events(site, "GroupMembersAdded")) <= 90
    assert keeping.save_roll(ada, first, "form").id == group.id, "a double click"
    assert keeping.save_roll(ada, first, "another form").name == "Board (2)"
    election(ada, "Next", ADDRESSES[:3])
    done = put_on(ada, "Next", group)
    assert (done.added, done.sentence) == (204, "204 voters added. 3 were already on the roll.")
    assert sorted(on_roll("Next")) == sorted(on_roll())
    assert repository.find("Next").group == group.id
    remove_voter(ada, repository.find("Next"), HOSTILE[0])
    keeping.remove(ada, group.id, HOSTILE[1])
    assert HOSTILE[1] in on_roll("Next"), "a group never changes a roll by itself"
    assert HOSTILE[0] in names_in(group)


def test_a_name_is_one_persons_only_once_whatever_its_letters(site, ada, person):
    bo = person("Bo")
    group = keeping.make(ada, "Straße #1 😀")
    for name in ("STRASSE #1 😀", "strasse  #1 😀"):
        with pytest.raises(NameTaken):
            keeping.make(ada, name)
    assert keeping.make(bo, "Straße #1 😀").owner_name == "Bo"
    keeping.rename(ada, group.id, "STRASSE #1 😀")
    assert groups.find(group.id).name == "STRASSE #1 😀"
    other = keeping.make(ada, "Other")
    with pytest.raises(NameTaken):
        keeping.rename(ada, other.id, "straße #1 😀")
    keeping.delete(ada, group.id)
    keeping.rename(ada, other.id, "Straße #1 😀")
    assert groups.find(other.id).version == 2
    assert keeping.make(ada, "Other").name == "Other", "the old name is free"


def test_somebody_elses_group_is_not_there(site, ada, person):
    group, bo = club(ada, *ADDRESSES[:2]), person("Bo", Role.ADMIN)
    board = election(bo)
    for act in (
        lambda: keeping.rename(bo, group.id, "Mine"),
        lambda: keeping.add(bo, group.id, ["bo@example.org"]),
        lambda: keeping.remove(bo, group.id, ADDRESSES[0]),
        lambda: keeping.delete(bo, group.id),
        lambda: keeping.put_on_roll(bo, board, group.id),
    ):
        with pytest.raises(NotThere):
            act()
    assert names_in(group) == ADDRESSES[:2]


def test_there_is_a_most_of_members_and_of_groups(site, ada, monkeypatch):
    group = club(ada, *ADDRESSES[:3])
    monkeypatch.setattr(keeping, "MAX_MEMBERS", 4)
    with pytest.raises(TooMany):
        keeping.add(ada, group.id, ADDRESSES[3:5])
    monkeypatch.setattr(keeping, "MAX_GROUPS_PER_PERSON", 1)
    with pytest.raises(TooMany):
        keeping.make(ada, "Another")


def test_names_without_an_account_do_not_come_in_and_repetitions_do_no_harm(site, ada):
    enrol("Cy")
    group = keeping.make(ada, "Club")
    came = keeping.add(ada, group.id, ["Cy", "Nobody", ADDRESSES[0]])
    assert (came.added, names_in(group)) == (2, ["Cy", ADDRESSES[0]])
    again = keeping.add(ada, group.id, ["CY", ADDRESSES[0], ADDRESSES[1]])
    assert (again.added, again.there) == (1, 2)
    both = at_once(*[lambda: keeping.add(ada, group.id, ADDRESSES) for _ in range(2)])
    assert not [each for each in both if isinstance(each, Exception)]
    finish_background("fill group")
    assert groups.find(group.id).members == len(names_in(group)) == 201


# --- using one ---


def test_only_who_is_still_here_is_put_on_a_roll_and_never_whoever_has_the_name_next(site, ada, person):
    enrol("Cy", "Di")
    group = club(ada, "Cy", "Di", ADDRESSES[0])
    stale = groups.adding(group.id, [Member("Eve", "2020-01-01T00:00:00.000Z")])
    site.write(*stale)
    enrol("Eve")  # of the same name, another account
    election(ada)
    assert put_on(ada, "Board", group).sentence == "3 voters added. 1 could not be used."
    assert on_roll() == ["Cy", "Di", ADDRESSES[0]]


def test_in_a_secret_election_of_everybody_only_addresses_are_added_and_names_kept_by_nobody(site, ada):
    enrol("Cy")
    election(ada, "Open", voters=[ADDRESSES[1]], electorate="everyone")
    opened(ada, "Open")
    group = club(ada, "Cy", ADDRESSES[0])
    put_on(ada, "Open", group)
    assert on_roll("Open") == ADDRESSES[:2]
    site.write(rolls.new_voter(repository.find("Open"), "Cy", "2020-01-01T00:00:00.000Z"))
    kept = keeping.save_roll(ada, repository.find("Open"), "form")
    assert names_in(kept) == ADDRESSES[:2], "who is on the roll by name has voted in secret"
    only_names = club(ada, "Cy", name="Names")
    with pytest.raises(NotThere):
        keeping.put_on_roll(ada, repository.find("Open"), only_names.id)


def test_who_may_use_one(site, ada, person):
    bo, stranger = person("Bo"), person("Mallory")
    board = election(ada)
    add_manager(ada, board, "Bo")
    own, other = club(bo, ADDRESSES[0]), club(stranger, ADDRESSES[1])
    assert put_on(bo, "Board", own).added == 1
    with pytest.raises(NotAllowed):
        keeping.put_on_roll(stranger, repository.find("Board"), other.id)
    with pytest.raises(NotAllowed):
        keeping.save_roll(stranger, repository.find("Board"), "form")
    with pytest.raises(NotAllowed):
        keeping.save_roll(person("Mod", Role.ADMIN), repository.find("Board"), "form")


def test_the_same_again_is_no_second_use_and_a_group_deleted_meanwhile_has_come_anyway(site, ada):
    group = club(ada, *ADDRESSES)
    board = election(ada)
    begun = keeping.put_on_roll(ada, board, group.id)
    assert keeping.put_on_roll(ada, repository.find("Board"), group.id) == imports.find("Board", begun.digest)
    keeping.delete(ada, group.id)
    finish_background("delete group")
    assert imports.resume(ada, board, begun, 60).added == 200
    assert len(events(site, "GroupUsed")) == 1
    assert list(site.each(keys.all_of_group(group.id))) == []
    with pytest.raises(NotThere):
        keeping.put_on_roll(ada, repository.find("Board"), group.id)


# --- leaving ---


def test_whoever_leaves_goes_out_of_all_groups_and_takes_their_own_along(site, ada, person):
    cy = person("Cy")
    group = club(ada, "Cy", cy.email, ADDRESSES[0])
    own = club(cy, "Ada", name="Mine")
    assert list(groups_with(cy)) == [
        {"group": "Club", "kept_by": "Ada", "listed_as": "Cy"},
        {"group": "Club", "kept_by": "Ada", "listed_as": cy.email},
    ]
    assert [(each["group"], each["members"]) for each in own_groups(cy)] == [("Mine", 1)]
    assert removal_effects(cy) == ["1 group of voters is deleted."]
    remove_self(cy)
    assert names_in(group) == [ADDRESSES[0]]
    assert groups.find(group.id).members == 1
    assert groups.find(own.id) is None
    assert list(groups_with(ada)) == [], "who was in a group that is gone is in none"
