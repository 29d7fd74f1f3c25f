"""What somebody says of themselves: once however often it is sent, seen by whom they let, gone when they go."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from foundation.acts.refusals import LostRace, NotThere, TooMany
from foundation.acts.storage import log
from foundation.store import keys
from foundation.store.log import utc_now
from foundation.store.table import Span
from operations.upkeep import erasure
from operations.upkeep.figures import site_sealer
from parts.skills import repository, services
from parts.skills.rules import MAX_SKILLS, Visibility
from tests.skills.conftest import have


@pytest.fixture
def ada(person):
    return person("Ada", Role.VOTER)


def events(site) -> list[str]:
    return [event["event_type"] for event in site.each(keys.events()) if event["actor"] == "Ada"]


def holders(skill: str) -> list[str]:
    from foundation.acts.storage import table

    return [item["GSI1SK"] for item in table().each(keys.skill_holders(skill))]


def test_the_index_has_a_digit_for_the_level_and_nothing_of_what_is_hidden(ada, listed):
    have(ada, listed("Python").id)
    have(ada, listed("Tea").id, level=1, years=0, last_used="")
    assert holders("python") == ["L3#Y07#2026-10#USER#ada"]
    assert holders("tea") == ["L1#Y00#0000-00#USER#ada"]
    for hidden in (Visibility.ADMINS, Visibility.NOBODY):
        services.show_to(ada, hidden)
        have(ada, "python", level=4)
        assert holders("python") == holders("tea") == []
    services.show_to(ada, Visibility.MEMBERS)
    assert holders("python") == ["L4#Y07#2026-10#USER#ada"]
    assert len(holders("tea")) == 1


def test_added_changed_confirmed_removed(site, ada, listed):
    skill = listed("Python")
    have(ada, skill.id)
    have(ada, skill.id, level=4)
    have(ada, skill.id, level=4)
    seen = repository.own_skills("Ada").held[skill.id].confirmed_at
    services.confirm(ada, skill.id, "a page of before")
    assert repository.own_skills("Ada").held[skill.id].confirmed_at == seen
    services.confirm(ada, skill.id, seen)
    services.remove_from_profile(ada, skill.id)
    told = ["PersonSkillAdded", "PersonSkillChanged", *["PersonSkillConfirmed"] * 2, "PersonSkillRemoved"]
    assert events(site)[1:] == told
    for act in (services.remove_from_profile, partial(services.confirm, seen="")):
        with pytest.raises(NotThere):
            act(ada, skill.id)


def test_only_what_is_in_the_catalogue(ada, boss):
    proposed = services.propose(ada, "Whistling", "Music", "")
    for skill in (proposed.id, "no-such-skill"):
        with pytest.raises(NotThere):
            have(ada, skill)


@pytest.mark.deep
def test_a_profile_has_room_for_so_many(site, boss, ada, monkeypatch):
    for number in range(MAX_SKILLS + 1):
        services.add(boss, f"Skill {number:02d}", "Some", "")
    for number in range(MAX_SKILLS):
        have(ada, f"skill-{number:02d}")
    with pytest.raises(TooMany):
        have(ada, f"skill-{MAX_SKILLS}")
    have(ada, "skill-00", level=1)
    services.show_to(ada, Visibility.NOBODY)
    assert sum(map(len, (holders(f"skill-{number:02d}") for number in range(MAX_SKILLS)))) == 0
    accounts.remove(boss, ada)
    assert list(site.each(Span(keys.user("Ada").pk))) == []


def test_whoever_is_removed_takes_their_skills_along(site, boss, ada, listed):
    have(ada, listed("Python").id, notes="Mostly at night.")
    services.show_to(ada, Visibility.ADMINS)
    accounts.remove(boss, ada)
    assert list(site.each(Span(keys.user("Ada").pk))) == []
    with pytest.raises(LostRace):
        have(ada, "python")
    other = people.find("ada")
    assert other is None


def test_the_log_forgets_whose_skills_they_were(site, boss, ada, listed, monkeypatch):
    """Also if whoever rewrote the very last of their events died at that moment."""
    have(ada, listed("Python").id, notes="Mostly at night.")
    services.propose(ada, "Whistling", "Music", "")
    accounts.remove(boss, ada)
    site_sealer().seal()
    later = lambda: utc_now() + timedelta(days=31)  # noqa: E731
    monkeypatch.setattr(erasure, "TRANSACTION_EVENTS", 1)
    with monkeypatch.context() as dying:
        dying.setattr(erasure, "_finish", lambda mark: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            erasure.erase_names(later)
    while erasure.is_due(later):
        erasure.erase_names(later)
        site_sealer().seal()
    everything = str([item for _, item in site.everything() if not item["PK"].startswith("ONCE#")])  # gone in a day
    assert [word for word in ("Ada", "#ada", "ada@") if word in everything] == []


def test_asking_for_what_is_so_already_appends_nothing(ada, listed):
    before = log().table.count(keys.events())
    services.show_to(ada, Visibility.MEMBERS)
    assert log().table.count(keys.events()) == before
