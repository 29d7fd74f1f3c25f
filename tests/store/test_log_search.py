"""Sealing, its index and looking through it, on every engine."""

from __future__ import annotations

import pytest

from foundation.store import keys
from foundation.store.log import Event, EventLog, seal
from foundation.store.log import search as log_search
from foundation.store.log.seal import Sealer, verify
from foundation.store.log.search import Query, search
from foundation.store.table import Update


@pytest.fixture
def log(table, monkeypatch):
    """Blocks of four numbers: two full ones, one begun by a sealer and gone on with by another, and two events more."""
    for module in (log_search, seal):
        monkeypatch.setattr(module, "BLOCK_EVENTS", 4)
    log = EventLog(table)
    for number in range(1, 13):
        cast = {"election_name": "Board", "voter_name": "Bo"}
        log.record(Event("Bo", "BallotCast", cast) if number % 3 else Event("Ada", "ElectionUpdated", cast))
        if number in (9, 10):
            Sealer(table).seal()
    return log


def found(table, before=None, **asked):
    return [event["event_id"] for event in search(table, Query(**asked), before=before).events]


def test_what_is_sealed_and_what_is_not_is_found_alike(table, log):
    assert found(table) == list(range(12, 0, -1))
    assert found(table, actor="ada") == [12, 9, 6, 3]
    assert found(table, election="BOARD", event_type="BallotCast") == [11, 10, 8, 7, 5, 4, 2, 1]
    assert found(table, election="Board", ballots=False, before=12) == [9, 6, 3]
    when = log.find(7)["when_occurred"]
    assert 7 in found(table, actor="Bo", since=when, until=when)
    assert found(table, actor="Bo", since="2999-01-01T00:00:00.000Z") == []


def test_what_was_edited_in_the_index_is_named_and_mended(table, log):
    assert verify(table).index_flaw is None
    table.write(Update(keys.log_index("actor", "Ada", 5), set={"numbers": []}))
    assert verify(table).index_flaw.startswith("Event 6 is missing from the index by actor.")
    list(log_search.rebuild(table, 10))
    assert verify(table).index_flaw is None


def test_of_two_sealers_the_one_that_has_read_further_is_right(table, log):
    Sealer(table).seal()
    event = log.find(9)
    log_search.extend_index(table, 8, [(9, event)])
    assert verify(table).index_flaw is None
    assert found(table, actor="ada") == [12, 9, 6, 3]
