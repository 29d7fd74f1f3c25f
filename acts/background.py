"""Background work: what a request begins and need not finish.

The transaction that begins such work stores a task (`TaskType.begin`): its type, its subject, what was asked for, and
how far it has come. Every type has one step, which does one batch of the work and returns it: writes, perhaps an event,
and the new progress. The engine commits these together with the task. So a batch happens once, whoever dies and however
many processes work on it; the task is written first and removed last.

The request that began it does the first batches (`start`), so that small work is finished with the response. The worker
does the rest (`resume_due`): a few batches of each task in turn, the longest waiting first. A task that fails is tried
again, later each time; one that keeps failing is set aside with the reason until somebody retries it (`retry`).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice

from django.utils.functional import Promise

from acts.retry import retry_on_conflict
from acts.storage import try_write
from store import keys
from store.log import Event, as_text
from store.log.events import Noting
from store.sharded_reads import page as page_of
from store.table import (
    Condition,
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    Missing,
    Put,
    Span,
    Unavailable,
    Update,
    Write,
)

from .queues import failure_reason, log_failure
from .retry import repeat_until_done
from .storage import log, now_text, table

REQUEST_BATCHES = 50  # that whoever asked for the work waits for
TURN_BATCHES = 50  # that the worker does of one task before the next has its turn
TASKS_PER_LOOK = 100  # that the worker reads at once
GRACE_SECONDS = 10  # for which the worker leaves a task to the request that is working on it
MAX_ATTEMPTS = 10  # in a row, after which a task is set aside: a quarter of an hour after the first
MAX_REASON_CHARS = 500
OVERWRITE = Missing() | Exists()  # a task of the same type and subject, should there be one
DELETIONS_PER_BATCH = 90  # a transaction has a hundred parts


@dataclass(frozen=True, slots=True)
class Task:
    """Unfinished work on one subject."""

    type: str = ""
    subject: str = ""
    data: Item = field(default_factory=dict)  # what was asked for; it does not change
    progress: Item = field(default_factory=dict)  # how far the work has come, as its step wrote it
    version: int = 0  # one more each time it is written; the first is random, so that it is told from an earlier task
    began_at: str = ""
    due: str = ""
    attempts: int = 0  # that failed in a row
    reason: str = ""  # of the last failure

    @property
    def is_set_aside(self) -> bool:
        return self.attempts >= MAX_ATTEMPTS

    @property
    def key(self) -> Key:
        return keys.task(self.type, self.subject)


@dataclass(frozen=True, slots=True)
class Batch:
    """One batch of a task: what is written together with its progress."""

    writes: Iterable[Write] = ()
    progress: Item | None = None  # where it has changed
    event: Event | None = None
    is_last: bool = False
    wait_seconds: float = 0  # before the next batch can be done
    noting: Noting = lambda number: ()  # what is written of the event's number


def finished(*writes: Write, event: Event | None = None, progress: Item | None = None) -> Batch:
    """The last batch: the task goes with it."""
    return Batch(writes, progress, event, is_last=True)


def wait(seconds: float) -> Batch:
    """Nothing can be done yet."""
    return Batch(wait_seconds=seconds)


Step = Callable[[Task], Batch]
Watch = Callable[[Item], None]


class TaskType:
    """A type of background work: its name in the store, its label for people, and the step that does one batch."""

    def __init__(self, name: str, label: str | Promise):
        self.name, self.label = name, label
        self.do: Step = _unregistered

    def step(self, step: Step) -> Step:
        """Decorates the function that does one batch."""
        self.do = step
        return step

    def key(self, subject: str) -> Key:
        return keys.task(self.name, subject)

    def begin(self, subject: str, *, due: str = "", when: Condition | None = None, **data: object) -> Put:
        """The write that stores a task; refused if the subject has one of this type, unless `when` says otherwise."""
        place, due = self.key(subject), due or _in(GRACE_SECONDS)
        index = {"GSI1PK": keys.TASKS.pk, "GSI1SK": keys.task_by_time(due, self.name, subject)}
        about = {"type": self.name, "subject": subject, "data": data, "version": secrets.randbits(40)}
        times = {"began_at": now_text(), "due": due}
        return Put({**place.item, **index, **about, **times}, when=when or Missing())

    def find(self, subject: str) -> Task | None:
        item = table().get(self.key(subject))
        return task_of(item) if item else None

    def unfinished(self) -> list[Task]:
        """All tasks of this type."""
        waiting = (task_of(item) for span in (keys.TASKS, keys.TASKS_SET_ASIDE) for item in table().each(span))
        return [task for task in waiting if task.type == self.name]

    def start(self, subject: str, batches: int | None = None, watch: Watch = lambda progress: None) -> bool:
        """Do what a request can wait for; whether nothing is left. The work is stored by now, so what fails here is
        left to the worker. `watch` is given the progress of every batch that is done here."""
        try:
            return self.advance(subject, REQUEST_BATCHES if batches is None else batches, hand_over=True, watch=watch)
        except Exception as error:
            log_failure(error)
            return False

    def advance(
        self,
        subject: str,
        batches: int | None = None,
        grace: float = GRACE_SECONDS,
        hand_over: bool = False,
        watch: Watch = lambda progress: None,
    ) -> bool:
        """Do so many batches; whether nothing is left. Any number of processes may do this at once: a batch that the
        store refuses was done by another, and the task is read again. Between two batches the worker leaves the task
        alone for a while (`grace`); with `hand_over` it goes on at once after the last of them."""
        done = 0

        def step() -> bool | None:
            nonlocal done
            task = self.find(subject)
            if task is None or done == batches:
                return task is None
            batch = self.do(task)
            done += 1
            _commit(task, batch, 0 if hand_over and done == batches else grace)
            watch(batch.progress or {})
            return False if batch.wait_seconds else None

        return repeat_until_done(step)


def _unregistered(task: Task) -> Batch:
    raise NotImplementedError(task.type)


def task_of(item: Item) -> Task:
    return Task(**{name: item[name] for name in Task.__dataclass_fields__ if name in item})


def _in(seconds: float) -> str:
    return as_text(_now() + timedelta(seconds=seconds))


def _now() -> datetime:
    return datetime.fromisoformat(now_text())


def _commit(task: Task, batch: Batch, grace: float) -> None:
    marker = Delete(task.key, when=_unchanged(task)) if batch.is_last else _progressed(task, batch, grace)
    event, writes = batch.event, [*batch.writes, marker]
    retry_on_conflict(lambda: log().record(event, *writes, noting=batch.noting) if event else table().write(*writes))


def _unchanged(task: Task) -> Condition:
    return Equals("version", task.version)


def _progressed(task: Task, batch: Batch, grace: float) -> Update:
    progress = task.progress if batch.progress is None else batch.progress
    return _changed(replace(task, progress=progress, due=_in(batch.wait_seconds or grace), attempts=0, reason=""))


def _changed(task: Task) -> Update:
    """The task as it is from now on, found by the worker when it is due, unless it was set aside."""
    listed = keys.TASKS_SET_ASIDE if task.is_set_aside else keys.TASKS
    index = {"GSI1PK": listed.pk, "GSI1SK": keys.task_by_time(task.due, task.type, task.subject)}
    fields = {name: getattr(task, name) for name in ("progress", "due", "attempts", "reason")}
    return Update(task.key, set={**index, **fields}, add={"version": 1}, when=_unchanged(task))


def next_deletions(*spans: Span, elsewhere: Callable[[Item], Iterable[Key]] = lambda item: ()) -> list[Delete]:
    """A batch of what is left in these partitions, and of the little that its items have elsewhere, which goes before
    them: whoever is cut off finds it again by the item. Empty if nothing is left."""
    items = page_of(table(), spans, limit=DELETIONS_PER_BATCH).items
    places = (key for item in items for key in (*elsewhere(item), Key(item["PK"], item["SK"])))
    return [Delete(place) for place in islice(places, DELETIONS_PER_BATCH)]


# --- the worker ---

TYPES: dict[str, TaskType] = {}  # every type there is, by name: config/hooks.py fills it


def register(*types: TaskType) -> None:
    TYPES.update({each.name: each for each in types})


def next_due() -> float | None:
    """In how many seconds there is work; 0 if there is some by now."""
    first = table().page(keys.TASKS, limit=1).items
    return max(0.0, _seconds_until(first[0].get("due", ""))) if first else None


def _seconds_until(moment: str) -> float:
    return (datetime.fromisoformat(moment) - _now()).total_seconds() if moment else 0


def resume_due(goes_on: Callable[[], bool] = lambda: True) -> int:
    """A turn for each task that is due, the longest waiting first; answers how many of them had one."""
    waiting, turns = table().page(keys.tasks_due(now_text()), limit=TASKS_PER_LOOK).items, 0
    for item in waiting:
        if not goes_on():
            break
        _take_turn(task_of(item))
        turns += 1
    return turns


def _take_turn(task: Task) -> None:
    """The index may not know yet that a task was put off. A store in trouble, or a paused site, is no task's fault,
    and ends the turn of all."""
    try:
        current = TYPES[task.type].find(task.subject)
        if current is not None and current.due <= now_text():
            TYPES[task.type].advance(task.subject, TURN_BATCHES, grace=0)
    except Unavailable:
        raise
    except Exception as error:
        log_failure(error)
        _record_failure(task, error)


def _record_failure(task: Task, error: Exception) -> None:
    """The next attempt comes twice as late each time; after the last one it is set aside."""
    current = TYPES[task.type].find(task.subject) if task.type in TYPES else task
    if current is None:
        return
    attempts, reason = current.attempts + 1, failure_reason(error)[:MAX_REASON_CHARS]
    due = _in(2**attempts)
    try_write(_changed(replace(current, due=due, attempts=attempts, reason=reason)))  # unless somebody else went on


# --- for people ---


def failing() -> list[Task]:
    """What was set aside, and what is being tried again: enough for a page."""
    spans = (keys.TASKS_SET_ASIDE, keys.TASKS)
    found = [task_of(item) for span in spans for item in table().page(span, limit=TASKS_PER_LOOK).items]
    return [task for task in found if task.attempts]


def label_of(task: Task) -> str:
    return str(TYPES[task.type].label) if task.type in TYPES else task.type


def retry(task_type: str, subject: str) -> bool:
    """Let the worker try again what was set aside; whether it was there."""
    item = table().get(keys.task(task_type, subject))
    return item is not None and try_write(_changed(replace(task_of(item), due=now_text(), attempts=0, reason="")))
