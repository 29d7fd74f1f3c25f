"""Background tasks: work that a request begins and need not finish.

The transaction that begins it stores a task (`TaskType.begin`) with its type, subject, data and progress. Every type
has one step, which returns one batch of the work: writes, perhaps an event, and the new progress. These are committed
together with the task, so that each batch happens exactly once, however many processes work on it and whichever die.

The request does the first batches (`start`), so that small jobs finish before the response. The worker does the rest
(`resume_due`), a few batches of each task in turn, longest-waiting first. Each lane has a thread of its own in the
worker: what takes long, waits for another server, or can be stored by strangers in any number holds up no other. A
failing task is retried with backoff; one that keeps failing is set aside with the reason until it is retried by hand
(`retry`).

What acts outside the store, such as a request to another server, cannot happen exactly once. Such a type has
`claim_seconds`: the worker claims a task for so long, and then does one batch.

What a worker looks for again and again is a `Job`. Apps declare theirs; operations/upkeep/jobs.py runs them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice

from django.utils.functional import Promise

from foundation.store import keys
from foundation.store.log import Event, as_text
from foundation.store.log.events import Noting
from foundation.store.sharded_reads import page as page_of
from foundation.store.table import (
    Condition,
    Delete,
    Exists,
    Item,
    Key,
    Missing,
    Put,
    Refused,
    Span,
    Unavailable,
    Update,
    Write,
)

from . import pause
from .queues import failure_reason, log_failure
from .refusals import LostRace
from .retry import retry_on_conflict
from .storage import log, now_text, table, try_write, unchanged

REQUEST_BATCHES = 50  # done within the request
TURN_BATCHES = 50  # of one task before the worker takes the next
TASKS_PER_LOOK = 100
GRACE_SECONDS = 10  # for which the worker leaves a task to the request that works on it
MAX_REFUSALS = 50  # in a row
MAX_ATTEMPTS = 10  # failures in a row, about a quarter of an hour, before a task is set aside
MAX_REASON_CHARS = 500
OVERWRITE = Missing() | Exists()  # a task of the same type and subject, should there be one
DELETIONS_PER_BATCH = 90  # a transaction has a hundred parts


@dataclass(frozen=True, slots=True)
class Task:
    """Unfinished work on one subject."""

    type: str = ""
    subject: str = ""
    data: Item = field(default_factory=dict)  # parameters; they do not change
    progress: Item = field(default_factory=dict)  # as its step wrote it
    version: int = 0  # one more with each write; starts at random, to differ from an earlier task of the subject
    began_at: str = ""
    due: str = ""
    attempts: int = 0  # failures in a row
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
    noting: Noting = lambda number: ()  # further writes, given the event's number


ONE_OF_MANY = Batch()  # of work that records its progress itself


def finished(*writes: Write, event: Event | None = None, progress: Item | None = None) -> Batch:
    """The last batch, which also deletes the task."""
    return Batch(writes, progress, event, is_last=True)


def wait(seconds: float) -> Batch:
    """Nothing can be done yet."""
    return Batch(wait_seconds=seconds)


Step = Callable[[Task], Batch]
Watch = Callable[[Item], None]


class TaskType:
    """A type of background work: its name in the store, its label for people, the lane in which it waits, for how long
    the worker claims it, and the step that does one batch."""

    def __init__(self, name: str, label: str | Promise, lane: Span = keys.TASKS, claim_seconds: float = 0):
        self.name, self.label, self.lane, self.claim_seconds = name, label, lane, claim_seconds
        self.do: Step = _unregistered
        self.hold: Callable[[str], bool] | None = None

    def step(self, step: Step) -> Step:
        """Decorates the function that does one batch."""
        self.do = step
        return step

    def when_restored(self, hold: Callable[[str], bool]) -> Callable[[str], bool]:
        """Decorates what is done about a subject's task in a store restored from a backup, because it may have been
        done since; returns whether it is held back."""
        self.hold = hold
        return hold

    def key(self, subject: str) -> Key:
        return keys.task(self.name, subject)

    def begin(self, subject: str, *, due: str = "", when: Condition | None = None, **data: object) -> Put:
        """The write that stores a task; refused if the subject has one of this type, unless `when` says otherwise."""
        place, due = self.key(subject), due or due_in(GRACE_SECONDS)
        index = {"GSI1PK": self.lane.pk, "GSI1SK": keys.task_by_time(due, self.name, subject)}
        about = {"type": self.name, "subject": subject, "data": data, "version": secrets.randbits(40)}
        times = {"began_at": now_text(), "due": due}
        return Put({**place.item, **index, **about, **times}, when=when or Missing())

    def find(self, subject: str) -> Task | None:
        item = table().get(self.key(subject))
        return task_of(item) if item else None

    def unfinished(self) -> list[Task]:
        """All tasks of this type."""
        waiting = (task_of(item) for span in (self.lane, keys.TASKS_SET_ASIDE) for item in table().each(span))
        return [task for task in waiting if task.type == self.name]

    def start(self, subject: str, batches: int | None = None, watch: Watch = lambda progress: None) -> bool:
        """Do what a request can wait for; whether nothing is left. Failures are left to the worker. `watch` is called
        with the progress of every batch."""
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
        """Do so many batches; whether nothing is left. Several processes may do this at once: a batch that the store
        refuses was done by another, and the task is read again. The worker leaves the task alone for `grace` seconds
        after each batch, but takes it at once after the last one if `hand_over`. Many refusals in a row are no
        coincidence: then this fails. A batch that has nothing to write is not written down by who is at once at the
        next."""
        done = refused = 0
        while (task := self.find(subject)) is not None and done != batches:
            try:
                batch = self.do(task)
                done += 1
                if grace or task.attempts or batch != ONE_OF_MANY:
                    _commit(task, batch, 0 if hand_over and done == batches else grace)
            except Refused:
                refused += 1
                if refused == MAX_REFUSALS:
                    raise LostRace from None
                continue
            refused = 0
            watch(batch.progress or {})
            if batch.wait_seconds:
                return False
        return task is None


def _unregistered(task: Task) -> Batch:
    raise NotImplementedError(task.type)


def task_of(item: Item) -> Task:
    return Task(**{name: item[name] for name in Task.__dataclass_fields__ if name in item})


def due_in(seconds: float) -> str:
    return as_text(_now() + timedelta(seconds=seconds))


def _now() -> datetime:
    return datetime.fromisoformat(now_text())


def _commit(task: Task, batch: Batch, grace: float) -> None:
    due, progress = due_in(batch.wait_seconds or grace), task.progress if batch.progress is None else batch.progress
    after = replace(task, progress=progress, due=due, attempts=0, reason="")
    marker = Delete(task.key, when=unchanged(task)) if batch.is_last else _changed(after)
    event, writes = batch.event, [*batch.writes, marker]
    retry_on_conflict(lambda: log().record(event, *writes, noting=batch.noting) if event else table().write(*writes))


def _changed(task: Task) -> Update:
    """Write the changed task, listed for the worker or as set aside."""
    lane = TYPES[task.type].lane if task.type in TYPES else keys.TASKS
    listed = keys.TASKS_SET_ASIDE if task.is_set_aside else lane
    index = {"GSI1PK": listed.pk, "GSI1SK": keys.task_by_time(task.due, task.type, task.subject)}
    fields = {name: getattr(task, name) for name in ("progress", "due", "attempts", "reason")}
    return Update(task.key, set={**index, **fields}, add={"version": 1}, when=unchanged(task))


def next_deletions(*spans: Span, elsewhere: Callable[[Item], Iterable[Key]] = lambda item: ()) -> list[Delete]:
    """Deletes one batch of these partitions, and before each item what belongs to it `elsewhere`, so that a run that is
    cut short finds it again by the item. Empty if nothing is left."""
    items = page_of(table(), spans, limit=DELETIONS_PER_BATCH).items
    places = (key for item in items for key in (*elsewhere(item), Key(item["PK"], item["SK"])))
    return [Delete(place) for place in islice(places, DELETIONS_PER_BATCH)]


# --- the worker ---

TYPES: dict[str, TaskType] = {}  # by name; config/hooks.py fills it


def register(*types: TaskType) -> None:
    TYPES.update({each.name: each for each in types})


def lanes() -> set[Span]:
    return {keys.TASKS, *(each.lane for each in TYPES.values())}


def next_due(lane: Span = keys.TASKS) -> float | None:
    """In how many seconds a task of the lane is due, 0 for now."""
    first = table().page(lane, limit=1).items
    return max(0.0, (datetime.fromisoformat(first[0]["due"]) - _now()).total_seconds()) if first else None


def resume_due(goes_on: Callable[[], bool] = lambda: True, lane: Span = keys.TASKS) -> int:
    """Give each due task of the lane a turn, the longest waiting first; returns how many had one."""
    waiting, turns = table().page(keys.tasks_due(lane, now_text()), limit=TASKS_PER_LOOK).items, 0
    for item in waiting:
        if not goes_on():
            break
        _take_turn(task_of(item))
        turns += 1
    return turns


def _take_turn(task: Task) -> None:
    """Reads the task again, because the index may lag. An unavailable store or a paused site ends all turns. A task
    that fails is retried with exponential backoff; after the last attempt it is set aside."""
    try:
        kind = TYPES[task.type]
        current = kind.find(task.subject)
        if current is None or current.due > now_text():
            return
        if not kind.claim_seconds:
            kind.advance(task.subject, TURN_BATCHES, grace=0)
            return
        claimed = replace(current, due=due_in(kind.claim_seconds))  # when it is due again, should the worker die
        if try_write(_changed(claimed)):
            with suppress(Refused):  # it took longer than the claim, and another worker has it
                mine = replace(claimed, version=current.version + 1)
                _commit(mine, kind.do(mine), grace=0)
    except Unavailable:
        raise
    except Exception as error:
        log_failure(error)
        failed = TYPES[task.type].find(task.subject) if task.type in TYPES else task
        if failed is not None:
            attempts, reason = failed.attempts + 1, failure_reason(error)[:MAX_REASON_CHARS]
            failed = replace(failed, due=due_in(2**attempts), attempts=attempts, reason=reason)
            try_write(_changed(failed))  # unless another process made progress


# --- for people ---


def failing() -> list[Task]:
    """The first tasks that were set aside or are being retried."""
    spans = (keys.TASKS_SET_ASIDE, *sorted(lanes(), key=lambda lane: lane.pk))
    found = [task_of(item) for span in spans for item in table().page(span, limit=TASKS_PER_LOOK).items]
    return [task for task in found if task.attempts]


def label_of(task: Task) -> str:
    return str(TYPES[task.type].label) if task.type in TYPES else task.type


def retry(task_type: str, subject: str) -> bool:
    """Let the worker try the task again now; whether it was there."""
    item = table().get(keys.task(task_type, subject))
    return item is not None and try_write(_changed(replace(task_of(item), due=now_text(), attempts=0, reason="")))


# --- periodic jobs ---


@dataclass(frozen=True, slots=True)
class Job:
    """Something any number of workers may do at once without harm; `work` returns how much was done.

    `waits` checks cheaply whether there is any work, without a lease, so that an idle site is only read. Where it is
    known when there will be, `moment` replaces it: in how many seconds, 0 for now. Jobs of one lane run one after
    another; a job that waits for another server has its own lane, so that nothing else waits with it.
    """

    name: str
    every: int  # seconds
    work: Callable[[], int]
    waits: Callable[[], bool] = lambda: True
    lane: str = ""
    moment: Callable[[], float | None] | None = None
    part: str = ""  # that it belongs to; empty for the core


def anything_in(*spans: Span) -> Callable[[], bool]:
    def look() -> bool:
        pages = (table().page(span, limit=1) for span in spans)
        return any(page.items or page.cursor for page in pages)

    return look


GOES_ON: ContextVar[Callable[[], bool]] = ContextVar("goes_on", default=lambda: True)


def goes_on() -> bool:
    """Whether a long job may continue with its next item: not while the site is paused, nor when the worker stops."""
    return GOES_ON.get()() and pause.cache.current() is None


def tasks(name: str, lane: Span) -> Job:
    """The background tasks of one lane."""
    return Job(name, 2, lambda: resume_due(goes_on, lane), moment=lambda: next_due(lane), lane=name)
