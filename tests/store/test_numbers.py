"""One question gives numbers to all acts that wait, and to none that comes later."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from foundation.store import keys, round_trips
from foundation.store.log import Event, EventLog, numbers
from foundation.store.log.seal import Sealer
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Conflict, Crowded, Put, Unavailable

from . import spread

LATE = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Distant(SqliteTable):
    """Answers when it is let, and remembers for how many it was asked."""

    is_distant = True

    def __init__(self, path: str):
        super().__init__(path)
        self.asked: list[int] = []
        self.answers = threading.Semaphore(0)
        self.fails: BaseException | None = None

    def increment(self, key, name, by=1, **more):
        self.asked.append(by)
        self.answers.acquire()
        failing, self.fails = self.fails, None
        if failing is not None:
            raise failing
        return super().increment(key, name, by, **more)


@pytest.fixture
def table(tmp_path):
    table = Distant(f"{tmp_path}/plenum.sqlite3")
    table.create()
    yield table
    table.close()


class Taking(threading.Thread):
    """An act that waits for its number."""

    def __init__(self, table: Distant):
        super().__init__(daemon=True)
        self.table = table
        self.got: object = None
        self.trips = round_trips.RoundTrips()
        self.start()

    def run(self) -> None:
        try:
            with round_trips.count_round_trips() as self.trips:
                self.got = numbers.take(self.table)
        except BaseException as error:
            self.got = error


def until(holds: Callable[[], bool]) -> None:
    while not holds():
        time.sleep(0.001)


def waiting(table: Distant) -> int:
    line = numbers._lines.get(table)
    return len(line._waiting) if line else 0


def in_line(table: Distant, many: int) -> tuple[Taking, list[Taking]]:
    """One that has asked, and some that came after it had."""
    first = Taking(table)
    until(lambda: table.asked == [1])
    others = [Taking(table) for _ in range(many)]
    until(lambda: waiting(table) == many)
    return first, others


def ended(*acts: Taking) -> list[object]:
    for act in acts:
        act.join(timeout=60)
    return [act.got for act in acts]


def test_who_comes_during_a_question_is_asked_for_by_the_next(table):
    first, others = in_line(table, 5)
    table.answers.release(1)
    assert ended(first) == [1]
    until(lambda: len(table.asked) == 2)
    last = Taking(table)
    until(lambda: waiting(table) == 1)
    table.answers.release(2)
    assert sorted(ended(*others)) == [2, 3, 4, 5, 6]
    assert ended(last) == [7]
    assert table.asked == [1, 5, 1]
    assert {act.trips.count for act in (first, *others, last)} == {1}, "each has waited for one round trip"
    assert waiting(table) == 0


def test_an_error_is_told_to_all_who_waited_and_to_nobody_else(table):
    first, others = in_line(table, 3)
    table.answers.release(1)
    ended(first)
    until(lambda: len(table.asked) == 2)
    table.fails = Unavailable("The store did not answer in time.")
    last = Taking(table)
    until(lambda: waiting(table) == 1)
    table.answers.release(2)
    assert [type(each) for each in ended(*others)] == [Unavailable, Crowded, Crowded], "others may try again"
    assert ended(last) == [2]


def test_whoever_is_killed_while_asking_leaves_nobody_waiting(table):
    first, others = in_line(table, 3)
    table.fails = KeyboardInterrupt()
    table.answers.release(2)
    assert isinstance(ended(first)[0], KeyboardInterrupt)
    assert sorted(ended(*others)) == [1, 2, 3]


def test_a_line_is_of_one_process(table):
    in_line(table, 1)
    child = os.fork()
    if not child:
        os._exit(1 if numbers._lines else 0)
    assert os.waitpid(child, 0)[1] == 0
    table.answers.release(2)


# --- a number that was taken for nothing ---


class Busy(SqliteTable):
    """Fails where an event would be written; and when it is given back, if `gives_back` is not set."""

    is_distant = True
    error: Exception = Crowded("The store is too busy just now.")
    gives_back = True

    def write(self, *writes, token=None):
        is_void = any(write.key.pk.startswith(keys.void(0).pk[:5]) for write in writes if isinstance(write, Put))
        if not (is_void and self.gives_back):
            raise self.error
        super().write(*writes, token=token)


@pytest.mark.parametrize("error", [Crowded("The store is too busy just now."), Conflict("In the way.")])
@pytest.mark.parametrize("gives_back", [True, False])
def test_what_the_store_was_too_crowded_for_is_void_and_the_sealer_waits_for_nobody(tmp_path, error, gives_back):
    busy, calm = Busy(f"{tmp_path}/plenum.sqlite3"), spread.Distant(f"{tmp_path}/plenum.sqlite3")
    calm.create()
    busy.error, busy.gives_back = error, gives_back
    with pytest.raises(type(error), match=str(error)):
        EventLog(busy).record(Event("ada", "ThingMade"))
    EventLog(calm, lambda: LATE).record(Event("bo", "ThingMade"))
    assert EventLog(calm).is_void(1) == gives_back
    assert Sealer(calm, clock=lambda: LATE).seal() == (2 if gives_back else 0)


def test_what_is_in_doubt_is_left_to_the_sealer(tmp_path):
    busy, calm = Busy(f"{tmp_path}/plenum.sqlite3"), spread.Distant(f"{tmp_path}/plenum.sqlite3")
    calm.create()
    busy.error = Unavailable("The store did not answer in time.")
    with pytest.raises(Unavailable):
        EventLog(busy).record(Event("ada", "ThingMade"))
    assert not EventLog(calm).is_void(1)
