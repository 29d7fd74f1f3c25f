"""The catalogue: names that lead to one skill, proposals, and what changes at the same moment."""

from __future__ import annotations

import pytest

from accounts.rules import Role
from foundation.acts.refusals import LostRace, NameTaken, NotNow, TooMany
from foundation.acts.retry import MAX_NUMBERED_SUFFIX, RANDOM_SUFFIXES
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.round_trips import count_round_trips
from parts.skills import repository, services
from parts.skills.rules import State


def names(rows) -> list[str]:
    return [each.name for each in rows]


def found(prefix: str) -> list[str]:
    return [match.skill.name for match in repository.search(prefix, limit=50)[0]]


def test_any_name_leads_to_the_skill_however_it_is_spelt(listed):
    go = listed("Go", "Programming", "Golang", "go language")
    assert repository.find_by_name("GOLANG") == repository.find_by_name("go") == go
    assert repository.find_by_name("gola") is None
    assert found("gol") == found("Go L") == ["Go"]
    assert found("go") == ["Go"], "once, by whichever name"
    assert repository.search("gol", limit=9)[0][0].by == "Golang"


def test_a_name_is_one_skills_whatever_it_is_there(boss, listed):
    go = listed("Go", "Programming", "Golang")
    for name in ("GO", "golang"):
        with pytest.raises(NameTaken, match="Go"):
            services.add(boss, name, "Games", "")
        with pytest.raises(NameTaken):
            services.add_alias(boss, listed(f"Other {name}"), name)
        with pytest.raises(NameTaken):
            services.rename(boss, repository.find_by_name(f"Other {name}"), name)
    with pytest.raises(NameTaken):
        services.add_alias(boss, go, "go")


def test_skills_whose_names_look_alike_have_their_own_addresses(listed):
    assert [listed("C", "a").id, listed("C!", "a").id, listed("C?", "a").id] == ["c", "c-2", "c-3"]


@pytest.mark.deep
def test_any_number_of_skills_without_latin_letters_is_added_at_the_same_price(boss, listed):
    made = [listed(f"{first}{second}") for first in "абвгдежз" for second in "клмнопр"]
    assert len({each.id for each in made}) == len(made) == 56
    with count_round_trips() as trips:
        services.add(boss, "写作", "Writing", "")
    assert trips.count <= 2 * (MAX_NUMBERED_SUFFIX + RANDOM_SUFFIXES)


def test_the_catalogue_is_by_category_and_name_and_leafed_through(listed):
    for name, category in (("Tea", "Kitchen"), ("Rust", "Programming"), ("Ada", "Programming"), ("Cake", "kitchen")):
        listed(name, category)
    first, cursor = repository.catalogue(limit=3)
    rest, end = repository.catalogue(limit=3, cursor=cursor)
    assert names(first) + names(rest) == ["Cake", "Tea", "Ada", "Rust"]
    assert end is None
    assert names(repository.catalogue(category="KITCHEN", limit=9)[0]) == ["Cake", "Tea"]
    assert [(each.name, each.skills) for each in repository.categories()] == [("kitchen", 2), ("Programming", 2)]


def test_a_renamed_skill_keeps_its_id_and_its_old_name_leads_to_it(boss, listed):
    services.rename(boss, listed("Golang"), "Go")
    go = repository.find("golang")
    assert (go.name, go.aliases) == ("Go", ("Golang",))
    assert found("golang") == found("go") == ["Go"]
    services.rename(boss, go, "Golang")
    assert repository.find("golang").names == ("Golang", "Go")
    services.rename(boss, repository.find("golang"), "GoLang")
    assert repository.find("golang").names == ("GoLang", "Go")


def test_edited_it_stands_in_another_category(boss, listed):
    services.edit(boss, listed("Cake", "Programming"), "Kitchen", "Bakes it.")
    assert [(each.name, each.skills) for each in repository.categories()] == [("Kitchen", 1)]
    assert names(repository.catalogue(category="Kitchen", limit=9)[0]) == ["Cake"]


def test_another_name_goes_and_is_free_again(boss, listed):
    go = listed("Go", "Programming", "Golang")
    services.remove_alias(boss, go, "Golang")
    assert repository.find_by_name("golang") is None
    assert services.add(boss, "Golang", "Games", "").id == "golang"
    with pytest.raises(NotNow):
        services.remove_alias(boss, repository.find("go"), "Golang")


def test_a_skill_has_no_more_than_so_many_names(boss, listed):
    skill = listed("Go", "Programming", *(f"Go {number}" for number in range(20)))
    with pytest.raises(TooMany):
        services.add_alias(boss, skill, "Golang")


# --- proposals ---


def test_a_proposal_is_seen_by_nobody_who_searches_until_it_is_approved(boss, person):
    services.propose(person("Ada", Role.VOTER), "Whistling", "Music", "With two fingers.")
    (proposed,), _cursor = repository.proposals(limit=9)
    assert (proposed.state, found("whis"), repository.catalogue(limit=9)[0]) == (State.PROPOSED, [], [])
    assert repository.categories() == []
    services.rename(boss, proposed, "Whistle")
    assert repository.find_by_name("Whistling") is None, "nobody knew the proposal by its name"
    services.approve(boss, repository.find(proposed.id))
    assert found("whis") == names(repository.catalogue(limit=9)[0]) == ["Whistle"]
    assert [each.skills for each in repository.categories()] == [1]
    assert repository.proposals(limit=9)[0] == []


def test_a_refused_proposal_is_gone_and_its_name_is_free(boss, person):
    ada = person("Ada", Role.VOTER)
    refused = services.propose(ada, "Whistling", "Music", "")
    with pytest.raises(NameTaken):
        services.propose(ada, "whistling", "Music", "")
    services.refuse(boss, refused)
    assert repository.find(refused.id) is None
    again = services.propose(ada, "Whistling", "Music", "")
    services.approve(boss, again)
    with pytest.raises(NotNow):
        services.refuse(boss, repository.find(again.id))


def test_who_proposed_it_stands_in_the_log_alone(site, boss, person):
    services.propose(person("Ada", Role.VOTER), "Whistling", "Music", "")
    assert "Ada" not in str(table().get(keys.skill("whistling")))


# --- at the same moment ---


def test_of_two_admins_who_change_the_same_one_is_told(boss, listed):
    seen = listed("Go")
    services.edit(boss, seen, "Games", "")
    with pytest.raises(LostRace):
        services.rename(boss, seen, "Golang")
