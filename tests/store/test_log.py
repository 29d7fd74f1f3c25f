"""The event log: numbers, order, and the transaction it shares with the change."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog, Repeated
from foundation.store.log.events import IDEMPOTENCY_SECONDS
from foundation.store.table import Conflict, Equals, Key, Missing, Put, Refused, Unavailable, Update

WRITERS = 32
EVENTS_PER_WRITER = 10


def change(name: str = "one", **attributes):
    return Put({"PK": f"THING#{name}", "SK": "METADATA", **attributes}, when=Missing())


@pytest.fixture
def log(table, clock):
    return EventLog(table, lambda: datetime.fromtimestamp(clock(), UTC))


def test_an_event_is_written_with_its_change(table, log):
    number = log.record(Event("ada", "ThingMade", {"name": "one"}), change())
    (event,) = log.since(0)
    assert event["event_id"] == number
    assert (event["actor"], event["event_type"], event["event_data"]) == ("ada", "ThingMade", {"name": "one"})
    assert event["PK"] == "EVENTS"
    assert event["SK"] == f"{number:012d}#{event['when_occurred']}"
    assert table.get(Key("THING#one", "METADATA")) is not None


def test_a_refused_change_leaves_no_event_and_names_the_callers_part(table, log):
    log.record(Event("ada", "ThingMade"), change())
    with pytest.raises(Refused) as refused:
        log.record(Event("bo", "ThingMade"), change("two"), change())
    assert refused.value.parts == (1,)
    assert [event["actor"] for event in log.since(0)] == ["ada"]
    assert table.get(Key("THING#two", "METADATA")) is None


@pytest.fixture
def in_two_steps(table, monkeypatch):
    """Numbers are taken before the transaction, as in a distant store (at once: test_numbered)."""
    monkeypatch.setattr(table, "is_distant", True)


@pytest.mark.usefixtures("in_two_steps")
def test_numbers_grow_and_are_never_used_again(log):
    first = log.record(Event("ada", "ThingMade"), change())
    with pytest.raises(Refused):
        log.record(Event("ada", "ThingMade"), change())
    third = log.record(Event("ada", "ThingMade"), change("three"))
    assert first < third
    assert third - first == 2, "the refused one's number is a gap, not given to another"
    assert log.is_void(first + 1)


def test_numbers_do_not_come_from_what_can_be_rebuilt(table, log):
    first = log.record(Event("ada", "ThingMade"), change())
    for key in (keys.SYNC, keys.COUNTS):
        table.write(Update(key, set={"last_event_id": 0, "event_count": 0}))
    assert log.record(Event("ada", "ThingMade"), change("two")) > first


@pytest.mark.usefixtures("in_two_steps")
def test_a_late_writer_whose_number_was_declared_void_records_under_a_new_one(table, log):
    class Late(EventLog):
        """Takes its number, and is overtaken by the sealer before it writes."""

        def _event(self, number, *more):
            if number == 1:
                self.void(number)
            return super()._event(number, *more)

    assert Late(table).record(Event("ada", "ThingMade"), change()) == 2
    assert [event["event_id"] for event in log.since(0)] == [2]


@pytest.mark.usefixtures("in_two_steps")
def test_a_log_that_voids_every_number_is_given_up_as_a_conflict(table):
    class Hopeless(EventLog):
        def _event(self, number, *more):
            self.void(number)
            return super()._event(number, *more)

    with pytest.raises(Conflict):
        Hopeless(table).record(Event("ada", "ThingMade"), change())
    assert table.get(Key("THING#one", "METADATA")) is None


def test_the_same_form_twice_is_one_change(table, log):
    add = Update(Key("THING#counter", "METADATA"), add={"count": 1})
    first = log.record(Event("ada", "Counted"), add, once="form-1")
    with pytest.raises(Repeated) as repeated:
        log.record(Event("ada", "Counted"), add, once="form-1")
    assert repeated.value.number == first
    assert log.record(Event("ada", "Counted"), add, once="form-2") > first
    assert table.get(Key("THING#counter", "METADATA"))["count"] == 2
    assert len(list(log.since(0))) == 2


def test_the_same_form_twice_answers_the_first_number_even_if_it_would_now_be_refused(log):
    first = log.record(Event("ada", "ThingMade"), change(), once="form")
    with pytest.raises(Repeated) as repeated:
        log.record(Event("ada", "ThingMade"), change(), once="form")
    assert repeated.value.number == first


def test_a_form_is_forgotten_after_a_day(log, clock):
    first = log.record(Event("ada", "Counted"), once="form")
    clock.now += IDEMPOTENCY_SECONDS + 1
    assert log.record(Event("ada", "Counted"), once="form") > first


def test_a_lost_reply_is_not_declared_void(table):
    """The transaction may have happened; only the sealer may settle such a number."""

    class Lossy:
        def __getattr__(self, name):
            return getattr(table, name)

        def write(self, *writes, token=None):
            table.write(*writes, token=token)
            raise Unavailable("The reply was lost.")

    with pytest.raises(Unavailable):
        EventLog(Lossy()).record(Event("ada", "ThingMade"), change())
    assert [event["event_id"] for event in EventLog(table).since(0)] == [1]
    assert not EventLog(table).is_void(1)


def test_events_are_read_since_a_number(log):
    for n in range(1, 8):
        log.record(Event("ada", "ThingMade", {"n": n}), change(str(n)))
    assert [event["event_id"] for event in log.since(4)] == [5, 6, 7]


def write_many(log: EventLog, writer: int) -> None:
    for n in range(EVENTS_PER_WRITER):
        log.record(Event(f"writer {writer}", "ThingMade", {"n": n}), change(f"{writer}-{n}", version=1))


def assert_nothing_lost_doubled_or_overwritten(table, log) -> None:
    events = list(log.since(0))
    assert len({event["event_id"] for event in events}) == len(events) == WRITERS * EVENTS_PER_WRITER
    for writer in range(WRITERS):
        mine = [event["event_data"]["n"] for event in events if event["actor"] == f"writer {writer}"]
        assert mine == list(range(EVENTS_PER_WRITER)), "each writer's events stand in the order in which it wrote them"
    things = [
        table.get(Key(f"THING#{writer}-{n}", "METADATA")) for writer in range(WRITERS) for n in range(EVENTS_PER_WRITER)
    ]
    assert all(things)


@pytest.mark.few(1)
@pytest.mark.concurrent
def test_32_concurrent_writers_lose_double_and_overwrite_nothing(table, log):
    threads = [threading.Thread(target=write_many, args=(log, writer)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_nothing_lost_doubled_or_overwritten(table, log)


@pytest.mark.concurrent
def test_changes_to_one_item_are_numbered_in_the_order_in_which_they_happened(table, log):
    """Replay relies on this: whoever's change came last also has the last number."""
    key = Key("THING#shared", "METADATA")
    table.write(Put({"PK": key.pk, "SK": key.sk, "version": 0}))

    def bump():
        done = 0
        while done < 5:
            version = table.get(key)["version"]
            update = Update(key, set={"version": version + 1}, when=Equals("version", version))
            try:
                log.record(Event("ada", "Bumped", {"version": version + 1}), update)
            except (Refused, Conflict):
                continue
            done += 1

    threads = [threading.Thread(target=bump) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event["event_data"]["version"] for event in log.since(0)] == list(range(1, 31))


PROCESSES = """
import sys
from foundation.store.connect import connect
from foundation.store.log import EventLog
from tests.forks import in_processes
from tests.store.test_log import WRITERS, write_many

def writing(first):
    log = EventLog(connect(sys.argv[1]))
    return lambda: [write_many(log, writer) for writer in range(first, WRITERS, 4)]

in_processes(writing, range(4))
"""


@pytest.mark.deep
def test_writers_in_four_processes_lose_double_and_overwrite_nothing(tmp_path):
    url = f"sqlite://{tmp_path}/plenum.sqlite3"
    table = connect(url)
    table.create()
    subprocess.run([sys.executable, "-c", PROCESSES, url], check=True, timeout=240)
    assert_nothing_lost_doubled_or_overwritten(table, EventLog(table))
