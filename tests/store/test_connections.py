"""What is open is closed: a connection goes with its thread, and all go when a table is closed; others' stay."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Thread

import pytest

from foundation.store.sqlite import SqliteTable
from foundation.store.table import DATA, Key, Put

KEY = Key("A", "1")


@pytest.fixture
def table(tmp_path):
    table = SqliteTable(f"{tmp_path}/plenum.sqlite3")
    table.create()
    table.write(Put({"PK": "A", "SK": "1"}))
    yield table
    table.close()


def files_open(table: SqliteTable) -> int:
    links = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    return sum(os.readlink(link).startswith(table.path) for link in links if os.path.islink(link))


pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not tell what is open")


def test_a_closed_table_has_no_file_open_and_can_be_used_again(table):
    table.get(KEY)
    assert files_open(table) > 0
    table.close()
    assert files_open(table) == 0
    assert table.get(KEY) is not None


def test_what_threads_have_opened_is_closed_when_they_have_ended(table):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(table.get, [KEY] * 64))
    table.close()
    assert files_open(table) == 0


def test_closing_takes_no_connection_from_a_thread_that_reads(table):
    opened, closed, answers = Barrier(2), Barrier(2), []

    def read_on():
        reader = table._reader()
        opened.wait(60)
        closed.wait(60)
        answers.append(reader.execute(f"SELECT count(*) FROM {DATA}").fetchone())

    thread = Thread(target=read_on)
    thread.start()
    opened.wait(60)
    table.close()
    closed.wait(60)
    thread.join(60)
    assert answers == [(1,)]
    assert files_open(table) == 0


def test_a_child_closes_nothing_of_its_parent(table):
    """Of all its parent's threads, of which only one goes on in it."""
    table.get(KEY)
    opened, over = Barrier(2), Barrier(2)

    def read_and_stay():
        table.get(KEY)
        opened.wait(60)
        over.wait(60)

    thread = Thread(target=read_and_stay)
    thread.start()
    opened.wait(60)
    if (child := os.fork()) == 0:
        os._exit(0 if files_open(table) >= 3 and table.get(KEY) else 1)
    assert os.waitpid(child, 0)[1] == 0
    over.wait(60)
    thread.join(60)
    assert table.get(KEY) is not None
