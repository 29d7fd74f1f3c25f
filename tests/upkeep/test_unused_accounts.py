"""Accounts that nobody uses: warned once, removed a month later, and never whoever is still about."""

from __future__ import annotations

from datetime import timedelta

import pytest

from accounts import repository as people
from accounts.rules import Role
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from ranking.candidates import Candidate
from store import keys
from store.log import as_text, utc_now
from store.log.search import Query, search
from store.table import Update
from tests.at_once import at_once
from tests.people import sign_in
from upkeep import replay
from upkeep.erasure import unused_accounts

YEAR_DAYS = 365


@pytest.fixture(autouse=True)
def _a_year(settings):
    settings.ACCOUNT_RETENTION = 12


@pytest.fixture
def boss(person):
    return person("Boss", Role.OWNER)


def after(days: int):
    return lambda: utc_now() + timedelta(days=days)


def walked(days: int) -> int:
    """All of that day."""
    done = 0
    while unused_accounts.is_due(after(days)):
        done += unused_accounts.process_unused(after(days))
    return done


def test_who_is_away_for_long_is_warned_once_and_then_removed(site, boss, person, outbox):
    person("Ada")
    assert walked(YEAR_DAYS - 31) == 0
    assert walked(YEAR_DAYS - 29) == 1
    assert walked(YEAR_DAYS - 28) == 0
    ((to, subject, text),) = outbox()
    day = after(YEAR_DAYS - 29)() + timedelta(days=30)
    assert (to, subject) == ("Ada@example.org", "Plenum: Your account will be removed soon")
    assert day.date().isoformat() in text
    assert walked(YEAR_DAYS) == 0
    assert walked(YEAR_DAYS + 2) == 1
    assert people.find("Ada") is None
    (event,) = search(site, Query(event_type="UserRemoved")).events
    assert event["actor"] == "plenum"
    assert people.find("Boss") is not None, "the owner stays"
    assert replay.check(site).first == ()


def test_who_signs_in_after_the_warning_stays(site, boss, person):
    person("Ada")
    assert walked(YEAR_DAYS) == 1
    ada = people.find("Ada")
    site.write(Update(keys.user("Ada"), set={"last_login": as_text(after(YEAR_DAYS + 5)())}))
    assert unused_accounts._remove(ada) is False, "also at the very moment of the removal"
    assert walked(YEAR_DAYS + 40) == 0
    assert people.find("Ada") is not None


def test_who_is_still_signed_in_stays(site, boss, person):
    sign_in(person("Ada"))
    assert walked(YEAR_DAYS) == 0


@pytest.mark.parametrize("how", ["name", "address", "runs it"])
def test_who_runs_or_may_vote_in_an_open_election_stays(site, boss, person, how):
    ada = person("Ada")
    runs, listed = ada if how == "runs it" else boss, {"address": ada.email, "name": "Ada"}.get(how, "Boss")
    add_candidates(runs, drafts.create(runs, "Board"), [Candidate("Bo"), Candidate("Cy")])
    add_voters(runs, elections.find("Board"), [listed])
    lifecycle.open_(runs, elections.find("Board"), editable=False)
    assert walked(YEAR_DAYS) == 0
    closing.close(runs, elections.find("Board"))
    assert walked(YEAR_DAYS + 1) == 1


def test_zero_months_keep_every_account(site, boss, person, settings):
    settings.ACCOUNT_RETENTION = 0
    assert not unused_accounts.is_due(after(10 * YEAR_DAYS))


def test_it_goes_on_page_by_page_and_several_at_once_warn_once(site, boss, person, outbox, monkeypatch):
    monkeypatch.setattr(unused_accounts, "BATCH_PEOPLE", 2)
    for name in ("Ada", "Bob", "Eve"):
        person(name)
    at_once(*[lambda: walked(YEAR_DAYS)] * 3)
    assert walked(YEAR_DAYS) == 0
    assert sorted(to for to, _, _ in outbox()) == ["Ada@example.org", "Bob@example.org", "Eve@example.org"]
