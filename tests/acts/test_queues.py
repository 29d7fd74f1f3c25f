"""Long work by turns: nobody small waits for somebody large, one that fails stops no other, and a pace is kept."""

from __future__ import annotations

import pytest

from acts.queues import MAX_ATTEMPTS, Pace, SomeFailed, process_in_turns, retry_when_crowded, run_to_end
from acts.storage import use_table
from store.sqlite import SqliteTable
from store.table import Crowded, Put, Span, Unavailable

MARKS = Span("MARKS")


@pytest.fixture
def marks(tmp_path):
    table = SqliteTable(str(tmp_path / "some.sqlite3"))
    table.create()
    with use_table(table):
        yield lambda *names: [table.write(Put({"PK": "MARKS", "SK": name})) for name in names]


class Steps:
    """Work that says each step it takes; `after` a step of one, something happens."""

    def __init__(self, after=lambda name, step: None, **lengths: int):
        self.lengths, self.taken, self.after = lengths, [], after

    def begin(self, mark):
        for step in range(self.lengths[mark["SK"]]):
            self.taken.append(mark["SK"])
            self.after(mark["SK"], step)
            yield 1
        return 1


def test_each_has_a_step_in_its_turn(marks):
    marks("large", "small")
    steps = Steps(large=5, small=2)
    assert process_in_turns(MARKS, steps.begin) == 2
    assert steps.taken == ["large", "small", "large", "small", "large", "large", "large"]


def test_what_is_marked_meanwhile_has_its_turn_before_the_large_one_is_done(marks):
    marks("large")
    steps = Steps(lambda name, step: marks("small") if (name, step) == ("large", 1) else None, large=9, small=1)
    assert process_in_turns(MARKS, steps.begin, ticking=iter(range(0, 100, 2)).__next__) == 2
    assert 2 < len(steps.taken) - steps.taken[::-1].index("small") < 6


def test_one_that_fails_stops_no_other_and_is_tried_once_in_a_round(marks):
    def fail(name, step):
        if name == "bad":
            raise KeyError(name)

    marks("bad", "good")
    steps = Steps(fail, bad=3, good=3)
    with pytest.raises(SomeFailed):
        process_in_turns(MARKS, steps.begin, ticking=iter(range(0, 100, 2)).__next__)
    assert steps.taken == ["bad", "good", "good", "good"]


def test_a_store_in_trouble_ends_it_for_all(marks):
    def fail(name, step):
        raise Unavailable("away")

    marks("one", "other")
    steps = Steps(fail, one=3, other=3)
    with pytest.raises(Unavailable):
        process_in_turns(MARKS, steps.begin)
    assert steps.taken == ["one"]


def test_whoever_is_to_stop_stops_between_two_steps_and_lets_go_of_all(marks):
    marks("one")
    closed, left = [], iter([True, True, False])

    def begin(mark):
        try:
            while True:
                yield 0
        finally:
            closed.append(mark["SK"])

    assert process_in_turns(MARKS, begin, goes_on=lambda: next(left)) == 0
    assert closed == ["one"]


class Clock:
    def __init__(self):
        self.now, self.naps = 0.0, []

    def sleep(self, seconds):
        self.naps.append(seconds)
        self.now += seconds


def test_what_was_written_is_waited_for_in_naps_of_half_a_second():
    clock = Clock()
    pace = Pace(100, lambda: clock.now, clock.sleep)
    pace.wait()
    assert clock.naps == []
    pace.spend(120)
    pace.wait()
    assert clock.now == pytest.approx(1.2)
    assert max(clock.naps) <= 0.5
    clock.now = 60.0  # a rest is not saved up
    pace.spend(100)
    pace.wait()
    assert clock.now == pytest.approx(61)


def test_who_is_to_stop_does_not_wait_for_the_pace():
    clock = Clock()
    pace = Pace(1, lambda: clock.now, clock.sleep)
    pace.spend(1000)
    pace.wait(lambda: len(clock.naps) < 2)
    assert len(clock.naps) == 2


def test_the_pace_is_kept_over_all_steps_of_a_distant_store(marks):
    marks("large", "small")
    clock = Clock()
    process_in_turns(MARKS, Steps(large=5, small=2).begin, pace=Pace(2, lambda: clock.now, clock.sleep))
    assert clock.now == pytest.approx(7 / 2)


def test_in_a_crowd_it_is_tried_again_with_a_pause_each_time_and_not_for_ever():
    tries = []

    def write():
        tries.append(1)
        if len(tries) < 3:
            raise Crowded("too many")

    assert list(retry_when_crowded(write, 7)) == [7, 7, 7]

    def refuse():
        raise Crowded("too many")

    paused = retry_when_crowded(refuse, 7)
    assert [next(paused) for _ in range(MAX_ATTEMPTS - 1)] == [7] * (MAX_ATTEMPTS - 1)
    with pytest.raises(Crowded):
        next(paused)


def test_who_waits_for_little_has_it_at_once():
    def work():
        yield 1_000_000
        return 3

    assert run_to_end(work()) == 3
