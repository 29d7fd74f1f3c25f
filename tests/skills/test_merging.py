"""Two skills become one: nobody loses an entry, whoever dies on the way, and the log tells the same."""

from __future__ import annotations

from functools import partial

import pytest

from accounts.models import User
from accounts.rules import Role
from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.storage import log, table, use_table
from foundation.store import keys
from foundation.store.table import Update
from parts.skills import merging, repository, services
from parts.skills.merging import Preview
from parts.skills.rules import Held, State, Visibility
from tests.at_once import at_once
from tests.background import finish_background
from tests.skills.conftest import SAID, have


class Killed(BaseException):
    pass


class Dying:
    """A table whose process dies after so many writes."""

    def __init__(self, there, writes: int):
        self._table, self.left = there, writes

    def __getattr__(self, name):
        return getattr(self._table, name)

    def write(self, *writes, **more):
        if not self.left:
            raise Killed
        self.left -= 1
        self._table.write(*writes, **more)


@pytest.fixture
def both(listed):
    """Golang, to be merged into Go."""
    return listed("Golang", "Programming", "the go language"), listed("Go")


def now(skill):
    return repository.find(skill.id)


def merge(boss, both) -> None:
    merging.merge(boss, *map(now, both))
    finish_background()


def has(name: str) -> dict[str, int]:
    own = repository.own_skills(name)
    assert (table().get(keys.own_skills(name)) or {"skills": 0})["skills"] == len(own.held)
    return {skill: held.level for skill, held in own.held.items()}


def test_who_has_one_has_the_other_then_and_of_two_the_newer(site, boss, person, both, listed):
    ada, bob, cyd, dan = map(person, ("Ada", "Bob", "Cyd", "Dan"))
    have(ada, "golang", level=2)
    have(bob, "golang", level=1)
    have(bob, "go", level=4)
    have(cyd, "go", level=1)
    have(cyd, "golang", level=3)
    have(dan, "golang", level=4)
    have(dan, listed("Tea").id)
    services.show_to(dan, Visibility.NOBODY)
    assert merging.preview(*map(now, both)) == Preview(holders=3, both=2), "who hides it is not counted"
    merge(boss, both)
    assert [has(name) for name in ("Ada", "Bob", "Cyd", "Dan")] == [
        {"go": 2},
        {"go": 4},
        {"go": 3},
        {"go": 4, "tea": 3},
    ]
    shown = [item["GSI1SK"] for item in table().each(keys.skill_holders("go"))]
    assert [key.rpartition("#")[2] for key in shown] == ["ada", "cyd", "bob"]
    assert list(table().each(keys.skill_holders("golang"))) == []


def test_skills_that_lead_in_a_circle_lead_nowhere(boss, both, monkeypatch):
    """Only a store that was tampered with has such; whoever asks is told so, instead of waiting for ever."""
    merge(boss, both)
    table().write(Update(keys.skill("go"), set={"into": "golang", "state": State.MERGED.value}))
    monkeypatch.setattr(merging, "MAX_CHAINED_MERGES", 10)
    assert merging.follow_merges("golang") is None
    with pytest.raises(LostRace):
        merging.settle_merges("golang", "Ada")


def test_the_old_id_and_all_old_names_lead_to_the_new_one(site, boss, both, listed):
    merge(boss, both)
    assert merging.follow_merges("golang") == repository.find_by_name("THE GO language") == now(both[1])
    assert repository.find("go").names == ("Go", "Golang", "the go language")
    assert [match.skill.name for match in repository.search("gol", limit=9)[0]] == ["Go"]
    assert [each.skills for each in repository.categories()] == [1]
    merge(boss, (now(both[1]), listed("Compiled languages")))
    assert merging.follow_merges("golang").name == "Compiled languages"
    assert repository.find("golang").state == State.MERGED
    for act in (partial(services.rename, name="X"), partial(services.add_alias, alias="X")):
        with pytest.raises(NotNow):
            act(boss, repository.find("golang"))


def test_whoever_acts_meanwhile_acts_on_the_new_one_and_brings_their_own_along(site, boss, person, both, monkeypatch):
    ada, bob, cyd = map(person, ("Ada", "Bob", "Cyd"))
    for each in (ada, bob, cyd):
        have(each, "golang", level=2)
    monkeypatch.setattr(merging, "REQUEST_BATCHES", 0)
    merging.merge(boss, *map(now, both))
    assert has("Ada") == {"golang": 2}, "the worker has not come by yet"
    have(ada, "golang", level=4)
    services.confirm(bob, "go", "")
    services.remove_from_profile(cyd, "golang")
    assert [has(name) for name in ("Ada", "Bob", "Cyd")] == [{"go": 4}, {"go": 2}, {}]
    assert finish_background() == 1
    assert [has(name) for name in ("Ada", "Bob", "Cyd")] == [{"go": 4}, {"go": 2}, {}]


def test_a_merge_that_the_log_has_yet_to_tell_is_told_by_whoever_comes_by(site, boss, person, both):
    ada, bob = map(person, ("Ada", "Bob"))
    have(ada, "golang")
    table().write(*repository.closing_for_merge(*map(now, both), "Boss"))
    have(bob, "go")
    assert next(event for event in log().since(0) if event["event_type"] == "SkillMerged")["actor"] == "Boss"
    assert finish_background() == 1
    assert (has("Ada"), has("Bob")) == ({"go": 3}, {"go": 3})


def test_one_at_a_time(boss, both, listed, monkeypatch):
    monkeypatch.setattr(merging, "REQUEST_BATCHES", 0)
    merging.merge(boss, *map(now, both))
    other = listed("Rust")
    for pair in ((other, now(both[1])), (now(both[1]), other), (now(both[0]), other)):
        with pytest.raises(NotNow):
            merging.merge(boss, *pair)


# --- killed ---


def crowd(site, count: int, *skills: str) -> None:
    """People with the skills, some of them hidden, some with both; written at once and not one by one."""
    items = []
    for number in range(count):
        name, visibility = f"Person {number:05d}", list(Visibility)[number % 3]
        place = keys.listed_person(name)
        items.append({"PK": place.pk, "SK": place.sk, "name": name})
        said = SAID | {"level": 1 + number % 4}
        held = [Held(skill, **said, added_at="1", confirmed_at=f"{at}") for at, skill in enumerate(skills)]
        own = repository.own_of(name, {"visibility": visibility}, held if number % 5 else held[:1])
        items.append(repository.updating_own(own, own).item)
        items += (repository.held_item(own, each) for each in own.held.values())
    for start in range(0, len(items), 4_000):
        site.load([("vote_data", item) for item in items[start : start + 4_000]])


def merged_rightly(site, count: int) -> None:
    for number in range(count):
        own = repository.own_skills(f"Person {number:05d}")
        assert list(own.held) == ["go"], number
        shown = "GSI1PK" in site.get(keys.person_skill(own.name, "go"))
        assert shown is (own.visibility == Visibility.MEMBERS)
        assert site.get(keys.own_skills(own.name))["skills"] == 1
    assert list(site.each(keys.skill_holders("golang"))) == list(site.each(keys.TASKS)) == []
    assert now(repository.find("go")).merging == ""


def kill_while_merging(site, boss, both, lives) -> int:
    """Merge in processes that die after so many writes each; answers how many died."""
    deaths = 0
    for writes in lives:
        with use_table(Dying(site, writes)):
            try:
                source = now(both[0])
                if source.is_listed:
                    merging.merge(boss, source, now(both[1]))
                if not finish_background() and now(both[0]).state == State.MERGED:
                    return deaths
            except Killed:
                deaths += 1
    raise AssertionError("It never comes to an end.")


@pytest.mark.few(1)
@pytest.mark.parametrize("writes", [1, 2])
def test_three_hundred_holders_and_a_death_after_every_write(site, boss, both, writes):
    site.wait_for_no_disk()
    crowd(site, 300, "golang", "go")
    assert kill_while_merging(site, boss, both, [writes] * 40) > 5
    merged_rightly(site, 300)


def test_people_who_act_while_it_is_merged_lose_nothing(site, boss, both, person):
    everybody = [person(f"Person {number}", Role.VOTER) for number in range(6)]
    for each in everybody:
        have(each, "golang", level=1)

    def busy(user: User) -> None:
        for level in (2, 3):
            have(user, "golang" if level == 2 else "go", level=level)

    at_once(partial(merging.merge, boss, *map(now, both)), *(partial(busy, each) for each in everybody))
    finish_background()
    assert [has(each.name) for each in everybody] == [{"go": 3}] * 6
