"""A number that is given out in the write that holds it: none is skipped, none is given twice, and none for nothing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

import pytest

from foundation.store import round_trips
from foundation.store.dynamodb import DynamoDbTable
from foundation.store.log import Event, EventLog, Repeated
from foundation.store.sqlite import SqliteTable
from foundation.store.table import (
    LOG,
    Check,
    Equals,
    Exists,
    Invalid,
    Item,
    Key,
    Missing,
    Numbered,
    Put,
    Refused,
    Span,
    Table,
    Update,
    Write,
    opened,
)

from .model import Model
from .test_log import change
from .test_queue import commits
from .walks import walk

MAX_TRANSACTION_ITEMS = 100


@pytest.fixture
def file(tmp_path):
    table = SqliteTable(f"{tmp_path}/plenum.sqlite3")
    table.create()
    yield table
    table.close()


@pytest.fixture(params=["model", "sqlite"])
def at_hand(request, file) -> Table:
    """Every table that is not distant."""
    return file if request.param == "sqlite" else Model()


@pytest.fixture
def pk() -> str:
    return "p"


def numbered(pk: str, *more: Write, name: str = "event") -> Numbered:
    """An item that has the next number in its key, and what comes with it."""

    def parts(counter: Item) -> list[Write]:
        return [Put({"PK": pk, "SK": f"{name}#{counter['last']:03d}", "number": counter["last"]}), *more]

    return Numbered(Key(pk, "counter", LOG), "last", parts)


def last(table: Table, pk: str) -> int:
    return (table.get(Key(pk, "counter", LOG)) or {"last": 0})["last"]


def names(table: Table, pk: str) -> list[str]:
    return [item["SK"] for item in walk(table, Span(pk))]


# --- what every store promises that is not distant ---


def test_a_write_holds_the_next_number_of_its_counter(at_hand, pk):
    for n in range(3):
        at_hand.write(Put({"PK": pk, "SK": f"change {n}"}), numbered(pk))
    at_hand.write(numbered(pk))
    assert names(at_hand, pk) == [*(f"change {n}" for n in range(3)), *(f"event#{n:03d}" for n in range(1, 5))]
    assert last(at_hand, pk) == 4


def test_the_counter_goes_on_from_where_it_is_and_keeps_what_it_says_beside(at_hand, pk):
    at_hand.write(Put({"PK": pk, "SK": "counter", "last": 41, "beside": 4}, table=LOG))
    heard: list[Item] = []
    at_hand.write(Numbered(Key(pk, "counter", LOG), "last", lambda counter: heard.append(counter) or []))
    assert heard == [{"PK": pk, "SK": "counter", "last": 42, "beside": 4}]
    assert at_hand.get(Key(pk, "counter", LOG)) == heard[0]


@pytest.mark.parametrize("refused", [(0,), (1,), (3,), (0, 3)])
def test_what_is_refused_leaves_no_number_and_is_named_by_its_place(at_hand, pk, refused):
    """Its own parts come after those that were given, in the place of what is numbered."""
    there = [n in refused for n in range(4)]
    changes = [Put({"PK": pk, "SK": str(n)}, when=Exists() if there[n] else Missing()) for n in (0, 1)]
    noted = Check(Key(pk, "nothing"), Exists() if there[3] else Missing())
    with pytest.raises(Refused) as told:
        at_hand.write(*changes, numbered(pk, noted))
    assert told.value.parts == refused
    assert (names(at_hand, pk), last(at_hand, pk)) == ([], 0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda pk: Put({"PK": pk, "SK": "change"}),  # a second time
        lambda pk: Put({"PK": pk, "SK": "counter"}, table=LOG),
        lambda pk: Put({"PK": pk, "SK": "large", "text": "x" * 400 * 1024}),
        lambda pk: Put({"PK": pk, "SK": "odd", "number": 1.5}),
        lambda pk: Update(Key(pk, "change"), set={"PK": "other"}),
    ],
)
def test_what_no_store_takes_leaves_no_number(at_hand, pk, wrong):
    with pytest.raises(Invalid):
        at_hand.write(Put({"PK": pk, "SK": "change"}), numbered(pk, wrong(pk)))
    assert (names(at_hand, pk), last(at_hand, pk)) == ([], 0)


def test_the_parts_of_a_numbered_write_are_counted_with_it_and_with_the_counter(at_hand, pk):
    some = [Put({"PK": pk, "SK": f"change {n:02d}"}) for n in range(MAX_TRANSACTION_ITEMS - 2)]
    with pytest.raises(Invalid):
        at_hand.write(*some, Put({"PK": pk, "SK": "one more"}), numbered(pk))
    at_hand.write(*some, numbered(pk))
    assert len(names(at_hand, pk)) == MAX_TRANSACTION_ITEMS - 1


def test_a_counter_that_counts_no_numbers_is_invalid(at_hand, pk):
    at_hand.write(Put({"PK": pk, "SK": "counter", "last": "41"}, table=LOG))
    with pytest.raises(Invalid):
        at_hand.write(numbered(pk))
    assert names(at_hand, pk) == []


def test_a_number_comes_at_the_end_once_and_without_a_token(at_hand, pk):
    for writes, token in [
        ([numbered(pk), Put({"PK": pk, "SK": "a"})], None),
        ([numbered(pk), numbered(pk)], None),
        ([numbered(pk)], "a token"),
    ]:
        with pytest.raises(Invalid):
            at_hand.write(*writes, token=token)
    assert (names(at_hand, pk), last(at_hand, pk)) == ([], 0)


def test_a_distant_store_is_not_even_asked_for_a_number_within_a_write(pk):
    with pytest.raises(Invalid):
        DynamoDbTable(region="here", endpoint="http://nowhere").write(numbered(pk))


def test_whoever_looks_at_a_write_sees_all_of_its_parts(pk):
    first, noted = Put({"PK": pk, "SK": "a"}), Check(Key(pk, "b"), Missing())
    assert [part.key.sk for part in opened([first, numbered(pk, noted)])] == ["a", "event#000", "b"]


def test_of_many_at_once_each_has_a_number_and_none_is_skipped(file, pk):
    """Also if every third is refused."""
    file.write(Put({"PK": pk, "SK": "taken"}))
    refused = []

    def act(thread: int) -> None:
        for n in range(10):
            name = "taken" if (thread + n) % 3 == 0 else f"{thread}-{n}"
            try:
                file.write(Put({"PK": pk, "SK": name}, when=Missing()), numbered(pk))
            except Refused:
                refused.append(name)

    threads = [threading.Thread(target=act, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    given = [item["number"] for item in walk(file, Span(pk, prefix="event#"))]
    assert given == list(range(1, 81 - len(refused)))
    assert refused


# --- the embedded store, and the log in it ---


def test_an_act_is_one_commit_and_one_round_trip(file):
    log, heard = EventLog(file), commits(file)
    for n in range(3):
        with round_trips.count_round_trips() as counted:
            assert log.record(Event("ada", "ThingMade"), change(str(n)), once=f"form {n}") == n + 1
        assert (counted.count, len(heard)) == (1, n + 1)
    with pytest.raises(Repeated):
        log.record(Event("ada", "ThingMade"), change("other"), once="form 0")
    assert log.record(Event("ada", "ThingMade"), change("other")) == 4


def test_a_number_is_taken_when_the_act_is_written_and_not_before(file):
    """Whoever waits for its turn has none: an act that is written meanwhile, elsewhere, comes first."""
    other, numbers = SqliteTable(file.path), []
    slow = threading.Thread(target=lambda: numbers.append(EventLog(file).record(Event("slow", "ThingMade"))))
    file._writers.opened_writer()
    with file._writers.turn:
        slow.start()
        while not file._writers.waiting:
            pass
        assert EventLog(other).record(Event("quick", "ThingMade")) == 1
    file._writers.wake_next()
    slow.join()
    assert numbers == [2]
    other.close()


def test_who_fails_before_anything_is_written_fails_alone(file):
    """Of two that are written together, one whose parts cannot be made."""
    failed: list[Exception] = []
    log = EventLog(file)

    def wrong(number: int):
        raise ZeroDivisionError

    def act(noting) -> None:
        try:
            log.record(Event("ada", "ThingMade"), noting=noting)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=act, args=(noting,)) for noting in (wrong, lambda number: [], wrong)]
    file._writers.opened_writer()
    with file._writers.turn:
        for thread in threads:
            thread.start()
        while len(file._writers.waiting) < len(threads):
            pass
    file._writers.wake_next()
    for thread in threads:
        thread.join()
    assert [type(error) for error in failed] == [ZeroDivisionError] * 2
    assert [event["event_id"] for event in log.since(0)] == [1]


class Watched:
    """A connection that says when it is about to commit."""

    def __init__(self, connection: sqlite3.Connection, committing: Callable[[], None]):
        self.connection = connection
        self.committing = committing

    def __getattr__(self, name: str):
        return getattr(self.connection, name)

    def execute(self, sql: str, *values: object):
        if sql == "COMMIT":
            self.committing()
        return self.connection.execute(sql, *values)


def test_a_commit_that_fails_gives_no_number_to_anybody(file):
    writer = file._writers.opened_writer()

    def full() -> None:
        raise sqlite3.OperationalError("database or disk is full")

    true, writer.connection = writer.connection, Watched(writer.connection, full)
    log = EventLog(file)
    with pytest.raises(Exception, match="full"):
        log.record(Event("ada", "ThingMade"), change())
    writer.connection = true
    assert log.record(Event("ada", "ThingMade"), change()) == 1


def test_nobody_is_answered_before_the_commit(file):
    """Of two that are written together, one waits while the other's thread is about to commit both."""
    writer, answered, early = file._writers.opened_writer(), threading.Event(), []

    def act(name: str) -> None:
        file.write(Put({"PK": "commit", "SK": name}))
        answered.set()

    true = writer.connection
    writer.connection = Watched(true, lambda: early.append(answered.wait(0.2)))
    threads = [threading.Thread(target=act, args=(name,)) for name in "ab"]
    with file._writers.turn:
        for thread in threads:
            thread.start()
        while len(file._writers.waiting) < len(threads):
            pass
    file._writers.wake_next()
    for thread in threads:
        thread.join()
    writer.connection = true
    assert early == [False]


def test_a_number_is_in_the_order_of_what_was_decided_on(file):
    """Replay relies on it: who changes what another has changed has the higher number."""
    log, place = EventLog(file), Key("THING#one", "METADATA")
    log.record(Event("ada", "ThingMade"), change(version=1))
    for version in range(1, 4):
        update = Update(place, set={"version": version + 1}, when=Equals("version", version))
        assert log.record(Event("ada", "Bumped"), update) == version + 1
        with pytest.raises(Refused):
            log.record(Event("bo", "Bumped"), update)
    assert [event["event_id"] for event in log.since(0)] == [1, 2, 3, 4]
