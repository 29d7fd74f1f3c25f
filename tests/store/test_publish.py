"""Public checkpoints: on a coarse clock however quiet the site is, at once at a close, each once whoever publishes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest

from foundation.store import keys
from foundation.store.backup import backup, restore, transfer
from foundation.store.log import Event, EventLog, publish, seal
from foundation.store.log import search as log_search
from foundation.store.log.publish import Publisher, as_quarter, end_of_quarter, public_hash
from foundation.store.log.seal import Sealer, event_digest, ranges_over, verify
from foundation.store.sqlite import SqliteTable
from foundation.store.table import LOG, Put, Update
from tests.at_once import at_once
from tests.races.overtaken import Overtaken

from .spread import LAYOUTS

SEVEN_PAST = datetime(2026, 11, 15, 14, 7, 31, 250_000, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.now = SEVEN_PAST

    def __call__(self):
        return self.now

    def set(self, hour: int, minute: int, second: int = 0) -> None:
        self.now = self.now.replace(hour=hour, minute=minute, second=second)


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


@pytest.fixture
def sealer(table, clock):
    return Sealer(table, clock=clock)


def record(log, count=1, event_type="ThingMade"):
    for n in range(count):
        log.record(Event("ada", event_type, {"n": n}))


def public(table) -> list[tuple[int, str]]:
    return [(each["event_id"], each["sealed_by"][11:]) for each in table.each(keys.public_checkpoints())]


# --- nonces ---


def test_every_event_has_a_nonce_of_its_own_which_its_digest_knows(log):
    record(log, 2)
    first, second = log.since(0)
    assert len(first["nonce"]) == len(second["nonce"]) == 32
    assert first["nonce"] != second["nonce"]
    assert event_digest(first) != event_digest({**first, "nonce": second["nonce"]})


# --- the coarse clock ---


def test_on_a_quiet_site_nothing_is_public_before_the_quarter_is_over(table, log, sealer, clock):
    record(log)
    sealer.seal()
    for minute in (7, 8, 14):
        clock.set(14, minute, 59)
        assert not Publisher(table, clock).is_due()
        sealer.seal()
        assert public(table) == []
    clock.set(14, 15)
    assert Publisher(table, clock).is_due()
    sealer.seal()
    assert public(table) == [(1, "14:15:00Z")]
    assert not Publisher(table, clock).is_due()


def test_a_quarter_is_public_once_however_much_happens(table, log, sealer, clock):
    for second in range(0, 60, 2):
        clock.set(14, 14, second)
        record(log)
        sealer.seal()
    for second in range(2, 60, 2):
        clock.set(14, 15, second)
        record(log)
        sealer.seal()
    assert public(table) == [(30, "14:15:00Z")], "and what came later waits for the next"
    clock.set(14, 31)
    sealer.seal()
    assert public(table) == [(30, "14:15:00Z"), (59, "14:30:00Z")]


def test_where_nothing_happened_nothing_becomes_public(table, log, sealer, clock):
    record(log)
    sealer.seal()
    for hour in (15, 16, 17):
        clock.set(hour, 3)
        sealer.seal()
    assert public(table) == [(1, "14:15:00Z")]


def test_a_public_checkpoint_says_no_more_than_it_must(table, log, sealer, clock):
    record(log, 3)
    sealer.seal()
    clock.set(14, 20)
    sealer.seal()
    newest = log.newest_public()
    assert newest == {
        "PK": "PUBLIC",
        "SK": "000000000003",
        "first_event_id": 1,
        "event_id": 3,
        "hash": public_hash(log.newest_checkpoint()["hash"], "2026-11-15T14:15:00Z"),
        "sealed_by": "2026-11-15T14:15:00Z",
    }


@pytest.mark.parametrize("event_type", ["ElectionClosed", "ResultSealed"])
def test_a_close_is_public_at_once(table, log, sealer, clock, event_type):
    record(log, 2)
    record(log, 1, event_type)
    sealer.seal()
    assert public(table) == [(3, "14:15:00Z")]
    record(log)
    sealer.seal()
    assert len(public(table)) == 1
    clock.set(14, 15)
    sealer.seal()
    assert public(table) == [(3, "14:15:00Z"), (4, "14:15:00Z")]


def test_a_close_whose_sealer_was_killed_is_published_by_the_next(table, log, sealer, monkeypatch):
    record(log, 1, "ElectionClosed")

    def killed(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Publisher, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            sealer.seal()
    assert public(table) == []
    assert Publisher(table, sealer.clock).is_due()
    sealer.seal()
    assert public(table) == [(1, "14:15:00Z")]


def test_full_blocks_are_public_as_well_so_that_none_covers_many(table, log, sealer, clock, monkeypatch):
    for module in (publish, seal, log_search):
        monkeypatch.setattr(module, "BLOCK_EVENTS", 10)
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 4)
    record(log, 33)
    sealer.seal()
    assert public(table) == []
    clock.set(14, 15)
    sealer.seal()
    assert public(table) == [(number, "14:15:00Z") for number in (10, 20, 30, 33)]
    assert [each["first_event_id"] for each in table.each(keys.public_checkpoints())] == [1, 11, 21, 31]
    record(log, 8)
    record(log, 1, "ElectionClosed")
    sealer.seal()
    assert [number for number, _ in public(table)][4:] == [40, 42]
    assert verify(table).flaw is None


# --- several at once, and clocks that are wrong ---


def test_several_sealers_publish_each_quarter_once(table, log, clock):
    for minute in (10, 20, 35):
        clock.set(14, minute)
        record(log, 3)
        at_once(*[Sealer(table, clock=clock).seal] * 4)
    clock.set(14, 50)
    at_once(*[Sealer(table, clock=clock).seal] * 4)
    assert public(table) == [(3, "14:15:00Z"), (6, "14:30:00Z"), (9, "14:45:00Z")]


def test_a_sealer_that_another_overtakes_publishes_nothing_again(table, log, clock):
    record(log, 3)
    Sealer(table, clock=clock).seal()
    clock.now += timedelta(minutes=20)
    slow = Overtaken(table, Sealer(table, clock=clock).seal, touching=keys.PUBLISHING)
    Sealer(slow, clock=clock).seal()
    assert slow.first is None
    assert len(list(table.each(keys.public_checkpoints()))) == 1


def test_a_second_machine_whose_clock_is_late_publishes_nothing_more_in_the_quarter(table, log, clock):
    record(log)
    Sealer(table, clock=clock).seal()
    clock.set(14, 15, 2)
    Sealer(table, clock=clock).seal()
    record(log)
    Sealer(table, clock=lambda: clock.now - timedelta(seconds=5)).seal()
    Sealer(table, clock=clock).seal()
    assert public(table) == [(1, "14:15:00Z")]


@pytest.mark.parametrize("back", [timedelta(minutes=10), timedelta(minutes=40), timedelta(days=1)])
def test_a_clock_that_jumps_back_publishes_no_quarter_twice_and_goes_on(table, log, sealer, clock, back):
    record(log)
    sealer.seal()
    clock.set(14, 15, 1)
    sealer.seal()
    record(log)
    sealer.seal()
    clock.now -= back
    for _ in range(8):
        record(log)
        sealer.seal()
        clock.now += timedelta(minutes=14)
    seen = public(table)
    assert len(set(seen)) == len(seen) > 1
    assert [number for number, _ in seen] == sorted({number for number, _ in seen})
    assert verify(table).flaw is None


def test_what_was_sealed_by_a_clock_far_ahead_does_not_wait_for_that_day(table, log, sealer, clock):
    clock.now += timedelta(days=2000)
    record(log)
    sealer.seal()
    clock.now = SEVEN_PAST
    sealer.seal()
    assert public(table) == [(1, "14:15:00Z")]


def test_a_quarter_begins_with_its_first_second_and_ends_later():
    moment = datetime(2026, 11, 15, 14, 15, tzinfo=UTC)
    assert as_quarter(moment) == "2026-11-15T14:15:00Z"
    assert as_quarter(moment - timedelta(microseconds=1)) == "2026-11-15T14:00:00Z"
    assert end_of_quarter(moment) == "2026-11-15T14:30:00Z"
    assert end_of_quarter(moment - timedelta(microseconds=1)) == "2026-11-15T14:15:00Z"


def test_no_checkpoint_is_dated_before_an_event_that_it_covers_though_clocks_differ(table, log, sealer, clock):
    EventLog(table, lambda: clock.now + timedelta(minutes=20)).record(Event("ada", "ThingMade"))
    sealer.seal()
    record(log, 1, "ElectionClosed")
    sealer.seal()
    assert public(table) == [(2, "14:30:00Z")]
    assert "latest" not in log.newest_checkpoint(), "only where it is later than the seal"


# --- the time is under the hash ---


def test_a_changed_time_is_noticed(table, log, sealer):
    record(log, 3, "ElectionClosed")
    sealer.seal()
    kept = (3, log.newest_public()["hash"])
    assert verify(table, kept).flaw is None
    table.write(Update(keys.public_checkpoint(3), set={"sealed_by": "2026-11-15T14:00:00Z"}))
    assert verify(table).flaw == "The public checkpoint at event 3 is not what was sealed."
    assert verify(table, kept).flaw == "The log up to event 3 is not the one whose checkpoint was published."
    later = public_hash(log.newest_checkpoint()["hash"], "2026-11-15T14:30:00Z")
    table.write(Update(keys.public_checkpoint(3), set={"sealed_by": "2026-11-15T14:30:00Z", "hash": later}))
    assert verify(table).flaw is None, "the log alone cannot show this"
    assert verify(table, kept).flaw == "The log up to event 3 is not the one whose checkpoint was published."


def test_checkpoints_of_earlier_versions_stay_valid_and_later_ones_follow(table, log, sealer):
    record(log, 3, "ElectionClosed")
    sealer.seal()
    chain, now = log.newest_checkpoint()["hash"], log.newest_public()
    earlier = {name: now[name] for name in ("PK", "SK", "first_event_id", "event_id")}
    table.write(Put({**earlier, "hash": chain, "published_at": "2026-11-15T14:00:00Z"}, table=LOG))
    record(log, 2, "ElectionClosed")
    sealer.seal()
    newest = log.newest_public()
    for kept in ((3, chain), (5, newest["hash"]), (5, log.newest_checkpoint()["hash"])):
        assert verify(table, kept).flaw is None
    first, second = (stretch.proof([]) for stretch in ranges_over(table, [1, 4]))
    assert (first["published_at"], "sealed_by" in first, first["hash"]) == ("2026-11-15T14:00:00Z", False, chain)
    assert (second["sealed_by"], second["previous"]) == ("2026-11-15T14:15:00Z", chain)


# --- backups, verification ---


def test_a_copy_has_what_is_public_and_goes_on_from_there(table, log, sealer, clock, tmp_path):
    record(log, 2)
    record(log, 1, "ElectionClosed")
    sealer.seal()
    record(log, 2)
    sealer.seal()
    file = BytesIO()
    backup(table, file)
    file.seek(0)
    restored, transferred = (SqliteTable(f"{tmp_path}/{name}.sqlite3") for name in ("one", "other"))
    for copy in (restored, transferred):
        copy.create()
    restore(restored, file)
    transfer(table, transferred)
    clock.set(14, 16)
    for copy in (restored, transferred):
        assert public(copy) == [(3, "14:15:00Z")]
        assert [event["nonce"] for event in EventLog(copy).since(0)] == [event["nonce"] for event in log.since(0)]
        Sealer(copy, clock=clock).seal()
        assert public(copy) == [(3, "14:15:00Z"), (5, "14:15:00Z")]
        assert verify(copy).flaw is None


def test_a_public_checkpoint_that_was_changed_is_named(table, log, sealer):
    record(log, 3, "ElectionClosed")
    sealer.seal()
    sentence = "The public checkpoint at event 3 is not what was sealed."
    place = keys.public_checkpoint(3)
    there = table.get(place)
    table.write(Update(place, set={"hash": "00" * 32}))
    assert verify(table).flaw == sentence
    table.write(Put(there, table=LOG))
    assert verify(table).flaw is None
    beyond = keys.public_checkpoint(9)
    table.write(Put({**there, "SK": beyond.sk, "event_id": 9}, table=LOG))
    assert verify(table).flaw == sentence.replace("3", "9")
