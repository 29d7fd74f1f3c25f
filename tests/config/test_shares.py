"""Connections are shared out among the processes: whoever has more lets the others go first."""

from __future__ import annotations

import os
import socket
from contextlib import closing
from types import SimpleNamespace

import pytest

from config import gunicorn
from config.connections import PatientWorker, worker
from config.connections.shares import GONE, Shares


@pytest.fixture
def shares(monkeypatch):
    shares = Shares(most=3)
    monkeypatch.setattr(worker, "SHARES", shares)
    monkeypatch.setattr(gunicorn, "SHARES", shares)
    return shares


def test_a_process_begins_with_none_and_gets_the_first_free_place(shares):
    assert [shares.enter(), shares.enter()] == [0, 1]
    shares.tell(0, 7)
    shares.leave(0)
    assert shares.enter() == 0
    assert list(shares.counts) == [0, 0, GONE]


def test_more_processes_than_places_share_the_last(shares):
    assert [shares.enter() for _ in range(5)] == [0, 1, 2, 2, 2]


@pytest.mark.parametrize(("mine", "others", "more"), [(3, 2, True), (3, 3, False), (0, 9, False), (1, GONE, False)])
def test_who_has_more_than_another_that_is_there(shares, mine, others, more):
    places = [shares.enter(), shares.enter()]
    for place, count in zip(places, (mine, others), strict=True):
        shares.tell(place, count)
    assert shares.has_more(places[0]) is more


def test_what_a_process_tells_every_other_sees(shares):
    place = shares.enter()
    if (child := os.fork()) == 0:
        shares.tell(place, 5)
        os._exit(0)
    os.waitpid(child, 0)
    assert shares.counts[place] == 5


def test_nobody_waits_for_a_process_that_has_ended(shares):
    busy, ended = shares.enter(), shares.enter()
    shares.tell(busy, 4)
    assert shares.has_more(busy)
    gunicorn.child_exit(None, SimpleNamespace(place=ended))
    assert not shares.has_more(busy)


# --- at the door ---


@pytest.fixture
def door(shares):
    """A door at which somebody waits, and one of two processes."""
    process, _other = object.__new__(PatientWorker), shares.enter()
    process.place = shares.enter()
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        listener.setblocking(False)
        with closing(socket.create_connection(listener.getsockname())):
            yield SimpleNamespace(process=process, listener=listener)


def test_whoever_has_more_lets_the_other_take_who_comes(door, shares, monkeypatch):
    shares.tell(door.process.place, 1)
    taken = []
    monkeypatch.setattr(worker.time, "sleep", lambda seconds: taken.append(door.listener.accept()[0]))
    door.process.accept(door.listener)
    assert len(taken) == 1, "the other had its moment"
    assert shares.counts[door.process.place] == 1, "and nobody was left for this one"
    taken[0].close()


@pytest.mark.parametrize(("mine", "waits"), [(0, []), (1, [worker.A_HEAD_START])])
def test_whom_nobody_else_takes_it_takes_itself(door, shares, monkeypatch, mine, waits):
    process, waited = door.process, []
    process.nr_conns, process.worker_connections = mine, 10
    shares.tell(process.place, mine)
    process.cfg = None
    monkeypatch.setattr(worker.time, "sleep", waited.append)
    monkeypatch.setattr(worker, "Connection", lambda sock, *_: sock)
    monkeypatch.setattr(PatientWorker, "await_request", lambda process, conn, seconds: conn.close())
    monkeypatch.setattr(PatientWorker, "wake", lambda process, conn: None)
    process.accept(door.listener)
    assert (waited, shares.counts[process.place]) == (waits, mine + 1)
