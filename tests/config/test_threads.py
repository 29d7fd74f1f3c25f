"""The threads that make answers: as many as allowed, none woken for nothing, and all that was asked for is done."""

from __future__ import annotations

import threading

from config.connections.threads import Threads

PATIENCE = 120  # seconds for a machine that is busy with other things


def wait_until_idle(threads, count):
    """A thread that has done its work needs a moment to say so."""
    until = threading.Event()
    for _ in range(PATIENCE * 100):
        with threads.turn:
            if len(threads.idle) == count:
                return
        until.wait(0.01)
    raise AssertionError(f"{len(threads.idle)} are idle")


def test_no_more_than_allowed_work_at_once_and_what_waits_is_done_in_order():
    threads, go, done = Threads(3), threading.Event(), []
    began = threading.Semaphore(0)

    def act(number):
        began.release()
        assert go.wait(PATIENCE)
        done.append(number)

    for number in range(9):
        threads.submit(lambda number=number: act(number))
    for _ in range(3):
        assert began.acquire(timeout=PATIENCE)
    assert (threads.count, len(threads.to_do), began.acquire(blocking=False)) == (3, 6, False)
    go.set()
    wait_until_idle(threads, 3)
    assert sorted(done) == list(range(9))
    threads.shutdown(wait=False)


def test_who_has_just_finished_is_asked_again_and_nobody_else():
    threads, who, done = Threads(8), [], threading.Semaphore(0)

    def act():
        who.append(threading.get_ident())
        done.release()

    for _ in range(20):
        threads.submit(act)
        assert done.acquire(timeout=PATIENCE)
        wait_until_idle(threads, 1)
    assert len(who) == 20
    assert (len(set(who)), threads.count) == (1, 1)
    threads.shutdown(wait=False)


def test_a_thread_outlives_what_fails_in_it():
    threads, done = Threads(1), threading.Event()

    def fail():
        raise SystemExit

    threads.submit(fail)
    threads.submit(done.set)
    assert done.wait(PATIENCE)
    threads.shutdown(wait=False)


def test_when_it_is_over_what_was_asked_for_is_done_and_all_end():
    threads, go, done = Threads(2), threading.Event(), []
    before = set(threading.enumerate())
    for number in range(5):
        threads.submit(lambda number=number: (go.wait(PATIENCE), done.append(number)))
    ours = set(threading.enumerate()) - before
    threads.shutdown(wait=False)
    go.set()
    for thread in ours:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert sorted(done) == [0, 1, 2, 3, 4]


def test_and_those_who_have_nothing_to_do_end_at_once():
    threads = Threads(2)
    before = set(threading.enumerate())
    threads.submit(lambda: None)
    ours = set(threading.enumerate()) - before
    wait_until_idle(threads, 1)
    threads.shutdown(wait=False)
    for thread in ours:
        thread.join(PATIENCE)
        assert not thread.is_alive()
