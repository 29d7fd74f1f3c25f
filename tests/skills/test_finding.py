"""People found by what they can do: exactly those who fit, page by page, and nobody who hides."""

from __future__ import annotations

from random import Random

import pytest

from accounts import services as accounts
from accounts.repository import find
from accounts.rules import Role
from foundation.acts.storage import table, use_table
from foundation.store import keys
from foundation.store.table import BadCursor, Delete, Put
from parts.skills import finding, merging, repository, services
from parts.skills.finding import SkillSearch
from parts.skills.rules import Held, OwnSkills, Visibility
from tests.background import finish_background
from tests.chaos import Chaos
from tests.skills.conftest import SAID, have


def names(criteria: SkillSearch, limit: int = 50) -> list[str]:
    """Everybody whom the pages show, in order."""
    people, cursor = finding.search(criteria, limit=limit)
    while cursor is not None:
        found, cursor = finding.search(criteria, limit=limit, cursor=cursor)
        people += found
    return people


def now(skill_id: str):
    return repository.find(skill_id)


@pytest.fixture
def club(person, listed):
    """Few people of all kinds, with Go."""
    go = listed("Go", "Programming", "Golang")
    for name, level, years, last_used, interest in (
        ("Ada", 4, 12, "2026-10", False),
        ("Bob", 3, 9, "2020-01", True),
        ("Cyd", 3, 10, "2026-09", False),
        ("Dan", 2, 30, "", True),
        ("Eve", 1, 0, "2026-11", False),
    ):
        have(person(name, Role.VOTER), "go", level=level, years=years, last_used=last_used, interest=interest)
    return go


def test_by_level_years_last_use_and_interest(club):
    assert names(SkillSearch((club,))) == ["Ada", "Cyd", "Bob", "Dan", "Eve"], "the best first"
    assert names(SkillSearch((club,), level=3)) == ["Ada", "Cyd", "Bob"]
    assert names(SkillSearch((club,), level=2, years=10)) == ["Ada", "Cyd", "Dan"], (
        "years are years, whatever the level"
    )
    assert names(SkillSearch((club,), since="2026-09")) == ["Ada", "Cyd", "Eve"], "who does not say has not said so"
    assert names(SkillSearch((club,), interest=True)) == ["Bob", "Dan"]
    assert names(SkillSearch((club,), level=3, years=9, since="2020-01", interest=True)) == ["Bob"]
    assert names(SkillSearch((club,), level=4, years=80)) == []


def test_several_at_once_are_all_meant(club, person, listed):
    tea = listed("Tea", "Kitchen")
    have(person("Ann", Role.VOTER), "tea")
    for name, level in (("Ada", 1), ("Bob", 4)):
        have(find(name), "tea", level=level)
    assert names(SkillSearch((club, tea))) == ["Bob", "Ada"] == names(SkillSearch((tea, club)))
    assert names(SkillSearch((club, tea), level=3)) == ["Bob"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_of_any_size_show_everybody_once(club, limit):
    for criteria in (SkillSearch((club,)), SkillSearch((club,), years=1), SkillSearch((club,), interest=True)):
        assert names(criteria, limit) == names(criteria)


def test_a_search_ends_without_an_empty_page(club):
    assert finding.search(SkillSearch((club,)), limit=5)[1] is None
    assert finding.search(SkillSearch((club,), years=1), limit=4)[1] is None


def test_a_cursor_is_good_for_its_own_search_alone(club, listed):
    tea = listed("Tea", "Kitchen")
    cursor = finding.search(SkillSearch((club,)), limit=1)[1]
    for criteria, given in (
        (SkillSearch((tea,)), cursor),
        (SkillSearch((club,)), "forged"),
        (SkillSearch((club,)), "W10"),
    ):
        with pytest.raises(BadCursor):
            finding.search(criteria, limit=1, cursor=given)
    low = finding.search(SkillSearch((club,)), limit=4)[1]
    with pytest.raises(BadCursor):
        finding.search(SkillSearch((club,), level=4), limit=1, cursor=low)


def test_who_hides_or_leaves_is_found_by_nobody(club, person, listed, boss):
    listed("Tea", "Kitchen")
    for name in ("Ada", "Bob"):
        have(find(name), "tea")
    both, ada = SkillSearch((now("go"), now("tea"))), find("Ada")
    for visibility in (Visibility.ADMINS, Visibility.NOBODY):
        services.show_to(ada, visibility)
        assert "Ada" not in names(SkillSearch((club,)))
        assert names(both) == ["Bob"]
    services.show_to(ada, Visibility.MEMBERS)
    assert names(SkillSearch((club,)))[0] == "Ada"
    accounts.remove(boss, find("Bob"))
    assert names(both) == ["Ada"]


class Oldest(Random):
    """Always the farthest back."""

    def randint(self, first: int, last: int) -> int:
        return last


def test_an_index_that_lags_gives_nobody_away(site, club, boss):
    with use_table(Chaos(site, Oldest(), lag=20)):
        services.show_to(find("Ada"), Visibility.NOBODY)
        table().write(Delete(keys.person_skill("Bob", "go")))
        have(find("Cyd"), "go", level=1)
        assert len(finding.entries_of(club, SkillSearch((club,), 3), limit=9)[0]) == 3, "the index has not heard of it"
        assert names(SkillSearch((club,))) == ["Cyd", "Dan", "Eve"]
        assert names(SkillSearch((club,), level=3)) == [], "whoever has come down is not taken at the old word"


# --- many ---


def fill(site, skill, count: int, person, every: int = 1) -> None:
    """So many who have a skill, written as an act would write them; people are made once."""
    for start in range(0, count * every, every * 40):
        writes = []
        for number in range(start, min(start + every * 40, count * every), every):
            name = f"Person {number:04}"
            said = SAID | {"level": number % 4 + 1, "years": number % 40, "interest": number % 50 == 0}
            writes.append(Put(repository.held_item(OwnSkills(name), Held(skill.id, **said))))
            if site.get(keys.user(name)) is None:
                writes.append(Put(dict(person, PK=keys.user(name).pk, SK=keys.METADATA, name=name)))
        site.write(*writes)


@pytest.fixture
def one_item(site, person):
    somebody = person("Somebody")
    item = site.get(keys.user(somebody.name))
    return {name: value for name, value in item.items() if not name.startswith("GSI1")}


def test_the_rarest_is_gone_through_and_a_page_says_where_it_stopped(site, listed, one_item, monkeypatch):
    monkeypatch.setattr(finding, "COUNT_LIMITS", (5, 20))
    monkeypatch.setattr(finding, "BATCH_ENTRIES", 10)
    monkeypatch.setattr(finding, "MAX_ENTRIES_PER_PAGE", 30)
    common, rare = listed("Common"), listed("Rare")
    fill(site, common, 120, one_item)
    fill(site, rare, 12, one_item, every=10)
    criteria = SkillSearch((common, rare))
    assert finding.rarest(criteria)[0].id == finding.rarest(SkillSearch((rare, common)))[0].id == "rare"
    assert len(names(criteria)) == 12
    found, cursor = finding.search(SkillSearch((common,), level=4, interest=True), limit=50)
    assert (found, cursor) == ([], None)
    found, cursor = finding.search(SkillSearch((common,), since="2026-11"), limit=50)
    assert found == []
    assert cursor, "it looked through some, and may go on"
    assert names(SkillSearch((common,), since="2026-11")) == []


@pytest.mark.parametrize("limit", [7, 50])
def test_many_are_found_in_order(site, listed, one_item, limit):
    common = listed("Common")
    fill(site, common, 60, one_item)
    criteria, chance = SkillSearch((common,)), Random(limit)
    entries = list(site.each(keys.skill_holders("common")))
    expected = [item["name"] for item in sorted(entries, key=lambda item: item["GSI1SK"], reverse=True)]
    assert names(criteria, limit) == expected
    least = chance.randint(1, 30)
    assert set(names(SkillSearch(criteria.skills, 2, least), limit)) == {
        item["name"] for item in entries if item["level"] >= 2 and item["years"] >= least
    }


def test_whatever_becomes_of_an_entry_nobody_is_lost(club, person, boss, listed):
    listed("Tea", "Kitchen")
    for number in range(12):
        have(person(f"New {number}", Role.VOTER), "go", level=4)
    go = now("go")
    assert len(names(SkillSearch((go,)), 5)) == len(set(repository.holders(go))) == 17
    assert {level for _name, level in repository.holders(go, least=4)} == {4}
    eve, ada = (find(name) for name in ("Eve", "Ada"))
    services.confirm(eve, "go", "")
    have(eve, "go", level=2)
    services.show_to(eve, Visibility.NOBODY)
    services.show_to(eve, Visibility.MEMBERS)
    services.remove_from_profile(ada, "go")
    assert len(names(SkillSearch((go,)))) == 16
    assert merging.preview(go, now("tea")).holders == 16
    merging.merge(boss, go, now("tea"))
    finish_background()
    assert len(names(SkillSearch((now("tea"),)))) == 16
