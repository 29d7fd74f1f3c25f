"""Polls in the log: what it makes of them is what there is."""

from __future__ import annotations

from functools import partial

import pytest

from accounts import services as accounts
from accounts.rules import Role
from polls import repository, services
from polls.sealing import seal
from store import keys
from store.table import Key, Update
from tests.at_once import at_once
from tests.polls.conftest import by_ida, in_hours, made, vote  # noqa: F401 - a fixture
from tests.test_replay_story import kinds_in, someone
from upkeep import replay

check = partial(replay.check, report=replay.quietly)


def tell_of_polls(person, made) -> None:  # noqa: F811
    """Everything happens that can happen to a poll."""
    owner, lunch = person("Olga", Role.OWNER), made(listed=True, expires_at=in_hours(2))
    for voter, ranking in (("one", "Pizza>Sushi"), ("two", "Sushi"), ("three", "Tacos=Pizza"), ("one", "Tacos")):
        vote(lunch, voter, ranking)
    services.extend(by_ida(lunch), in_hours(3))
    services.list_publicly(by_ida(lunch), listed=False)
    services.list_publicly(by_ida(lunch), listed=True)
    services.close(by_ida(lunch))
    seal(lunch.id)
    services.reopen(by_ida(lunch), in_hours(4))
    vote(lunch, "four", "Sushi>Tacos")
    services.close(by_ida(lunch))
    seal(lunch.id)
    services.delete(by_ida(made()))
    services.hide(owner, repository.find(lunch.id))
    services.show(owner, repository.find(lunch.id))
    vote(made(by_nobody=True), "one", "Pizza")
    accounts.remove(owner, someone("Ida"))


@pytest.fixture
def told(site, person, made):  # noqa: F811
    tell_of_polls(person, made)
    return site


def test_the_log_makes_the_polls_there_are(told):
    assert check(told).first == ()
    kinds = {event["event_type"] for event in told.each(keys.events())}
    assert kinds >= kinds_in("polls")


def test_a_vote_changed_behind_our_back_is_named(told):
    first = next(told.each(*keys.votes(_sealed(told))))
    told.write(Update(Key(first["PK"], first["SK"]), set={"rankings": "0>1>2"}))
    assert [each.attribute for each in check(told).first] == ["rankings"]


def _sealed(table) -> str:
    return next(
        event["event_data"]["poll_id"] for event in table.each(keys.events()) if "digest" in event["event_data"]
    )


def test_a_poll_whose_close_the_log_has_yet_to_tell(made):  # noqa: F811
    from acts.storage import table

    poll = made()
    vote(poll, "one", "Pizza")
    begun = services.CLOSING.begin(by_ida(poll).poll, "Ida")
    table().write(repository.closing_gates(begun)[3])
    assert check(table()).first == ()


def test_polls_whose_time_has_passed_are_passed_over(site, made, monkeypatch):  # noqa: F811
    poll = made()
    vote(poll, "one", "Pizza")
    monkeypatch.setattr("time.time", lambda now=poll.ttl + 1: now)
    site.clock = lambda: poll.ttl + 1
    assert check(site).first == ()


def test_votes_at_once_are_in_the_log_as_they_happened(site, made):  # noqa: F811
    poll = made()

    def votes(voter: str) -> None:
        for ranking in ("Pizza", "Sushi>Pizza", "Tacos"):
            vote(poll, voter, ranking)

    at_once(*(partial(votes, f"voter {number}") for number in range(6)))
    services.close(by_ida(poll))
    seal(poll.id)
    assert check(site).first == ()
