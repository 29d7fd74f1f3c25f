"""A poll of several shards: the same promises, wherever its votes lie."""

from __future__ import annotations

import pytest

from foundation.acts.refusals import TooMany
from foundation.store import keys, round_trips, sharded_reads
from parts.polls import counting, repository, services, voters
from tests.at_once import at_once
from tests.background import finish_background

from .conftest import by_ida, vote


@pytest.fixture(autouse=True)
def eight(monkeypatch):
    """As on a distant store."""
    monkeypatch.setattr(repository, "new_poll_shards", lambda: 8)


def voted(poll):
    return repository.with_gates(poll.id)[1]


@pytest.mark.parametrize(("is_distant", "shards"), [(False, 1), (True, 8)])
def test_the_kind_of_store_decides_how_many_there_are(made, monkeypatch, site, is_distant, shards):
    monkeypatch.undo()
    monkeypatch.setattr(type(site), "is_distant", is_distant)
    assert site.get(keys.poll(made().id))["shards"] == shards


def test_votes_are_given_changed_watched_sealed_and_cleared_away(site, made, monkeypatch):
    monkeypatch.setattr(counting, "watched_polls", counting.PollWatch())
    poll = made()
    assert (poll.shards, repository.find(poll.id).shards, repository.gates_of(poll).count) == (8, 8, 64)
    at_once(*[lambda number=number: vote(poll, f"voter {number}", "Pizza") for number in range(20)])
    vote(poll, "voter 3", "Sushi")
    assert voted(poll) == len(list(repository.each_vote(poll))) == repository.read_ballots(poll).total == 20
    assert {item["PK"] for item in repository.each_vote(poll)} <= {f"POLL#{poll.id}#0{number}" for number in range(8)}
    assert list(site.each(*keys.votes(poll.id))) == []
    assert len(list(repository.votes_since(poll, poll.created_at))) == 20
    assert counting.watched_polls.get(poll.id).ballots.total == 20
    assert repository.has_voted(poll, voters.id_of(poll.id, "voter 3"))
    services.close(by_ida(poll))
    counting.seal_what_is_over()
    assert repository.find_sealed(poll.id)["votes"] == 20
    services.delete(by_ida(poll))
    assert finish_background() == 1
    assert not [item for _name, item in site.everything() if item["PK"].startswith("POLL#")]


def test_a_vote_is_read_in_one_round_trip_and_in_two_where_the_poll_came_from_elsewhere(made, monkeypatch):
    poll = made()
    vote(poll, "a", "Tacos")
    for usual, expected in ((8, 1), (1, 2)):
        monkeypatch.setattr(repository, "new_poll_shards", lambda usual=usual: usual)
        with round_trips.count_round_trips() as asked:
            found = repository.find_with_vote(poll.id, voters.id_of(poll.id, "a"))
        assert (found[0], found[1]["rankings"], asked.count) == (repository.find(poll.id), "2", expected)


def test_a_full_poll_says_so_only_when_all_its_gates_are(made, monkeypatch):
    monkeypatch.setattr(repository, "MAX_VOTES", 64)
    poll = made()
    for number in range(64):
        vote(poll, f"voter {number}", "Pizza")
    with pytest.raises(TooMany):
        vote(poll, "one more", "Pizza")
    assert len(list(sharded_reads.each(repository.table(), keys.votes(poll.id, 8)))) == 64
