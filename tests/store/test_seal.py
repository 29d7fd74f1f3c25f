"""Sealing and verification: every kind of tampering is found and named."""

from __future__ import annotations

import hashlib
import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.store import keys
from foundation.store.log import Event, EventLog, seal
from foundation.store.log.seal import CheckpointsDiffer, Sealer, event_digest, verify
from foundation.store.table import LOG, Delete, Key, Put, Update
from tests.races.overtaken import Overtaken

from .spread import LAYOUTS, place_of, place_of_event

START = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=LAYOUTS)
def table(tmp_path, request):
    table = request.param(f"{tmp_path}/plenum.sqlite3")
    table.create()
    return table


@pytest.fixture
def log(table, clock):
    return EventLog(table, clock)


def record(log, count, event_type="ThingMade"):
    for n in range(count):
        log.record(Event("ada", event_type, {"n": n}))


def event_key(log, number):
    return place_of_event(log.table, log.find(number))


def test_a_checkpoint_is_the_hash_chain_over_all_events(table, log):
    record(log, 3)
    assert Sealer(table).seal() == 3
    chain = bytes(32)
    for event in log.since(0):
        canonical = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        chain = hashlib.sha256(chain + hashlib.sha256(canonical).digest()).digest()
    assert log.newest_checkpoint()["hash"] == chain.hex()
    assert table.get(keys.SYNC)["last_event_id"] == 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.deep
@given(st.dictionaries(st.text(min_size=1), JSON, max_size=6))
def test_anyone_can_recompute_a_digest_with_the_standard_library(event):
    canonical = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert event_digest(event) == hashlib.sha256(canonical).digest()


def test_sealing_again_seals_only_what_is_new(table, log):
    record(log, 2)
    Sealer(table).seal()
    assert Sealer(table).seal() == 0
    record(log, 1)
    assert Sealer(table).seal() == 1
    assert verify(table).sealed == 3


def test_a_long_log_is_sealed_in_several_checkpoints(table, log, monkeypatch):
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 4)
    record(log, 10)
    assert Sealer(table).seal() == 10
    assert [each["event_id"] for each in table.each(keys.checkpoints())] == [4, 8, 10]
    assert verify(table).flaw is None


def test_counts_follow_the_log_exactly_once(table, log):
    sealer = Sealer(table, {"UserRegistered": {"user_count": 1}, "UserRemoved": {"user_count": -1}})
    record(log, 5, "UserRegistered")
    sealer.seal()
    record(log, 2, "UserRemoved")
    sealer.seal()
    sealer.seal()
    counts = table.get(keys.COUNTS)
    assert (counts["user_count"], counts["event_count"]) == (3, 7)


def test_a_number_handed_back_is_sealed_as_void_at_once(table, log):
    record(log, 1)
    log.void(table.increment(keys.EVENT_NUMBER, "last"))
    record(log, 1)
    assert Sealer(table).seal() == 3
    assert log.newest_checkpoint()["voids"] == [2]
    assert verify(table).flaw is None


def test_a_fresh_gap_is_waited_for_and_an_old_one_declared_void(table, log, clock):
    record(log, 1)
    table.increment(keys.EVENT_NUMBER, "last")  # taken by somebody who then died
    record(log, 1)
    sealer = Sealer(table, clock=clock)
    assert sealer.seal() == 1
    clock.now += timedelta(minutes=2)
    assert sealer.seal() == 2
    assert log.is_void(2)
    assert log.newest_checkpoint()["voids"] == [2]


def test_an_event_that_arrives_while_the_sealer_looks_is_sealed_as_an_event(table, log, clock):
    """The holder of number 2 writes after the sealer read past it and just before it is declared void."""
    record(log, 1)
    table.increment(keys.EVENT_NUMBER, "last")
    record(log, 1)
    clock.now += timedelta(minutes=2)
    sealer = Sealer(table, clock=clock)
    declare = sealer.log.void

    def overtaken(number):
        place = place_of(table, number, "2026-11-15T12:00:00.000Z")
        item = {"PK": place.pk, "SK": place.sk, "event_id": number, "when_occurred": "2026-11-15T12:00:00.000Z"}
        table.write(Put(item | {"actor": "bo", "event_type": "Late", "event_data": {}}, table=LOG))
        declare(number)

    sealer.log.void = overtaken
    assert sealer.seal() == 3
    assert log.newest_checkpoint()["voids"] == []
    assert verify(table).flaw is None


def test_a_sealer_that_another_overtakes_seals_and_counts_nothing_again(table, log):
    record(log, 3)
    slow = Overtaken(table, Sealer(table).seal, touching=keys.SYNC)
    Sealer(slow).seal()
    assert slow.first is None
    assert [each["event_id"] for each in table.each(keys.checkpoints())] == [3]
    assert table.get(keys.COUNTS)["event_count"] == 3
    assert verify(table).flaw is None


def test_several_sealers_at_once_make_one_chain(table, log):
    record(log, 50)
    sealers = [threading.Thread(target=Sealer(table).seal) for _ in range(4)]
    for each in sealers:
        each.start()
    record(log, 50)
    for each in sealers:
        each.join()
    Sealer(table).seal()
    assert verify(table).sealed == 100
    assert table.get(keys.COUNTS)["event_count"] == 100


@pytest.fixture
def sealed(table, log, monkeypatch):
    """Twenty events under four checkpoints, number 8 void."""
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 5)
    record(log, 7)
    log.void(table.increment(keys.EVENT_NUMBER, "last"))
    record(log, 12)
    Sealer(table).seal()
    assert verify(table).flaw is None
    return table


def test_two_swapped_events_are_named(sealed, log):
    one, other = (log.find(number) for number in (10, 11))
    for mine, yours in ((one, other), (other, one)):
        sealed.write(Update(place_of_event(sealed, mine), set={"event_data": yours["event_data"]}))
    assert verify(sealed).flaw == "Event 10 is not what was sealed."


TAMPERINGS = {
    "Event 12 is not what was sealed.": lambda sealed, log: Update(event_key(log, 12), set={"event_data": {"n": 999}}),
    "Event 13 is not what was sealed.": lambda sealed, log: Update(event_key(log, 13), set={"event_id": 14}),
    "Event 3 is missing.": lambda sealed, log: Delete(event_key(log, 3)),
    "Event 20 is missing.": lambda sealed, log: Delete(event_key(log, 20)),
    "Event 8 was sealed as void, but now there is one.": lambda sealed, log: event_at(sealed, 8, LATER),
    "There are two events with the number 6.": lambda sealed, log: event_at(sealed, 6, LATER),
    "The checkpoint after event 5 is missing.": lambda sealed, log: Delete(keys.checkpoint(10)),
    "The checkpoint after event 15 is missing.": lambda sealed, log: Delete(keys.checkpoint(20)),
    "The checkpoint at event 10 is not what was sealed.": lambda sealed, log: Update(
        keys.checkpoint(10), set={"hash": "00" * 32}
    ),
}
LATER = "2026-11-16T12:00:00.000Z"


def event_at(sealed, number, when):
    place = place_of(sealed, number, when)
    return Put({"PK": place.pk, "SK": place.sk, "event_id": number, "when_occurred": when}, table=LOG)


@pytest.mark.parametrize("flaw", TAMPERINGS)
def test_what_was_tampered_with_is_named(sealed, log, flaw):
    sealed.write(TAMPERINGS[flaw](sealed, log))
    assert verify(sealed).flaw == flaw


@pytest.mark.parametrize("gone", [[20], [5, 10, 15, 20]])
def test_sealing_on_without_the_checkpoints_is_refused_in_a_sentence(sealed, log, gone):
    for number in gone:
        sealed.write(Delete(keys.checkpoint(number)))
    log.record(Event("ada", "ThingMade"))
    ends = 15 if len(gone) == 1 else 0
    sentence = f"sealed up to event 20, but its checkpoints end at event {ends}: somebody has changed the store."
    with pytest.raises(CheckpointsDiffer, match=sentence):
        Sealer(sealed).seal()
    sealed.write(Delete(keys.SYNC))
    if ends:
        with pytest.raises(CheckpointsDiffer, match="sealed up to event 0, but its checkpoints end at event 15"):
            Sealer(sealed).seal()


def test_sealing_says_how_far_it_is(sealed, log, monkeypatch):
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 2)
    for _ in range(5):
        log.record(Event("ada", "ThingMade"))
    numbers: list[int] = []
    assert Sealer(sealed).seal(numbers.append) == 5
    assert numbers == [22, 24, 25]


def test_a_whole_log_forged_consistently_is_found_by_a_published_checkpoint(sealed, log):
    published = (15, next(c["hash"] for c in sealed.each(keys.checkpoints()) if c["event_id"] == 15))
    assert verify(sealed, published).flaw is None
    sealed.write(Update(event_key(log, 2), set={"actor": "mallory"}))
    for checkpoint in list(sealed.each(keys.checkpoints())):
        sealed.write(Delete(Key(checkpoint["PK"], checkpoint["SK"], LOG)))
    sealed.write(Delete(keys.SYNC))
    Sealer(sealed).seal()
    assert verify(sealed).flaw is None, "the log alone cannot show this"
    assert verify(sealed, published).flaw == ("The log up to event 15 is not the one whose checkpoint was published.")


def test_a_log_cut_short_is_found_by_a_published_checkpoint(sealed):
    sealed.write(Delete(keys.SYNC))
    for checkpoint in list(sealed.each(keys.checkpoints())):
        sealed.write(Delete(Key(checkpoint["PK"], checkpoint["SK"], LOG)))
    assert verify(sealed, (20, "00" * 32)).flaw == "The log was sealed up to event 20, but now ends at 0."


def test_events_not_sealed_yet_are_counted_as_such(sealed, log):
    record(log, 2)
    verdict = verify(sealed)
    assert (verdict.sealed, verdict.unsealed, verdict.flaw) == (20, 2, None)
