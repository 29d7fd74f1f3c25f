"""Voting in an election that is spread over four partitions: the same promises, wherever things lie."""

from __future__ import annotations

import threading

import pytest

from accounts import repository as people
from accounts import services as accounts
from acts import shards
from audit.tables import masks, raw
from ballots import repository, secrecy, services, telling
from elections import places
from elections import repository as elections
from elections import services as organising
from elections.turnout import turnout
from results import live, proof
from results import services as results
from store import backup, keys, spans, trips
from store.sqlite import SqliteTable
from store.table import Span
from tests.at_once import at_once
from tests.background import finish_background
from tests.rows import every_row
from upkeep.replay import check

from .conftest import ranks

NAMES = [f"Voter {number:02}" for number in range(24)]
LIVE = {"secret_ballot": False, "results_visible": "live"}


@pytest.fixture(autouse=True)
def four(monkeypatch):
    """Nothing here is large enough, and the store is not distant: so it is said."""
    monkeypatch.setattr(places, "shards_for", lambda voters, distant: 4)


@pytest.fixture
def voted(site, person, opened):
    def make(**settings):
        election = opened(*NAMES, **settings)
        for number, name in enumerate(NAMES):
            services.cast(people.find(name), "Board", ranks(Ada=1) if number % 3 else ranks(Bo=1, Cy=2), name)
        return election

    return make


def partitions(site, span_of):
    return {item["PK"] for item in spans.each(site, span_of)}


FOUR = {f"ELECTION#board#0{number}" for number in range(4)}


@pytest.mark.parametrize("secret", [True, False])
def test_cast_changed_withdrawn_closed_sealed_and_proven(site, voted, secret):
    election = voted(secret_ballot=secret)
    assert election.shards == 4
    first, second = people.find(NAMES[0]), people.find(NAMES[1])
    services.cast(first, "Board", ranks(Cy=1), "again")
    services.cast(first, "Board", ranks(Cy=1), "again")
    services.withdraw(second, "Board", "no")
    assert len(list(repository.every_ballot(election))) == turnout(election).voted == 23
    assert partitions(site, places.box(election)) == partitions(site, places.roll(election)) == FOUR
    assert list(site.each(*keys.ballots("Board"))) == list(site.each(*keys.voters("Board"))) == []
    assert services.standing_of(first, "Board").voted
    assert next(iter(telling.ballots(first)))["ranking"] == [["Cy"]]
    assert check(site).count == 0
    organising.close(people.find("the organiser"), election)
    services.seal_what_is_closed()
    found = results.find("Board")
    assert (found.report.result.winners, found.seal.turnout.voted) == (("Ada",), 23)
    assert bool(list(repository.every_ballot(election))) is not secret
    assert proof.check_sealed(elections.find("Board")) is None
    assert check(site).count == 0


def test_a_secret_ballot_lies_where_its_pseudonym_says_and_the_salt_in_every_shard_until_the_close(site, voted):
    election = voted()
    salts = [site.get(place) for place in keys.salts("Board", 4)]
    assert {(item["PK"], item["salt"]) for item in salts} == {(pk, salts[0]["salt"]) for pk in FOUR}
    assert site.get(keys.salt("Board")) is None
    expected = {keys.ballot("Board", secrecy.pseudonym(salts[0], name), 4) for name in NAMES}
    found = {(item["PK"], item["SK"]) for item in spans.each(site, places.box(election))}
    assert found == {(place.pk, place.sk) for place in expected}
    organising.close(people.find("the organiser"), election)
    assert not [item for _name, item in site.everything() if item["SK"] == "SALT"]


@every_row("shards_", [1, 4, 16, 64])
def test_a_salt_is_read_where_it_was_put(shards_):
    there = keys.salts("Board", shards_)
    assert len(there) == min(shards_, 16)
    assert {keys.salt("Board", f"voter {number}", shards_) for number in range(400)} == set(there)


def test_a_voters_standing_is_one_journey(site, voted):
    voted()
    shards._hints.clear()
    person = people.find(NAMES[3])
    for journeys in (2, 1):
        with trips.counted() as asked:
            standing = services.standing_of(person, "Board")
        assert (standing.voted, standing.salt is not None, asked.count) == (True, True, journeys)


def test_many_at_once_and_one_of_them_in_many_tabs(site, person, opened):
    election = opened(*NAMES)
    users = [people.find(name) for name in NAMES[:6]]
    acts = [lambda user=user: services.cast(user, "Board", ranks(Bo=1), user.name) for user in users]
    tabs = [lambda number=number: services.cast(users[0], "Board", ranks(Cy=1), f"tab {number}") for number in range(6)]
    answers = at_once(*acts, *tabs)
    assert not [each for each in answers if isinstance(each, Exception)]
    assert len(list(repository.every_ballot(election))) == turnout(election).voted == 6
    assert sum(item["voted"] for item in spans.each(site, places.roll(election))) == 6


def test_whoever_leaves_takes_ballot_and_place_along(site, voted):
    election = voted()
    accounts.remove_self(people.find(NAMES[0]))
    finish_background()
    assert turnout(election).voted == len(list(repository.every_ballot(election))) == 23
    assert NAMES[0] not in [voter.name for voter in elections.every_voter(election)]


def test_live_results_see_every_shard(site, voted, monkeypatch):
    monkeypatch.setattr(live, "shelf", live.ElectionShelf())
    voted(**LIVE)
    assert live.shelf.look("Board").result.winners == ("Ada",)
    by_time = keys.ballots_by_time("Board", shards=4)
    assert len(list(spans.each(site, by_time))) == 24
    assert all(next(site.each(span), None) for span in by_time)


def test_a_backup_has_no_salt_and_is_served_where_nothing_would_be_spread(site, voted, tmp_path, monkeypatch):
    voted()
    with open(tmp_path / "copy", "wb") as file:
        summary = backup.backup(site, file)
    assert len(summary.open) == 1, "one election, however many copies its salt has"
    assert b"SALT" not in (tmp_path / "copy").read_bytes()
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
        assert raw.item(keys.salt("Board")._replace(pk=pk)) is None
        assert masks.is_salt({"PK": pk, "SK": "SALT"})
    organising.close(people.find("the organiser"), election)
    assert {str(row.sort_key).partition("#")[0] for row in raw.rows(Span(min(FOUR)), None)[0]} == {"GATE", "VOTER"}


def test_counting_leaves_no_thread_behind(site, voted, monkeypatch):
    election = voted()
    monkeypatch.setattr(SqliteTable, "is_distant", True)
    before = set(threading.enumerate())
    assert sum(1 for _ in repository.casts(election)) == 24
    assert repository.counted(election).total == 24
    assert set(threading.enumerate()) <= before
