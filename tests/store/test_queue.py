"""Writers of the embedded store wait no longer than they are told; whoever is told "too busy" has written nothing."""

from __future__ import annotations

import fcntl
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from foundation.store.sqlite import SqliteTable, writers
from foundation.store.sqlite.writers import Writers
from foundation.store.table import Key, Put, Span, Table, Unavailable

WRITER_TIMEOUT_SECONDS = 0.3
TIMEOUT_SECONDS = 60  # seconds after which a test gives up, on however busy a machine
HOLDER = f"""
import fcntl, select, sys
queue = open(sys.argv[1] + "-queue", "w")
fcntl.flock(queue, fcntl.LOCK_EX)
print("held", flush=True)
select.select([sys.stdin], [], [], {TIMEOUT_SECONDS})
"""


@pytest.fixture
def file(tmp_path, monkeypatch) -> SqliteTable:
    monkeypatch.setattr(writers, "WRITER_TIMEOUT_SECONDS", WRITER_TIMEOUT_SECONDS)
    table = SqliteTable(str(tmp_path / "store.sqlite3"))
    table.create()
    return table


@contextmanager
def held_elsewhere(table: SqliteTable) -> Iterator[None]:
    """Inside, another process holds the lock that writers queue up for."""
    command = [sys.executable, "-c", HOLDER, table.path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.stdin.close()


def until(happens: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_SECONDS
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def stands_in_line(table: SqliteTable) -> bool:
    return table._writers.writer is not None and table._writers.writer.queue._is_waiting


def is_free(table: SqliteTable) -> bool:
    with open(f"{table.path}-queue", "w") as queue:
        try:
            fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


HOOKS = {
    "write": lambda table: table.write(Put({"PK": "a", "SK": "1"})),
    "increment": lambda table: table.increment(Key("a", "1"), "count"),
    "sweep": lambda table: table.sweep(),
    "purge_journal": lambda table: table.purge_journal(),
}


@pytest.mark.parametrize("act", HOOKS)
def test_whoever_waits_for_another_process_is_refused_in_time_and_has_written_nothing(file, act):
    with held_elsewhere(file), pytest.raises(Unavailable, match="too busy to write"):
        HOOKS[act](file)
    until(lambda: is_free(file))
    assert file.count(Span("a")) == 0
    HOOKS[act](file)


def test_all_who_wait_together_are_refused_in_time(file):
    """The second does not begin to wait when the first has given up: its patience is for everything."""
    with held_elsewhere(file), ThreadPoolExecutor(4) as pool:
        start = time.monotonic()
        writes = [pool.submit(file.write, Put({"PK": "a", "SK": str(number)})) for number in range(4)]
        assert {type(each.exception()) for each in writes} == {Unavailable}
        assert time.monotonic() - start < TIMEOUT_SECONDS - 10
    until(lambda: is_free(file))
    assert file.count(Span("a")) == 0


def test_who_came_later_and_waits_on_is_written_when_the_other_process_lets_go(file, monkeypatch):
    with ThreadPoolExecutor(1) as pool, held_elsewhere(file):
        with pytest.raises(Unavailable):
            file.write(Put({"PK": "a", "SK": "impatient"}))
        monkeypatch.setattr(writers, "WRITER_TIMEOUT_SECONDS", TIMEOUT_SECONDS)
        patient = pool.submit(file.write, Put({"PK": "a", "SK": "patient"}))
        until(lambda: len(file._writers.waiting) == 1)
    assert patient.result() is None
    assert [item["SK"] for item in file.each(Span("a"))] == ["patient"]
    until(lambda: is_free(file))


def commits(table: SqliteTable) -> list[str]:
    """What is committed from now on."""
    heard: list[str] = []
    connection = table._writers.opened_writer().connection
    connection.set_trace_callback(lambda sql: heard.append(sql) if sql == "COMMIT" else None)
    return heard


def test_all_who_wait_are_written_by_one_commit(file, monkeypatch):
    monkeypatch.setattr(writers, "WRITER_TIMEOUT_SECONDS", TIMEOUT_SECONDS)
    heard = commits(file)
    with ThreadPoolExecutor(5) as pool:
        with file._writers.turn:
            waiting = [pool.submit(file.write, Put({"PK": "a", "SK": str(n)})) for n in range(5)]
            until(lambda: len(file._writers.waiting) == len(waiting))
        file._writers.wake_next()
        assert [each.result(TIMEOUT_SECONDS) for each in waiting] == [None] * len(waiting)
    assert heard == ["COMMIT"]


def test_each_of_those_whose_commit_failed_has_an_error_of_its_own(file):
    """One object raised in two threads would have both of their tracebacks."""

    def fails(connection):
        late.append(pool.submit(file.write, Put({"PK": "a", "SK": "late"})))
        until(lambda: bool(file._writers.waiting))
        connection.execute("SELECT * FROM nowhere")

    late: list[Future[None]] = []
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(Unavailable) as first:
            file._writers.commit(fails)
        second = late[0].exception(TIMEOUT_SECONDS)
    assert str(second) == str(first.value)
    assert second is not first.value


def test_who_comes_while_others_are_written_is_taken_along(file, monkeypatch):
    monkeypatch.setattr(writers, "WRITER_TIMEOUT_SECONDS", TIMEOUT_SECONDS)
    heard, apply = commits(file), SqliteTable._apply

    def applied(self, connection, writes, token):
        if writes[0].item["SK"] == "first":
            late.append(pool.submit(file.write, Put({"PK": "a", "SK": "late"})))
            until(lambda: bool(file._writers.waiting))
        apply(self, connection, writes, token)

    late: list = []
    monkeypatch.setattr(SqliteTable, "_apply", applied)
    with ThreadPoolExecutor(1) as pool:
        file.write(Put({"PK": "a", "SK": "first"}))
        assert late[0].result(TIMEOUT_SECONDS) is None
    assert (heard, file.count(Span("a"))) == (["COMMIT"], 2)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_mistake_while_somebody_stands_in_line_for_us_does_not_block_those_who_come_next(file, monkeypatch):
    apply = SqliteTable._apply

    def mistaken(self, connection, writes, token):
        apply(self, connection, writes, token)
        if writes[0].item["SK"] == "bad":
            raise TypeError

    monkeypatch.setattr(SqliteTable, "_apply", mistaken)
    monkeypatch.setattr(writers, "WRITER_TIMEOUT_SECONDS", TIMEOUT_SECONDS)
    with ThreadPoolExecutor(1) as pool:
        with held_elsewhere(file):
            bad = pool.submit(file.write, Put({"PK": "a", "SK": "bad"}))
            until(lambda: stands_in_line(file))
        assert "nothing was written" in str(bad.exception())
        until(lambda: not stands_in_line(file))
        pool.submit(file.write, Put({"PK": "a", "SK": "good"})).result()
    assert [item["SK"] for item in file.each(Span("a"))] == ["good"]


def test_nobody_is_told_too_busy_about_a_write_that_is_then_committed(file, monkeypatch):
    """Two wait; whoever's turn it is takes both along, and the commit is held until the other's patience has ended."""
    first, both, tired = threading.Event(), threading.Event(), threading.Event()
    apply, give_up = SqliteTable._apply, Writers._give_up

    def held(self, connection, writes, token):
        (first if writes[0].item["SK"] == "first" else both).wait(TIMEOUT_SECONDS)
        apply(self, connection, writes, token)

    def gives_up(self, act):
        tired.set()
        give_up(self, act)

    monkeypatch.setattr(SqliteTable, "_apply", held)
    monkeypatch.setattr(Writers, "_give_up", gives_up)
    monkeypatch.setattr(writers, "WRITER_TIMEOUT_SECONDS", 2.0)  # for the two to come together
    with ThreadPoolExecutor(3) as pool:
        begun = pool.submit(file.write, Put({"PK": "a", "SK": "first"}))
        until(lambda: file._writers.turn.locked() and not file._writers.waiting)
        two = [pool.submit(file.write, Put({"PK": "a", "SK": name})) for name in ("b", "c")]
        until(lambda: len(file._writers.waiting) == 2)
        first.set()
        until(lambda: not file._writers.waiting)
        tired.wait(TIMEOUT_SECONDS / 3)
        both.set()
        said = {name: each.exception() for name, each in zip("bc", two, strict=True)}
    assert begun.exception() is None
    there = {item["SK"] for item in file.each(Span("a"))}
    assert said == dict.fromkeys("bc")
    assert there == {"first", "b", "c"}


def test_the_lock_of_a_process_that_has_ended_does_not_live_on_in_its_children(file):
    """A forked child shares its parent's files, and with them a lock; it must not keep it when the parent is gone."""
    file.write(Put({"PK": "a", "SK": "1"}))
    reads, writes = os.pipe()
    if not (parent := os.fork()):
        try:
            os.close(writes)
            file.write(Put({"PK": "a", "SK": "2"}))
            fcntl.flock(file._writers.writer.queue.file, fcntl.LOCK_EX)
            if not os.fork():
                os.read(reads, 1)  # outlives its parent until the test is over
        finally:
            os._exit(0)
    os.waitpid(parent, 0)
    until(lambda: is_free(file))
    os.close(writes)
    os.close(reads)


def test_it_is_quiet_since_the_last_write(file):
    file.write(Put({"PK": "a", "SK": "1"}))
    journal, long_ago = f"{file.path}-wal", time.time() - 1000
    assert file.quiet() < TIMEOUT_SECONDS
    os.utime(journal, (long_ago, long_ago))
    assert file.quiet() > 900
    file.purge_journal()
    os.utime(file.path, (long_ago, long_ago))
    os.utime(journal)  # which is empty, and as old as the process that has opened the store
    assert file.quiet() > 900
    assert Table.quiet(file) == math.inf
