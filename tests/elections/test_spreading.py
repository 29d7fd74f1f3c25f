"""An election over several partitions: when that is chosen, and how a roll gets there, whoever dies on the way."""

from __future__ import annotations

import pytest

from acts import shards
from acts.queues import SomeFailed
from acts.refusals import LostRace
from elections import copying, imports, places, repository, services, spreading
from elections.rules import Action, State, WrongState
from ranking.candidates import Candidate
from store import keys, spans, trips
from store.log import EventLog
from store.table import Update
from tests.at_once import at_once
from tests.elections.test_renaming import Killed, dies_at
from tests.rows import every_row
from upkeep import replay

FEW = [f"voter.{n:03}@example.org" for n in range(70)]
MORE = [f"voter.{n:03}@example.org" for n in range(70, 100)]


@pytest.fixture
def ada(person):
    return person("Ada")


@pytest.fixture
def small(monkeypatch):
    """Four shards from eighty voters on, and sixteen from two hundred."""
    monkeypatch.setattr(places, "shards_for", chosen)


def chosen(voters, distant):
    return 1 if voters < 80 else 4 if voters < 200 else 16


@pytest.fixture
def draft(ada):
    made = services.create(ada, "Board")
    services.add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo"), Candidate("Cy")])
    services.add_voters(ada, repository.find("Board"), FEW)
    return repository.find("Board")


def kinds(site):
    return [each["event_type"] for each in EventLog(site).since(0) if "election_name" in each["event_data"]]


def on_roll(name="Board"):
    return [each.name for each in repository.every_voter(name)]


def assert_spread(site, voters, many=4, name="Board"):
    election = repository.find(name)
    assert (election.shards, election.spread_from, election.voter_count) == (many, 0, len(voters))
    assert site.get(keys.spread(name)) is None
    assert list(site.each(*keys.voters(name))) == []
    assert on_roll(name) == sorted(voters)
    assert set(site.get_many(places.entry(election, voter) for voter in voters)) == {
        places.entry(election, voter) for voter in voters
    }
    own = [each for each in site.each(keys.elections_of_voter(voters[0])) if each["election_name"] == name]
    assert len(own) == 1
    assert replay.check(site).count == 0


# --- how many ---


@every_row(
    ("voters", "many"),
    [(0, 1), (20_000, 1), (20_001, 4), (200_000, 4), (200_001, 16), (2_000_000, 16), (2_000_001, 64), (10**8, 64)],
)
def test_how_many_there_are_hangs_on_how_many_may_vote_and_on_the_store(voters, many):
    assert places.shards_for(voters, distant=True) == many
    assert places.shards_for(voters, distant=False) == 1


def test_what_is_in_one_place_says_nothing_of_shards(site, draft):
    assert {"shards", "spread_from"} & set(site.get(keys.election("Board"))) == set()
    assert {item["PK"] for item in site.each(*keys.voters("Board"))} == {"ELECTION#board"}


# --- one journey, with a hint ---


def test_whoever_has_only_a_name_learns_how_many_there_are_and_asks_once_from_then_on(site, ada, draft, small):
    shards._hints.clear()
    services.add_voters(ada, draft, MORE)
    for journeys in (2, 1, 1):
        with trips.counted() as asked:
            own, entry = places.with_entry("Board", FEW[3])
        assert (own["name"], entry["voter_name"], asked.count) == ("Board", FEW[3], journeys)


def test_a_hint_of_another_time_misleads_nobody(site, draft, monkeypatch):
    monkeypatch.setitem(shards._hints, keys.election("Board").pk, 16)
    assert places.with_entry("Board", FEW[0])[1]["voter_name"] == FEW[0]
    assert keys.election("Board").pk not in shards._hints
    assert places.with_entry("Nowhere", FEW[0]) == (None, None)


def test_hints_do_not_grow_for_ever(monkeypatch):
    monkeypatch.setattr(shards, "MOST_HINTS", 3)
    monkeypatch.setattr(shards, "_hints", {})
    for number in range(10):
        shards._learn(f"ELECTION#{number}", 4)
        assert 0 < len(shards._hints) <= 3


# --- a roll that grows ---


def test_an_empty_roll_is_spread_in_the_act_itself(site, ada, small):
    made = services.create(ada, "Board")
    services.add_voters(ada, made, FEW + MORE)
    assert kinds(site) == ["ElectionCreated", "RollSpread", "VotersAdded", "VotersAdded"]
    assert_spread(site, FEW + MORE)


def test_a_roll_that_grows_is_spread_first(site, ada, draft, small):
    services.add_voters(ada, draft, MORE)
    (event,) = (each for each in EventLog(site).since(0) if each["event_type"] == "RollSpread")
    assert (event["actor"], event["event_data"]) == ("Ada", {"election_name": "Board", "shards": 4})
    assert_spread(site, FEW + MORE)


def test_it_is_spread_again_and_some_stay_where_they_are(site, ada, draft, small):
    services.add_voters(ada, draft, MORE)
    before = {item["voter_name"]: item["PK"] for item in spans.each(site, places.roll(repository.find("Board")))}
    many = [f"late.{n:03}@example.org" for n in range(120)]
    services.add_voters(ada, repository.find("Board"), many)
    after = {item["voter_name"]: item["PK"] for item in spans.each(site, places.roll(repository.find("Board")))}
    assert 0 < sum(after[voter] == pk for voter, pk in before.items()) < len(before)
    assert_spread(site, FEW + MORE + many, many=16)


@pytest.mark.parametrize("step", range(1, 7))
def test_killed_at_any_write_the_next_worker_finishes_it(site, ada, draft, small, monkeypatch, step):
    with pytest.MonkeyPatch.context() as patch:
        calls = dies_at(patch, site, step)
        try:
            spreading.with_room(ada, draft, len(MORE))
        except Killed:
            assert len(on_roll(repository.find("Board"))) == 70, "also on the way, all of it is there"
        else:
            assert len(calls) < step, "it was not killed because it was done before"
    spreading.finish_all()
    services.add_voters(ada, repository.find("Board"), MORE)
    assert_spread(site, FEW + MORE)


def cut_short(site, ada, draft):
    with pytest.MonkeyPatch.context() as patch:
        dies_at(patch, site, 3)
        with pytest.raises(Killed):
            spreading.with_room(ada, draft, len(MORE))
    election = repository.find("Board")
    assert (election.shards, election.spread_from) == (4, 1)
    return election


def test_on_the_way_it_can_be_looked_at_but_neither_roll_nor_state_is_changed(site, ada, draft, small, monkeypatch):
    election = cut_short(site, ada, draft)
    monkeypatch.setattr(spreading, "AT_ONCE", 0)
    services.check(ada, election, Action.LOOK)
    services.check(ada, election, Action.SEE_ROLL)
    for act in (
        lambda: services.add_voters(ada, election, MORE),
        lambda: services.remove_voter(ada, election, FEW[0]),
        lambda: services.open_(ada, election, editable=False),
        lambda: services.rename(ada, election, "Council"),
        lambda: copying.copy(ada, election, "Council"),
        lambda: spreading.with_room(ada, election, 0),
    ):
        with pytest.raises(WrongState, match="being spread"):
            act()
    pages, cursor = [], None
    while cursor is not None or not pages:
        items, cursor = repository.voters(election, limit=20, cursor=cursor)
        pages += [item["voter_name"] for item in items]
    assert pages == FEW
    assert replay.check(site).count == 0
    assert spreading.finish_all() == 1
    assert_spread(site, FEW)


def test_many_finish_at_once_and_nothing_is_lost_or_doubled(site, ada, draft, small):
    cut_short(site, ada, draft)
    assert at_once(*[lambda: spreading.finish("Board") for _ in range(4)]) == [True] * 4
    assert_spread(site, FEW)


def test_a_worker_has_its_turn_and_no_more(site, ada, draft, small, monkeypatch):
    cut_short(site, ada, draft)
    monkeypatch.setattr(spreading, "A_HANDFUL", 10)
    assert spreading.finish_all(most=1) == 0
    assert 0 < len(list(site.each(*keys.voters("Board")))) < 70
    assert spreading.finish_all() == 1
    assert_spread(site, FEW)


def test_whoever_read_it_before_puts_nobody_where_nobody_looks(site, ada, draft, small):
    spreading.with_room(ada, draft, len(MORE))
    with pytest.raises(LostRace):
        services.add_handful(ada, draft, MORE)
    with pytest.raises(LostRace):
        services.remove_voter(ada, draft, FEW[0])
    assert_spread(site, FEW)


def test_a_draft_that_is_deleted_on_the_way_is_cleared_away(site, ada, draft, small):
    services.delete(ada, cut_short(site, ada, draft))
    assert spreading.finish("Board")
    assert services.clear_away_all() == 1
    assert not [item for _name, item in site.everything() if item["PK"].startswith("ELECTION#board")]
    assert replay.check(site).count == 0


def test_an_import_makes_room_at_its_beginning_and_waits_for_it(site, ada, draft, small, monkeypatch):
    monkeypatch.setattr(spreading, "AT_ONCE", 1)
    under_way = imports.start(ada, draft, MORE)
    assert repository.find("Board").spread_from == 1
    assert imports.go_on(ada, draft, under_way, seconds=60).added == len(MORE)
    assert_spread(site, FEW + MORE)


# --- what becomes of it ---


def test_where_everybody_may_vote_the_people_here_are_counted_at_the_opening(site, ada, monkeypatch):
    site.write(Update(keys.counts(), set={"user_count": 150}))
    monkeypatch.setattr(places, "shards_for", chosen)
    made = services.create(ada, "Board", electorate="everyone")
    services.add_candidates(ada, made, [Candidate("Ada"), Candidate("Bo")])
    opened = services.open_(ada, repository.find("Board"), editable=False)
    assert (opened.shards, repository.find("Board").shards) == (4, 4)
    assert len(site.get_many(places.gates_of(opened).keys("Board"))) == 64
    assert {key.pk for key in places.gates_of(opened).keys("Board")} == {f"ELECTION#board#0{n}" for n in range(4)}


def test_an_open_election_stays_where_it_is(site, ada, draft, small):
    opened = services.open_(ada, draft, editable=False)
    services.add_voters(ada, opened, MORE)
    assert repository.find("Board").shards == 1
    assert len(on_roll()) == 100


def test_the_roll_is_paged_and_searched_as_if_it_were_in_one_place(site, ada, draft, small):
    services.add_voters(ada, draft, MORE)
    election, found, cursor = repository.find("Board"), [], None
    while cursor is not None or not found:
        items, cursor = repository.voters(election, prefix="VOTER.0", limit=7, cursor=cursor, by_name=False)
        found += [item["voter_name"] for item in items]
    assert found == FEW + MORE
    assert [item["voter_name"] for item in repository.voters(election, prefix="voter.09", limit=99)[0]] == MORE[-10:]


def test_it_is_renamed_copied_and_deleted_with_all_its_shards(site, ada, draft, small):
    services.add_voters(ada, draft, MORE)
    services.rename(ada, repository.find("Board"), "Council")
    assert_spread(site, FEW + MORE, name="Council")
    assert not [item for _name, item in site.everything() if item["PK"].startswith("ELECTION#board")]
    copying.copy(ada, repository.find("Council"), "Again")
    assert kinds(site).count("RollSpread") == 1, "a copy has room from its beginning"
    assert_spread(site, FEW + MORE, name="Again")
    services.delete(ada, repository.find("Council"))
    assert services.clear_away_all() == 1
    assert not [item for _name, item in site.everything() if item["PK"].startswith("ELECTION#council")]
    assert services.create(ada, "Council").stored_state == State.DRAFT


def test_gates_that_an_opening_left_when_it_was_killed_are_no_difference(site, ada, draft, small):
    services.add_voters(ada, draft, MORE)
    with pytest.MonkeyPatch.context() as patch:
        dies_at(patch, site, 2)
        with pytest.raises(Killed):
            services.open_(ada, repository.find("Board"), editable=False)
    assert len(site.get_many(places.gates_of("Board").keys("Board"))) == 48
    assert replay.check(site).count == 0
    assert services.open_(ada, repository.find("Board"), editable=False).shards == 4
    assert replay.check(site).count == 0


def test_one_roll_that_cannot_be_spread_holds_up_no_other(site, ada, draft, small, monkeypatch):
    cut_short(site, ada, draft)
    monkeypatch.setattr(spreading, "finish", lambda name, most: 1 / 0)
    with pytest.raises(SomeFailed):
        spreading.finish_all()
