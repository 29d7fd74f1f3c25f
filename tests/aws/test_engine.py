"""Our engine over the network, and how an engine that a URL names is judged without touching what is there."""

from __future__ import annotations

import pytest

from store.connect import connect
from store.dynamodb import schema
from store.table import Invalid, Key, Missing, Put, Refused, TokenReused, Update
from tests.store import engines

from .engine import answered, ours, served
from .memory import MemoryEngine

THERE = ["plenum-vote_data", "plenum-vote_event_log"]


@pytest.fixture
def memory() -> MemoryEngine:
    """An engine on which somebody has a site."""
    memory = MemoryEngine()
    schema.create(memory, "plenum-")
    return memory


@pytest.mark.deep
def test_the_engine_that_is_judged_keeps_what_was_there_and_nothing_else(memory, monkeypatch):
    with served(memory) as address:
        monkeypatch.setenv(engines.JUDGED, f"dynamodb://here?prefix=plenum-&endpoint={address}")
        with engines.judged() as engine:
            table = engine.fresh()
            table.write(Put({"PK": "p", "SK": "a"}))
            by_url = connect(engine.url())
            by_url.create()
            assert by_url.get(Key("p", "a")) is None
            assert len(memory.tables) == 6
            assert all(name.startswith("plenum-") for name in memory.tables)
        assert sorted(memory.tables) == THERE


def test_tables_that_are_there_are_refused(memory, monkeypatch):
    with served(memory) as address:
        monkeypatch.setenv(engines.JUDGED, f"dynamodb://here?endpoint={address}")
        monkeypatch.setattr(engines, "_tables_of", lambda engine: THERE)
        with pytest.raises(engines.EngineMissing, match="nothing was touched"), engines.judged():
            pass
    assert sorted(memory.tables) == THERE


@pytest.mark.parametrize("url", ["sqlite:///plenum.sqlite3", "dynamodb://", "http://localhost:8000"])
def test_what_is_no_engine_is_a_sentence(url, monkeypatch):
    monkeypatch.setenv(engines.JUDGED, url)
    with pytest.raises(engines.EngineMissing, match="should look like"), engines.judged():
        pass


def test_over_the_network_it_says_the_same():
    """Bytes, conditions, reasons and tokens as they go over the wire."""
    with ours() as engine:
        table = connect(engine.url())
        table.create()
        here = Key("p", "a")
        table.write(Put({"PK": "p", "SK": "a", "b": b"\xff\x00", "n": 1}, Missing()), token="one")
        table.write(Put({"PK": "p", "SK": "a", "b": b"\xff\x00", "n": 1}, Missing()), token="one")
        assert table.get(here) == {"PK": "p", "SK": "a", "b": b"\xff\x00", "n": 1}
        with pytest.raises(TokenReused):
            table.write(Put({"PK": "p", "SK": "b"}), token="one")
        with pytest.raises(Refused) as refused:
            table.write(Put({"PK": "p", "SK": "b"}), Put({"PK": "p", "SK": "a"}, Missing()))
        assert refused.value.parts == (1,)
        with pytest.raises(Invalid):
            table.write(Update(here, add={"b": 1}))
        table.close()


def test_what_it_does_not_know_it_says(memory):
    status, said = answered(MemoryEngine(), "ExecuteStatement", {})
    assert (status, said["__type"].partition("#")[2]) == (400, "UnknownOperationException")
    asked = {"TableName": THERE[0], "FilterExpression": "size(#0) > :0"}
    assert answered(memory, "Scan", asked)[1]["__type"].endswith("#ValidationException")
