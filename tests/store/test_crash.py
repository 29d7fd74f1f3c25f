"""Killed at any moment, the embedded file keeps every acknowledged write, no half of one, and goes on at once."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from foundation.store.connect import connect
from foundation.store.table import LOG, Span
from tests.seeds import seed

from .crash_writer import COUNTER, NUMBERS
from .walks import walk

ROOT = Path(__file__).parents[2]
KILLS = 20
TIMEOUT_SECONDS = 120  # seconds for what happens at once, unless the machine is busy


@pytest.fixture
def url(tmp_path):
    url = f"sqlite://{tmp_path}/plenum.sqlite3"
    connect(url).create()
    return url


@pytest.fixture
def start(url):
    """Starts a writer; whatever becomes of the test, none is left behind."""
    writers = []

    def start(name):
        writers.append(Writer(url, name))
        return writers[-1]

    yield start
    for writer in writers:
        if writer.process.poll() is None:
            writer.kill()


class Writer:
    """A process that writes until it is killed."""

    def __init__(self, url, name):
        command = [sys.executable, "-m", "tests.store.crash_writer", url, str(name)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def next_line(self):
        return self.process.stdout.readline()

    def kill(self):
        """End it at once and answer what it had said by then."""
        self.process.send_signal(signal.SIGKILL)
        said = self.process.communicate(timeout=240)[0]
        assert self.process.returncode == -signal.SIGKILL, "it was still at work when it was killed"
        return said


def acknowledged(lines, verb):
    return [
        line.split()[1] for line in lines.splitlines(keepends=True) if line.startswith(verb) and line.endswith("\n")
    ]


def whole_changes(table, name):
    """The changes of a round, each found whole in both tables."""
    events = {event["SK"]: event["of"] for event in walk(table, Span(f"ROUND#{name}", table=LOG))}
    items = Counter(item["SK"].rpartition("#")[0] for item in walk(table, Span(f"ROUND#{name}")))
    assert items == events, "an event without all of its items, or items without their event"
    return set(events)


@pytest.mark.seconds(6)
def test_nothing_acknowledged_is_lost_and_nothing_is_half_written(url, start, tmp_path):
    chance = random.Random(seed())
    taken = []
    changes = 0
    for name in range(KILLS):
        writer = start(name)
        first = writer.next_line()
        assert first, "nobody has to wait for one that was killed"
        time.sleep(chance.uniform(0, 0.1))  # in which it writes a hundred times
        said = first + writer.kill()
        table = connect(url)
        found = whole_changes(table, name)
        assert set(acknowledged(said, "wrote")) <= found
        changes += len(found)
        assert table.get(COUNTER)["n"] == changes
        taken += map(int, acknowledged(said, "took"))
        assert len(taken) == len(set(taken)), "no number was given out twice"
        assert max(taken, default=0) <= (table.get(NUMBERS) or {"n": 0})["n"]
    assert sum(len(whole_changes(connect(url), name)) for name in range(KILLS)) == changes
    assert changes > KILLS
    events = [event for name in range(KILLS) for event in walk(connect(url), Span(f"ROUND#{name}", table=LOG))]
    assert sorted(event["number"] for event in events) == list(range(1, changes + 1)), "a number was given for nothing"
    with sqlite3.connect(tmp_path / "plenum.sqlite3") as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.deep
def test_when_one_of_two_writers_is_killed_the_other_goes_on(url, start):
    table = connect(url)
    for round_number in range(3):
        names = [f"{round_number} doomed", f"{round_number} other"]
        doomed, other = [start(name) for name in names]
        assert doomed.next_line()
        assert other.next_line()
        said = [doomed.kill()]
        others = Span(f"ROUND#{names[1]}", table=LOG)
        before = table.count(others)
        assert wait_until(lambda others=others, before=before: table.count(others) > before + 4)
        said.append(other.kill())
        for name, words in zip(names, said, strict=True):
            assert set(acknowledged(words, "wrote")) <= whole_changes(table, name)


def wait_until(happened):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not happened() and time.monotonic() < deadline:
        time.sleep(0.02)
    return happened()
