"""What an election says of itself lies beside it, is read where it is shown, and in old stores where it was."""

from __future__ import annotations

import pytest

from accounts import repository as people
from ballots import services as ballots
from elections import actions
from elections import repository as elections
from elections.drafts import services as drafts
from elections.rules import Action
from foundation.acts.refusals import LostRace
from foundation.store import keys
from foundation.store.limits import check_item
from foundation.store.table import Key
from tests.ballots.conftest import opened, ranks  # noqa: F401 - a fixture

LONG = "Who *leads* us?\n\n" * 1180  # 20,060 characters


def text_of(name: str = "Board") -> str:
    return elections.description_of(name).description


@pytest.fixture
def draft(site, person):
    return drafts.create(person("Kim"), "Board", description="Who *leads*?")


# --- where it lies ---


def test_the_election_is_small_whatever_it_says_of_itself(site, person):
    drafts.create(person("Kim"), "Board", description=LONG)
    assert check_item(site.get(keys.election("Board"))) < 1024
    assert check_item(site.get(keys.description("Board"))) > 20_000


def test_one_that_says_nothing_has_no_such_item(site, draft):
    assert site.get(keys.description("Board")) is not None
    actions.change(people.find("Kim"), draft, Action.DESCRIBE, description="")
    assert site.get(keys.description("Board")) is None
    assert text_of() == ""
    drafts.create(people.find("Kim"), "Silent")
    assert site.get(keys.description("Silent")) is None


def test_the_log_says_it_as_it_always_did(site, draft):
    actions.change(people.find("Kim"), draft, Action.DESCRIBE, description="Who?")
    said = {event["event_type"]: event["event_data"] for event in site.each(keys.events())}
    assert said["ElectionCreated"]["description"] == "Who *leads*?"
    assert said["ElectionUpdated"] == {"election_name": "Board", "description": "Who?"}


def test_what_it_says_already_is_no_change(site, draft):
    kim = people.find("Kim")
    assert actions.change(kim, draft, Action.DESCRIBE, description="Who *leads*?") == draft
    assert actions.change(kim, draft, Action.SET_UP, seats=1) == draft


def test_two_who_change_it_at_once_do_not_overwrite_each_other(site, draft):
    kim = people.find("Kim")
    actions.change(kim, draft, Action.DESCRIBE, description="first")
    with pytest.raises(LostRace):
        actions.change(kim, draft, Action.DESCRIBE, description="second")
    assert text_of() == "first"


# --- who reads it ---


READ_BY = ("/election/Board/", "/election/Board/ballot/", "/")
NOT_READ_BY = ("/election/Board/receipt/", "/election/Board/results/", "/election/Board/history/")


@pytest.fixture
def asked(site, monkeypatch) -> set[Key]:
    keys_, many, one = set[Key](), type(site).get_many, type(site).get
    monkeypatch.setattr(type(site), "get_many", lambda s, wanted: many(s, [keys_.add(w) or w for w in wanted]))
    monkeypatch.setattr(type(site), "get", lambda s, wanted: keys_.add(wanted) or one(s, wanted))
    return keys_


def test_only_pages_that_show_it_read_it(opened, person, signed_in, asked):  # noqa: F811
    opened("Eve", description="Who *leads*?", no_voting_after="2199-01-01T12:00:00.000Z")
    eve = signed_in(person("Eve"))
    for path in READ_BY:
        asked.clear()
        assert eve.get(path).status_code == 200
        assert keys.description("Board") in asked, path
    asked.clear()
    ballots.cast(people.find("Eve"), "Board", ranks(Ada=1), "form")
    for path in NOT_READ_BY:
        eve.get(path)
    assert keys.election("Board") in asked
    assert keys.description("Board") not in asked
