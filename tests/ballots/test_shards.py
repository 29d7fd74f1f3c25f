"""Voting in an election of four shards: the same promises, wherever things lie."""

from __future__ import annotations

import threading

import pytest

from accounts import repository as people
from accounts import services as accounts
from ballots import personal_data, repository, services
from ballots.sealing import seal_closed
from ballots.secret import ballot_id
from elections import repository as elections
from elections import rolls, sharding
from elections.lifecycle import closing
from elections.turnout.counts import turnout
from foundation.acts.storage import use_table
from foundation.store import backup, keys, round_trips, sharded_reads
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Span
from operations.audit.tables import raw
from operations.upkeep.replay import check
from results import incoming as live
from results import proof
from results import services as results
from tests import voting
from tests.background import finish_background
from tests.store.metering import WRITE, MeteredTable

from .conftest import ranks

NAMES = [f"Voter {number:02}" for number in range(24)]
LIVE = {"secret_ballot": False, "results_visible": "live"}


@pytest.fixture(autouse=True)
def four(monkeypatch):
    """As on a distant store, but with fewer shards."""
    monkeypatch.setattr(sharding, "shards_of_new", lambda: 4)


@pytest.fixture
def voted(site, person, opened):
    def make(**settings):
        election = opened(*NAMES, **settings)
        for number, name in enumerate(NAMES):
            voting.cast(people.find(name), "Board", ranks(Ada=1) if number % 3 else ranks(Bo=1, Cy=2), name)
        return election

    return make


def partitions(site, span_of):
    return {item["PK"] for item in sharded_reads.each(site, span_of)}


FOUR = {f"ELECTION#board#0{number}" for number in range(4)}


@pytest.mark.few(1)
@pytest.mark.parametrize("secret", [True, False])
def test_cast_changed_withdrawn_closed_sealed_and_proven(site, voted, secret):
    election = voted(secret_ballot=secret)
    assert election.shards == 4
    first, second = people.find(NAMES[0]), people.find(NAMES[1])
    voting.cast(first, "Board", ranks(Cy=1), "again")
    voting.cast(first, "Board", ranks(Cy=1), "again")
    voting.withdraw(second, "Board", "no")
    assert len(list(repository.every_ballot(election))) == turnout(election).voted == 23
    assert partitions(site, sharding.ballot_spans(election)) == partitions(site, sharding.roll_spans(election)) == FOUR
    assert list(site.each(*keys.ballots("Board"))) == list(site.each(*keys.voters("Board"))) == []
    assert services.voter_context(first, "Board").voted
    exported = next(iter(personal_data.export_ballots(first)))
    assert exported.get("ranking", "none") == ("none" if secret else [["Cy"]])
    assert check(site).count == 0
    closing.close(people.find("the organiser"), election)
    seal_closed()
    found = results.find("Board")
    assert (found.report.result.winners, found.seal.turnout.voted) == (("Ada",), 23)
    assert bool(list(repository.every_ballot(election))) is not secret
    assert proof.check_sealed(elections.find("Board")) is None
    assert check(site).count == 0


def test_a_secret_ballot_lies_where_the_hash_of_its_secret_says(site, person, opened):
    election = opened(*NAMES)
    secrets = {name: f"{number:032x}" for number, name in enumerate(NAMES)}
    for name, secret in secrets.items():
        services.cast(people.find(name), "Board", ranks(Bo=1), name, secret=secret)
    expected = {keys.ballot("Board", ballot_id(secret, "board"), 4) for secret in secrets.values()}
    found = {(item["PK"], item["SK"]) for item in sharded_reads.each(site, sharding.ballot_spans(election))}
    assert found == {(place.pk, place.sk) for place in expected}
    assert {pk for pk, _sk in found} == set(FOUR)
    assert all(services.voter_context(None, "Board", secret=secret).ballots for secret in secrets.values())


def test_a_voters_standing_is_one_journey(site, voted):
    voted()
    with round_trips.count_round_trips() as asked:
        context = services.voter_context(people.find(NAMES[3]), "Board", "a form", secret="5" * 32)
    assert (context.voted, context.found, asked.count) == (True, {}, 1 + 1), "the person, and all else"


def test_whoever_leaves_takes_ballot_and_place_along(site, voted):
    election = voted(secret_ballot=False)
    accounts.remove_self(people.find(NAMES[0]))
    finish_background()
    assert turnout(election).voted == len(list(repository.every_ballot(election))) == 23
    assert NAMES[0] not in [voter.name for voter in rolls.every_voter(election)]


def test_live_results_see_every_shard(site, voted, monkeypatch):
    monkeypatch.setattr(live, "cache", live.ElectionCountCache())
    voted(**LIVE)
    assert live.cache.get("Board").result.winners == ("Ada",)
    by_time = keys.ballots_by_time("Board", shards=4)
    assert len(list(sharded_reads.each(site, by_time))) == 24
    assert all(next(site.each(span), None) for span in by_time)


def test_a_backup_is_served_where_new_elections_have_one_shard(site, voted, tmp_path, monkeypatch):
    voted()
    with open(tmp_path / "copy", "wb") as file:
        summary = backup.backup(site, file)
    assert len(summary.open) == 1
    monkeypatch.undo()
    table = SqliteTable(str(tmp_path / "other.sqlite3"))
    table.create()
    with open(tmp_path / "copy", "rb") as file:
        backup.restore(table, file)
    assert table.get(keys.election("Board"))["shards"] == 4
    assert check(table).count == 0


def test_the_tables_hide_in_a_shard_what_they_hide_in_an_election(site, voted):
    election = voted()
    for pk in sorted(FOUR):
        shown, _cursor = raw.rows(Span(pk), None)
        assert {str(row.sort_key).partition("#")[0] for row in shown} == {"GATE", "VOTER"}
        with pytest.raises(raw.CannotShow):
            raw.rows(Span(pk, prefix="BALLOT#"), None)
    closing.close(people.find("the organiser"), election)
    assert {str(row.sort_key).partition("#")[0] for row in raw.rows(Span(min(FOUR)), None)[0]} == {"GATE", "VOTER"}


def test_counting_leaves_no_thread_behind(site, voted, monkeypatch):
    election = voted()
    monkeypatch.setattr(SqliteTable, "is_distant", True)
    before = set(threading.enumerate())
    assert sum(1 for _ in repository.ballot_rows(election)) == 24
    assert repository.read_ballots(election).total == 24
    assert set(threading.enumerate()) <= before


# --- what a cast writes ---


@pytest.mark.parametrize(
    "chosen",
    [{}, LIVE, {"electorate": "everyone"}, {"vote_by_link": True, "paper_ballots": True, "mail_votes": True}],
)
def test_nothing_that_a_voter_writes_lies_with_the_election_itself(site, person, opened, chosen):
    """So that closing it, and moving its end, meet no voter."""
    meter = MeteredTable(site)
    with use_table(meter):
        election = opened("Eve", "Bob", **chosen)
        eve, bob, organiser = (people.find(name) for name in ("Eve", "Bob", "the organiser"))
        meter.take_units()
        voting.cast(eve, "Board", ranks(Ada=1), "first")
        voting.cast(eve, "Board", ranks(Bo=1), "changed")
        voting.withdraw(eve, "Board", "withdrawn")
        if election.paper_ballots:
            services.enter_paper(organiser, "Board", "Bob", ranks(Cy=1), "on paper")
        else:
            services.cast(bob, "Board", ranks(Cy=1), "his")
        written = {charged.pk for charged in meter.take_units() if charged.kind == WRITE}
    assert [pk for pk in written if pk.startswith("ELECTION#board#")]
    assert keys.election("Board").pk not in written


def test_a_distant_store_has_no_file_to_forget_anything_in(site, person, opened):
    """One item of the whole site would be in the transaction that tells each close, and in each that empties a box."""
    meter = MeteredTable(site)
    with use_table(meter):
        election = opened("Eve")
        services.cast(people.find("Eve"), "Board", ranks(Ada=1), "first")
        closing.close(people.find("the organiser"), election)
        seal_closed()
        assert not list(repository.every_ballot(elections.find("Board")))
    assert site.get(keys.FORGETTING) is None
