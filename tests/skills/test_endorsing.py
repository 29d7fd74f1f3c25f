"""Vouching for others: once, with grounds, taken back, hidden; gone with whoever goes; exact at any pace."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest

from accounts import services as accounts
from accounts.rules import Role
from foundation.acts.refusals import LostRace, NotNow, NotThere, Refusal
from foundation.store import keys
from foundation.store.log import utc_now
from foundation.store.table import Conflict, Span
from operations.upkeep import erasure
from operations.upkeep.figures import site_sealer
from parts.skills import endorsements, merging, repository, services
from parts.skills.endorsements import Ground
from parts.skills.rules import Visibility
from tests.at_once import at_once
from tests.background import finish_background
from tests.skills.conftest import forms, have


@pytest.fixture
def bob(person):
    return person("Bob", Role.VOTER)


def endorse(user, whom, skill="python", *grounds: Ground) -> None:
    services.endorse(user, whom, skill, grounds or (Ground.WORKED,), f"form {next(forms)}")


def by(name: str, skill: str = "python") -> list[str]:
    return [each.by for each in endorsements.received(name, skill, limit=2000)[0]]


def kinds(site) -> list[str]:
    return [event["event_type"] for event in site.each(keys.events()) if "Endorse" in event["event_type"]]


def test_once_with_grounds_and_the_level_of_that_moment(site, ada, bob):
    endorse(bob, ada, "python", Ground.WORKED, Ground.SAW)
    have(ada, "python", level=4)
    found = endorsements.find("ADA", "python", "bOB")
    assert (found.level, found.grounds, found.about.label) == (2, ("worked", "saw"), "Intermediate")
    with pytest.raises(NotNow):
        endorse(bob, ada)
    with pytest.raises(NotNow):
        endorse(ada, ada)
    for skill in ("no-such-skill", "tea"):
        with pytest.raises(NotThere):
            endorse(bob, ada, skill)
    assert kinds(site) == ["PersonEndorsed"]


def test_withdrawn_and_given_again_and_a_form_of_before_brings_nothing_back(site, ada, bob):
    for _ in range(2):
        services.endorse(bob, ada, "python", (Ground.SAW,), "one form")
    services.withdraw(bob, "Ada", "python")
    services.endorse(bob, ada, "python", (Ground.SAW,), "one form")
    assert by("Ada") == []
    with pytest.raises(NotThere):
        services.withdraw(bob, "Ada", "python")
    endorse(bob, ada)
    assert kinds(site) == ["PersonEndorsed", "EndorsementWithdrawn", "PersonEndorsed"]


def test_the_owner_hides_and_shows_it(site, ada, bob):
    endorse(bob, ada)
    for hidden in (True, True, False, True):
        services.hide(ada, "python", "Bob", hidden)
    assert endorsements.find("Ada", "python", "Bob").hidden
    with pytest.raises(NotThere):
        services.hide(bob, "python", "Ada")
    assert kinds(site)[1:] == ["EndorsementHidden", "EndorsementShown", "EndorsementHidden"]
    services.withdraw(bob, "Ada", "python")


def test_whoever_is_hidden_is_not_endorsed(site, ada, bob, boss):
    for hidden in (Visibility.ADMINS, Visibility.NOBODY):
        services.show_to(ada, hidden)
        for user in (bob, boss):
            with pytest.raises(NotThere):
                endorse(user, ada)
    services.show_to(ada, Visibility.MEMBERS)
    endorse(bob, ada)
    services.remove_from_profile(ada, "python")
    with pytest.raises(NotThere):
        endorse(boss, ada)
    have(ada, "python", level=3)
    assert by("Ada") == ["Bob"], "the word of others outlives a change of mind"


def test_nobody_is_mailed(site, ada, bob):
    before = [site.count(keys.mails(state)) for state in ("queued", "sent")]
    endorse(bob, ada)
    services.hide(ada, "python", "Bob")
    services.withdraw(bob, "Ada", "python")
    assert [site.count(keys.mails(state)) for state in ("queued", "sent")] == before


# --- at once ---


def acts_at_once(site, person, rounds: int, crowd: int) -> int:
    """Everybody endorses and withdraws, again and again, in two windows each; answers how many acts succeeded."""
    ada, eve = person("Ada", Role.VOTER), person("Eve", Role.VOTER)
    for each in (ada, eve):
        have(each, "python")
    everybody = [person(f"Person {number:02d}", Role.VOTER) for number in range(crowd)]
    done: list[tuple[str, str, int]] = []

    def busy(number: int) -> None:
        for turn in range(rounds):
            user, whom = everybody[(number // 2 + turn) % crowd], (ada, eve)[turn % 2]
            try:
                if endorsements.find(whom.name, "python", user.name) is None:
                    endorse(user, whom)
                    done.append((user.name, whom.name, 1))
                else:
                    services.withdraw(user, whom.name, "python")
                    done.append((user.name, whom.name, -1))
            except (Refusal, Conflict):  # then nothing was written
                continue

    assert [error for error in at_once(*(partial(busy, number) for number in range(crowd * 2))) if error] == []
    for whom in ("Ada", "Eve"):
        sums = {user.name: sum(by for name, of, by in done if (name, of) == (user.name, whom)) for user in everybody}
        assert set(sums.values()) <= {0, 1}, "nobody endorses twice, and nobody takes back what is not there"
        assert by(whom) == sorted(name for name, number in sums.items() if number)
        assert site.count(keys.endorsements(whom, "python")) == sum(sums.values())
    return len(done)


# --- when somebody leaves ---


def test_whoever_is_removed_takes_along_what_they_gave_and_got(site, boss, ada, bob, person):
    cyd = person("Cyd", Role.VOTER)
    for each in (bob, cyd):
        have(each, "python")
    for user, whom in ((ada, bob), (bob, ada), (cyd, ada), (ada, cyd), (bob, cyd)):
        endorse(user, whom)
    accounts.remove(boss, ada)
    assert (by("Ada"), by("Bob"), by("Cyd")) == ([], [], ["Bob"])
    assert list(site.each(Span(keys.user("Ada").pk))) == list(site.each(keys.endorses("Ada"))) == []
    with pytest.raises(LostRace):
        endorse(ada, bob)
    with pytest.raises((NotThere, LostRace)):
        endorse(bob, ada)


def test_the_log_forgets_who_endorsed_whom(site, boss, ada, bob):
    have(bob, "python")
    endorse(ada, bob)
    endorse(bob, ada)
    services.hide(bob, "python", "Ada")
    accounts.remove(boss, ada)
    site_sealer().seal()
    later = lambda: utc_now() + timedelta(days=31)  # noqa: E731
    while erasure.is_due(later):
        erasure.erase_names(later)
        site_sealer().seal()
    everything = str([item for _, item in site.everything() if not item["PK"].startswith("ONCE#")])  # gone in a day
    assert [word for word in ("Ada", "#ada", "ada@") if word in everything] == []


# --- merging ---


@pytest.fixture
def both(listed):
    return listed("Golang"), listed("Go")


def merge(boss) -> None:
    merging.merge(boss, repository.find("golang"), repository.find("go"))
    finish_background()


def test_endorsers_of_two_skills_are_united(site, boss, both, person, ada, bob):
    cyd, dan = person("Cyd", Role.VOTER), person("Dan", Role.VOTER)
    have(ada, "golang", level=1)
    have(ada, "go", level=4)
    have(bob, "golang")
    for user, skill in ((bob, "go"), (bob, "golang"), (cyd, "golang"), (dan, "go")):
        endorse(user, ada, skill)
    services.hide(ada, "golang", "Cyd")
    endorse(dan, bob, "golang")
    services.remove_from_profile(bob, "golang")
    merge(boss)
    assert (by("Ada", "golang"), by("Ada", "go")) == ([], ["Bob", "Cyd", "Dan"])
    found = {each.by: each for each in endorsements.received("Ada", "go", limit=9)[0]}
    assert (found["Bob"].level, found["Cyd"].hidden) == (1, True), "of two by the same the newer stays"
    assert by("Bob", "go") == ["Dan"], "also of a skill that is not in the profile just now"
    assert [each.skill for each in endorsements.given("Dan", limit=9)[0]] == ["go", "go"]


def test_whoever_endorses_or_withdraws_meanwhile_acts_on_the_united_ones(site, boss, both, ada, bob, monkeypatch):
    have(ada, "golang")
    endorse(bob, ada, "golang")
    endorse(boss, ada, "golang")
    monkeypatch.setattr(merging, "REQUEST_BATCHES", 0)
    merging.merge(boss, repository.find("golang"), repository.find("go"))
    assert by("Ada", "golang") == ["Bob", "Boss"], "the worker has not come by yet"
    with pytest.raises(NotNow):
        endorse(bob, ada, "go")
    services.withdraw(bob, "Ada", "golang")
    assert (by("Ada", "golang"), by("Ada", "go")) == ([], ["Boss"])
    finish_background()
    assert by("Ada", "go") == ["Boss"]


def test_somebody_is_removed_in_the_middle_of_a_merge(site, boss, both, ada, bob, monkeypatch):
    have(ada, "golang")
    have(ada, "go")
    for skill in ("golang", "go"):
        endorse(bob, ada, skill)
    monkeypatch.setattr(merging, "REQUEST_BATCHES", 0)
    merging.merge(boss, repository.find("golang"), repository.find("go"))
    accounts.remove(boss, bob)
    finish_background()
    assert by("Ada", "go") == by("Ada", "golang") == []
