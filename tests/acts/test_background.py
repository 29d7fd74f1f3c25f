"""Background work: done once, resumed fairly, and set aside with its reason if it keeps failing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foundation.acts import background
from foundation.acts.background import Batch, Task, TaskType, finished, wait
from foundation.acts.refusals import LostRace
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.log import as_text, utc_now
from foundation.store.table import Check, Exists, Put, Refused, Unavailable, Update
from tests.at_once import at_once
from tests.clock import stands_at

COUNTING = TaskType("count", "Counting")


@COUNTING.step
def count_one(task: Task) -> Batch:
    """As many batches as asked for; each adds one to a counter."""
    done = task.progress.get("done", 0)
    if done == task.data["upto"]:
        return finished()
    return Batch([Update(counter(task.subject), add={"count": 1})], {"done": done + 1})


def counter(subject: str):
    return keys.once(f"counter {subject}")


def counted(subject: str) -> int:
    return (table().get(counter(subject)) or {}).get("count", 0)


@pytest.fixture(autouse=True)
def types(site, monkeypatch):
    monkeypatch.setattr(background, "TYPES", {COUNTING.name: COUNTING})


def begin(subject: str, upto: int, due: str = "", of: TaskType = COUNTING) -> None:
    table().write(of.begin(subject, due=due or now_text(), upto=upto))


def failing(error: Exception) -> TaskType:
    """A type whose every step fails."""
    kind = TaskType("fail", "Failing")

    @kind.step
    def fail(task: Task) -> Batch:
        raise error

    background.TYPES[kind.name] = kind
    return kind


def make_due(kind: TaskType, subject: str) -> None:
    task = kind.find(subject)
    index = keys.task_by_time(now_text(), task.type, task.subject)
    table().write(Update(task.key, set={"GSI1SK": index, "due": now_text()}))


def test_every_batch_is_done_once_and_the_task_goes_with_the_last():
    begin("a", 7)
    assert COUNTING.start("a")
    assert counted("a") == 7
    assert COUNTING.find("a") is None


def test_a_batch_that_has_nothing_to_write_is_not_written_down_by_the_worker_that_goes_on_at_once():
    kind, turns = TaskType("look", "Looking"), []

    @kind.step
    def look(task: Task) -> Batch:
        turns.append(task.version)
        return Batch()

    begin("a", 1, of=kind)
    background.TYPES[kind.name] = kind
    before = kind.find("a")
    assert not kind.advance("a", 3, grace=0)
    assert kind.find("a") == before
    assert not kind.advance("a", 1)
    assert kind.find("a").due > before.due, "a request keeps the worker off it"
    assert turns == [before.version] * 4


def test_however_many_work_on_it_at_once():
    begin("a", 20)
    assert at_once(*[lambda: COUNTING.advance("a")] * 4) == [True] * 4
    assert counted("a") == 20


def test_what_is_always_refused_fails_instead_of_going_round_for_ever():
    kind, calls = TaskType("refuse", "Refused"), []

    @kind.step
    def refuse(task: Task) -> Batch:
        calls.append(1)
        return Batch([Check(counter("a"), when=Exists())])

    begin("a", 1, of=kind)
    with pytest.raises(LostRace):
        kind.advance("a")
    assert len(calls) == background.MAX_REFUSALS


def test_refusals_that_others_cause_are_forgotten_with_every_batch_that_is_done(monkeypatch):
    monkeypatch.setattr(background, "MAX_REFUSALS", 2)
    kind, calls = TaskType("sometimes", "Refused now and then"), []

    @kind.step
    def do(task: Task) -> Batch:
        calls.append(1)
        if len(calls) % 2:
            raise Refused([0])
        return Batch(is_last=len(calls) == 8)

    begin("a", 1, of=kind)
    assert kind.advance("a")
    assert len(calls) == 8


def test_a_request_does_only_what_it_can_wait_for():
    begin("a", 7)
    assert not COUNTING.start("a", batches=3)
    assert counted("a") == 3
    assert COUNTING.advance("a")
    assert counted("a") == 7


def test_the_same_cannot_be_begun_twice_at_once():
    begin("a", 7)
    with pytest.raises(Refused):
        begin("a", 7)


def test_what_fails_in_a_request_is_left_to_the_worker():
    kind = failing(RuntimeError("secret words"))
    begin("a", 1, of=kind)
    assert not kind.start("a")
    assert kind.find("a").attempts == 0, "the worker has not tried yet"


def test_the_worker_leaves_a_task_alone_that_a_request_works_on():
    table().write(COUNTING.begin("a", upto=70))
    COUNTING.advance("a", batches=1)
    assert background.resume_due() == 0
    assert 0 < background.next_due() <= background.GRACE_SECONDS
    COUNTING.start("a", batches=1)
    assert background.resume_due() == 1, "the request has done what it can wait for"


# --- what acts outside the store ---


@pytest.fixture
def sent() -> list[str]:
    """Of a type whose step tells somebody else, in one batch for each subject."""
    sent: list[str] = []
    kind = TaskType("send", "Sending", claim_seconds=60)

    @kind.step
    def send(task: Task) -> Batch:
        sent.append(task.subject)
        return finished()

    background.TYPES[kind.name] = kind
    begin("a", 1, of=kind)
    return sent


def test_of_several_workers_one_sends(sent):
    at_once(*[background.resume_due] * 4)
    assert sent == ["a"]
    assert background.next_due() is None


def test_a_claim_is_left_alone_until_it_has_expired(sent, monkeypatch):
    kind, send = background.TYPES["send"], background.TYPES["send"].do

    def die(task: Task) -> Batch:
        raise KeyboardInterrupt

    kind.do = die
    with pytest.raises(KeyboardInterrupt):
        background.resume_due()
    kind.do = send
    assert background.resume_due() == 0
    assert 50 < background.next_due() <= 60
    stands_at(monkeypatch, as_text(utc_now() + timedelta(seconds=61)))
    assert background.resume_due() == 1
    assert sent == ["a"]


def test_who_comes_back_after_its_claim_changes_nothing(sent, monkeypatch):
    """Another worker took over: what is written with a batch that came too late is not written."""
    kind, send = background.TYPES["send"], background.TYPES["send"].do

    def sleep(task: Task) -> Batch:
        kind.do = send
        with monkeypatch.context() as later:
            stands_at(later, as_text(utc_now() + timedelta(seconds=61)))
            assert background.resume_due() == 1
        return Batch([Update(counter("a"), add={"count": 1})])

    kind.do = sleep
    assert background.resume_due() == 1
    assert (sent, counted("a"), kind.find("a")) == (["a"], 0, None)


# --- when ---


def test_what_is_due_later_is_not_touched_before():
    begin("a", 1, due=as_text(utc_now() + timedelta(hours=1)))
    assert background.resume_due() == 0
    assert background.next_due() > 3000


@pytest.mark.deep
def test_nobody_small_waits_for_somebody_large():
    begin("large", 500)
    begin("small", 1)
    assert background.resume_due() == 2
    assert COUNTING.find("small") is None
    assert counted("large") == background.TURN_BATCHES
    while background.resume_due():
        pass
    assert counted("large") == 500
    assert background.next_due() is None


def test_the_longest_waiting_is_first():
    order = []
    kind = TaskType("ordered", "Ordered")

    @kind.step
    def note(task: Task) -> Batch:
        order.append(task.subject)
        return finished()

    background.TYPES[kind.name] = kind
    for subject, minutes in (("b", 1), ("c", 0), ("a", 2)):
        begin(subject, 1, due=as_text(utc_now() - timedelta(minutes=minutes)), of=kind)
    background.resume_due()
    assert order == ["a", "b", "c"]


def test_a_worker_that_is_to_stop_stops_between_two_tasks():
    begin("a", 1)
    begin("b", 1)
    answers = iter([True, False])
    assert background.resume_due(lambda: next(answers)) == 1


def test_a_step_that_has_to_wait_ends_the_turn():
    kind = TaskType("wait", "Waiting")
    kind.step(lambda task: wait(60))
    background.TYPES[kind.name] = kind
    begin("a", 1, of=kind)
    assert background.resume_due() == 1
    assert background.resume_due() == 0
    assert 50 < background.next_due() <= 60


def test_what_fails_is_tried_again_later_and_blocks_nothing():
    kind = failing(RuntimeError("secret words"))
    begin("a", 1, of=kind)
    begin("b", 3)
    background.resume_due()
    assert counted("b") == 3
    task = kind.find("a")
    assert (task.attempts, task.reason) == (1, "RuntimeError."), "its words may quote somebody"
    assert task.due > now_text()
    assert [each.subject for each in background.failing()] == ["a"]


def test_what_keeps_failing_is_set_aside_with_its_reason_until_somebody_retries_it():
    kind = failing(RuntimeError())
    begin("a", 1, of=kind)
    for _attempt in range(background.MAX_ATTEMPTS):
        make_due(kind, "a")
        assert background.resume_due() == 1
    assert kind.find("a").is_set_aside
    assert (background.next_due(), background.resume_due()) == (None, 0)
    (task,) = background.failing()
    assert (task.subject, task.reason, background.label_of(task)) == ("a", "RuntimeError.", "Failing")

    kind.step(lambda task: finished())
    assert background.retry(kind.name, "a")
    assert background.resume_due() == 1
    assert kind.find("a") is None
    assert not background.retry(kind.name, "a"), "it is no longer there"


def test_progress_makes_earlier_failures_forgotten():
    kind = failing(RuntimeError())
    begin("a", 1, of=kind)
    background.resume_due()
    kind.step(lambda task: Batch(wait_seconds=5))
    kind.advance("a")
    assert (kind.find("a").attempts, kind.find("a").reason) == (0, "")


def test_a_store_in_trouble_is_no_tasks_fault():
    kind = failing(Unavailable("down"))
    begin("a", 1, of=kind)
    with pytest.raises(Unavailable):
        background.resume_due()
    assert kind.find("a").attempts == 0


def test_a_task_of_a_type_that_nobody_knows_blocks_nothing():
    begin("a", 1, of=TaskType("unknown", "?"))
    poison = {"PK": "POISON", "SK": "METADATA", "GSI1PK": keys.TASKS.pk, "GSI1SK": "0000"}
    table().write(Put(poison))
    begin("b", 1)
    background.resume_due()
    assert counted("b") == 1
