"""The chaos wrapper: in fair weather it is the table itself, and each fault shows as often as it was asked for."""

from __future__ import annotations

import uuid
from random import Random

import pytest

from store.dynamodb import DynamoDbTable
from store.sqlite import SqliteTable
from store.table import BadCursor, Check, Conflict, Delete, Exists, Key, Put, Refused, Span, Unavailable, Update
from tests.chaos import Chaos

from .model import Model
from .programs import Clock, search
from .walks import names, walk


@pytest.fixture
def calm(tmp_path):
    table = SqliteTable(str(tmp_path / "plenum.sqlite3"))
    table.create()
    yield table
    table.close()


def chaos(table, seed=1, sleep=None, **weather):
    return Chaos(table, Random(seed), sleep=sleep or pytest.fail, **weather)


def outcomes(act, times=200):
    """How often each kind of answer came."""
    counts = {}
    for _ in range(times):
        try:
            act()
            kind = "ok"
        except (Conflict, Unavailable, Refused) as error:
            kind = type(error).__name__
        counts[kind] = counts.get(kind, 0) + 1
    return counts


@pytest.mark.deep
def test_in_fair_weather_nothing_is_different(tmp_path):
    clock = Clock()
    table = SqliteTable(str(tmp_path / "fair.sqlite3"), clock=clock)
    table.create()
    assert search(range(40), clock, lambda: Model(clock), chaos(table), sweeps=True) > 200
    table.close()


@pytest.mark.deep
def test_an_index_page_without_any_write_to_lag_behind_is_right_in_every_order(tmp_path):
    """With a lag the wrapper makes index pages itself; as of no write ago they must be the table's own."""

    class NoneAgo(Random):
        def randint(self, low, high):
            return 0

    clock = Clock()
    table = SqliteTable(str(tmp_path / "lag.sqlite3"), clock=clock)
    table.create()
    wrapped = Chaos(table, NoneAgo(1), lag=5)
    assert search(range(60), clock, lambda: Model(clock), wrapped, sweeps=True) > 300
    table.close()


def test_a_conflict_writes_nothing_and_reads_never_conflict(calm):
    wrapped = chaos(calm, conflicts=0.5)
    counts = outcomes(lambda: wrapped.write(Update(Key("p", "n"), add={"n": 1})))
    assert 60 < counts["Conflict"] < 140
    assert calm.get(Key("p", "n"))["n"] == counts["ok"]
    assert outcomes(lambda: wrapped.get(Key("p", "n"))) == {"ok": 200}


@pytest.mark.parametrize("operation", ["get", "get_many", "page", "count", "write", "put_all", "increment"])
def test_every_operation_can_be_throttled_and_then_does_nothing(calm, operation):
    key = Key("p", "n")
    wrapped = chaos(calm, throttling=0.5)
    acts = {
        "get": lambda: wrapped.get(key),
        "get_many": lambda: wrapped.get_many([key]),
        "page": lambda: wrapped.page(Span("p")),
        "count": lambda: wrapped.count(Span("p")),
        "write": lambda: wrapped.write(Update(key, add={"n": 1})),
        "put_all": lambda: wrapped.put_all([{"PK": "p", "SK": "n", "n": 0}]),
        "increment": lambda: wrapped.increment(key, "n"),
    }
    counts = outcomes(acts[operation])
    assert 60 < counts["Crowded"] < 140
    assert (calm.get(key) or {"n": 0})["n"] == (counts["ok"] if operation in ("write", "increment") else 0)


def test_after_a_lost_reply_the_write_has_happened(calm):
    wrapped = chaos(calm, lost_replies=0.5)
    counts = outcomes(lambda: wrapped.write(Update(Key("p", "n"), add={"n": 1})))
    assert 60 < counts["Unavailable"] < 140
    assert calm.get(Key("p", "n"))["n"] == 200


def test_a_lost_increment_is_a_number_nobody_got(calm):
    wrapped = chaos(calm, lost_replies=0.5)
    got = []
    counts = outcomes(lambda: got.append(wrapped.increment(Key("p", "n"), "n")))
    assert len(set(got)) == counts["ok"] < 200
    assert calm.get(Key("p", "n"))["n"] == 200


def test_of_a_batch_some_may_be_there_and_the_same_again_does_no_harm(calm):
    batch = [{"PK": "p", "SK": str(n)} for n in range(5)]
    partly = chaos(calm, partial=1)
    assert outcomes(lambda: partly.put_all(batch), 1) == {"Unavailable": 1}
    assert 1 <= calm.count(Span("p")) < 5
    calm.put_all(batch)
    assert calm.count(Span("p")) == 5
    lost = chaos(calm, lost_replies=1, conflicts=1)
    assert outcomes(lambda: lost.put_all([{"PK": "q", "SK": "1"}]), 1) == {"Unavailable": 1}, (
        "no conflict: no condition"
    )
    assert calm.count(Span("q")) == 1


def test_trying_again_with_the_same_token_after_a_lost_reply_applies_once(calm):
    wrapped = chaos(calm, lost_replies=0.6, throttling=0.2, conflicts=0.2)
    for _ in range(50):
        token = uuid.uuid4().hex
        while outcomes(lambda token=token: wrapped.write(Update(Key("p", "n"), add={"n": 1}), token=token), 1) != {
            "ok": 1
        }:
            pass
    assert calm.get(Key("p", "n"))["n"] == 50


def test_a_refusal_stays_a_refusal(calm):
    wrapped = chaos(calm, lost_replies=0.5)
    assert outcomes(lambda: wrapped.write(Check(Key("p", "nobody"), Exists()))) == {"Refused": 200}


def test_slowness_is_waited_for_before_the_answer(calm):
    waits = []
    wrapped = chaos(calm, sleep=waits.append, slowness=0.5, seconds=0.3)
    assert outcomes(lambda: wrapped.get(Key("p", "n"))) == {"ok": 200}
    assert 60 < len(waits) < 140
    assert set(waits) == {0.3}


def placed(n):
    return Put({"PK": "p", "SK": f"{n:03d}", "GSI1PK": "shelf", "GSI1SK": f"{n:03d}"})


def test_an_index_page_may_be_some_writes_old_but_no_older(calm):
    wrapped = chaos(calm, lag=3)
    ages = set()
    for n in range(100):
        wrapped.write(placed(n))
        ages.add(n + 1 - wrapped.count(Span("shelf", index=True)))
        assert names(walk(wrapped, Span("p"))) == [f"{each:03d}" for each in range(n + 1)], (
            "the table itself is never stale"
        )
    assert ages == {0, 1, 2, 3}


def test_a_table_says_how_long_its_index_may_lag(calm):
    far = DynamoDbTable(region="eu-central-1")
    assert (calm.index_lag, chaos(calm).index_lag, chaos(far).index_lag) == (0, 0, far.index_lag)
    assert chaos(calm, lag=3).index_lag == far.index_lag > 0


def test_a_stale_index_page_shows_whole_items_as_they_were(calm):
    calm.write(Put({"PK": "p", "SK": "a", "GSI1PK": "shelf", "GSI1SK": "1", "n": 0}))
    wrapped = chaos(calm, lag=2)
    wrapped.write(Update(Key("p", "a"), set={"GSI1SK": "2"}, add={"n": 1}))
    seen = {(item["GSI1SK"], item["n"]) for _ in range(50) for item in wrapped.page(Span("shelf", index=True)).items}
    assert seen == {("1", 0), ("2", 1)}
    assert wrapped.get(Key("p", "a"))["n"] == 1


def test_a_deleted_item_may_still_be_in_a_stale_index_page(calm):
    wrapped = chaos(calm, lag=1)
    wrapped.write(placed(1))
    wrapped.write(Delete(Key("p", "001")))
    assert {wrapped.count(Span("shelf", index=True)) for _ in range(50)} == {0, 1}


def test_stale_pages_are_walked_by_cursor_in_both_directions(calm):
    for n in range(7):
        calm.write(placed(n))
    wrapped = chaos(calm, lag=3)
    span = Span("shelf", first="001", last="005", index=True)
    assert names(walk(wrapped, span, limit=2)) == [f"{n:03d}" for n in range(1, 6)]
    assert names(walk(wrapped, span, limit=2, backwards=True)) == [f"{n:03d}" for n in range(5, 0, -1)]


@pytest.mark.parametrize("cursor", ["x", "e30", "W10", "WyJhIl0", "é"])
def test_a_made_up_cursor_is_refused_on_stale_pages_too(calm, cursor):
    with pytest.raises(BadCursor):
        chaos(calm, lag=1).page(Span("shelf", index=True), cursor=cursor)


def test_the_same_seed_makes_the_same_weather(calm):
    def story(seed):
        wrapped = chaos(calm, seed, throttling=0.5)
        return [tuple(outcomes(lambda: wrapped.get(Key("p", "n")), 1)) for _ in range(50)]

    assert story(1) == story(1) != story(2)
