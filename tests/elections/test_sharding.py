"""Where an election lies is fixed when it is made, and everything finds it there."""

from __future__ import annotations

import pytest

from elections import actions, repository, rolls, sharding
from elections.candidates import add_candidates
from elections.drafts import copying
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action, State
from foundation.ranking.candidates import Candidate
from foundation.store import keys, round_trips, sharded_reads
from foundation.store.log import EventLog
from operations.upkeep import replay
from tests.background import finish_background
from tests.elections.test_renaming import Killed, dies_at

VOTERS = [f"voter.{n:03}@example.org" for n in range(100)]


@pytest.fixture
def four(monkeypatch):
    """As on a distant store, but with fewer shards."""
    monkeypatch.setattr(sharding, "shards_of_new", lambda: 4)


@pytest.fixture
def draft(ada):
    made = drafts.create(ada, "Board")
    add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    add_voters(ada, repository.find("Board"), VOTERS)
    return repository.find("Board")


def assert_in_shards(site, name="Board"):
    election = repository.find(name)
    assert (election.shards, election.voter_count) == (4, len(VOTERS))
    assert list(site.each(*keys.voters(name))) == []
    assert [each.name for each in rolls.every_voter(name)] == VOTERS
    entries = {sharding.voter_key(election, voter) for voter in VOTERS}
    assert set(site.get_many(entries)) == entries
    assert {entry.pk for entry in entries} == {f"ELECTION#{name.lower()}#0{number}" for number in range(4)}
    assert replay.check(site).count == 0


# --- how many ---


@pytest.mark.parametrize(("is_distant", "shards"), [(False, 1), (True, 48)])
def test_the_kind_of_store_decides_how_many_there_are_and_the_log_knows(site, ada, monkeypatch, is_distant, shards):
    monkeypatch.setattr(type(site), "is_distant", is_distant)
    made = drafts.create(ada, "Board")
    add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo")])
    add_voters(ada, repository.find("Board"), VOTERS)
    copying.copy(ada, repository.find("Board"), "Copy")
    for name in ("Board", "Copy"):
        assert site.get(keys.election(name))["shards"] == shards
        partitions = {item["PK"] for item in sharded_reads.each(site, sharding.roll_spans(name))}
        assert shards * 0.8 < len(partitions) <= shards, "all but a few, by their names"
        assert (keys.election(name).pk in partitions) == (not is_distant)
    told = [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == "ElectionCreated"]
    assert [each["shards"] for each in told] == [shards, shards]
    assert replay.check(site).count == 0


def test_no_change_of_an_election_moves_it(site, ada, draft, four):
    actions.change(ada, draft, Action.SET_UP, seats=2, shards=4)
    election = repository.find("Board")
    assert (election.seats, election.shards) == (2, 1)


# --- with a name only ---


def test_an_election_made_here_is_read_in_one_round_trip_and_another_in_two(site, ada, four, draft, monkeypatch):
    for usual, expected in ((4, 1), (16, 2), (1, 2)):
        monkeypatch.setattr(sharding, "shards_of_new", lambda usual=usual: usual)
        for _time in range(2):
            with round_trips.count_round_trips() as asked:
                own, entry = sharding.read_with_entry("Board", VOTERS[3])
            assert (own["name"], entry["voter_name"], asked.count) == ("Board", VOTERS[3], expected)
    assert sharding.read_with_entry("Nowhere", VOTERS[0]) == (None, None)


# --- what becomes of it ---


def test_the_roll_is_paged_and_searched_as_if_it_were_in_one_place(site, four, draft):
    found, cursor = [], None
    while cursor is not None or not found:
        items, cursor = rolls.list_voters(draft, prefix="VOTER.0", limit=7, cursor=cursor, by_name=False)
        found += [item["voter_name"] for item in items]
    assert found == VOTERS
    assert [item["voter_name"] for item in rolls.list_voters(draft, prefix="voter.09", limit=99)[0]] == VOTERS[90:]


def test_it_is_renamed_copied_and_deleted_with_all_its_shards(site, ada, four, draft):
    drafts.rename(ada, draft, "Council")
    assert_in_shards(site, name="Council")
    assert not [item for _name, item in site.everything() if item["PK"].startswith("ELECTION#board")]
    copying.copy(ada, repository.find("Council"), "Again")
    assert_in_shards(site, name="Again")
    lifecycle.delete(ada, repository.find("Council"))
    assert finish_background("delete election") == 1
    assert not [item for _name, item in site.everything() if item["PK"].startswith("ELECTION#council")]
    assert drafts.create(ada, "Council").stored_state == State.DRAFT


def test_gates_lie_in_all_shards_and_what_a_killed_opening_left_is_no_difference(site, ada, four, draft):
    with pytest.MonkeyPatch.context() as patch:
        dies_at(patch, site, 2)
        with pytest.raises(Killed):
            lifecycle.open_(ada, draft, editable=False)
    gates = sharding.gates_of(draft).keys("Board")
    assert {key.pk for key in gates} == {f"ELECTION#board#0{number}" for number in range(4)}
    assert (len(gates), len(site.get_many(gates))) == (64, 48)
    assert replay.check(site).count == 0
    lifecycle.open_(ada, repository.find("Board"), editable=False)
    assert len(site.get_many(gates)) == 64
    assert replay.check(site).count == 0
