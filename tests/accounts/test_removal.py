"""Somebody is removed: what was theirs is put in order until it is, and nobody gets their name or address before."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from ballots import services as voting
from ballots.rules import NotOnTheRoll
from elections import actions, rolls
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.managers import add_manager, hand_over
from elections.roll.services import add_voters
from elections.rules import Action
from foundation.acts.queues import SomeFailed
from foundation.acts.refusals import LostRace, NameTaken, TryLater
from foundation.acts.storage import log, table, use_table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Refused, Update
from parts.polls import services as polls
from tests.background import finish_background
from tests.chaos import Chaos
from tests.clock import at_its_own_moment
from tests.people import somebody
from tests.polls.conftest import CHOSEN, NAMES

LONG_AGO = "2020-01-01T00:00:00.000Z"


@pytest.fixture
def boss(person):
    return person("Boss", Role.OWNER)


@pytest.fixture
def ada(boss, person):
    """Runs Board, has voted in it, helps with Council, and made a poll."""
    return scene(person("Ada"), person("Bob"))


def scene(ada, bob):
    board = drafts.create(ada, "Board", secret_ballot=False)
    add_candidates(ada, board, [Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, elections.find("Board"), ["Ada", "Bob", ada.email])
    lifecycle.open_(ada, elections.find("Board"), editable=True)
    voting.cast(ada, "Board", {"0": ["1"]}, "form")
    council = drafts.create(bob, "Council")
    add_manager(bob, council, "Ada")
    polls.make(ada, NAMES, 30, **CHOSEN)
    return ada


def run_by(name: str) -> list[str]:
    return sorted(each.name for each in elections.list_elections(run_by=name, limit=9)[0])


def in_order() -> bool:
    """Whether everything is as it is to be when Ada is gone."""
    there = [elections.find("Board").owner_name, elections.find("Council").managers, run_by("Ada"), run_by("Boss")]
    roll = [(voter.name, voter.voted) for voter in rolls.every_voter("Board")]
    made = list(table().each(keys.made_by("Ada")))
    cast = list(table().each(*keys.ballots("Board")))
    is_right = there == ["Boss", (), [], ["Board"]] and roll == [("Bob", False)]
    return is_right and made == cast == []


def is_leaving() -> bool:
    return any(table().get(keys.leaving(each)) for each in ("Ada", "Ada@example.org"))


def at_first(monkeypatch, module: Any, name: str, change: Callable[[Any], Any], times: int = 1) -> None:
    """The first answers of a function are changed, or become old, before whoever asked has them."""
    ask, asked = getattr(module, name), []

    def changed(*arguments: Any, **options: Any) -> Any:
        answer = ask(*arguments, **options)
        asked.append(1)
        return change(answer) if len(asked) <= times else answer

    monkeypatch.setattr(module, name, changed)


# --- overtaken ---


@pytest.mark.needs("polls")
def test_an_election_that_was_changed_at_this_moment_is_passed_on_all_the_same(ada, boss, monkeypatch, person):
    def changed(election):
        actions.change(boss, election, Action.DESCRIBE, description=f"version {election.version}")
        return election

    at_first(monkeypatch, elections, "find", changed, times=3)
    accounts.remove(boss, ada)
    monkeypatch.undo()
    assert in_order()
    person("ada")
    assert run_by("ada") == []


def test_a_secret_ballot_counts_and_stays(site, ada, boss, person):
    """Nobody can tell which it is, so the roll goes on to say that its voter has voted."""
    board = drafts.create(boss, "Secret board")
    add_candidates(boss, board, [Candidate("Bo"), Candidate("Cy")])
    add_voters(boss, board, ["Ada"])
    lifecycle.open_(boss, elections.find("Secret board"), editable=False)
    voting.cast(ada, "Secret board", {"0": ["1"]}, "secret")
    at_its_own_moment(lambda: accounts.remove(boss, ada))
    assert not is_leaving()
    assert ("Ada", True) in [(voter.name, voter.voted) for voter in rolls.every_voter("Secret board")]
    with pytest.raises(NotOnTheRoll):
        voting.cast(person("Ada", email="another@example.org"), "Secret board", {"0": ["1"]}, "another")


@pytest.mark.needs("polls")
@pytest.mark.parametrize(("module", "name"), [(elections, "change"), (voting, "record_withdrawal"), (polls, "record")])
def test_while_a_part_fails_the_mark_stays_and_the_name_is_nobodys(ada, boss, monkeypatch, signed_in, module, name):
    def refused(*arguments: Any, **options: Any) -> None:
        raise Refused([0]) if module is not polls else LostRace("again")

    monkeypatch.setattr(module, name, refused)
    page = signed_in(boss)
    answer = page.post("/people/Ada/remove/", {"name": "Ada"}, follow=True)
    assert "Ada is removed." in answer.content.decode()
    with pytest.raises(SomeFailed):
        finish_background()
    assert is_leaving()
    with pytest.raises(NameTaken, match="only just become free"):
        accounts.create_account(somebody("ada", email="another@example.org"))
    with pytest.raises(TryLater, match="only just removed"):
        accounts.create_account(somebody("Ada II", email="ADA@example.org"))
    monkeypatch.undo()
    assert finish_background() == 1
    assert in_order()
    assert not is_leaving()
    accounts.create_account(somebody("ada", email="ADA@example.org"))
    assert run_by("ada") == []


def test_an_address_that_is_being_left_cannot_be_changed_to(site, boss, ada, person):
    site.write(*people.reserving_names(somebody("Gone"), LONG_AGO))
    with pytest.raises(Refused):
        log().record(Event("Ada", "x"), *people.email_change(ada, "Gone@example.org"))


def test_pages_of_mailed_links_say_that_it_takes_a_minute(site, boss, client, person, link):
    client.post("/register/", {"name": "Eve", "email": "eve@example.org", "password": "correct horse battery"})
    site.write(*people.reserving_names(somebody("Gone", email="eve@example.org"), LONG_AGO))
    answer = client.post(link("eve@example.org"))
    assert answer.status_code == 409
    assert "only just removed" in answer.content.decode()
    finish_background()
    assert client.post(link("eve@example.org")).status_code == 302


# --- an index that lags ---


class Oldest(Random):
    """Chance that shows the index as old as it may be."""

    def randint(self, a: int, b: int) -> int:
        return b


@pytest.mark.needs
def test_what_the_index_has_not_heard_of_is_found_when_it_has(site, boss, person):
    weather = Chaos(site, Oldest(), lag=1000)
    with use_table(weather):
        scene(person("Ada"), person("Bob"))
        accounts.remove(boss, people.find("Ada"))
    assert elections.find("Board").owner_name == "Ada", "the index did not show it"
    with pytest.raises(NameTaken, match="only just become free"):
        person("Ada")
    weather.lag = 1
    with use_table(weather):
        assert not people.REMOVAL.advance("Ada")
    assert is_leaving(), "it may still lag"
    task = people.REMOVAL.find("Ada")
    site.write(Update(task.key, set={"data": {**task.data, "removed_at": LONG_AGO}}))
    with use_table(weather):
        weather._past.clear()
        assert people.REMOVAL.advance("Ada")
    assert in_order()
    assert not is_leaving()


# --- whoever was just about to get something ---


@pytest.mark.parametrize("act", [hand_over, add_manager])
def test_nobody_who_is_removed_at_this_moment_is_given_an_election(ada, boss, person, monkeypatch, act):
    person("Eve")

    def removed(eve):
        accounts.remove(boss, eve)
        return eve

    at_first(monkeypatch, people, "find", removed)
    with pytest.raises(LostRace):
        act(ada, elections.find("Board"), "Eve")
    assert run_by("Eve") == []


def test_nobody_who_was_removed_meanwhile_makes_anything(ada, boss):
    bob = people.find("Bob")
    accounts.remove(boss, bob)
    with pytest.raises(LostRace):
        drafts.create(bob, "Late")
    with pytest.raises(LostRace):
        polls.make(bob, NAMES, 30, **CHOSEN)
